"""Compare the answers and the files of a step with the expected result."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from readfirst.harness.first_difference import first_difference
from readfirst.harness.suite.file_entry import (
    Directory,
    Entry,
    FileDigest,
    HardLink,
    RegularFile,
    describe_entry,
)
from readfirst.harness.suite.ownership import DEFAULT_OWNERSHIP
from readfirst.harness.suite.scenario import TextDigest, ToolCall
from readfirst.harness.suite.unwrap_host_text import without_outer_whitespace
from readfirst.harness.workspace.snapshot import Trace, candidate_paths

_MAX_EXCERPT_BYTES = 4096
"""Maximum bytes of a content that a difference quotes in full. From a longer content, only an excerpt is quoted."""

_OUTSIDE_PREFIXES = ("../", "$HOME/", "$TMPDIR/")


@dataclass(frozen=True, slots=True)
class FileDifference:
    """One difference in the result of a step: the compared file or text, its expected and its actual value."""

    what: str
    expected: str
    got: str


def file_differences(
    expected: Mapping[str, Entry | None],
    world: Mapping[str, Entry | None],
    before: Mapping[str, Entry],
    changes: Mapping[str, Entry | None],
) -> list[FileDifference]:
    """Compare the changes of files in a step with the expected changes. Return the differences, sorted by path.
    `expected` are the changes that the contract states, `world` the changes that the harness made during the step. All
    other paths must not change, except for new parents of new files. The mode of a new file is compared only if the
    contract states a mode.
    """
    differences: list[FileDifference] = []
    if not (expected or world or changes):
        return differences
    wanted: dict[str, Entry | None] = {**world, **expected}
    parents = {parent for path, entry in wanted.items() if entry is not None for parent in _parents(path)}
    for path in sorted(wanted.keys() | changes.keys()):
        former = world.get(path, before.get(path))
        got = changes[path] if path in changes else before.get(path)
        if path not in wanted:
            implied = path in parents and path not in before and isinstance(got, Directory)
            if not implied:
                differences += _compare_entries(path, before.get(path), got, before.get(path))
        else:
            entry = wanted[path]
            if isinstance(entry, HardLink):
                entry = changes.get(entry.to, before.get(entry.to))
            differences += _compare_entries(path, entry, got, former)
    return differences


def _parents(path: str) -> list[str]:
    return [path[:end] for end, letter in enumerate(path) if letter == "/"]


def _compare_entries(
    path: str, expected: Entry | None, got: Entry | None, former: Entry | None
) -> list[FileDifference]:
    match expected, got:
        case RegularFile(), RegularFile():
            if expected.data != got.data:
                return [FileDifference(f"file {path}", *_quote_contents(expected.data, got.data))]
        case FileDigest(), RegularFile():
            if not expected.fits(got.data):
                return [FileDifference(f"file {path}", str(expected), str(FileDigest.of(got.data)))]
        case Directory(), Directory():
            pass
        case _:
            if expected != got:
                outside = expected is None and path.startswith(_OUTSIDE_PREFIXES)
                nothing = ": it is outside the workspace" if outside else ""
                return [
                    FileDifference(f"path {path}", _describe_entry(expected) + nothing, _describe_entry(got))
                ]
            return []
    return [*_compare_modes(path, expected, got, former), *_compare_ownership(path, expected, got, former)]


def _compare_ownership(
    path: str, expected: Entry | None, got: Entry | None, former: Entry | None
) -> list[FileDifference]:
    if not isinstance(got, RegularFile | Directory):
        return []
    kept = getattr(former, "ownership", None) or DEFAULT_OWNERSHIP
    stated = getattr(expected, "ownership", None) or kept
    has = got.ownership or DEFAULT_OWNERSHIP
    if has in (stated, kept):  # an implementation may keep data that the product loses
        return []
    return [FileDifference(f"ownership of {path}", str(stated), str(has))]


def _compare_modes(
    path: str, expected: Entry | None, got: Entry | None, former: Entry | None
) -> list[FileDifference]:
    stated = getattr(expected, "mode", None)
    if stated is None and type(former) is type(got):
        stated = getattr(former, "mode", None)
    mode = getattr(got, "mode", None)
    if stated is None or mode is None or stated == mode:
        return []
    return [FileDifference(f"mode of {path}", f"{stated:04o}", f"{mode:04o}")]


def _describe_entry(entry: Entry | None) -> str:
    if isinstance(entry, RegularFile):
        return f"{describe_entry(entry)}: {_decode(entry.data[:_MAX_EXCERPT_BYTES])}"
    return describe_entry(entry)


def _quote_contents(expected: bytes, got: bytes) -> tuple[str, str]:
    if max(len(expected), len(got)) <= _MAX_EXCERPT_BYTES:
        return _decode(expected), _decode(got)
    start = max((first_difference(expected, got) or 0) - 200, 0)
    return _quote_from(expected, start), _quote_from(got, start)


def _quote_from(data: bytes, start: int) -> str:
    return f"({len(data)} bytes; from byte {start}:) {_decode(data[start : start + _MAX_EXCERPT_BYTES])}"


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def text_differences(
    expected: str | TextDigest | None, answer: str, raw: str, *, ignores_outer_whitespace: bool = False
) -> list[FileDifference]:
    """Compare an answer with the expected text, and return the differences. Empty without `expected`, or if `answer` or
    `raw` equals `expected`. `raw` is the answer with the text that the host program added. With
    `ignores_outer_whitespace`, whitespace at both ends is not compared.
    """
    if expected is None:
        return []
    if isinstance(expected, TextDigest):
        return [FileDifference(*each) for each in expected.differences(answer)]
    normalise = without_outer_whitespace if ignores_outer_whitespace else str
    is_equal = normalise(expected) in (normalise(answer), normalise(raw))
    return [] if is_equal else [FileDifference("text", expected, answer)]


def trace_differences(
    expected: Mapping[str, Entry | None],
    allowed: Sequence[ToolCall],
    state: Mapping[str, Entry | None],
    names: Mapping[str, tuple[str, ...]],
    traces: Mapping[str, Trace],
) -> Iterator[FileDifference]:
    """Yield a difference for each file with a new time or inode and the same content, if the step must not touch the
    file. A step may touch a file if a change of the file is `expected`, or if a call in `allowed` may write the file
    under one of its `names` (hard links). `state` is the workspace before the step.
    """
    written: set[str] = set()
    for call in allowed:
        paths = candidate_paths(call.arguments, state)
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
            # The times are different in every run, but reports must be comparable.
            direction = "later" if after > before else "earlier"
            yield FileDifference(f"time of {path}", "the same as before", f"{direction} than before")


def name_differences(
    expected: Mapping[str, Entry | None],
    before: Mapping[str, tuple[str, ...]],
    after: Mapping[str, tuple[str, ...]],
    changes: Mapping[str, Entry | None],
) -> Iterator[FileDifference]:
    """Yield a difference for each name that does not share its file with the right names (hard links). `before` and
    `after` contain all names of a name's file before and after the step. A name that is not in `expected` must share
    its file with the same names as before. A name in `expected` must be a separate file, unless all names of its
    previous file have the same expected content.
    """
    gone = {path for path, entry in changes.items() if entry is None}
    explained = gone.copy()
    for path in sorted(before.keys() | after.keys()):
        if path in explained:
            continue
        wanted = [
            name
            for name in before.get(path, (path,))
            if _have_equal_expectations(expected, path, name) and name not in gone
        ]
        got = after.get(path, (path,))
        if list(got) != wanted:
            explained.update(wanted, got)
            yield FileDifference(
                f"names of {path}", _describe_names(path, wanted), _describe_names(path, got)
            )


def _have_equal_expectations(expected: Mapping[str, Entry | None], left: str, right: str) -> bool:
    """Whether `expected` contains neither of two names, or the same content for both."""
    if left not in expected or right not in expected:
        return left == right or (left not in expected and right not in expected)
    entries = expected[left], expected[right]
    if isinstance(entries[0], RegularFile) and isinstance(entries[1], RegularFile):
        return entries[0].data == entries[1].data
    return entries[0] == entries[1]


def _describe_names(path: str, names: Sequence[str]) -> str:
    others = [name for name in names if name != path]
    return f"one file with {', '.join(others)} (hard links)" if others else "a file of its own"
