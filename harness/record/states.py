"""States: the clause that states what one call was seen to give, and whether a clause of a file states it already."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from readfirst.harness.compare.expected_files import text_differences
from readfirst.harness.record.rewrite import ClauseEdit, Keep, New, Update
from readfirst.harness.source.emit import Value
from readfirst.harness.suite.entry import Directory, Entry, FileDigest, RegularFile
from readfirst.harness.suite.recording_file import entry_value
from readfirst.harness.suite.scenario import Clause, Expectation, TextDigest

_LONG = 4096
"""Longer texts (characters) and files (bytes) are stated by digest."""


def states(clause: Clause, seen: Clause) -> bool:
    """Whether `clause` states all of what was seen: a text that is left out does not agree with one that came.

    Of a text without its digest only a beginning may be pinned, and only where `seen` pins one: an end or a number of
    lines leaves a hole.
    """
    if clause.error != seen.error or (clause.text is None) != (seen.text is None):
        return False
    if len(clause.reminders) != len(seen.reminders):
        return False
    if not all(map(_states_text, clause.reminders, seen.reminders)):
        return False
    return _states_text(clause.text, seen.text) and _states_files(clause.files, seen.files)


def _states_text(stated: str | TextDigest | None, seen: str | TextDigest | None) -> bool:
    match stated, seen:
        case (None, None):
            return True
        case (TextDigest(sha256=None, lines=None, ends=None, starts=str() as starts), TextDigest()):
            return seen.starts is not None and seen.starts.startswith(starts)
        case (TextDigest(sha256=None, lines=None, ends=None), str()):
            return not text_differences(stated, seen, seen)
        case (TextDigest(sha256=None), _) | (_, TextDigest()):
            return False
        case (_, str()):
            return not text_differences(stated, seen, seen)
        case _:
            return False


def _states_files(stated: Mapping[str, Entry | None], seen: Mapping[str, Entry | None]) -> bool:
    """Whether the same paths are stated with the same contents; a mode of what is new may be stated or not."""
    extra = {path for path in stated.keys() - seen.keys() if not isinstance(stated[path], Directory)}
    if extra or seen.keys() - stated.keys():
        return False
    return all(_is_same(stated[path], entry) for path, entry in seen.items())


def _is_same(stated: Entry | None, seen: Entry | None) -> bool:
    match stated, seen:
        case RegularFile(mode=mode), RegularFile(mode=other):
            same = seen.ownership is None or stated.ownership == seen.ownership
            return same and stated.data == seen.data and (other is None or mode == other)
        case FileDigest(mode=mode), RegularFile(mode=other):
            return stated.fits(seen.data) and (other is None or mode == other)
        case Directory(mode), Directory(other):
            return other is None or mode == other
        case _:
            return stated == seen


def edits_of(expect: Expectation, seen: Clause, *, group: bool = False) -> Sequence[ClauseEdit] | None:
    """Return how the clauses of one call must be changed to state what was seen; None where they do.

    What the documents state stays: where the product does something else, as a clause of its own.
    """
    clauses = sorted(expect.clauses(), key=_line)
    if expect.recorded is not None and states(expect.recorded, seen):
        return None
    nothing = group and not (seen.files or seen.reminders)
    if nothing and expect.recorded is None:
        return None
    documented = expect.documented
    keep: list[ClauseEdit] = [] if documented is None else [Keep(clauses.index(documented))]
    if nothing:
        return keep
    recorded = _recorded(seen)
    if expect.recorded is None or expect.recorded is documented:
        return [*keep, New(recorded)]
    return [*keep, Update(clauses.index(expect.recorded), recorded)]


def _line(clause: Clause) -> int:
    return clause.position.line if clause.position is not None else 0


def _recorded(seen: Clause) -> dict[str, Value]:
    """Return the keys of a clause that states it."""
    clause: dict[str, Value] = {}
    if seen.error is not None:
        clause["error"] = seen.error
    match seen.text:
        case TextDigest(starts=starts):
            clause["text"] = {"starts": starts}
        case str() as text:
            clause["text"] = _text_value(text)
        case None:
            pass
    if seen.files:
        clause["files"] = {path: _file_value(seen.files[path]) for path in sorted(seen.files)}
    if seen.reminders:
        clause["reminders"] = [_text_value(each) for each in seen.reminders if isinstance(each, str)]
    return clause


def _text_value(text: str) -> Value:
    return text if len(text) <= _LONG else asdict(TextDigest.of(text))


def _file_value(entry: Entry | None) -> Value:
    value: Value = entry_value(entry, _LONG, _digest)
    return value


def _digest(data: bytes) -> dict[str, Any]:
    digest = FileDigest.of(data)
    return {"sha256": digest.sha256, "size": digest.size}
