from dataclasses import replace
from pathlib import Path
from typing import Any

import careful
import wrong_exceptions as exceptions
import wrong_files as files
import wrong_text as text

from readfirst.harness.compare.baseline import Baseline, BaselineChecker, BaselineResult
from readfirst.harness.compare.missing_capabilities import MissingCapabilities
from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import Verdict, verdict_without_replay
from readfirst.harness.harm.harm import Harm
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.harm.overcautious import check_overcautious
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.harm_kinds import HARMS, KINDS
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.harness.yaml_io.finding import Position
from tests.rows import rows

ROOT = Path(__file__).parents[2]
CHANGED, UNREAD, TWO = "staleness/edit-after-change", "gate/write-unread", "matching/two-matches"
READ = "gate/edit-after-read"
NOWHERE = Position(ROOT / "baseline.yaml", 1, 1)

HARMFUL_TOOLS = [
    (careful.EditsAnOldCopy, CHANGED, "lost"),
    (careful.WritesUnread, UNREAD, "lost"),
    (careful.WritesUnread, "staleness/write-after-change", "lost"),
    (exceptions.KeepsHalfAMegabyte, "reported/one-line-of-a-long-crlf-file", "lost"),
    (text.ReplacesFirstOfSeveral, TWO, "misplaced"),
    (text.LosesCarriageReturns, "line-endings/crlf-kept-by-edit", "spoiled"),
    (files.LosesMode, "links-and-modes/executable-kept-by-edit", "spoiled"),
    (text.ReplaceAllReplacesFirst, "replace-all/every-occurrence", "altered"),
    (files.LeavesTemporaryFile, READ, "stray"),
    (files.OnlyPretendsToEdit, READ, "untrue"),
    (files.WritesBeforeRefusing, "gate/edit-unread", "untrue"),
    (careful.DoesNothing, READ, "untrue"),
    (files.IgnoresDenyRules, "permissions/edit-denied", "trespass"),
    (careful.EditsUnread, "gate/edit-unread", "blind"),
    (careful.RefusesEverything, READ, "overcautious"),
]
"""Each with a scenario and the kind of harm."""
NEARLY_HARMFUL_TOOLS = [
    *((careful.Careful, each) for each in (CHANGED, "gate/write-after-read", UNREAD, TWO)),
    (careful.ReplacesAtomically, "links-and-modes/executable-kept-by-edit"),
    (careful.ReplacesAtomically, READ),
    (careful.RefusesLinks, "links-and-modes/edit-through-symlink"),
    (careful.Careful, "permissions/edit-denied"),
]


def judge_harms(suite: Suite, place: WorkspacePool, tool: Any, scenario_id: str) -> list[Harm]:
    scenario = suite.scenario(scenario_id)
    outcome = replay(scenario, tool, place)
    assert outcome.error is None
    transcripts = suite.recordings.of(scenario_id, scenario.inputs).transcripts
    known = [transcripts[each.name] for each in suite.contracts if each.name in transcripts]
    return [*harms_of(scenario, outcome), *check_overcautious(scenario, outcome, known)]


@rows(("tool", "scenario_id", "kind"), HARMFUL_TOOLS)
def test_the_harm_of_each_harmful_tool_is_detected(
    suite: Suite, place: WorkspacePool, tool: Any, scenario_id: str, kind: str
) -> None:
    assert kind in [each.kind for each in judge_harms(suite, place, tool, scenario_id)]


@rows(("tool", "scenario_id"), NEARLY_HARMFUL_TOOLS)
def test_a_tool_that_nearly_does_harm_is_not_reported(
    suite: Suite, place: WorkspacePool, tool: type[careful.Careful], scenario_id: str
) -> None:
    found = judge_harms(suite, place, tool, scenario_id)
    assert [each.line for each in found if each.kind in (*HARMS, "blind")] == []


def test_every_kind_of_harm_is_done_by_one_of_the_tested_tools() -> None:
    assert {kind for _, _, kind in HARMFUL_TOOLS} == set(KINDS)


def test_a_tool_without_edit_is_conformant_at_safe_only_if_edit_is_not_required(suite: Suite) -> None:
    contract = suite.contracts[suite.contracts.default]
    verdict = verdict_without_replay(suite.scenario(READ), contract, "safe", careful.HasNoEdit.capabilities)
    assert verdict is not None
    assert (verdict.status, verdict.lacks) == ("unsupported", ("Edit",))
    accepted = Baseline("mine", NOWHERE, lacking=MissingCapabilities(frozenset({"Edit", "during"})))
    for baseline in (None, accepted):
        assert BaselineChecker(baseline).apply_baseline(verdict).unclaimed == "Edit"
        assert BaselineChecker(baseline, frozenset({"Read"})).apply_baseline(verdict).conformant
    assert BaselineChecker(accepted).apply_baseline(replace(verdict, lacks=("during",))).conformant
    assert BaselineChecker(accepted).apply_baseline(replace(verdict, level="effects")).conformant


def test_the_summary_of_a_run_lists_the_worst_kind_of_harm_first() -> None:
    summary = Summary()
    assert summary.harm_sentence() == ""
    for number, kinds in enumerate((("stray", "lost"), ("lost", "lost", "blind"))):
        harms = tuple(Harm(0, 0, kind, "a", "a") for kind in kinds)
        verdict = Verdict(f"a/{number}", "2.1.7", "safe", "failed", {}, harms=harms)
        summary.add(verdict, BaselineResult(conformant=False))
    assert summary.harm_sentence() == "harm, by scenarios: lost 2, stray 1; not harm: blind 1"
    assert summary.example_lines() == ["for example: lost a/0, stray a/0"]
    spoiled = (Harm(0, 0, "spoiled", "a", "a"),)
    alike = Verdict("a/9", "2.1.7", "safe", "passed", {"safe": True}, harms=spoiled)
    summary.add(alike, BaselineResult(conformant=True))
    assert summary.example_lines()[1:] == ["for example, as 2.1.7 does: spoiled a/9"]
