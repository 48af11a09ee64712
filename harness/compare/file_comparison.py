"""Expected: what a call must answer and a step may change in the workspace, and how that differs from what they did."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from readfirst.harness.first_difference import first_difference
from readfirst.harness.suite.file_entry import Directory, Entry, FileDigest, HardLink, RegularFile, in_words
from readfirst.harness.suite.ownership import OWN
from readfirst.harness.suite.scenario import TextDigest, ToolCall
from readfirst.harness.suite.unwrap_host_text import without_outer_whitespace
from readfirst.harness.workspace.snapshot import Trace, candidate_paths

_EXCERPT = 4096
"""Contents longer than this (in bytes) are shown as the part around the first difference."""

_OUTSIDE = ("../", "$HOME/", "$TMPDIR/")


@dataclass(frozen=True, slots=True)
class FileDifference:
    """One disagreement: the thing compared, what was expected of it, and what came."""

    what: str
    expected: str
    got: str


def file_differences(
    expected: Mapping[str, Entry | None],
    world: Mapping[str, Entry | None],
    before: Mapping[str, Entry],
    changes: Mapping[str, Entry | None],
) -> list[FileDifference]:
    """Compare what a step changed with what it must change, path by path.

    `expected` is the clause's, `world` what the harness did itself during the step; the clause prevails.
    Nothing else may change, except that a new file brings its new parent directories. The mode of a file that
    existed stays as it was, that of a new one is compared only if it is stated.
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
                differences.extend(_differences(path, before.get(path), got, before.get(path)))
        else:
            entry = wanted[path]
            if isinstance(entry, HardLink):
                entry = changes.get(entry.to, before.get(entry.to))
            differences.extend(_differences(path, entry, got, former))
    return differences


def _parents(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def _differences(
    path: str, expected: Entry | None, got: Entry | None, former: Entry | None
) -> list[FileDifference]:
    match expected, got:
        case RegularFile(), RegularFile():
            wanted, data = expected.data, got.data
            if wanted != data:
                shown = _excerpts(wanted, data)
                return [FileDifference(f"file {path}", *shown)]
        case FileDigest(), RegularFile():
            if not expected.fits(got.data):
                return [FileDifference(f"file {path}", str(expected), str(FileDigest.of(got.data)))]
        case Directory(), Directory():
            pass
        case _:
            if expected != got:
                outside = expected is None and path.startswith(_OUTSIDE)
                nothing = ": it is outside the workspace" if outside else ""
                return [FileDifference(f"path {path}", _describe(expected) + nothing, _describe(got))]
            return []
    return [
        *_mode_differences(path, expected, got, former),
        *_ownership_differences(path, expected, got, former),
    ]


def _ownership_differences(
    path: str, expected: Entry | None, got: Entry | None, former: Entry | None
) -> list[FileDifference]:
    if not isinstance(got, RegularFile | Directory):
        return []
    kept = (former.ownership or OWN) if isinstance(former, RegularFile | Directory) else OWN
    stated = getattr(expected, "ownership", None) or kept
    has = got.ownership or OWN
    if has in (stated, kept):  # nobody has to lose what the product loses
        return []
    return [FileDifference(f"ownership of {path}", str(stated), str(has))]


def _mode_differences(
    path: str, expected: Entry | None, got: Entry | None, former: Entry | None
) -> list[FileDifference]:
    stated = getattr(expected, "mode", None)
    if stated is None and type(former) is type(got):
        stated = getattr(former, "mode", None)
    mode = getattr(got, "mode", None)
    if stated is None or mode is None or stated == mode:
        return []
    return [FileDifference(f"mode of {path}", f"{stated:04o}", f"{mode:04o}")]


def _describe(entry: Entry | None) -> str:
    if isinstance(entry, RegularFile):
        return f"{in_words(entry)}: {_readable(entry.data[:_EXCERPT])}"
    return in_words(entry)


def _excerpts(expected: bytes, got: bytes) -> tuple[str, str]:
    if max(len(expected), len(got)) <= _EXCERPT:
        return _readable(expected), _readable(got)
    start = max((first_difference(expected, got) or 0) - 200, 0)
    return _excerpt(expected, start), _excerpt(got, start)


def _excerpt(data: bytes, start: int) -> str:
    return f"({len(data)} bytes; from byte {start}:) {_readable(data[start : start + _EXCERPT])}"


def _readable(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def text_differences(
    expected: str | TextDigest | None, answer: str, raw: str, *, ignores_outer_whitespace: bool = False
) -> list[FileDifference]:
    """Compare an answer with the expected one, None where nothing is expected.

    `raw` is the text with the host's wrapping: one that equals what is expected as it came needs no unwrapping.
    `ignores_outer_whitespace`: a whole text may have other whitespace at both ends than the expected one.
    """
    match expected:
        case None:
            return []
        case str() if ignores_outer_whitespace and without_outer_whitespace(expected) in (
            without_outer_whitespace(answer),
            without_outer_whitespace(raw),
        ):
            return []
        case str():
            return [] if expected in (answer, raw) else [FileDifference("text", expected, answer)]
        case TextDigest():
            return [FileDifference(*each) for each in expected.differences(answer)]


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
