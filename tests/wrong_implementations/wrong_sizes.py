"""Implementations that read, accept or write only the first part of large data."""

from collections.abc import Callable

from altered import Altered, Arguments, Call, caught, instead

from readfirst.harness.adapter_api import ToolResult

_BLOCK = 65_536


@caught("large-messages/changed-after-64-kib")
@instead
def ComparesTheFirstBlock(call: Call) -> ToolResult:
    """A file has changed if its first 64 KiB have."""
    first = call.path.read_bytes()[:_BLOCK] if call.path.is_file() else b""
    if call.tool == "Read":
        call.kept["first"] = first
    answer = call.made()
    if answer.error == "modified_since_read" and first == call.kept["first"]:
        call.read(offset=1, limit=1)
        answer = call.session.reference(call.tool, call.arguments)
    return answer


def taking(limit: int) -> Callable[..., ToolResult]:
    """Return a function that makes a call with at most this number of characters of each text."""

    def alter(self: Altered, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        taken = {name: each[:limit] if isinstance(each, str) else each for name, each in arguments.items()}
        return self.reference(tool, taken, interfere)

    return alter


@caught("large-messages/edit-replaces-1-mib")
class TakesTheFirst(Altered):
    """Of each text only the first million characters arrive."""

    alter = taking(1_000_000)


@caught("large-messages/write-of-8-mib")
class TakesFourMebibytes(Altered):
    """Of each text only the first four MiB arrive."""

    alter = taking(4 << 20)


@caught("large-messages/write-of-64-kib")
class TakesOneBlock(Altered):
    """Of each text only the first 64 KiB arrive."""

    alter = taking(_BLOCK)


@caught("large-messages/replace-all-of-100000")
@instead
def ReplacesTenThousand(call: Call) -> ToolResult:
    """replace_all stops after ten thousand places."""
    before = call.path.read_text() if call.tool == "Edit" else ""
    answer = call.made()
    if call.arguments.get("replace_all") and not answer.is_error:
        call.path.write_text(before.replace(call.old, call.new, 10_000))
    return answer
