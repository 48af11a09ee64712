"""Write the clause of an observed answer, and check whether a clause of a file states that answer already."""

from dataclasses import asdict
from typing import Any

from readfirst.harness.record.rewrite_expectations import GONE
from readfirst.harness.suite.file_content import entry_value
from readfirst.harness.suite.file_entry import Directory, Entry, FileDigest, RegularFile
from readfirst.harness.suite.scenario import Clause, TextDigest
from readfirst.harness.yaml_io.yaml_writer import Value

_DIGEST_THRESHOLD = 4096
"""Longer texts (in characters) and files (in bytes) are replaced by their digest."""


def states(clause: Clause, seen: Clause) -> bool:
    """Whether `clause` (with its digests expanded) states everything that was observed (`seen`). It may omit the modes
    of new paths.
    """
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
        case RegularFile(mode=mode), RegularFile(mode=seen_mode):
            same = seen.ownership is None or stated.ownership == seen.ownership
            return same and stated.data == seen.data and (seen_mode is None or mode == seen_mode)
        case Directory(mode), Directory(seen_mode):
            return seen_mode is None or mode == seen_mode
        case _:
            return stated == seen


def expectation_of(stated: Any, seen: Clause, *, group: bool = False) -> Any:
    """Return the new value of `expect` for a call: its `documented` clauses, and a clause for the observed answer.

    If the observed answer is also the documented one, both are one clause. GONE means that the key `expect` is removed.
    """
    clauses = stated if isinstance(stated, list) else [stated]
    wanted = [clause for clause in clauses if isinstance(clause, dict) and "documented" in clause]
    if not group or seen.files or seen.reminders:
        wanted.append(_clause_mapping(seen))
    return GONE if not wanted else wanted[0] if len(wanted) == 1 else wanted


def _clause_mapping(seen: Clause) -> dict[str, Value]:
    """Return a clause as the mapping that is written to the scenario file."""
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
        clause["files"] = {path: entry_value(seen.files[path], _digest_fields) for path in sorted(seen.files)}
    if seen.reminders:
        clause["reminders"] = [_text_value(text) for text in seen.reminders if isinstance(text, str)]
    return clause


def _text_value(text: str) -> Value:
    return text if len(text) <= _DIGEST_THRESHOLD else asdict(TextDigest.of(text))


def _digest_fields(data: bytes) -> dict[str, Any]:
    digest = FileDigest.of(data)
    return {"sha256": digest.sha256, "size": digest.size} if len(data) > _DIGEST_THRESHOLD else {}
