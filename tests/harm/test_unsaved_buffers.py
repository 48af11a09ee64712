"""The invariants about unsaved text in the user's editor detect harm, and judge nothing else."""

from pathlib import Path

import pytest
import through_an_editor as tools
from careful import Careful

from readfirst.harness.compare.verdict import verdict_without_replay
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.judging import judge_scenario
from tests.rows import rows

ROOT = Path(__file__).parents[2]
HARM_BY_TOOL: list[tuple[type[Careful], dict[str, str]]] = [
    (
        tools.ReadsTheDisk,
        {
            "typed-after-the-read": "lost",
            "typed-before-the-read": "lost",
            "text-that-the-user-took-out": "lost",
            "written-over-typed-text": "lost",
            "written-after-the-read-of-a-buffer": "lost",
            "typed-between-two-edits": "lost",
            "new-file-in-the-editor": "lost",
            "disk-and-editor-differ": "lost",
        },
    ),
    (
        tools.WritesTheDisk,
        {
            "typed-after-the-read": "untrue",
            "typed-before-the-read": "untrue",
            "text-of-the-buffer-alone": "untrue",
            "written-after-the-read-of-a-buffer": "untrue",
        },
    ),
    (tools.KnowsNoEditor, {"typed-after-the-read": "untrue", "new-file-in-the-editor": "untrue"}),
    (tools.EditsWhatItRead, {"typed-after-the-read": "lost", "text-that-the-user-took-out": "lost"}),
    (tools.WritesUnseen, {"written-over-typed-text": "lost", "new-file-in-the-editor": "lost"}),
    (tools.SavesOverAll, {"typed-into-another-file": "stray"}),
]


def invariants(suite: Suite) -> list[str]:
    return [each for each in suite.ids() if each.startswith("unsaved-buffers/")]


@rows(
    ("tool", "invariant", "kind"),
    [(tool, invariant, kind) for tool, found in HARM_BY_TOOL for invariant, kind in found.items()],
)
def test_a_tool_that_harms_unsaved_text_fails_an_invariant(
    place: WorkspacePool, tool: type[Careful], invariant: str, kind: str
) -> None:
    verdict = judge_scenario(f"unsaved-buffers/{invariant}", tool, harm=True, place=place)
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
    assert {f"unsaved-buffers/{invariant}" for _, found in HARM_BY_TOOL for invariant in found} == set(
        invariants(suite)
    )


def test_without_an_editor_the_invariants_about_unsaved_text_are_unspecified(suite: Suite) -> None:
    contract = suite.contracts[suite.contracts.default]
    verdict = verdict_without_replay(
        suite.scenario(invariants(suite)[0]), contract, "text", Careful.capabilities
    )
    assert verdict is not None
    assert verdict.status == "unspecified"
