"""Bisecting published versions, with a registry of made-up versions."""

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.agents.claude_code.install import cache_root
from readfirst.harness.compare.verdict import LEVELS
from readfirst.harness.errors import ExitCode
from readfirst.harness.record.replay_samples import StoredReplays
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordedResult, Transcript, TranscriptStep
from readfirst.observatory.versions.bisect import (
    AnswerChange,
    BisectError,
    compared_parts,
    find_changes,
    versions_between,
)
from readfirst.observatory.versions.npm_versions import installed_versions
from tests.command_line import exit_code
from tests.releases.conftest import expected_answers
from tests.releases.fake_registry import FakeNpm, saying
from tests.rows import rows

from .registry_server import FakeRegistry

OLD, NEW = saying('"Done"'), saying('"Done, and said otherwise"')
Npm = Callable[..., FakeNpm]


def versions(changed: int, newest: int = 9) -> dict[str, str]:
    return {f"1.0.{patch}": NEW if patch >= changed else OLD for patch in range(1, newest + 1)}


def bisect(suite: Suite, *options: str) -> int:
    return exit_code("product", "bisect", "--fixtures", suite.root, *options)


def write_variant(
    suite: Suite, scenario_id: str, *, old_string: str = "alpha", new_string: str = "gamma"
) -> None:
    """Write a scenario that is equal to gate/x, except for the arguments `old_string` and `new_string` of its Edit."""
    text = suite.path("gate/x").read_text("utf-8").partition("    expect:")[0]
    text = text.replace("old_string: alpha", f"old_string: {old_string}")
    text = text.replace("new_string: gamma", f"new_string: {new_string}")
    (suite.root / "scenarios" / f"{scenario_id}.yaml").write_text(text, "utf-8")


class Asked:
    """A function that returns made-up answers. The answers to a scenario are a text such as `aab.b`: one letter for
    each of the versions 1, 2 and so on, or a dot for no answer. `asked` lists the version of each call.
    """

    def __init__(self, **answers: str) -> None:
        self.answers = answers
        self.versions = [str(number) for number in range(1, len(next(iter(answers.values()))) + 1)]
        self.asked: list[str] = []

    def __call__(self, version: str, ids: Sequence[str]) -> dict[str, str]:
        self.asked.append(version)
        found = {name: self.answers[name][int(version) - 1] for name in ids}
        return {name: answer for name, answer in found.items() if answer != "."}

    def find_changes(self) -> list[AnswerChange]:
        found = find_changes(self.versions, [*self.answers], self)
        return sorted(found, key=lambda each: (each.scenario_id, int(each.after)))


def test_every_change_of_every_scenario_is_found_and_each_version_asked_once() -> None:
    asked = Asked(x="aabbbbccc", y="aaaaabbbb", z="aaaaaaaaa", w="abbbbbbba")
    assert asked.find_changes() == [
        AnswerChange("x", "2", "3"),
        AnswerChange("x", "6", "7"),
        AnswerChange("y", "5", "6"),
    ], "what is the same at both ends, z and w, is not searched"
    assert len(asked.asked) == len(set(asked.asked))


def test_a_version_without_an_answer_is_gone_round() -> None:
    assert Asked(x="aaaa.bbbb").find_changes() == [AnswerChange("x", "4", "6", ("5",))]
    assert Asked(x="aa...bbbb").find_changes() == [AnswerChange("x", "2", "6", ("3", "4", "5"))]
    assert Asked(x="aabb.bbbb", y="aaaaaabbb").find_changes() == [
        AnswerChange("x", "2", "3"),
        AnswerChange("y", "6", "7"),
    ]
    assert Asked(x=".bbbbbbbb", y="aaaaaabb.").find_changes() == [], (
        "without an answer at an end there is no search"
    )


@rows(
    ("other", "seen_at"),
    [
        ({}, set()),
        ({"reminders": ("It changed: twice.",)}, {"text", "verbatim"}),
        ({"reminders": ()}, set(LEVELS)),
        ({"created": {"new": 0o600}}, set(LEVELS)),
        ({"changes": {"new": None}}, set(LEVELS)),
        ({"results": (RecordedResult("Done.", "not_read"),)}, set(LEVELS)),
        ({"results": (RecordedResult("Finished."),)}, {"text", "verbatim"}),
        ({"results": (RecordedResult("Done.", after="!"),)}, {"verbatim"}),
    ],
)
def test_what_counts_as_a_change_depends_on_the_level(other: dict[str, Any], seen_at: set[str]) -> None:
    step = TranscriptStep(("Write",), (RecordedResult("Done."),), reminders=("It changed.",))
    one, two = Transcript((step,)), Transcript((replace(step, **other),))
    assert {level for level in LEVELS if compared_parts(one, level) != compared_parts(two, level)} == seen_at


def test_one_version_is_nothing_to_search_between() -> None:
    with pytest.raises(BisectError, match="fewer than two published versions"):
        list(find_changes(["1"], ["x"], Asked(x="a")))


def test_ends_that_are_not_published_are_refused() -> None:
    with pytest.raises(BisectError, match=r"2\.1\.88 is not published, or cannot be installed"):
        versions_between(["2.1.87", "2.1.89"], "2.1.88", "2.1.89")
    with pytest.raises(BisectError, match="is not older"):
        versions_between(["1.0.1", "1.0.2"], "1.0.2", "1.0.1")


@pytest.mark.node
def test_scripts_and_programs_are_installed_from_a_registry_and_replayed(
    suite: Suite,
    registry: Callable[..., FakeRegistry],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = registry(versions(3, newest=5), scripts=frozenset({"1.0.1", "1.0.2", "1.0.3"}))
    assert bisect(suite) == ExitCode.CONFORMANT
    printed = capsys.readouterr().out
    assert "gate/x: changed in 1.0.3; 1.0.2 still behaves like 1.0.1 (text)" in printed
    assert "1.0.2  Edit: Done\n" in printed
    assert "1.0.3  Edit: Done, and said otherwise\n" in printed
    assert len(made.fetched) <= 6


@pytest.mark.slow
def test_what_is_not_compared_does_not_count_as_a_change(suite: Suite, npm: Npm) -> None:
    npm(versions(3, newest=4))
    assert bisect(suite, "--level", "effects") == ExitCode.NOTHING
    assert bisect(suite, "--level", "text") == ExitCode.CONFORMANT


@pytest.mark.slow
def test_a_search_goes_on_from_its_takes(
    suite: Suite, npm: Npm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = npm(versions(3, newest=4))
    assert bisect(suite, "--takes", str(tmp_path / "takes")) == ExitCode.CONFORMANT
    printed = capsys.readouterr()
    first, fetched = printed.out, len(made.fetched)
    assert re.match(
        r"1 scenario, \d published versions: tests the first and the last, then about \d versions for each change. "
        r"Each version takes at most about \d s",
        printed.err,
    )
    for version in installed_versions():
        (cache_root() / version).rename(tmp_path / version)
    assert bisect(suite, "--takes", str(tmp_path / "takes")) == ExitCode.CONFORMANT
    assert capsys.readouterr().out == first
    assert len(made.fetched) == fetched


@pytest.mark.slow
def test_a_search_waits_for_whoever_uses_the_same_takes(
    suite: Suite, npm: Npm, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    npm(versions(3, newest=4))
    takes = tmp_path / "takes"
    with ExitStack() as stack, ThreadPoolExecutor() as pool:
        stack.enter_context(StoredReplays(takes).held())
        searched = pool.submit(bisect, suite, "--takes", str(takes))
        while not caplog.records:
            assert not searched.done()
        assert "waiting for another recording" in caplog.text
        assert [*takes.iterdir()] == [takes / ".lock"]
        stack.close()
        assert searched.result() == ExitCode.CONFORMANT


@pytest.mark.slow
def test_no_more_versions_stay_installed_than_asked_for(suite: Suite, npm: Npm) -> None:
    npm(versions(3, newest=5))
    assert bisect(suite, "--keep", "2") == ExitCode.CONFORMANT
    assert len(installed_versions()) == 2


@pytest.mark.slow
def test_the_refused_version_is_never_fetched(suite: Suite, npm: Npm) -> None:
    published = {f"2.1.{patch}": NEW if patch >= 89 else OLD for patch in range(86, 91)}
    made = npm(published)
    assert bisect(suite, "--from", "2.1.86") == ExitCode.CONFORMANT
    assert "2.1.88" not in made.fetched
    assert bisect(suite, "--from", "2.1.88") == ExitCode.USAGE


@pytest.mark.slow
def test_two_scenarios_are_searched_at_once_and_a_version_is_installed_once_for_both(
    suite: Suite, npm: Npm, capsys: pytest.CaptureFixture[str]
) -> None:
    write_variant(suite, "gate/y", new_string="delta")
    words = saying("'Late' if args['new_string'] == 'delta' else 'Old'")
    made = npm({"1.0.1": OLD, "1.0.2": OLD, "1.0.3": words, "1.0.4": words, "1.0.5": NEW, "1.0.6": NEW})
    assert bisect(suite, "gate/x", "gate/y", "--keep", "1") == ExitCode.CONFORMANT
    printed = capsys.readouterr().out
    assert "gate/x: changed in 1.0.3; 1.0.2 still behaves like 1.0.1 (text)\n" in printed
    assert "gate/x: changed in 1.0.5; 1.0.4 still behaves like 1.0.3 (text)\n" in printed
    assert "gate/y: changed in 1.0.5; 1.0.4 still behaves like 1.0.3 (text)\n  1.0.4  Edit: Late\n" in printed
    assert sorted(made.fetched) == ["1.0.1", "1.0.2", "1.0.3", "1.0.4", "1.0.5", "1.0.6"]


@pytest.mark.slow
def test_scenarios_are_selected_as_for_other_commands(
    suite: Suite, npm: Npm, capsys: pytest.CaptureFixture[str]
) -> None:
    npm(versions(2, newest=2))
    write_variant(suite, "gate/y", new_string="delta")
    assert bisect(suite, "-k", "gate/y") == ExitCode.CONFORMANT
    assert "gate/x" not in capsys.readouterr().out
    assert bisect(suite, "-k", "nothing") == ExitCode.NOTHING


@pytest.mark.slow
def test_both_sides_of_every_change_are_recorded(suite: Suite, npm: Npm) -> None:
    third = saying('"Done for the third time"')
    npm({"1.0.1": OLD, "1.0.2": OLD, "1.0.3": NEW, "1.0.4": NEW, "1.0.5": third})
    before = suite.path("gate/x").read_bytes()
    assert bisect(suite, "--record") == ExitCode.CONFORMANT
    new, last = "Done, and said otherwise", "Done for the third time"
    assert expected_answers(suite) == {"1.0.2": "Done", "1.0.3": new, "1.0.4": new, "1.0.5": last}
    assert suite.path("gate/x").read_bytes() == before, "it states its own contract only"


@pytest.mark.slow
def test_a_version_that_answers_twice_in_two_ways_is_skipped_and_reported(
    suite: Suite, npm: Npm, capsys: pytest.CaptureFixture[str]
) -> None:
    unsteady = saying("os.urandom(8).hex()")
    npm({"1.0.1": OLD, "1.0.2": unsteady, "1.0.3": NEW})
    assert bisect(suite) == ExitCode.CONFORMANT
    captured = capsys.readouterr()
    assert "gate/x: changed in 1.0.3 or earlier; 1.0.1 still behaves like 1.0.1 (text)" in captured.out
    assert "1.0.2  no answer: two replays gave different transcripts" in captured.out


@pytest.mark.slow
def test_a_version_that_does_not_run_is_gone_round(
    suite: Suite, npm: Npm, capsys: pytest.CaptureFixture[str]
) -> None:
    npm({"1.0.1": OLD, "1.0.2": "sys.exit(1)", "1.0.3": NEW})
    assert bisect(suite) == ExitCode.CONFORMANT
    assert "gate/x: changed in 1.0.3 or earlier" in capsys.readouterr().out


@pytest.mark.slow
def test_what_has_no_answer_at_an_end_is_reported_and_the_others_are_searched(
    suite: Suite, npm: Npm, capsys: pytest.CaptureFixture[str]
) -> None:
    write_variant(suite, "gate/y", new_string="delta")
    npm({"1.0.1": OLD, "1.0.2": saying('os.urandom(8).hex() if args["new_string"] == "delta" else "New"')})
    assert bisect(suite) == ExitCode.ERROR
    captured = capsys.readouterr()
    assert "gate/x: changed in 1.0.2" in captured.out
    assert "gate/y: not searched, because 1.0.2 gives no answer: two replays gave different" in captured.err
    assert "gate/y" not in captured.out


@pytest.mark.slow
def test_a_registry_that_cannot_be_reached_is_reported(
    suite: Suite, npm: Npm, capsys: pytest.CaptureFixture[str]
) -> None:
    npm(versions(2)).close()
    assert bisect(suite) == ExitCode.ERROR
    assert "npm does not report the versions of @anthropic-ai/claude-code" in capsys.readouterr().err
