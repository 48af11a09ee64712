"""The three runners agree: on the reference, on the skeletons, and on implementations that are wrong."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.runners.verdicts import (
    REFERENCE,
    ROOT,
    SERVE_WRONG,
    SUITE,
    disagreements,
    exported,
    of_go,
    of_harness,
    of_node,
)

RUNNERS = [
    pytest.param(of_go, marks=pytest.mark.go, id="go"),
    pytest.param(of_node, marks=pytest.mark.node, id="node"),
]
WRONG_CLASSES = {
    "wrong_state": """
        NoReadCheck NoStalenessCheck ComparesContentsOnly ComparesTimesOnly NoticesOlderTimes
        PartialReadDoesNotCount RefusedReadCounts RefusalForgets ForgetsAfterWrite ForgetsAfterEdit
        KeyedByRealPath RaceNotChecked NeverStrikes LosesParallelUpdates
    """,
    "wrong_commands": """
        CatCounts OwnCommandsAreNoChanges MentionsAreBlind MemoryFilesAreRead
    """,
    "wrong_files": """
        LosesMode ReplacesLink WritesIntoEveryName LeavesTemporaryFile LeavesBackupAtHome
        WritesBesideTheWorkspace OnlyPretendsToEdit
    """,
    "wrong_text": """
        RegularExpression ExpandsDollars ReplaceAllReplacesFirst LosesEncoding LosesCarriageReturns
        LosesByteOrderMark
    """,
    "wrong_answers": """
        RefusesAsSuccess WrongErrorText WrongErrorName ForgetsAParallelResult
    """,
    "wrong_life": """
        ForgetsOnResume TakesOverWhatAgentsRead RewindsNothing
    """,
    "wrong_hooks": """
        RunsNone SaysNothing
    """,
    "wrong_reminders": """
        TellsNothing TellsAgain
    """,
}
WRONG = [f"{module}:{name}" for module, names in WRONG_CLASSES.items() for name in names.split()]
Runner = Callable[[Sequence[str], Path, Path], dict]
_EVERY = 40


def compared(runner: Runner, command: Sequence[str], ids: Sequence[str] | None, folder: Path) -> int:
    """Compare the verdicts of the harness and of another runner; return how many there are."""
    theirs = runner(command, exported(folder / "suite.jsonl.gz", ids), folder / "verdicts.jsonl")
    ours = of_harness(command, ids)
    assert disagreements(ours, theirs) == {}
    assert theirs.keys() == ours.keys()
    return len(theirs)


@pytest.mark.parametrize("runner", RUNNERS)
def test_a_sample_gets_the_same_verdicts_on_a_skeleton(runner: Runner, tmp_path: Path) -> None:
    command = ["node", str(ROOT / "runners/typescript/skeleton/tools.mjs")]
    if runner is of_go:
        command = [str(tmp_path / "tools")]
        go = shutil.which("go") or "go"
        subprocess.run([go, "build", "-o", command[0], "./skeleton"], cwd=ROOT / "runners/go", check=True)
    assert compared(runner, command, SUITE.ids()[::_EVERY], tmp_path) >= 40


@pytest.mark.runners
@pytest.mark.parametrize("runner", [of_go, of_node])
def test_every_scenario_gets_the_same_verdict_on_the_reference(runner: Runner, tmp_path: Path) -> None:
    assert compared(runner, REFERENCE, None, tmp_path) >= 1900


@pytest.mark.runners
@pytest.mark.parametrize("runner", [of_go, of_node])
@pytest.mark.parametrize("number", range(len(WRONG)), ids=WRONG)
def test_a_wrong_implementation_gets_the_same_verdicts(runner: Runner, number: int, tmp_path: Path) -> None:
    """Each is held to another share of the scenarios, and all to every scenario."""
    ids = SUITE.ids()[number :: len(WRONG)]
    assert compared(runner, [*SERVE_WRONG, WRONG[number]], ids, tmp_path) >= 40
