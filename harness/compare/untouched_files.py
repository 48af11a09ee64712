"""Untouched files: what a step must not do to files beside their bytes and modes."""

from collections.abc import Iterator, Mapping, Sequence

from readfirst.harness.compare.expected_files import FileDifference
from readfirst.harness.suite.entry import Entry, RegularFile
from readfirst.harness.suite.scenario import ToolCall
from readfirst.harness.workspace.meant import meant
from readfirst.harness.workspace.snapshot import Trace


def trace_differences(
    expected: Mapping[str, Entry | None],
    allowed: Sequence[ToolCall],
    state: Mapping[str, Entry | None],
    names: Mapping[str, tuple[str, ...]],
    traces: Mapping[str, Trace],
) -> Iterator[FileDifference]:
    """Yield what was done to files that the step should have left alone.

    That are all but those that the clause names (`expected`) and those that an `allowed` call writes: it may write the
    bytes that a file has already, or leave that out. That shows under all `names` that the file has afterwards. A call
    that names no file may write any. `state` is the workspace before.
    """
    written: set[str] = set()
    for call in allowed:
        paths = meant(call.arguments, state)
        if not paths:
            return
        for path in paths:
            written.update(names.get(path, (path,)))
    for path in sorted(traces.keys() - expected.keys() - written):
        before, after, replaced = traces[path]
        if replaced:
            yield FileDifference(
                f"inode of {path}", "the same file as before", "another file with the same bytes"
            )
        if before != after:
            # The times themselves are others in every run, and reports are compared.
            direction = "later" if after > before else "earlier"
            yield FileDifference(f"time of {path}", "the same as before", f"{direction} than before")


def name_differences(
    expected: Mapping[str, Entry | None],
    before: Mapping[str, tuple[str, ...]],
    after: Mapping[str, tuple[str, ...]],
    changes: Mapping[str, Entry | None],
) -> Iterator[FileDifference]:
    """Yield where names share a file (hard links) that should not, or no longer share one.

    Names that the clause does not mention share what they shared. One that it mentions is a file of its own: it was
    replaced, or is new. Several names of one file that it gives the same content still share it: it was written in
    place. Names that are gone are left to the comparison of paths.
    """
    gone = {path for path, entry in changes.items() if entry is None}
    explained = gone.copy()
    for path in sorted(before.keys() | after.keys()):
        if path in explained:
            continue
        wanted = [
            name for name in before.get(path, (path,)) if _alike(expected, path, name) and name not in gone
        ]
        got = after.get(path, (path,))
        if list(got) != wanted:
            explained.update(wanted, got)
            yield FileDifference(f"names of {path}", _shared(path, wanted), _shared(path, got))


def _alike(expected: Mapping[str, Entry | None], one: str, other: str) -> bool:
    """Whether the clause mentions neither of two names, or gives both the same."""
    if one not in expected or other not in expected:
        return one == other or (one not in expected and other not in expected)
    entries = expected[one], expected[other]
    if isinstance(entries[0], RegularFile) and isinstance(entries[1], RegularFile):
        return entries[0].data == entries[1].data
    return entries[0] == entries[1]


def _shared(path: str, names: Sequence[str]) -> str:
    others = [name for name in names if name != path]
    return f"one file with {', '.join(others)} (hard links)" if others else "a file of its own"
