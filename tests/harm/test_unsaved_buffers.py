"""The invariants about unsaved text in the user's editor detect harm, and judge nothing else."""

import pytest
import through_an_editor as tools
from careful import Careful

from readfirst.harness.compare.verdict import verdict_without_replay
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.judging import judge_scenario
from tests.rows import rows

HARM_BY_TOOL: list[tuple[type[Careful], str, str]] = [
    (tools.ReadsTheDisk, "lost", "typed-after-the-read typed-before-the-read text-that-the-user-took-out"),
    (tools.ReadsTheDisk, "lost", "written-over-typed-text written-after-the-read-of-a-buffer"),
    (tools.ReadsTheDisk, "lost", "typed-between-two-edits new-file-in-the-editor disk-and-editor-differ"),
    (tools.WritesTheDisk, "untrue", "typed-after-the-read typed-before-the-read text-of-the-buffer-alone"),
    (tools.WritesTheDisk, "untrue", "written-after-the-read-of-a-buffer"),
    (tools.KnowsNoEditor, "untrue", "typed-after-the-read new-file-in-the-editor"),
    (tools.EditsWhatItRead, "lost", "typed-after-the-read text-that-the-user-took-out"),
    (tools.WritesUnseen, "lost", "written-over-typed-text new-file-in-the-editor"),
    (tools.SavesOverAll, "stray", "typed-into-another-file"),
]
"""Each with a kind of harm and the invariants that detect it."""
CASES = [
    (tool, f"unsaved-buffers/{name}", kind) for tool, kind, names in HARM_BY_TOOL for name in names.split()
]


def invariants(suite: Suite) -> list[str]:
    return [each for each in suite.ids() if each.startswith("unsaved-buffers/")]


@rows(("tool", "invariant", "kind"), CASES)
def test_a_tool_that_harms_unsaved_text_fails_an_invariant(
    place: WorkspacePool, tool: type[Careful], invariant: str, kind: str
) -> None:
    verdict = judge_scenario(invariant, tool, harm=True, place=place)
    assert kind in [each.kind for each in verdict.harms], verdict.harms
    assert (verdict.status, verdict.levels["safe"]) == ("failed", False)


@pytest.mark.parametrize("tool", [tools.ThroughTheEditor, tools.RefusesUnsaved])
def test_a_correct_tool_passes_all_invariants_about_unsaved_text(
    suite: Suite, place: WorkspacePool, tool: type[Careful]
) -> None:
    verdicts = [judge_scenario(invariant, tool, harm=True, place=place) for invariant in invariants(suite)]
    assert [(each.scenario_id, each.harms) for each in verdicts if each.status != "passed"] == []
    assert all(each.levels["text"] for each in verdicts)


def test_every_invariant_about_unsaved_text_fails_for_some_wrong_tool(suite: Suite) -> None:
    assert {invariant for _, invariant, _ in CASES} == set(invariants(suite))


def test_without_an_editor_the_invariants_about_unsaved_text_are_unspecified(suite: Suite) -> None:
    scenario, contract = suite.scenario(invariants(suite)[0]), suite.contracts[suite.contracts.default]
    verdict = verdict_without_replay(scenario, contract, "text", Careful.capabilities)
    assert verdict is not None
    assert verdict.status == "unspecified"
