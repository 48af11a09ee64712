"""Cells: what is said of a call and what the product did there, each as the cell of a table."""

from collections.abc import Mapping

from readfirst.harness.first_difference import first_difference
from readfirst.harness.report.markdown_escape import code
from readfirst.harness.suite.file_entry import (
    Directory,
    Entry,
    FileDigest,
    HardLink,
    RegularFile,
    SpecialFile,
    Symlink,
)
from readfirst.harness.suite.scenario import Clause, TextDigest
from readfirst.observatory.claims.evidence import RecordedAnswer, Statement

MOST_CHARACTERS = 240
"""Characters of an answer that are shown before the rest is counted."""
_FEW_CHARACTERS = 90
"""Characters of a file, or of an answer about whose words nothing is said."""


def describe_both(statement: Statement) -> tuple[str, str]:
    """Return the cells for what is said and for what the product did.

    Of two long texts the part around their first difference is shown.
    """
    clause = statement.clause or Clause()
    answer = statement.answer
    around = None
    if answer is not None and isinstance(clause.text, str):
        around = first_difference(clause.text, answer.text)
    said = [_refusal(clause.error is not None, clause.error)]
    match clause.text:
        case str() as text:
            said.append(excerpt(text, MOST_CHARACTERS, around))
        case TextDigest() as digest:
            said.append(_digest(digest))
        case None:
            pass
    if statement.states_files:
        said += _files(clause.files)
    if len(said) == 1 and clause.error is None and statement.tool != "Read":
        said.append("no file changes")
    return _sentence(said), _answer(answer, clause.text, around, files=statement.states_files)


def describe_answer(statement: Statement) -> str:
    """Return the cell for what the product did at a call that nothing is said of."""
    return _answer(statement.answer, "", None, files=True)


def excerpt(text: str, most: int, around: int | None = None) -> str:
    """Return a text as code, cut to `most` characters from its beginning or around a place in it."""
    if len(text) <= most:
        return code(text)
    start = 0 if around is None else max(0, min(around - most // 2, len(text) - most))
    before = f"[{start:,} characters] " if start else ""
    after = len(text) - start - most
    return f"{before}{code(text[start : start + most])}{f' [{after:,} more characters]' if after else ''}"


def _answer(
    answer: RecordedAnswer | None, said: str | TextDigest | None, around: int | None, *, files: bool
) -> str:
    """Tell the answer as fully as what was said of it asks for."""
    if answer is None:
        return "not recorded"
    did = [_refusal(answer.refused, answer.error)]
    match said:
        case TextDigest(ends=str()) if len(answer.text) > MOST_CHARACTERS:
            lines = answer.text.count("\n") + 1
            did.append(_digest(TextDigest(None, lines, answer.text, answer.text)))
        case None if not answer.refused:  # its first sentence or line, within limits
            ends = [at for at in (answer.text.find(". ") + 1, answer.text.find("\n")) if at > 0]
            did.append(excerpt(answer.text, min([_FEW_CHARACTERS, *ends])))
        case _:
            did.append(excerpt(answer.text, MOST_CHARACTERS, around))
    if files:
        did += _files(answer.changes)
    return _sentence(did)


def _refusal(refused: bool, error: str | None) -> str:
    if not refused:
        return "answered"
    return f"refused ({error})" if error else "refused"


def _sentence(parts: list[str]) -> str:
    first, *rest = parts
    return f"{first}: {'; '.join(rest)}" if rest else first


def _digest(digest: TextDigest) -> str:
    parts = []
    if digest.lines is not None:
        parts.append(f"{digest.lines:,} lines" if digest.lines != 1 else "1 line")
    if digest.starts is not None:
        parts.append(f"begins {excerpt(digest.starts, _FEW_CHARACTERS)}")
    if digest.ends is not None:
        parts.append(f"ends {excerpt(digest.ends[-_FEW_CHARACTERS:], _FEW_CHARACTERS)}")
    return ", ".join(parts) or "a text of which only the digest is kept"


def _files(files: Mapping[str, Entry | None]) -> list[str]:
    return [f"{code(path)} {_entry(entry)}" for path, entry in sorted(files.items())]


def _entry(entry: Entry | None) -> str:
    match entry:
        case None:
            return "is gone"
        case RegularFile():
            data = entry.data
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError:
                # Bytes that are not UTF-8 are shown as Latin-1: one character each.
                return f"becomes the bytes {excerpt(data.decode('latin-1'), _FEW_CHARACTERS)}"
            return f"becomes {excerpt(text, _FEW_CHARACTERS)}"
        case FileDigest(size=size):
            return f"becomes a file of {size:,} bytes"
        case Symlink(target):
            return f"becomes a link to {code(target)}"
        case HardLink(to):
            return f"becomes another name of {code(to)}"
        case Directory():
            return "becomes a directory"
        case SpecialFile(kind):
            return f"becomes a {kind}"
