"""Scenarios with refusals that a declared design leaves out are `unsupported`. Runs report and check the design."""

import json
from dataclasses import replace
from pathlib import Path

import careful
import designed
import pytest

from readfirst.harness.adapter_traits import DESIGNS, Design, traits_of
from readfirst.harness.compare.design import (
    OMITTED_REFUSALS,
    DesignUnclear,
    apply_design,
    design_seen,
    find_contradiction,
)
from readfirst.harness.compare.verdict import Level, Verdict
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.run.runner import run
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.command_line import Cli
from tests.judging import CONTRACT, SUITE, judge_scenario
from tests.rows import rows

HERE = Path(__file__).parent
UNREAD, CHANGED, WRITTEN = "gate/edit-unread", "staleness/edit-after-change", "staleness/write-after-change"
"""A file was not read, has changed before an Edit, and has changed before a Write."""
READ = "gate/edit-after-read"


TOUCHED, UNREAD_WRITE = "staleness/edit-after-touch-full-read", "gate/write-unread"
OUTCOMES: list[tuple[str, Level, dict[str, str]]] = [
    ("UngatedWriter", "safe", {UNREAD_WRITE: "failed"}),  # a design excuses no harm
    ("UngatedCopy", "safe", {CHANGED: "failed"}),
    ("Ungated", "safe", {CHANGED: "passed"}),
    ("Ungated", "effects", {CHANGED: "unsupported", UNREAD: "unsupported"}),
    ("UngatedWriter", "effects", {UNREAD_WRITE: "unsupported"}),
    ("UngatedCopy", "effects", {CHANGED: "failed"}),
    ("ContentChecked", "effects", {CHANGED: "unsupported", UNREAD: "passed", READ: "passed"}),
    ("EditsAnOldCopy", "effects", {CHANGED: "failed"}),
    ("WritesUnread", "effects", {WRITTEN: "failed"}),
    ("DeclaresHashes", "effects", {TOUCHED: "unsupported", CHANGED: "passed"}),
    ("HashesInName", "effects", {TOUCHED: "unsupported", CHANGED: "failed"}),
    ("HashesAndSpoils", "effects", {TOUCHED: "failed"}),
    ("NotStrict", "effects", {CHANGED: "failed", UNREAD: "passed"}),
    ("RefusesEverything", "effects", {CHANGED: "unsupported", READ: "failed"}),
    ("DoesNothing", "effects", {READ: "failed"}),
    ("Undeclared", "effects", {CHANGED: "failed"}),
]
"""The names in designed.py, each with a level and the expected status of scenarios."""


def judge_designed(name: str, level: Level, *ids: str) -> list[Verdict]:
    return [*run(SUITE, f"python:designed:{name}", [CONTRACT.name], level, ids=ids)]


@pytest.mark.usefixtures("in_process")
@rows(("name", "level", "statuses"), OUTCOMES)
def test_a_design_excuses_only_its_declared_refusals(
    name: str, level: Level, statuses: dict[str, str]
) -> None:
    verdicts = judge_designed(name, level, *statuses)
    assert {each.scenario_id: each.status for each in verdicts} == statuses


@pytest.mark.usefixtures("in_process")
def test_a_declared_design_that_does_not_hold_is_reported_with_the_harm() -> None:
    (verdict,) = judge_designed("EditsAnOldCopy", "effects", CHANGED)
    (difference,) = verdict.differences
    assert difference.what == (
        "the declared design content-checked does not hold: "
        "lost: line 2 of notes.txt, which another program saved after the Read"
    )
    assert difference.level == "safe"


def test_a_design_changes_no_verdict_except_failed_ones(place: WorkspacePool) -> None:
    scenario = SUITE.scenario(CHANGED)
    verdict = judge_scenario(scenario, careful.Careful, "effects", harm=True, place=place)
    for status in ("error", "unspecified", "unsupported"):
        outcome = Outcome(CHANGED, ())
        found = apply_design(replace(verdict, status=status), scenario, CONTRACT, outcome, "ungated")  # type: ignore[arg-type]
        assert (found.status, found.design) == (status, "ungated")
    assert apply_design(verdict, scenario, CONTRACT, outcome, None) is verdict


def test_each_design_omits_named_refusals_and_a_weaker_design_omits_more() -> None:
    assert set(OMITTED_REFUSALS) == set(DESIGNS)
    assert (
        OMITTED_REFUSALS["strict"]
        < OMITTED_REFUSALS["hash-checked"]
        == OMITTED_REFUSALS["content-checked"]
        < OMITTED_REFUSALS["ungated"]
        <= SUITE.vocabulary.names.keys()
    )


@rows(
    ("tool", "design", "advice"),
    [
        (careful.Careful, "content-checked", " Declare content-checked."),
        (careful.EditsUnread, "ungated", " Declare ungated."),
        (designed.Hashes, "hash-checked", ""),
    ],
)
def test_the_design_of_an_implementation_is_detected(
    tool: type[careful.Careful], design: Design, advice: str, place: WorkspacePool
) -> None:
    assert design_seen(tool, place) == design
    assert find_contradiction(design, tool, place) == ""
    assert find_contradiction("strict", tool, place)[-len(advice) :] == advice


@rows(
    ("tool", "message"),
    [
        (careful.EditsAnOldCopy, "an Edit does harm"),
        (careful.RefusesEverything, "the Edit of a file that was just read is refused"),
        (careful.DoesNothing, "an Edit does harm"),
    ],
)
def test_harm_and_refusals_that_no_design_allows_are_reported(
    tool: type[careful.Careful], message: str, place: WorkspacePool
) -> None:
    with pytest.raises(DesignUnclear):
        design_seen(tool, place)
    contradiction = find_contradiction("ungated", tool, place)
    assert contradiction.startswith(f"it declares the design ungated, but {message}")


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The implementations can be imported from this directory."""
    monkeypatch.chdir(HERE)


@pytest.mark.usefixtures("in_process")
def test_every_report_shows_the_declared_design_and_refusals(readfirst: Cli, tmp_path: Path) -> None:
    target, stream = "python:designed:DeclaresHashes", tmp_path / "mine.jsonl"
    at_effects = (TOUCHED, "staleness/deleted-then-write", READ, "--level", "effects")
    ran = readfirst("run", target, *at_effects, "--format", "jsonl", "--output", stream)
    refusals = ["binary-file", "changed-content", "deleted-since-read", "past-the-end"]
    declared = f"design hash-checked; declared refusals {', '.join(refusals)}"
    said = f"{declared}: 2 scenarios not claimed, in 2 rules"
    assert (ran.code, ran.out.count(said), said in ran.err) == (0, 1, False), ran.err
    lines = [json.loads(line) for line in stream.read_text().splitlines()]
    assert (lines[0]["design"], lines[0]["refuses"]) == ("hash-checked", refusals)
    lacks = [line["lacks"] for line in lines[1:-1] if "lacks" in line]
    assert sorted(lacks) == [["deleted-since-read"], ["modified_since_read"]]
    for page in ("markdown", "html", "table"):
        assert said in readfirst("report", stream, "--format", page).out
    xml = readfirst("run", target, *at_effects, "--format", "junit").out
    assert xml.count('<property name="design" value="hash-checked"/>') == 3
    assert "the design hash-checked does not claim to refuse with modified_since_read" in xml
    alone = readfirst("run", "python:designed:ContentChecked", CHANGED, "--level", "effects")
    assert (alone.code, "nothing was judged" in alone.out) == (5, True)
    assert "design content-checked: 1 scenario not claimed, in 1 rule" in alone.out


def test_an_unknown_design_is_refused(readfirst: Cli) -> None:
    for command in (("run", "--jobs", "1"), ("check-adapter",)):
        ended = readfirst(*command, "python:designed:Unknown")
        assert ended.code == 3
        assert "'loose'. The designs are: strict, hash-checked, content-checked, ungated." in ended.err
    # If only the adapter declares the design, the error is reported when the design is used.
    assert traits_of(designed.Unknown).capabilities


@pytest.mark.usefixtures("in_process")
def test_check_adapter_reports_a_wrong_design(readfirst: Cli) -> None:
    said = readfirst("check-adapter", "python:designed:NotStrict")
    assert said.code == 3
    found = "it edits a file that changed since its Read, and keeps the change"
    assert f"it declares the design strict, but {found}. Declare content-checked." in said.out
