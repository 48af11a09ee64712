"""Checks of a whole scenario, for parts that are valid separately but not together."""

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
    """Add findings for rewinds that no call follows. Only the next call shows the restored files."""
    for step, following in pairwise((*steps, None)):
        if getattr(step, "kind", "") == "rewind" and not isinstance(following, ToolCall | ParallelCalls):
            fix = "Write a call after it, whose `files` say what comes back."
            reader.note(("steps",), "rewind is not followed by a call", fix, key=True)


def check_hooks(reader: Inspection, given: Given, steps: Sequence[Step]) -> None:
    """Add findings for hooks without effect: they write the given bytes into files that no step changes."""
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
            fix = "Let it write other bytes, or let a step change the file before."
            reader.note(("given", "hooks", number), "the hook changes nothing", fix)


def check_stated(
    reader: Inspection,
    parts: Iterator[ToolCall | ParallelCalls],
    message: str,
    fix: str,
    *,
    rule: str = "schema",
) -> None:
    """Add a finding about the first of these calls and groups, whose expectations are not allowed."""
    for part in parts:
        line = part.position.line if part.position is not None else 0
        reader.note(("steps",), message.format(line=line), fix, rule=rule, key=True)
        return


def check_given_paths(reader: Inspection, files: Mapping[str, Entry]) -> None:
    """Add findings for given paths that cannot exist together, and for hard links to files that are not given."""
    for path, entry in files.items():
        place = ("given", "files", path)
        above = path.rpartition("/")[0]
        while above:
            if above in files and not isinstance(files[above], Directory):
                what = "a symbolic link" if isinstance(files[above], Symlink) else "a file"
                message = f"{path!r} lies below {above!r}, which is {what}"
                reader.note(place, message, "Give it another path.", rule="path-conflict", key=True)
                break
            above = above.rpartition("/")[0]
        if isinstance(entry, HardLink) and not isinstance(files.get(entry.to), RegularFile):
            message = f"the hard link names {entry.to!r}, which is not a given regular file"
            fix = "Name a file of given: with its full path."
            reader.note((*place, "hardlink"), message, fix, rule="path-conflict")
