"""Every wrong implementation is detected by the scenarios that are named for it, at its level and with its blame."""

import inspect
import os
import subprocess
import sys
from contextlib import closing
from importlib import import_module
from pathlib import Path
from types import ModuleType

import altered
import pytest
import test_interruptions
import wrong_processes as processes
import wrong_sizes
from new_harms import judged_with_harm

from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.run.connect import connect
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.judging import SUITE, judge_scenario
from tests.rows import rows
from tests.small_disks import may_mount

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent
TIME_LIMIT = 0.3
CLASSES = {
    module: [
        each for _, each in inspect.getmembers(module, inspect.isclass) if each.__module__ == module.__name__
    ]
    for module in (import_module(file.stem) for file in sorted(FOLDER.glob("wrong_*.py")))
}
MODULES = [module for module, kinds in CLASSES.items() if any(map(altered.caught_by, kinds))]
"""Modules whose implementations are decorated with their scenarios. The other modules are checked by test_tables.py."""
EVERY = {each: altered.caught_by(each) for module in MODULES for each in CLASSES[module]}
CAUGHT = {each: caught for each, caught in EVERY.items() if caught is not None}
CASES = [(each, scenario_id) for each, caught in CAUGHT.items() for scenario_id in caught.by]
ON_A_SMALL_DISK = [case for case in CASES if case[1].startswith("full-disk/")]
OF_MEGABYTES = [
    case for case in CASES if case[0] in (wrong_sizes.TakesFourMebibytes, wrong_sizes.ReplacesTenThousand)
]
"""Cases that are only in the slow tests, because each takes as long as fifty others."""
OF_A_PROCESS = {name for name, _ in (*test_interruptions.KILLED_OR_SIGNALLED, *test_interruptions.RESUMED)}
RIGHT = {"Survives", "WritesInPlace", "WritesACopy", "Outlasts"}
"""Names of implementations that are correct, although they look wrong."""
PARTS = {"_Knowing", "TakesAnyMatch", "OverlooksDenyRules"}
"""Names of base classes. The implementations derived from them are here or in test_exceptions.py."""

BROKEN: dict[type[processes.Faulty], str] = {
    processes.ForgetsAParallelResult: "the adapter gave 1 results for 2 calls",
    processes.Hangs: "Edit took longer than 0.3 s",
    processes.Crashes: "the adapter ended with exit status 9 during Edit",
    processes.Aborts: "the adapter was killed by SIGABRT during Edit",
    processes.Raises: "the adapter has a problem with Edit: it raised PermissionError: File has not been read yet",
    processes.Floods: "Edit took longer than 0.3 s",
    processes.AnswersGarbage: "it answered {'text': 'File has not been read yet.', 'isError': True}, not a ToolResult",
    processes.AnswersNull: """'text': None, 'refused': True, 'error': None, 'reminders': []}, which is not {""",
}
"""Mistakes that the replay itself detects, with the message of the breakage.

Most are replayed in `gate/edit-unread`, that of a group in `parallel/two-disjoint-edits`.
"""


@pytest.mark.parametrize("module", MODULES, ids=lambda each: each.__name__)
def test_a_wrong_implementation_is_caught_by_the_scenario_named_for_it(
    module: ModuleType, place: WorkspacePool
) -> None:
    elsewhere = [*ON_A_SMALL_DISK, *OF_MEGABYTES]
    of_it = [case for case in CASES if case[0].__module__ == module.__name__ and case not in elsewhere]
    rows(("implementation", "scenario_id"), of_it)(is_caught)(place=place)


@pytest.mark.slow
@pytest.mark.parametrize(("implementation", "scenario_id"), OF_MEGABYTES)
def test_so_is_one_that_is_wrong_in_megabytes(
    implementation: type[altered.Altered], scenario_id: str, place: WorkspacePool
) -> None:
    is_caught(implementation, scenario_id, place)


def test_so_is_one_on_a_small_disk(place: WorkspacePool) -> None:
    if not may_mount():
        pytest.skip("no disk can be mounted here")
    rows(("implementation", "scenario_id"), ON_A_SMALL_DISK)(is_caught)(place=place)


def is_caught(implementation: type[altered.Altered], scenario_id: str, place: WorkspacePool) -> None:
    """Assert that the scenario detects the implementation.

    Harm is judged, too: it needs no expectations, only bytes, calls and answers.
    """
    caught = CAUGHT[implementation]
    if caught.after:
        assert judge_scenario(SUITE.scenario(caught.after), implementation, place=place).status == "passed"
    verdict, found = judged_with_harm(implementation, scenario_id, place)
    assert (verdict.status, verdict.blame) == ("failed", caught.blame), verdict.reason
    assert not verdict.levels[caught.level]
    if caught.what and scenario_id == caught.by[0]:
        first = verdict.differences[0]
        assert (first.level, first.what, first.blame) == (caught.level, caught.what, caught.blame)
    if any(each.kind == "lost" for each in found):
        rule = SUITE.heading(scenario_id).rule
        assert SUITE.rules is not None
        assert SUITE.rules[rule].class_ == "safety", f"{rule} loses work, and --class safety leaves it out"
    if caught.level == "effects":
        harmless = caught.harmless and scenario_id not in caught.harmful
        assert bool(found) != bool(harmless), [each.line for each in found]


def test_every_scenario_of_what_was_reported_and_of_a_moved_world_catches_one() -> None:
    families = {each for each in SUITE.ids() if each.startswith(("reported/", "moved-world/"))}
    assert families <= {scenario_id for caught in CAUGHT.values() for scenario_id in caught.by}


def test_every_wrong_implementation_has_its_check_and_says_what_is_wrong() -> None:
    unmarked = [each for each in EVERY.keys() - CAUGHT.keys() if not each.__subclasses__()]
    assert {each.__name__ for each in unmarked} <= OF_A_PROCESS | RIGHT | PARTS
    assert len(CAUGHT) >= 190
    assert all(each.__doc__ and each.__doc__ != altered.Altered.__doc__ for each in EVERY)


def test_the_page_has_the_figures_of_whom_a_mistake_harms() -> None:
    differ = [each for each in CAUGHT.values() if each.level == "effects"]
    named = [(each, by) for each in differ for by in each.by]
    harmful = sum(not each.harmless or by in each.harmful for each, by in named)
    page = (ROOT / "docs/harm.md").read_text("utf-8")
    assert f"Of the {len(CAUGHT)} wrong implementations of" in page
    assert f"{len(differ)} differ in effects, in {len(named)} scenarios" in page
    assert f"In {harmful} of these" in page
    assert f"the other {len(named) - harmful} the test" in page


@pytest.mark.slow
@pytest.mark.parametrize("implementation", BROKEN, ids=lambda each: each.__name__)
def test_an_implementation_that_does_not_answer_properly_breaks_and_the_next_scenario_is_judged(
    implementation: type[processes.Faulty], place: WorkspacePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FOLDER)

    def judge(scenario_id: str) -> Verdict:
        return judge_scenario(SUITE.scenario(scenario_id), adapter, place=place)

    spec = f"python:{implementation.__module__}:{implementation.__name__}"
    with closing(connect(spec, SUITE, RunOptions(time_limit=TIME_LIMIT))) as adapter:
        grouped = implementation is processes.ForgetsAParallelResult
        verdict = judge("parallel/two-disjoint-edits" if grouped else "gate/edit-unread")
        assert (verdict.status, verdict.blame) == ("error", "adapter")
        assert BROKEN[implementation] in verdict.reason
        assert not any(verdict.levels.values())
        assert judge("gate/write-unread").status == "passed"


@pytest.mark.slow
@pytest.mark.parametrize("selection", [["--family", "gate"], ["-k", "nothing-is-called-this"]])
def test_a_run_in_which_everything_is_declined_or_nothing_selected_is_not_green(selection: list[str]) -> None:
    target = f"python:{processes.DeclinesEverything.__module__}:{processes.DeclinesEverything.__name__}"
    root = FOLDER.parents[1]
    command = [sys.executable, "-m", "readfirst", "run", target, *selection]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    ran = subprocess.run(command, cwd=FOLDER, env=environment, capture_output=True, text=True, check=False)
    assert (ran.returncode, "Traceback" in ran.stderr) == (5, False)
