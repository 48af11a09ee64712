"""Format claims about a call, and recorded answers, as table cells."""

from readfirst.harness.first_difference import first_difference
from readfirst.harness.report.markdown_escape import cell, code
from readfirst.harness.suite.file_entry import RegularFile, describe_entry
from readfirst.harness.suite.scenario import Clause, TextDigest
from readfirst.harness.suite.transcript import UNNAMED
from readfirst.observatory.claims.evidence import Statement

MAX_ANSWER_CHARS = 240
"""Maximum length of an answer in a table cell. Longer answers are cut, and the number of cut characters is added."""
_MAX_FILE_CHARS = 90
"""Maximum length of the content of a file in a table cell, and of the quoted beginning or end of a long answer."""


def statement_and_answer_cells(statement: Statement) -> tuple[str, str]:
    """Return the cells of the claimed and the recorded result, cut around the first difference."""
    said = statement.clause or Clause()
    texts = [said.text, statement.answer.text if statement.answer is not None else None]
    around = first_difference(*map(str, texts)) if all(isinstance(each, str) for each in texts) else None
    files = statement.states_files
    changes_nothing = not (said.error or said.text or said.files) and files and statement.tool != "Read"
    documented = "answered: no file changes" if changes_nothing else _clause_cell(said, around, files=files)
    return documented, answer_cell(statement, around)


def answer_cell(statement: Statement, around: int | None = None) -> str:
    """Return a table cell with the recorded answer. A long text is cut to the part around the position `around`."""
    if statement.answer is None:
        return "not recorded"
    return _clause_cell(statement.answer, around, files=statement.states_files)


def excerpt(text: str, max_chars: int, around: int | None = None) -> str:
    """Return a text as Markdown code, cut to `max_chars` characters around the position `around` (None: the start)."""
    if len(text) <= max_chars:
        return code(text)
    start = 0 if around is None else max(0, min(around - max_chars // 2, len(text) - max_chars))
    before = f"[{start:,} characters] " if start else ""
    after = len(text) - start - max_chars
    return (
        f"{before}{code(text[start : start + max_chars])}{f' [{after:,} more characters]' if after else ''}"
    )


def _clause_cell(answer: Clause, around: int | None, *, files: bool) -> str:
    parts = []
    match answer.text:
        case str() as text:
            parts.append(excerpt(text, MAX_ANSWER_CHARS, around))
        case TextDigest(starts=starts, ends=ends):
            ends_of_it = (("begins", starts), ("ends", ends))
            known = [f"{name} {excerpt(text, _MAX_FILE_CHARS)}" for name, text in ends_of_it if text]
            parts.append(", ".join(known) or "a text that is only known by its digest")
    for path, entry in sorted(answer.files.items()) if files else ():
        shown = cell(describe_entry(entry))
        if isinstance(entry, RegularFile):
            shown = excerpt(entry.data.decode("utf-8", "backslashreplace"), _MAX_FILE_CHARS)
        parts.append(f"{code(path)} becomes {shown}")
    error = f" ({answer.error})" if answer.error != UNNAMED else ""
    head = f"refused{error}" if answer.error else "answered"
    return f"{head}: {'; '.join(parts)}" if parts else head
