"""Implementations that read, use or write only the first part of large data."""

from collections.abc import Callable

from altered import Altered, Arguments, Call, before_each_call, detected_by

from readfirst.harness.adapter_api import ToolResult

_BLOCK = 65_536


@detected_by("large-messages/changed-after-64-kib")
@before_each_call
def ComparesTheFirstBlock(call: Call) -> ToolResult:
    """Compares only the first 64 KiB of a file to detect changes."""
    first = call.path.read_bytes()[:_BLOCK] if call.path.is_file() else b""
    if call.tool == "Read":
        call.memory["first"] = first
    answer = call.execute()
    if answer.error == "modified_since_read" and first == call.memory["first"]:
        call.read(offset=1, limit=1)
        answer = call.session.reference(call.tool, call.arguments)
    return answer


def taking(limit: int) -> Callable[..., ToolResult]:
    def alter(self: Altered, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        taken = {name: each[:limit] if isinstance(each, str) else each for name, each in arguments.items()}
        return self.reference(tool, taken, interfere)

    return alter


@detected_by("large-messages/edit-replaces-1-mib")
class TakesTheFirst(Altered):
    """Uses only the first million characters of each text."""

    alter = taking(1_000_000)


@detected_by("large-messages/write-of-8-mib")
class TakesFourMebibytes(Altered):
    """Uses only the first 4,194,304 characters of each text."""

    alter = taking(4 << 20)


@detected_by("large-messages/write-of-64-kib")
class TakesOneBlock(Altered):
    """Uses only the first 65,536 characters of each text."""

    alter = taking(_BLOCK)


@detected_by("large-messages/replace-all-of-100000")
@before_each_call
def ReplacesTenThousand(call: Call) -> ToolResult:
    """With replace_all, replaces only the first ten thousand matches."""
    before = call.path.read_text() if call.tool == "Edit" else ""
    answer = call.execute()
    if call.arguments.get("replace_all") and not answer.is_error:
        call.path.write_text(before.replace(call.old, call.new, 10_000))
    return answer
