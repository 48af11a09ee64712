"""The search finds each wrong habit by itself, and finds nothing in a correct implementation."""

import inspect
from functools import cache
from itertools import count
from pathlib import Path

import pytest
import wrong_answers as answers
import wrong_files as files
import wrong_habits as habits
import wrong_state as state
import wrong_text as text
from altered import Altered

from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.observatory.fuzz.differential import DifferentialRunner
from readfirst.observatory.fuzz.generate import scenarios

MOST_STEPS = 500
"""A wrong habit must be found within this many generated steps (three seconds of `readfirst fuzz`)."""

OTHERS: list[type[Altered]] = [
    answers.CountsLinesFromZero,
    answers.HidesFinalNewline,
    answers.WrongOrderOfChecks,
    files.HidesItsTraces,
    files.IgnoresDenyRules,
    files.LeavesTemporaryFile,
    files.LosesMode,
    files.OnlyPretendsToEdit,
    files.WritesBeforeRefusing,
    state.ComparesContentsOnly,
    state.ComparesTimesOnly,
    state.LosesParallelUpdates,
    state.NoReadCheck,
    state.NoStalenessCheck,
    state.NoticesOlderTimes,
    state.RaceNotChecked,
    text.AddsFinalNewline,
    text.ConvertsWhenReading,
    text.ExpandsDollars,
    text.LosesByteOrderMark,
    text.LosesCarriageReturns,
    text.ReplaceAllReplacesFirst,
    text.ReplacesFirstOfSeveral,
]
HABITS = [
    found for _, found in inspect.getmembers(habits, inspect.isclass) if found.__module__ == habits.__name__
]


SEARCH = scenarios(0)


@cache
def draw_scenario(number: int) -> Scenario:
    """Return the generated scenario with this number. New numbers must be requested one after the other, from 0."""
    return next(SEARCH)


def steps_until_met(wrong: type[Altered], suite: Suite, place: WorkspacePool) -> int | None:
    """Return after how many steps `wrong` is found to differ from the reference. None after `MOST_STEPS`."""
    runner = DifferentialRunner(ReferenceAdapter("2.1.7"), wrong, place, "text", suite.vocabulary)  # type: ignore[arg-type]
    for scenario in map(draw_scenario, count()):
        if runner.differences(scenario):
            return runner.tally.steps
        if runner.tally.steps > MOST_STEPS:
            return None
    raise AssertionError("the search ended")


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(each, marks=pytest.mark.slow if number % 4 else ())
        for number, each in enumerate([*HABITS, *OTHERS])
    ],
)
def test_the_search_meets_it(wrong: type[Altered], suite: Suite, place: WorkspacePool) -> None:
    assert steps_until_met(wrong, suite, place) is not None


def test_docs_count_them() -> None:
    page = (Path(__file__).parents[3] / "docs/fuzzing.md").read_text("utf-8")
    assert f"with {len({*HABITS, *OTHERS})} implementations, each with one wrong habit" in page


def test_the_search_finds_nothing_in_what_is_right(suite: Suite, place: WorkspacePool) -> None:
    assert steps_until_met(Altered, suite, place) is None
