"""Implementations with a wrong habit that only generated scenarios detect."""

import os
from dataclasses import replace

from altered import Altered, Call, after_each_call, after_each_edit, before_each_call, with_changed_arguments
from wrong_state import MODIFIED, NOT_READ

from readfirst.harness.adapter_api import ToolResult


@after_each_call
def GivesInTheSecondTime(call: Call, answer: ToolResult) -> None:
    """Refuses to edit an unread file only the first time."""
    if answer.error == "not_read":
        call.read()


@after_each_call
def EditsNothing(call: Call, answer: ToolResult) -> ToolResult:
    """Reports success for an Edit with equal old and new text. The contract refuses it."""
    return ToolResult("Done.") if answer.error == "no_changes" else answer


@after_each_call
def ForgetsChangedFiles(call: Call, answer: ToolResult) -> ToolResult:
    """Refuses a file that another program changed with the error for a file that was not read."""
    return ToolResult(NOT_READ, True, "not_read") if answer.error == "modified_since_read" else answer


@after_each_call
def TellsTheWholeFile(call: Call, answer: ToolResult) -> ToolResult:
    """Repeats the content of the file many times in the text of a refusal."""
    if not answer.is_error or not call.path.is_file():
        return answer
    return replace(answer, text=f"{answer.text}\n{call.path.read_text(errors='replace') * 400}")


@before_each_call
def DistrustsItself(call: Call) -> ToolResult:
    """Treats its own last change of a file as a change by another program, and refuses the next call."""
    if call.memory.pop("wrote", False) and call.tool == "Edit":
        return ToolResult(MODIFIED, True, "modified_since_read")
    answer = call.execute()
    call.memory["wrote"] = call.tool != "Read" and not answer.is_error
    return answer


@after_each_call
def DistrustsReading(call: Call, answer: ToolResult) -> None:
    """Changes the modification time of a file after a Read, so that the next Edit is refused."""
    if call.tool == "Read" and not answer.is_error:
        later = call.path.stat().st_mtime + 1
        os.utime(call.path, (later, later))


@before_each_call
def NeverForgives(call: Call) -> ToolResult:
    """Refuses a file forever after it was changed by another program once."""
    if call.tool != "Read" and call.path in call.memory:
        return ToolResult(MODIFIED, True, "modified_since_read")
    answer = call.execute()
    if answer.error == "modified_since_read":
        call.memory[call.path] = "stale"
    return answer


@before_each_call
def KeyedBySpelling(call: Call) -> ToolResult:
    """Counts a file as read only under the spelling of its path in the Read."""
    spelt = str(call.arguments["file_path"])
    if call.tool != "Read" and spelt not in call.memory and call.path.exists():
        return ToolResult(NOT_READ, True, "not_read")
    answer = call.execute()
    if not answer.is_error:
        call.memory[spelt] = "known"
    return answer


class CountsCallsOfAllSessions(Altered):
    """Numbers its answers across all sessions of the process, so that a session affects others."""

    calls = 0

    def alter(self, *call: object) -> ToolResult:
        answer = self.reference(*call)  # type: ignore[arg-type]
        CountsCallsOfAllSessions.calls += 1
        return replace(answer, text=f"{answer.text} ({self.calls})")


@after_each_call
def ShowsTabsAsSpaces(call: Call, answer: ToolResult) -> ToolResult:
    """Shows each tab as eight spaces."""
    return replace(answer, text=answer.text.expandtabs()) if call.tool == "Read" else answer


@after_each_call
def RefersToEarlierReads(call: Call, answer: ToolResult) -> ToolResult:
    """Answers the second Read of a file only with a reference to the first one."""
    if call.tool != "Read" or answer.is_error:
        return answer
    return (
        ToolResult("File unchanged since last read.")
        if call.memory.setdefault(answer.text, call) is not call
        else answer
    )


@after_each_call
def NumbersSnippetsFromZero(call: Call, answer: ToolResult) -> ToolResult:
    """Numbers the lines around an edit from 0."""
    if call.tool != "Edit" or answer.is_error:
        return answer
    head, *lines = answer.text.split("\n")
    parts = [line.partition("→") for line in lines]
    renumbered = [f"{int(number) - 1:>6}→{text}" for number, arrow, text in parts if arrow]
    return replace(answer, text="\n".join([head, *renumbered]))


@after_each_edit
def EatsBlankLines(call: Call, before: bytes) -> None:
    """Removes all blank lines of the file after an Edit that deletes text."""
    if not call.new:
        call.path.write_bytes(call.path.read_bytes().replace(b"\n\n", b"\n"))


@before_each_call
def KnowsOnlyLineFeeds(call: Call) -> ToolResult | None:
    """Does not find an old text of several lines in a file with CRLF."""
    if "\n" in call.old and call.tool == "Edit" and call.path.is_file() and b"\r\n" in call.path.read_bytes():
        return ToolResult("String to replace not found in file.", True, "string_not_found")
    return None


@with_changed_arguments
def PutsBackTwice(call: Call, text: str) -> dict[str, str]:
    """Inserts a text twice if it deleted the same text before."""
    twice = call.new in call.memory
    call.memory[call.old] = "taken"
    return {"new_string": call.new * 2} if twice else {}


@after_each_edit
def WritesOnlyAscii(call: Call, before: bytes) -> None:
    """Writes U+FFFD in place of each character that is not ASCII."""
    text = call.path.read_bytes().decode().encode("ascii", "replace").decode()
    call.path.write_text(text.replace("?", "\ufffd"))


@after_each_call
def WritesTheNeighbour(call: Call, answer: ToolResult) -> None:
    """Appends a newline to the other files in the directory of a changed file."""
    if call.tool != "Read" and not answer.is_error:
        for other in sorted(call.path.parent.iterdir()):
            if other.is_file() and not other.is_symlink() and other.name != call.path.name:
                other.write_bytes(other.read_bytes() + b"\n")


@before_each_call
def AppendsWhatItWrites(call: Call) -> ToolResult:
    """Writes the content twice if the file already has this content."""
    before = call.path.read_bytes() if call.tool == "Write" and call.path.is_file() else b""
    answer = call.execute()
    if call.tool == "Write" and not answer.is_error and call.path.read_bytes() == before:
        call.path.write_bytes(before + before)
        call.read()
    return answer
