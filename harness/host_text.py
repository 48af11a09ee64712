"""What a tool itself answered: the text without what the program around the tool wraps it in."""

from __future__ import annotations

__all__ = ["answer_of"]

_ERROR = ("<tool_use_error>", "</tool_use_error>")
_REMINDER = ("<system-reminder>", "</system-reminder>")


def answer_of(text: str) -> str:
    """Return the tool's own answer.

    A `<tool_use_error>` element around the whole is taken off, and so is every `<system-reminder>` element
    that follows the answer on lines of its own, with the empty line before it. A reminder that is all there
    is stays: it is the answer (a Read of an empty file). Numbered lines of a file are no reminder.
    """
    answer = _without_reminders(text)
    opening, closing = _ERROR
    if answer.startswith(opening) and answer.endswith(closing):
        return answer[len(opening) : -len(closing)]
    return answer


def _without_reminders(text: str) -> str:
    opening, closing = _REMINDER
    while (trimmed := text.rstrip("\n")).endswith(closing):
        start = trimmed.rfind(opening)
        if start <= 0 or text[start - 1] != "\n":
            break
        text = text[:start].removesuffix("\n").removesuffix("\n")
    return text
