from dataclasses import replace

from altered import Call, after_each_call, detected_by
from reasons import REMINDERS_ONLY

from readfirst.harness.adapter_api import ToolResult


@detected_by("reminders/change-after-own-edit", "reminders", harmless=REMINDERS_ONLY)
@after_each_call
def TellsNothing(call: Call, answer: ToolResult) -> ToolResult:
    """Detects changes of files, but never reports them in a reminder."""
    return replace(answer, reminders=())


@detected_by("reminders/change-after-own-edit", "reminders", harmless=REMINDERS_ONLY)
@after_each_call
def TellsAgain(call: Call, answer: ToolResult) -> ToolResult:
    """Reports the same change again in a reminder after every later call."""
    call.memory["reminders"] = call.memory.get("reminders", ()) + answer.reminders
    return replace(answer, reminders=call.memory["reminders"])


@detected_by("reminders/own-edit-alone", "reminders", harmless=REMINDERS_ONLY)
@after_each_call
def TellsOfOwnEdits(call: Call, answer: ToolResult) -> ToolResult:
    """Reports a change that the session itself made in a reminder."""
    return replace(answer, reminders=("It was changed.",)) if call.tool == "Edit" else answer


@detected_by("reminders/two-places-changed", "shown notes.txt", harmless=REMINDERS_ONLY)
@after_each_call
def ShowsTheFirstPlaceOnly(call: Call, answer: ToolResult) -> ToolResult:
    """Shows only the first of several changed places in a reminder."""
    return replace(answer, reminders=tuple(each.partition("\n...\n")[0] for each in answer.reminders))
