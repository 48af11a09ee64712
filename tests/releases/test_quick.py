"""`product snapshot --quick` compares a new version in the few scenarios that show all known differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import ToolResult, Workspace
from readfirst.harness.cli import snapshot
from readfirst.harness.errors import ExitCode
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.recording_file import format_recording
from readfirst.harness.suite.scenario_inputs import inputs_of
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordedResult, Recording, Transcript, TranscriptStep
from readfirst.harness.versions.points import ChangePoint, change_points
from readfirst.harness.versions.quick_check import UNSTABLE, quick_set
from readfirst.harness.yaml_io.strict_yaml import load
from readfirst.reference_impl import behaviours_of
from readfirst.reference_impl.behaviours_by_version import behaviour_histories
from tests.command_line import exit_code
from tests.small_suites import file_bytes

pytestmark = pytest.mark.slow

BUNDLED = Suite()
HISTORIES = behaviour_histories()
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def points() -> list[ChangePoint]:
    return change_points(BUNDLED, HISTORIES)


@dataclass(frozen=True)
class Difference:
    """A behaviour that differs between neighbouring contracts, and the scenarios that show it."""

    behaviour: str
    older: str
    newer: str
    shown_by: frozenset[str]


@pytest.fixture(scope="module")
def differences() -> list[Difference]:
    found = []
    needs = cache(lambda scenario_id: BUNDLED.scenario(scenario_id).needs)
    for variant in ("", "+gated"):
        contracts = [each for each in BUNDLED.contracts.recorded if each.name.partition("+")[2] == variant]
        for older, newer in pairwise(contracts):
            able = older.capabilities & newer.capabilities
            before, after = behaviours_of(older.name), behaviours_of(newer.name)
            for name in HISTORIES:
                if before.value(name) != after.value(name):
                    asked = [
                        each
                        for each in HISTORIES[name].shown_by
                        if needs(each) <= able and {older.name, newer.name} <= recorded_on(each)
                    ]
                    shown = frozenset(each for each in asked if shows(each, older.name, newer.name))
                    if asked:
                        found.append(Difference(name, older.name, newer.name, shown))
    return found


def recorded_on(scenario_id: str) -> set[str]:
    return set(BUNDLED.recordings.recording(scenario_id).transcripts)


def shows(scenario_id: str, one: str, other: str) -> bool:
    transcripts = BUNDLED.recordings.recording(scenario_id).transcripts
    return transcripts[one] != transcripts[other]


def test_the_quick_set_shows_all_differences(
    points: list[ChangePoint], differences: list[Difference]
) -> None:
    chosen = cache(lambda able: frozenset(quick_set(BUNDLED, HISTORIES, points, able)))
    asked = {each.newer: chosen(BUNDLED.contracts[each.newer].capabilities) for each in differences}
    assert [each for each in differences if not each.shown_by & asked[each.newer]] == []
    latest = BUNDLED.contracts.latest
    newest = chosen(latest.capabilities)
    assert len(newest) < len(BUNDLED.ids()) / 6, "the set is too large for a quick check"
    assert not any(BUNDLED.scenario(each).needs - latest.capabilities for each in newest)
    lost = [each for each in differences if not each.shown_by & (asked[each.newer] - {"gate/edit-unread"})]
    assert "edit_needs_read" in {each.behaviour for each in lost}, "what is left out is noticed"


def test_every_rule_has_a_scenario_in_the_quick_set(points: list[ChangePoint]) -> None:
    latest = BUNDLED.contracts.latest.capabilities
    rules = {BUNDLED.heading(each).rule for each in quick_set(BUNDLED, HISTORIES, points, latest)}
    others = [each for each in map(BUNDLED.heading, BUNDLED.ids()) if each.rule not in rules]
    assert [each.rule for each in others if BUNDLED.scenario(each.id).needs <= latest] == []


def test_for_a_suite_without_rules_the_quick_set_has_one_scenario_of_each_family(suite: Suite) -> None:
    other = suite.path("gate/x").read_text()
    for name in ("gate/y", "staleness/z"):
        path = suite.scenarios_root / f"{name}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(other)
    assert quick_set(suite, {}, [], ("Edit",)) == ["gate/x", "staleness/z"]
    assert quick_set(suite, {}, [], ("Read",)) == []


@dataclass
class MadeUp:
    """A substitute for the product. Each Edit changes the file and answers with the next text in `words`."""

    words: Iterator[str]
    opened: int = 0

    def open(self, _: Workspace) -> MadeUp:
        self.opened += 1
        return self

    def call(self, _: str, arguments: Mapping[str, Any]) -> ToolResult:
        path = Path(arguments["file_path"])
        path.write_text(path.read_text().replace(arguments["old_string"], arguments["new_string"]))
        return ToolResult(next(self.words))


RunSnapshot = Callable[..., tuple[int, MadeUp]]


@pytest.fixture
def run_snapshot(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> RunSnapshot:
    """Compares version 1.0.2, which answers with the given words, with 1.0.1, which answered `Done`."""
    (suite.recordings_root / "gate").mkdir()
    write_recording(suite, {"1.0.1": "Done", "1.0.1+gated": "Done"})
    monkeypatch.setattr(snapshot, "newest", lambda _: "1.0.2")

    def run(words: Iterator[str], *arguments: str) -> tuple[int, MadeUp]:
        made_up = MadeUp(words)
        monkeypatch.setattr(snapshot, "Product", lambda *_: lambda: made_up)
        takes = suite.root.parent / "takes"
        options = ["--fixtures", str(suite.root), "--takes", str(takes), "--jobs", "1"]
        return exit_code("product", "snapshot", *(arguments or ("--quick",)), *options), made_up

    return run


def write_recording(suite: Suite, words: Mapping[str, str]) -> None:
    path = suite.path("gate/x")
    inputs = inputs_of(load(path.read_bytes(), path).value)
    changed = {"notes.txt": RegularFile(b"gamma\n")}
    transcripts = {
        name: Transcript((TranscriptStep(("Edit",), (RecordedResult(answer),), changed),))
        for name, answer in words.items()
    }
    target = suite.recordings_root / "gate/x.json"
    target.write_bytes(format_recording(Recording(inputs, transcripts), "x"))


def forever(words: str) -> Iterator[str]:
    while True:
        yield words


def test_a_release_without_differences_is_unchanged(
    suite: Suite, run_snapshot: RunSnapshot, capsys: Capture
) -> None:
    before = file_bytes(suite)
    code, made_up = run_snapshot(forever("Done"))
    assert (code, made_up.opened) == (ExitCode.CONFORMANT, 1), "the answer does not depend on the model"
    shown = capsys.readouterr()
    answer = "No: the file tools of 1.0.2 do what those of 1.0.1 do, in the one scenario that was replayed.\n"
    assert shown.out == answer
    assert "readfirst product snapshot 1.0.2" in shown.err
    assert file_bytes(suite) == before


def test_a_release_with_a_difference_is_reported(
    suite: Suite, run_snapshot: RunSnapshot, capsys: Capture
) -> None:
    before = file_bytes(suite)
    code, made_up = run_snapshot(forever("Done otherwise"))
    assert (code, made_up.opened) == (ExitCode.NOT_CONFORMANT, 2), "what differs is replayed again"
    shown = capsys.readouterr()
    said = "1.0.2: gate/x differs: Edit: says “Done” → “Done otherwise”; a second replay"
    assert shown.err.startswith(said), "at once"
    assert shown.out == (
        "Yes: the file tools of 1.0.2 behave differently from those of 1.0.1.\n"
        "1.0.1 → 1.0.2: 1 of 1 scenario differs, 1 cause\n\n"
        "Words\n- Edit: says “Done” → “Done otherwise”  [1 scenario]\n"
        "    - Done\n    + Done otherwise\n    gate/x\n"
    )
    assert file_bytes(suite) == before
    code, made_up = run_snapshot(forever("Done otherwise"), "latest")
    assert (code, made_up.opened) == (ExitCode.NOT_CONFORMANT, 2), "a recording goes on from the takes"
    assert "1.0.2" in Suite(suite.root).contracts


def test_scenarios_that_depend_on_the_model_use_older_models_too(
    suite: Suite, run_snapshot: RunSnapshot, capsys: Capture
) -> None:
    write_recording(suite, {"1.0.1": "Done", "1.0.1+gated": "Done otherwise"})
    code, made_up = run_snapshot(forever("Done"))
    assert (code, made_up.opened) == (ExitCode.NOT_CONFORMANT, 3)
    assert "1.0.1 → 1.0.2: no difference in 1 scenario" in (shown := capsys.readouterr().out)
    assert "1.0.1+gated → 1.0.2+gated: 1 of 1 scenario differs, 1 cause" in shown


def test_an_answer_that_varies_is_not_a_difference(run_snapshot: RunSnapshot, capsys: Capture) -> None:
    code, _ = run_snapshot(f"Done for the {number}th time" for number in count())
    assert code == ExitCode.ERROR
    shown = capsys.readouterr()
    assert shown.out.startswith("Unknown: ")
    assert UNSTABLE in shown.out
    assert "1 replay gave no answer" in shown.err


def test_a_contract_is_not_replayed(suite: Suite, run_snapshot: RunSnapshot, capsys: Capture) -> None:
    for arguments in (("--quick", "1.0.1"), ("1.0.1",)):
        code, made_up = run_snapshot(forever("Done"), *arguments)
        assert (code, made_up.opened) == (ExitCode.CONFORMANT, 0)
        assert capsys.readouterr().out == "1.0.1 is already a contract: nothing to record.\n"


@pytest.mark.parametrize("word", ["lastest", "2.1", "v2.1.7", "2.1.7+gated", "2.1.7-beta.1"])
def test_an_invalid_version_is_reported(run_snapshot: RunSnapshot, capsys: Capture, word: str) -> None:
    assert run_snapshot(forever("Done"), "--quick", word)[0] == ExitCode.USAGE
    assert f"{word!r} is not a version" in capsys.readouterr().err
