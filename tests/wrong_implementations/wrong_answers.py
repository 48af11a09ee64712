"""Implementations that handle files correctly, but give wrong answers to the model."""

import re
from dataclasses import replace

from altered import Call, after_each_call, before_each_call, detected_by
from reasons import NOTHING_WRITTEN

from readfirst.harness.adapter_api import ToolResult


@detected_by("gate/edit-unread", "refused")
@after_each_call
def RefusesAsSuccess(call: Call, answer: ToolResult) -> ToolResult:
    """Refuses calls, but does not mark the refusals as errors."""
    return replace(answer, is_error=False, error=None)


@detected_by("gate/edit-after-read", "refused")
@after_each_call
def SucceedsAsError(call: Call, answer: ToolResult) -> ToolResult:
    """Marks every answer as an error, also after success."""
    return replace(answer, is_error=True)


@detected_by("gate/edit-unread", "text", level="text")
@after_each_call
def WrongErrorText(call: Call, answer: ToolResult) -> ToolResult:
    """Refuses calls with a different text than the contract."""
    return replace(answer, text=f"Sorry. {answer.text}") if answer.is_error else answer


@detected_by("gate/edit-unread", "error", level="reason")
@after_each_call
def WrongErrorName(call: Call, answer: ToolResult) -> ToolResult:
    """Refuses to edit an unread file with the error name of a missing file."""
    return replace(answer, error="file_not_found") if answer.error == "not_read" else answer


@detected_by("gate/order-unread-before-not-found", "error", level="reason")
@before_each_call
def WrongOrderOfChecks(call: Call) -> ToolResult | None:
    """Checks first whether the old text occurs, and only then whether the file was read."""
    if call.tool != "Edit" or not call.path.is_file() or call.old in call.path.read_text():
        return None
    return ToolResult(f"String to replace not found in file.\nString: {call.old}", True, "string_not_found")


@detected_by("read-output/numbered-lines", "text", level="text")
@after_each_call
def TabAfterLineNumber(call: Call, answer: ToolResult) -> ToolResult:
    """Shows a tab after line numbers instead of an arrow."""
    if call.tool != "Read":
        return answer
    return replace(answer, text=re.sub(r"(?m)^( *[0-9]+)→", r"\1\t", answer.text))


@detected_by("read-output/offset-and-limit", "shown notes.txt", harmless=NOTHING_WRITTEN)
@before_each_call
def CountsLinesFromZero(call: Call) -> ToolResult | None:
    """Treats `offset` as the number of lines to skip, so that a Read starts one line too late."""
    if call.tool == "Read" and "offset" in call.arguments:
        return call.execute(offset=call.arguments["offset"] + 1)
    return None


@detected_by("read-output/final-newline", "text", level="text")
@after_each_call
def HidesFinalNewline(call: Call, answer: ToolResult) -> ToolResult:
    """Does not show the empty last line of a file that ends with a newline."""
    *lines, last = answer.text.split("\n")
    return replace(answer, text="\n".join(lines)) if call.tool == "Read" and last.endswith("→") else answer


@detected_by("sizes/2001-lines", "shown notes.txt", harmless=NOTHING_WRITTEN)
@after_each_call
def CutsLongFiles(call: Call, answer: ToolResult) -> ToolResult:
    """Shows only the first 2,000 lines of a longer file."""
    return replace(answer, text="\n".join(answer.text.split("\n")[:2000])) if call.tool == "Read" else answer


@detected_by("results/edit-in-the-middle", "text", level="text")
@after_each_call
def NoSnippet(call: Call, answer: ToolResult) -> ToolResult:
    """Answers an Edit without the lines around the change."""
    return replace(answer, text=answer.text.partition("\n")[0]) if call.tool == "Edit" else answer
