"""The versions between which a behaviour changed, determined as exactly as the recordings allow."""

import json

import pytest

from readfirst.harness.diff.introduced_in import Point, narrowest_points

from .conftest import CallResult, Run, SmallSuite, edit, read, refusal, success


def test_a_range_of_versions_that_contains_a_narrower_range_is_omitted() -> None:
    wide, close = Point("2.1.7", "2.1.228", exact=False), Point("2.1.39", "2.1.40", exact=True)
    apart = Point("2.1.207", "2.1.208", exact=True)
    assert narrowest_points([wide, close, close, apart]) == [close, apart]
    overlapping = [Point("2.1.7", "2.1.40", exact=False), Point("2.1.39", "2.1.41", exact=False)]
    assert narrowest_points(overlapping) == overlapping


def dates_of_causes(run: Run, before: str = "2.1.7", after: str = "2.1.228") -> list[list[str]]:
    document = json.loads(run("diff", before, after, "--format", "json")[1])
    return [cause["since"] for cause in document["causes"]]


def test_a_recording_between_two_contracts_narrows_the_change(small: SmallSuite, run: Run) -> None:
    call = read({"2.1.7": CallResult("Old."), "2.1.39": CallResult("Old."), "2.1.40": CallResult("New.")})
    small.scenario("reading/words", call)
    (small.root / "releases.yaml").write_text("versions: [2.1.7, 2.1.39, 2.1.40]\n")
    small.record("reading/words", [call], ["2.1.7", "2.1.39", "2.1.40", "2.1.228"])
    assert dates_of_causes(run) == [["2.1.40"]]
    assert "Read: says “Old.” → “New.”  [1 scenario, in 2.1.40]" in run("diff", "2.1.7", "2.1.228")[1]


def test_a_behaviour_that_changed_twice_has_two_ranges_of_versions(small: SmallSuite, run: Run) -> None:
    missing = refusal("file_not_found", "File does not exist.")
    small.scenario("gate/twice", edit({"2.1.7": refusal(), "2.1.40": missing, "2.1.228": success()}))
    assert dates_of_causes(run) == [["2.1.7 to 2.1.40", "2.1.40 to 2.1.228"]]


def test_a_difference_in_the_bytes_has_the_versions_of_its_change(small: SmallSuite, run: Run) -> None:
    small.scenario("ends/x", edit({"2.1.7": success(content="a\r\n"), "2.1.40": success(content="a\n")}))
    assert dates_of_causes(run) == [["2.1.7 to 2.1.40"]]


def test_the_versions_of_a_cause_ignore_other_text_in_the_answer(small: SmallSuite, run: Run) -> None:
    texts = {"2.1.7": "     1→a", "2.1.40": "     1→a\nMore.", "2.1.228": "1\ta\nMore."}
    small.scenario("reading/two", read({name: CallResult(text) for name, text in texts.items()}))
    assert dates_of_causes(run) == [["2.1.40 to 2.1.228"], ["2.1.7 to 2.1.40"]]


@pytest.mark.parametrize("pair", ["2.1.228 2.1.228+gated", "documented 2.1.228"])
def test_a_difference_that_no_version_made_has_no_versions(small: SmallSuite, run: Run, pair: str) -> None:
    says = {"2.1.7": refusal(), "2.1.228": success(), "2.1.228+gated": refusal()}
    small.scenario("gate/unread", edit(says, refusal()))
    assert dates_of_causes(run, *pair.split()) == [[]]
