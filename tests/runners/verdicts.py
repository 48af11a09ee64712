"""The verdicts of the harness and of the runners in Go and in JavaScript, in one form."""

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.report.export import export, machine_needs
from readfirst.harness.run.runner import run
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite

ROOT = Path(__file__).parents[2]
SUITE = Suite(ROOT / "fixtures")
CONTRACT = "2.1.7"
REFERENCE = [sys.executable, "-m", "readfirst.harness.cli.main", "serve", "--protocol", "lines"]
SERVE_WRONG = [sys.executable, str(Path(__file__).with_name("serve_wrong.py"))]
_SETPRIV = shutil.which("setpriv") if os.geteuid() == 0 else None
_AGAINST_MODES = "-dac_override,-dac_read_search,-fsetid"
WITHOUT_RIGHTS_OF_ROOT = (
    [_SETPRIV, "--bounding-set", _AGAINST_MODES, "--inh-caps", _AGAINST_MODES, "--"] if _SETPRIV else []
)
"""Takes from root the capabilities that ignore file modes. Empty for other users."""

WRONG_CLASSES = """
    wrong_state
        NoReadCheck NoStalenessCheck ComparesContentsOnly ComparesTimesOnly NoticesOlderTimes
        PartialReadDoesNotCount RefusedReadCounts RefusalForgets BeginsBehindATag ForgetsAfterWrite ForgetsAfterEdit
        KeyedByRealPath RaceNotChecked NeverStrikes LosesParallelUpdates
    wrong_commands
        CatCounts OwnCommandsAreNoChanges MentionsAreBlind MemoryFilesAreRead
    wrong_files
        LosesMode ReplacesLink WritesIntoEveryName LeavesTemporaryFile LeavesBackupAtHome
        WritesBesideTheWorkspace OnlyPretendsToEdit
    wrong_text
        RegularExpression ExpandsDollars ReplaceAllReplacesFirst LosesEncoding LosesCarriageReturns
        LosesByteOrderMark
    wrong_answers
        RefusesAsSuccess WrongErrorText WrongErrorName CutsLongFiles
    wrong_showing
        SaysThatItRead CountsLinesInstead ShowsTheFirstHalf ShowsTheEnd LeavesOutTheLastLine LeavesOutTheFirstLine
        LeavesOutEverySecondLine CountsOneTooMany CountsFromAHundred CutsLines ShowsCapitals MasksWhatItShows
        ShowsLinesBackwards JoinsLines ShowsAsciiAlone CutsIndentation ShowsTheFirstFile ShowsWhatItReadFirst
        ShowsTheLastFile SaysUnchangedWhateverHappened SaysUnchangedAfterCompaction SaysUnchangedAfterResume
        SaysUnchangedAfterRewind SaysUnchangedToSubAgents SaysUnchangedToOtherSessions IgnoresOffset
        NumbersFromOffsetButReadsFromTheStart ShowsTheFolder ShowsWhereALinkLeads ShowsNoOutput
        ShowsOtherLinesAfterAnEdit ShowsNothingAfterAnEdit ShowsTagsOfCellsAlone ShowsTheFirstNotebook
        ShowsCellsBackwards
    wrong_life
        ForgetsOnResume TakesOverWhatAgentsRead RewindsNothing
    wrong_hooks
        RunsNone SaysNothing
    wrong_reminders
        TellsNothing TellsAgain
"""
MODULES = re.split(r"\s(?=wrong_)", WRONG_CLASSES)[1:]
WRONG = [f"{module}:{name}" for module, *names in map(str.split, MODULES) for name in names]
LEVELS = ("safe", "effects", "reason", "text")
UNSUPPORTED = ("unsupported",)
Verdicts = Mapping[str, tuple[str, ...]]
"""By scenario: the status (`judged`, `error` or `unsupported`), followed by the levels that hold."""


def write_export(file: Path, ids: Sequence[str] | None = None) -> Path:
    with gzip.open(file, "wt", encoding="ascii") as stream:
        stream.writelines(json.dumps(each) + "\n" for each in export(SUITE, SUITE.contracts[CONTRACT], ids))
    return file


def write_lines(file: Path, values: Iterable[object]) -> Path:
    """Write JSON lines, for example those of an export."""
    file.write_text("".join(json.dumps(each) + "\n" for each in values))
    return file


def plain_export() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    header, scenario, end = map(dict, export(SUITE, SUITE.contracts[CONTRACT], ["gate/edit-unread"]))
    return header, scenario, end


def harness_verdicts(command: Sequence[str], ids: Sequence[str] | None = None) -> Verdicts:
    found = {}
    for each in run(SUITE, f"lines:{shlex.join(command)}", [CONTRACT], "text", ids):
        if each.status != "unspecified":
            status = "judged" if each.status in ("passed", "failed") else each.status
            found[each.scenario_id] = (status, *(level for level in LEVELS if each.levels[level]))
    return found


def go_verdicts(command: Sequence[str], suite: Path, verdicts: Path) -> Verdicts:
    """Return the verdicts of the runner in Go. Its exit code is ignored: it fails if any scenario fails."""
    return read_verdicts(verdicts, run_go(command, suite, verdicts))


def node_verdicts(command: Sequence[str], suite: Path, verdicts: Path) -> Verdicts:
    return read_verdicts(verdicts, run_node(command, suite, verdicts))


def run_go(command: Sequence[str], suite: Path, verdicts: Path, **named: str) -> str:
    """Run the runner in Go, and return its output. `named`: additional environment variables."""
    return _run_runner(_go("TestSuite", "-v"), "go", command, suite, verdicts, **named)


def run_node(command: Sequence[str], suite: Path, verdicts: Path, **named: str) -> str:
    words = ["node", "--test", "test/suite.test.mjs"]
    return _run_runner(words, "typescript", command, suite, verdicts, **named)


def judged_by_go(asked: Path, told: Path) -> list[Any]:
    """Return the Go runner's answers to the questions in the file `asked`, which it writes to `told`."""
    return _read_answers(_go("TestJudged"), "go", asked, told)


def judged_by_node(asked: Path, told: Path) -> list[Any]:
    """Return the JavaScript runner's answers to the questions in the file `asked`, which it writes to `told`."""
    return _read_answers(["node", "--test", "test/judged.test.mjs"], "typescript", asked, told)


def _go(test: str, *options: str) -> list[str]:
    return [shutil.which("go") or "go", "test", ".", "-count=1", "-run", test, *options]


def _read_answers(words: list[str], runner: str, asked: Path, told: Path) -> list[Any]:
    printed = _with_variables(words, runner, {"JUDGED": str(asked), "VERDICTS": str(told)})
    assert told.exists(), printed[-4000:]
    return [json.loads(line) for line in told.read_text("utf-8").splitlines()]


def _run_runner(
    words: list[str], runner: str, command: Sequence[str], suite: Path, verdicts: Path, **named: str
) -> str:
    variables = {"SUITE": str(suite), "LINES": " ".join(command), "VERDICTS": str(verdicts)}
    return _with_variables(words, runner, variables | named)


def _with_variables(words: list[str], runner: str, named: Mapping[str, str]) -> str:
    folder, variables = ROOT / "runners" / runner, {f"READFIRST_{name}": each for name, each in named.items()}
    options: Any = {"cwd": folder, "env": os.environ | variables, "capture_output": True, "check": False}
    done = subprocess.run([*WITHOUT_RIGHTS_OF_ROOT, *words], encoding="utf-8", **options)
    return str(done.stdout + done.stderr)


def read_verdicts(verdicts: Path, printed: str) -> Verdicts:
    """Return the verdicts in a runner's file. If it is missing, fail with the output `printed`."""
    lines = verdicts.read_text("utf-8").splitlines() if verdicts.exists() else []
    assert lines, printed[-4000:]
    values = map(json.loads, lines)
    return {each["scenario"]: (each["status"], *each["levels"]) for each in values}


def skeleton(language: str, folder: Path) -> list[str]:
    if language == "typescript":
        return ["node", str(ROOT / "runners/typescript/skeleton/tools.mjs")]
    go = shutil.which("go") or "go"
    subprocess.run([go, "build", "-o", folder / "tools", "./skeleton"], cwd=ROOT / "runners/go", check=True)
    return [str(folder / "tools")]


def disagreements(harness: Verdicts, runner: Verdicts) -> dict[str, tuple[object, object]]:
    """Return the scenarios that a runner judges differently from the harness, each with both verdicts."""
    right = {
        name: UNSUPPORTED if _beyond_a_runner(SUITE.scenario(name)) else harness.get(name) for name in runner
    }
    return {name: (right[name], verdict) for name, verdict in runner.items() if verdict != right[name]}


def _beyond_a_runner(scenario: Scenario) -> bool:
    """Whether the runners do not support a scenario, as runners/README.md states."""
    return bool(
        {"background", "full_disk", "kill", "stop"} & set(scenario.needs)
        or machine_needs(scenario) & {"git", "half_characters", "ownership", "special_files"}
    )


def _parametrize_runners(by_go: object, by_node: object) -> pytest.MarkDecorator:
    params = [pytest.param(by_go, marks=pytest.mark.go), pytest.param(by_node, marks=pytest.mark.node)]
    return pytest.mark.parametrize("runner", params, ids=["go", "javascript"])


JUDGING_RUNNERS = _parametrize_runners(go_verdicts, node_verdicts)
"""Parametrizes a test with both runners: functions that return verdicts."""
PRINTING_RUNNERS = _parametrize_runners(run_go, run_node)
"""Parametrizes a test with both runners: functions that return the output."""
