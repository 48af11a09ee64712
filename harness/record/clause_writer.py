"""States: the clause that states what one call was seen to give, and whether a clause of a file states it already."""

from dataclasses import asdict
from typing import Any

from readfirst.harness.record.rewrite_expectations import GONE
from readfirst.harness.suite.file_content import entry_value
from readfirst.harness.suite.file_entry import Directory, Entry, FileDigest, RegularFile
from readfirst.harness.suite.scenario import Clause, TextDigest
from readfirst.harness.yaml_io.yaml_writer import Value

_LONG = 4096
"""Longer texts (characters) and files (bytes) are stated by digest."""


def states(clause: Clause, seen: Clause) -> bool:
    """Whether `clause`, its digests expanded, states all of what was seen; modes of what is new need not be stated."""
    stated = (clause.error, clause.text, clause.reminders)
    extra = clause.files.keys() - seen.files.keys()
    return (
        stated == (seen.error, seen.text, seen.reminders)
        and all(isinstance(clause.files[path], Directory) for path in extra)
        and all(
            path in clause.files and _is_same(clause.files[path], seen.files[path]) for path in seen.files
        )
    )


def _is_same(stated: Entry | None, seen: Entry | None) -> bool:
    match stated, seen:
        case RegularFile(mode=mode), RegularFile(mode=other):
            same = seen.ownership is None or stated.ownership == seen.ownership
            return same and stated.data == seen.data and (other is None or mode == other)
        case Directory(mode), Directory(other):
            return other is None or mode == other
        case _:
            return stated == seen


def expectation_of(stated: Any, seen: Clause, *, group: bool = False) -> Any:
    """Return what the file must say of a call instead of what is `stated`, to state what was seen; GONE: nothing.

    What the documents state stays: where the product does something else, as a clause of its own.
    """
    clauses = stated if isinstance(stated, list) else [stated]
    wanted = [each for each in clauses if isinstance(each, dict) and "documented" in each]
    if not group or seen.files or seen.reminders:
        wanted.append(_recorded(seen))
    return GONE if not wanted else wanted[0] if len(wanted) == 1 else wanted


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
        clause["files"] = {path: entry_value(seen.files[path], _digest) for path in sorted(seen.files)}
    if seen.reminders:
        clause["reminders"] = [_text_value(each) for each in seen.reminders if isinstance(each, str)]
    return clause


def _text_value(text: str) -> Value:
    return text if len(text) <= _LONG else asdict(TextDigest.of(text))


def _digest(data: bytes) -> dict[str, Any]:
    digest = FileDigest.of(data)
    return {"sha256": digest.sha256, "size": digest.size} if len(data) > _LONG else {}
