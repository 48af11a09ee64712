"""Detect partial writes: files with neither the old nor the requested content after an interrupted call."""

from collections.abc import Iterator, Mapping

from readfirst.harness.adapter_api import NO_ANSWER, ToolResult
from readfirst.harness.harm.requested_edit import Written, parse_requested_edit
from readfirst.harness.suite.file_entry import Entry, RegularFile, in_words
from readfirst.harness.suite.scenario import ToolCall
from readfirst.harness.workspace.snapshot import candidate_paths


def has_exited(call: ToolCall, answer: ToolResult) -> bool:
    """Whether the signal of a call has ended the program."""
    return call.signal is not None and answer.error == NO_ANSWER.error


def is_nondeterministic(call: ToolCall, answer: ToolResult) -> bool:
    """Whether an interrupted call may reach a different point in each replay. It may if the call is ended or signalled
    while it writes, or if the program survives a signal between validation and execution.
    """
    if call.paused:
        return call.signal is not None and not has_exited(call, answer)
    return call.interrupted == "stopped" or call.signal is not None


def check_partial_writes(
    call: ToolCall,
    before: Mapping[str, Entry],
    changes: Mapping[str, Entry | None],
    answer: ToolResult = NO_ANSWER,
) -> Iterator[tuple[str, str]]:
    """Yield each path that an interrupted call spoiled, with a description of its current content.

    The file of the call must have its old or its requested content, and the requested content if the `answer`
    reports success. A temporary file is allowed only if the program is dead. All other files must be unchanged.
    """
    named_paths, has_ended = candidate_paths(call.arguments, before), has_exited(call, answer)
    for path, entry in sorted(changes.items()):
        previous = before.get(path)
        if path in named_paths:
            requested = _requested_content(call, previous)
            if not (requested is not None and _has_content(entry, requested)) and not (
                previous is None and entry is None
            ):
                yield path, _describe_entry(entry)
        elif previous is not None or not (
            has_ended or any(named_path.startswith(f"{path}/") for named_path in named_paths)
        ):
            yield path, _describe_entry(entry)
    if not answer.is_error and named_paths and not any(named_path in changes for named_path in named_paths):
        previous = before.get(named_paths[0])
        if (requested := _requested_content(call, previous)) is not None and not _has_content(
            previous, requested
        ):
            yield named_paths[0], _describe_entry(previous)


def _requested_content(call: ToolCall, previous: Entry | None) -> bytes | None:
    """Return the content of a file that a call requests. None if only the tool can compute this content."""
    edit = parse_requested_edit(call.tool, call.arguments)
    if isinstance(edit, Written):
        return edit.text.encode()
    if edit is None or len(edit) != 1 or not isinstance(previous, RegularFile):
        return None
    (replacement,) = edit
    return previous.data.replace(
        replacement.old.encode(), replacement.new.encode(), -1 if replacement.every else 1
    )


def _has_content(entry: Entry | None, wanted: bytes) -> bool:
    if not isinstance(entry, RegularFile):
        return False
    return entry.data == wanted or _strip_line_ends(entry.data) == _strip_line_ends(wanted)


def _strip_line_ends(data: bytes) -> bytes:
    """Return the bytes without whitespace at line ends, which a tool may remove."""
    return b"\n".join([line.rstrip(b" \t") for line in data.split(b"\n")])


def _describe_entry(entry: Entry | None) -> str:
    return f"{len(entry.data):,} bytes" if isinstance(entry, RegularFile) else in_words(entry)
