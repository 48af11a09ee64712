"""Table cells for the claims about a call and for the behaviour of the product."""

from readfirst.harness.first_difference import first_difference
from readfirst.harness.report.markdown_escape import cell, code
from readfirst.harness.suite.file_entry import Entry, RegularFile, describe_entry
from readfirst.harness.suite.scenario import Clause, TextDigest
from readfirst.harness.suite.transcript import UNNAMED
from readfirst.observatory.claims.evidence import Statement

MOST_CHARACTERS = 240
"""Maximum number of characters of an answer that a cell shows. The number of the remaining characters is added."""
_FEW_CHARACTERS = 90
"""Maximum number of characters shown of a file, or of the beginning or the end of a text."""


def describe_both(statement: Statement) -> tuple[str, str]:
    """Return two cells: the statement about a call, and the recorded result of the call.

    Both cells show two long texts around their first difference. Changed files are omitted if the statement does not
    cover files.
    """
    said = statement.clause or Clause()
    texts = [said.text, statement.answer.text if statement.answer is not None else None]
    around = first_difference(*map(str, texts)) if all(isinstance(each, str) for each in texts) else None
    files = statement.states_files
    changes_nothing = not (said.error or said.text or said.files) and files and statement.tool != "Read"
    documented = "answered: no file changes" if changes_nothing else _describe(said, around, files=files)
    return documented, describe_answer(statement, around)


def describe_answer(statement: Statement, around: int | None = None) -> str:
    """Return the cell for the product's answer to a call. A long text is shown around the position `around`, by default
    from its beginning.
    """
    if statement.answer is None:
        return "not recorded"
    return _describe(statement.answer, around, files=statement.states_files)


def excerpt(text: str, most: int, around: int | None = None) -> str:
    """Return a text as Markdown code. A longer text is cut to `most` characters around the position `around`, by
    default from its beginning.
    """
    if len(text) <= most:
        return code(text)
    start = 0 if around is None else max(0, min(around - most // 2, len(text) - most))
    before = f"[{start:,} characters] " if start else ""
    after = len(text) - start - most
    return f"{before}{code(text[start : start + most])}{f' [{after:,} more characters]' if after else ''}"


def _describe(answer: Clause, around: int | None, *, files: bool) -> str:
    parts = []
    match answer.text:
        case str() as text:
            parts.append(excerpt(text, MOST_CHARACTERS, around))
        case TextDigest(starts=starts, ends=ends):
            ends_of_it = (("begins", starts), ("ends", ends))
            known = [f"{name} {excerpt(text, _FEW_CHARACTERS)}" for name, text in ends_of_it if text]
            parts.append(", ".join(known) or "a text that is only known by its digest")
    if files:
        parts += [f"{code(path)} becomes {_entry(entry)}" for path, entry in sorted(answer.files.items())]
    error = f" ({answer.error})" if answer.error != UNNAMED else ""
    head = f"refused{error}" if answer.error else "answered"
    return f"{head}: {'; '.join(parts)}" if parts else head


def _entry(entry: Entry | None) -> str:
    if isinstance(entry, RegularFile):
        return excerpt(entry.data.decode("utf-8", "backslashreplace"), _FEW_CHARACTERS)
    return cell(describe_entry(entry))
