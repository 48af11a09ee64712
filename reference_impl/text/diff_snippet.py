"""Format the changed lines of a text for a reminder to the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from readfirst.reference_impl.text.content import numbered_lines

__all__ = ["changed_lines"]

_CONTEXT_LINES = 8
"""Number of unchanged lines that are shown before and after changed lines."""
_NO_LINE_END = " No newline at end of file"
"""Note that follows the last line if it has no line ending. The note counts as a line."""


def changed_lines(before: str, after: str, prefix: str, *, mark_missing_ends: bool) -> str:
    """Return the changed lines of a text with their new numbers, and some unchanged lines around them, for a reminder.
    Empty if the text is now empty. `mark_missing_ends`: add a note after a last line that has no line end.
    """
    old, new = _with_ends(before), _with_ends(after)
    parts = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_CONTEXT_LINES):
        shown: list[str] = []
        for kind, first_old, last_old, first, last in group:
            if kind != "equal" and mark_missing_ends:
                shown += _missing_ends(old[first_old:last_old])
            shown += (line.removesuffix("\n") for line in new[first:last])
            if mark_missing_ends:
                shown += _missing_ends(new[first:last])
        parts.append(numbered_lines(shown, prefix, group[0][3] + 1))
    return "\n...\n".join(parts)


def _missing_ends(lines: Sequence[str]) -> Iterator[str]:
    if lines and not lines[-1].endswith("\n"):
        yield _NO_LINE_END


def _with_ends(text: str) -> list[str]:
    *lines, last = text.split("\n")
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]
