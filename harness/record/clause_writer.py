"""Write observed answers as clauses of `expect`, and check whether an existing clause states the same answer."""

from dataclasses import asdict
from typing import Any

from readfirst.harness.record.rewrite_expectations import GONE
from readfirst.harness.suite.file_content import entry_value
from readfirst.harness.suite.file_entry import Directory, Entry, FileDigest, RegularFile
from readfirst.harness.suite.scenario import Clause, TextDigest
from readfirst.harness.yaml_io.yaml_writer import Value

_DIGEST_THRESHOLD = 4096
"""Maximum characters of a text, or bytes of a file, in an expectation. A digest replaces a larger content."""


def is_stated(observed: Clause, clause: Clause) -> bool:
    """Whether `clause`, an expected answer in a scenario file, already states everything in `observed`, the product's
    answer. Only the modes of new paths may be missing. `clause` must not contain digests.
    """
    extra = clause.files.keys() - observed.files.keys()
    return (
        (clause.error, clause.text, clause.reminders) == (observed.error, observed.text, observed.reminders)
        and all(isinstance(clause.files[path], Directory) for path in extra)
        and all(
            path in clause.files and _is_entry_stated(entry, clause.files[path])
            for path, entry in observed.files.items()
        )
    )


def _is_entry_stated(observed: Entry | None, stated: Entry | None) -> bool:
    match observed, stated:
        case RegularFile(mode=mode), RegularFile(mode=stated_mode):
            same = observed.ownership is None or stated.ownership == observed.ownership
            return same and stated.data == observed.data and mode in (None, stated_mode)
        case Directory(mode), Directory(stated_mode):
            return mode in (None, stated_mode)
        case _:
            return stated == observed


def updated_expectation(previous: Any, observed: Clause, *, is_group: bool = False) -> Any:
    """Return the new value of the key `expect` of a call, or of a group of calls (`is_group`): the answer `observed`,
    and the `documented` answers of the previous value. GONE if the key must be removed.
    """
    clauses = previous if isinstance(previous, list) else [previous]
    kept = [clause for clause in clauses if isinstance(clause, dict) and "documented" in clause]
    if not is_group or observed.files or observed.reminders:
        kept.append(_mapping_from_clause(observed))
    return GONE if not kept else kept[0] if len(kept) == 1 else kept


def _mapping_from_clause(clause: Clause) -> dict[str, Value]:
    """Convert a clause (an expected answer) to the mapping that is written to the scenario file."""
    mapping: dict[str, Value] = {}
    if clause.error is not None:
        mapping["error"] = clause.error
    if isinstance(clause.text, TextDigest):
        mapping["text"] = {"starts": clause.text.starts}
    elif clause.text is not None:
        mapping["text"] = _text_or_digest(clause.text)
    if clause.files:
        mapping["files"] = {
            path: entry_value(entry, _digest_fields) for path, entry in sorted(clause.files.items())
        }
    if clause.reminders:
        mapping["reminders"] = [_text_or_digest(text) for text in clause.reminders if isinstance(text, str)]
    return mapping


def _text_or_digest(text: str) -> Value:
    return text if len(text) <= _DIGEST_THRESHOLD else asdict(TextDigest.of(text))


def _digest_fields(data: bytes) -> dict[str, Any]:
    digest = FileDigest.of(data)
    return {"sha256": digest.sha256, "size": digest.size} if len(data) > _DIGEST_THRESHOLD else {}
