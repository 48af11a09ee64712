"""Detect partial writes: files that contain neither the old nor the requested content after an interrupted
call.
"""

from collections.abc import Iterator, Mapping

from readfirst.harness.adapter_api import NO_ANSWER, ToolResult
from readfirst.harness.harm.requested_edit import Written, asked
from readfirst.harness.suite.file_entry import Entry, RegularFile, in_words
from readfirst.harness.suite.scenario import ToolCall
from readfirst.harness.workspace.snapshot import candidate_paths


def has_exited(call: ToolCall, answer: ToolResult) -> bool:
    """Whether the signal of a call has ended the program."""
    return call.signal is not None and answer.error == NO_ANSWER.error


def is_nondeterministic(call: ToolCall, answer: ToolResult) -> bool:
    """Whether the progress of a call is not deterministic: it is ended while it writes, or survives its signal."""
    if call.paused:
        return call.signal is not None and not has_exited(call, answer)
    return call.interrupted == "stopped" or call.signal is not None


def check_partial_writes(
    call: ToolCall,
    before: Mapping[str, Entry],
    changes: Mapping[str, Entry | None],
    answer: ToolResult = NO_ANSWER,
) -> Iterator[tuple[str, str]]:
    """Yield each path that an interrupted call spoiled, and its current content.

    The file of the call must have its old or its requested content, and the requested content if the `answer`
    reports success. A temporary file is allowed only if the program is dead. All other files must be unchanged.
    """
    named, gone = candidate_paths(call.arguments, before), has_exited(call, answer)
    for path, entry in sorted(changes.items()):
        former = before.get(path)
        if path in named:
            wanted = _asked(call, former)
            if not (wanted is not None and _holds(entry, wanted)) and not (former is None and entry is None):
                yield path, _shown(entry)
        elif former is not None or not (gone or any(each.startswith(f"{path}/") for each in named)):
            yield path, _shown(entry)
    if not answer.is_error and named and not any(path in changes for path in named):
        former = before.get(named[0])
        if (wanted := _asked(call, former)) is not None and not _holds(former, wanted):
            yield named[0], _shown(former)


def _asked(call: ToolCall, former: Entry | None) -> bytes | None:
    """Return the requested content. None if only the tool can compute it."""
    wanted = asked(call.tool, call.arguments)
    if isinstance(wanted, Written):
        return wanted.text.encode()
    if wanted is None or len(wanted) != 1 or not isinstance(former, RegularFile):
        return None
    (one,) = wanted
    return former.data.replace(one.old.encode(), one.new.encode(), -1 if one.every else 1)


def _holds(entry: Entry | None, wanted: bytes) -> bool:
    if not isinstance(entry, RegularFile):
        return False
    return entry.data == wanted or _bare(entry.data) == _bare(wanted)


def _bare(data: bytes) -> bytes:
    """Return the bytes without whitespace at line ends, which a tool may cut."""
    return b"\n".join([line.rstrip(b" \t") for line in data.split(b"\n")])


def _shown(entry: Entry | None) -> str:
    return f"{len(entry.data):,} bytes" if isinstance(entry, RegularFile) else in_words(entry)
