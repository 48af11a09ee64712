from dataclasses import replace

from altered import Call, afterwards, caught
from reasons import REMINDERS_ONLY

from readfirst.harness.adapter_api import ToolResult


@caught("reminders/change-after-own-edit", "reminders", harmless=REMINDERS_ONLY)
@afterwards
def TellsNothing(call: Call, answer: ToolResult) -> ToolResult:
    """Detects changes of files, but never reports them in a reminder."""
    return replace(answer, reminders=())


@caught("reminders/change-after-own-edit", "reminders", harmless=REMINDERS_ONLY)
@afterwards
def TellsAgain(call: Call, answer: ToolResult) -> ToolResult:
    """Reports the same change again in a reminder after every later call."""
    call.memory["reminders"] = call.memory.get("reminders", ()) + answer.reminders
    return replace(answer, reminders=call.memory["reminders"])


@caught("reminders/own-edit-alone", "reminders", harmless=REMINDERS_ONLY)
@afterwards
def TellsOfOwnEdits(call: Call, answer: ToolResult) -> ToolResult:
    """Reports a change that the session itself made in a reminder."""
    return replace(answer, reminders=("It was changed.",)) if call.tool == "Edit" else answer


@caught("reminders/two-places-changed", "shown notes.txt", harmless=REMINDERS_ONLY)
@afterwards
def ShowsTheFirstPlaceOnly(call: Call, answer: ToolResult) -> ToolResult:
    """Shows only the first of several changed places in a reminder."""
    return replace(answer, reminders=tuple(each.partition("\n...\n")[0] for each in answer.reminders))
