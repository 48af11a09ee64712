"""Detect partial writes: files that contain neither the old nor the requested content after an interrupted call."""

from collections.abc import Iterator, Mapping

from readfirst.harness.adapter_api import NO_ANSWER, ToolResult
from readfirst.harness.harm.requested_edit import NewText, parse_requested_edit
from readfirst.harness.suite.file_entry import Entry, RegularFile, describe_entry
from readfirst.harness.suite.scenario import ToolCall
from readfirst.harness.workspace.snapshot import candidate_paths


def has_exited(call: ToolCall, answer: ToolResult) -> bool:
    """Whether the program exited because of the signal that the harness sent to it during the call."""
    return call.signal is not None and answer.error == NO_ANSWER.error


def is_nondeterministic(call: ToolCall, answer: ToolResult) -> bool:
    """Whether replays may differ in the amount that an interrupted call has written."""
    if call.paused:
        return call.signal is not None and not has_exited(call, answer)
    return call.interrupted == "stopped" or call.signal is not None


def check_partial_writes(
    call: ToolCall,
    before: Mapping[str, Entry],
    changes: Mapping[str, Entry | None],
    answer: ToolResult = NO_ANSWER,
) -> Iterator[tuple[str, str]]:
    """Yield each path that an interrupted call spoiled, with a description of its current content. The file of the call
    must have its old or its requested content. A temporary file is allowed only if the program has exited. All other
    files must be unchanged.
    """
    named_paths = candidate_paths(call.arguments, before)
    for path, entry in sorted(changes.items()):
        previous = before.get(path)
        if path in named_paths:
            is_intact = previous is entry is None or _has_content(entry, _requested_content(call, previous))
        else:
            is_new_directory = any(named_path.startswith(f"{path}/") for named_path in named_paths)
            is_intact = previous is None and (is_new_directory or has_exited(call, answer))
        if not is_intact:
            yield path, _describe_entry(entry)
    if not answer.is_error and named_paths and not any(named_path in changes for named_path in named_paths):
        previous = before.get(named_paths[0])
        requested = _requested_content(call, previous)
        if requested is not None and not _has_content(previous, requested):
            yield named_paths[0], _describe_entry(previous)


def _requested_content(call: ToolCall, previous: Entry | None) -> bytes | None:
    """Return the content that a call requests for its file. None if only the tool can compute this content."""
    edit = parse_requested_edit(call.tool, call.arguments)
    if isinstance(edit, NewText):
        return edit.text.encode()
    if edit is None or len(edit) != 1 or not isinstance(previous, RegularFile):
        return None
    (replacement,) = edit
    return previous.data.replace(
        replacement.old.encode(), replacement.new.encode(), -1 if replacement.every else 1
    )


def _has_content(entry: Entry | None, requested: bytes | None) -> bool:
    """Whether `entry` is a regular file with the content `requested`, except for whitespace at line ends."""
    if not isinstance(entry, RegularFile) or requested is None:
        return False
    actual_lines, requested_lines = entry.data.split(b"\n"), requested.split(b"\n")
    return [line.rstrip(b" \t") for line in actual_lines] == [line.rstrip(b" \t") for line in requested_lines]


def _describe_entry(entry: Entry | None) -> str:
    return f"{len(entry.data):,} bytes" if isinstance(entry, RegularFile) else describe_entry(entry)
