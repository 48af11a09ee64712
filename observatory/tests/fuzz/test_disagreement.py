"""The differences between two outcomes that count as a disagreement, and the level of each."""

from typing import Any

import pytest

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.compare.verdict import Level
from readfirst.harness.replay.outcome import Breakage, Outcome, StepOutcome
from readfirst.harness.suite.scenario import Given, Scenario, ToolCall
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.snapshot import Trace
from readfirst.observatory.fuzz.disagreement import disagreements
from tests.rows import rows

EDIT = ToolCall("Edit", {"file_path": "$WS/a", "old_string": "a", "new_string": "b"})
UNREAD = ToolResult("File has not been read yet. Read it first before writing to it.", True)
NOT_FOUND = ToolResult("String to replace not found in file.\nString: a", True)
DONE = ToolResult("done")


def outcome(*steps: StepOutcome, broken: Breakage | None = None) -> Outcome:
    return Outcome("fuzz/one", steps, broken)


def find_disagreement(
    suite: Suite, ours: StepOutcome, theirs: StepOutcome, level: Level = "text", step: Any = EDIT
) -> Any:
    scenario = Scenario("fuzz/one", "One step", "observed", Given(), (step,))
    return next(disagreements(scenario, outcome(ours), outcome(theirs), level, suite.vocabulary), None)


def test_line_ends_before_a_reminder_may_belong_to_it(suite: Suite) -> None:
    reminded = ToolResult("snippet:\n\n<system-reminder>\nother\n</system-reminder>")
    assert (
        find_disagreement(suite, StepOutcome((ToolResult("snippet:\n"),)), StepOutcome((reminded,))) is None
    )
    assert find_disagreement(
        suite, StepOutcome((ToolResult("snippet:\n"),)), StepOutcome((ToolResult("snippet:"),))
    )


@pytest.mark.parametrize(
    ("ours", "wrapped"), [("done", False), ("No.\n<system-reminder>a</system-reminder>\n", True)]
)
def test_reminders_in_a_file_are_not_taken_for_the_hosts_own(suite: Suite, ours: str, wrapped: bool) -> None:
    reminder = "Note: $WS/b was modified:\n     1→<system-reminder>a</system-reminder>\n     2→"
    answer = f"<tool_use_error>{ours.strip()}</tool_use_error>" if wrapped else ours
    theirs = ToolResult(f"{answer}\n\n<system-reminder>\n{reminder}\n</system-reminder>", wrapped)
    assert find_disagreement(suite, StepOutcome((ToolResult(ours, wrapped),)), StepOutcome((theirs,))) is None


def beside_bytes(step: Any, result: ToolResult, **left: Any) -> tuple[Any, StepOutcome, StepOutcome]:
    return step, StepOutcome((result,)), StepOutcome((result,), **left)


WRITTEN = {"traces": {"a": Trace(1, 2, replaced=False)}}
REPLACED = {"traces": {"a": Trace(1, 1, replaced=True)}}
READ = ToolCall("Read", {"file_path": "$WS/a"})


@rows(
    ("made", "what"),
    [
        (beside_bytes(EDIT, UNREAD, **WRITTEN), "time of a"),
        (beside_bytes(READ, DONE, **WRITTEN), "time of a"),
        (beside_bytes(EDIT, UNREAD, **REPLACED), "inode of a"),
        (beside_bytes(EDIT, DONE, names_before={"a": ("a", "b"), "b": ("a", "b")}), "names of a"),
    ],
)
def test_files_that_were_not_left_alone_are_a_difference_of_effects(
    suite: Suite, made: Any, what: str
) -> None:
    step, ours, theirs = made
    found = find_disagreement(suite, ours, theirs, "effects", step)
    assert (found.cause.level, found.what) == ("effects", what)


def test_an_allowed_call_may_write_the_bytes_that_a_file_has(suite: Suite) -> None:
    step, ours, theirs = beside_bytes(EDIT, DONE, **WRITTEN)
    assert find_disagreement(suite, ours, theirs, step=step) is None


def test_a_text_counts_less_than_a_file_that_was_touched(suite: Suite) -> None:
    found = find_disagreement(suite, StepOutcome((UNREAD,)), StepOutcome((NOT_FOUND,), **WRITTEN))
    assert (found.cause.level, found.what) == ("effects", "time of a")
    assert find_disagreement(suite, StepOutcome((UNREAD,)), StepOutcome((NOT_FOUND,))).cause.level == "reason"
