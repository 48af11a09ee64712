"""The history is computed from the reference's behaviours and the recordings; docs/history.md contains its counts."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

import readfirst.harness.versions.points
import readfirst.observatory.versions.history
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Transcript
from readfirst.harness.versions.points import scenarios_of_changes
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.observatory.cli.pages import page_file
from readfirst.observatory.versions.history import (
    ChangeWithAnswers,
    changes_with_answers,
    history_page,
)
from readfirst.reference_impl.behaviours.versioned import ByModel, History
from tests.changes.conftest import CallResult, Run, SmallSuite, edit, read, refusal, success

CHECKOUT = Path(__file__).resolve().parents[3]

UNREAD = edit({"2.1.7": refusal(), "2.1.228": success(), "2.1.228+gated": refusal()})
MISSING = read(
    {
        "2.1.7": CallResult("File does not exist.", "file_not_found"),
        "2.1.40": CallResult("Gone.", "file_not_found"),
    }
)

Track = Callable[..., list[ChangeWithAnswers]]


def one(changes: dict[tuple[int, int, int], object], *shown_by: str, first: object = False) -> History:
    return History(first, MappingProxyType(changes), first, shown_by, "Something is so.", "recorded")


def every_change(page: str) -> str:
    return page.partition("\n## Every change\n")[2]


@pytest.fixture
def track(small: SmallSuite) -> Track:
    def track_changes(**histories: History) -> list[ChangeWithAnswers]:
        return changes_with_answers(small.suite, histories)

    return track_changes


def test_changes_stand_in_the_order_of_the_versions(small: SmallSuite, track: Track) -> None:
    small.scenario("paths/missing", MISSING)
    found = track(
        second=one({(2, 1, 108): 1, (2, 1, 20): 2}, "paths/missing"),
        first=one({(2, 1, 9): True}, "paths/missing"),
    )
    assert [(point.version, point.behaviour) for point in found] == [
        ("2.1.9", "first"),
        ("2.1.20", "second"),
        ("2.1.108", "second"),
    ]


def test_a_change_that_no_recording_shows_is_reported_as_not_recorded(
    small: SmallSuite, track: Track
) -> None:
    small.scenario("paths/missing", MISSING)
    (alike,) = track(changes=one({(2, 1, 208): True}, "paths/missing"))
    (early,) = track(changes=one({(1, 0, 0): True}, "paths/missing"))
    (nowhere,) = track(changes=one({(2, 1, 20): True}, "paths/none"))
    for point in (alike, early, nowhere):
        assert (point.point, point.before, point.after) == (None, "not recorded", "not recorded")


def test_what_a_tool_does_identifies_a_change_better_than_what_it_says(
    small: SmallSuite, track: Track
) -> None:
    small.scenario("gate/words", edit({"2.1.7": CallResult("Old."), "2.1.40": CallResult("New.")}))
    both = [read({"2.1.7": CallResult("Old."), "2.1.40": CallResult("New.")}), UNREAD]
    small.scenario("gate/both", *both)
    found = track(
        one=one({(2, 1, 220): True}, "gate/both"),
        other=one({(2, 1, 221): True}, "gate/unread", "gate/both"),
        words=one({(2, 1, 20): True}, "gate/both"),
    )
    assert [point.tool for point in found] == ["Read", "Edit", "Edit"]


def test_of_long_contents_the_part_that_differs_is_shown(small: SmallSuite, track: Track) -> None:
    same = "same line\n" * 50
    says = {"2.1.7": success(content=f"{same}old\n"), "2.1.40": success(content=f"{same}new\n")}
    small.scenario("writing/long", edit(says))
    (point,) = track(long=one({(2, 1, 20): True}, "writing/long"))
    assert re.fullmatch(r"`.{0,30}same line\\nold\\n`", point.before)
    assert re.fullmatch(r"`.{0,30}same line\\nnew\\n`", point.after)


def test_modes_that_differ_are_reported(small: SmallSuite, track: Track) -> None:
    call = edit({"2.1.7": success()})
    small.scenario("links/mode", call)
    recordings = Recordings(small.suite.recordings_root)
    recording = recordings.recording("links/mode")
    step = recording.transcripts["2.1.7"].steps[0]
    private = replace(step, changes={"notes.txt": RegularFile(b"gamma\nbeta\n", 0o600)})
    write_all(recordings.written("links/mode", recording.with_transcript("2.1.7", Transcript((private,)))))
    (point,) = track(private=one({(2, 1, 20): True}, "links/mode"))
    assert (point.before, point.after) == ("`0600`", "`0644`")


def test_the_page_has_one_line_for_each_change(small: SmallSuite, monkeypatch: pytest.MonkeyPatch) -> None:
    small.scenario("gate/unread", UNREAD)
    histories = {"edit_needs_read": one({(2, 1, 208): ByModel(True, False)}, "gate/unread", first=True)}
    monkeypatch.setattr(readfirst.observatory.versions.history, "behaviour_histories", lambda: histories)
    page = history_page(small.suite)
    (row,) = [line for line in every_change(page).splitlines() if line.startswith("| **")]
    assert row.startswith("| **2.1.208**, newer models | between 2.1.40 and 2.1.228 | `edit_needs_read`")
    assert "(yes → no)" in row
    assert "Edit: refused (not_read): `File has not been read yet." in row
    assert row.endswith("| [gate/unread](../fixtures/scenarios/gate/unread.yaml) |")
    assert "1 change, 0 of them exact." in page


def test_scenarios_of_changes_tell_more_than_others(monkeypatch: pytest.MonkeyPatch) -> None:
    histories = {"changed": one({(2, 1, 8): True}, "a/b"), "never": one({}, "c/d")}
    monkeypatch.setattr(readfirst.harness.versions.points, "behaviour_histories", lambda: histories)
    assert scenarios_of_changes() == {"a/b"}


@pytest.fixture
def suite_with_change(small: SmallSuite, monkeypatch: pytest.MonkeyPatch) -> SmallSuite:
    """A suite with a scenario that shows a change of `edit_needs_read`, the only change in the reference's table."""
    small.scenario("gate/unread", UNREAD)
    histories = {"edit_needs_read": one({(2, 1, 208): True}, "gate/unread")}
    monkeypatch.setattr(readfirst.observatory.versions.history, "behaviour_histories", lambda: histories)
    return small


def page_path(small: SmallSuite) -> Path:
    file = page_file(small.suite, "history.md")
    assert file is not None
    return file


def test_the_command_prints_every_change_and_the_page_counts_them(
    suite_with_change: SmallSuite, run: Run
) -> None:
    run("product", "history", "--write")
    _, printed, _ = run("product", "history")
    words = "Edit: applied: `The file $WS/notes.txt has been updated.`"
    page = page_path(suite_with_change).read_text("utf-8")
    assert [("| **2.1.228** | 1 | 0 | 1 | 0 | 0 |" in text, words in text) for text in (printed, page)] == [
        (True, True),
        (True, False),
    ]


def test_what_is_published_can_be_asked_for_anew(
    suite_with_change: SmallSuite, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("product", "history", "--write")
    monkeypatch.setattr(
        "readfirst.observatory.versions.npm_versions.published_versions", lambda: ("2.1.40", "2.1.228")
    )
    assert run("product", "history", "--published", "--write")[0] == 0
    assert "1 change, 1 of them exact." in page_path(suite_with_change).read_text()
    assert (
        (suite_with_change.root / "releases.yaml")
        .read_text()
        .endswith("versions:\n  - 2.1.40\n  - 2.1.228\n")
    )


def test_a_check_does_not_go_with_writing(suite_with_change: SmallSuite, run: Run) -> None:
    for option in ("--write", "--published"):
        code, _, errors = run("product", "history", "--check", option)
        assert code == 2
        assert "--check writes nothing" in errors


@pytest.fixture(scope="module")
def page() -> str:
    return every_change(history_page(Suite(CHECKOUT / "fixtures")))


@pytest.mark.slow
def test_the_page_of_the_suite_has_every_change_of_every_behaviour(page: str) -> None:
    rows = [line for line in page.splitlines() if line.startswith("| **")]
    for name, known_history in readfirst.observatory.versions.history.behaviour_histories().items():
        for version in known_history.changes:
            named = f"| **{'.'.join(map(str, version))}**"
            assert [row for row in rows if row.startswith(named) and f"`{name}`" in row], (name, version)


@pytest.mark.slow
def test_the_page_of_the_suite_says_what_every_behaviour_means(page: str) -> None:
    for row in page.splitlines():
        if row.startswith("| **"):
            assert re.search(r"\| `\w+` \S.* \([^()]*.* → ", row), row
