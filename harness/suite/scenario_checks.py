"""Checks of a whole scenario, because parts that are valid separately may be invalid together."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from readfirst.harness.suite.file_entry import Directory, Entry, HardLink, RegularFile, Symlink, data_of
from readfirst.harness.suite.scenario import (
    READERS,
    Given,
    ParallelCalls,
    Step,
    ToolCall,
    calls_of,
    events_of,
)
from readfirst.harness.yaml_io.yaml_validation import Inspection


def check_rewinds(reader: Inspection, steps: Sequence[Step]) -> None:
    """Add a finding for each `rewind` without a later call. The restored files are only compared after a call."""
    for step, following in pairwise((*steps, None)):
        if getattr(step, "kind", "") == "rewind" and not isinstance(following, ToolCall | ParallelCalls):
            fix = "Write a call after it, with the restored files in `files`."
            reader.note(("steps",), "rewind is not followed by a call", fix, key=True)


def check_hooks(reader: Inspection, given: Given, steps: Sequence[Step]) -> None:
    """Add a finding for each hook without effect: it writes the same bytes to files that no step changes."""
    changed = {event.path for step in steps for event in events_of(step)} | {
        call.path.removeprefix("$WS/")
        for step in steps
        for call in calls_of(step)
        if call.tool not in READERS
    }
    for number, hook in enumerate(given.hooks):
        if hook.action == "modify" and all(
            data_of(given.files.get(path)) == entry.data and path not in changed
            for path, entry in hook.files.items()
        ):
            fix = "Change the bytes that the hook writes, or change the file in a step before."
            reader.note(("given", "hooks", number), "the hook changes nothing", fix)


def check_no_expectations(
    reader: Inspection,
    parts: Iterator[ToolCall | ParallelCalls],
    message: str,
    fix: str,
    *,
    rule: str = "schema",
) -> None:
    """Add a finding with `message` at the first of `parts`, which are calls or groups that must not have `expect`."""
    if (part := next(parts, None)) is not None:
        line = part.position.line if part.position is not None else 0
        reader.note(("steps",), message.format(line=line), fix, rule=rule, key=True)


def check_given_paths(reader: Inspection, files: Mapping[str, Entry]) -> None:
    """Add findings for given paths below a file or link, and for hard links to files that are not given."""
    for path, entry in files.items():
        path_in_file = ("given", "files", path)
        parent = path.rpartition("/")[0]
        while parent:
            if parent in files and not isinstance(files[parent], Directory):
                kind = "a symbolic link" if isinstance(files[parent], Symlink) else "a file"
                message = f"{path!r} lies below {parent!r}, which is {kind}"
                reader.note(path_in_file, message, "Give it another path.", rule="path-conflict", key=True)
                break
            parent = parent.rpartition("/")[0]
        if isinstance(entry, HardLink) and not isinstance(files.get(entry.to), RegularFile):
            message = f"the hard link names {entry.to!r}, which is not a given regular file"
            fix = "Write the full path of a file in given:."
            reader.note((*path_in_file, "hardlink"), message, fix, rule="path-conflict")
