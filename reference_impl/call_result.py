"""The result of one call: its text for the model, truncated if it is too long, and errors as refusals."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from readfirst.reference_impl.refusal import Failure, Refusal, of_read_error
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.text.content import WHITESPACE
from readfirst.reference_impl.text.truncate_answer import announce_truncation, in_blocks, utf16_length
from readfirst.reference_impl.tools.tool import Answer

__all__ = [
    "PreparedCall",
    "Result",
    "answer_text",
    "do_nothing",
    "errors_as_refusals",
    "without_whitespace_at_the_end",
]

_MAX_ESCAPE_CHARS = 6
"""Maximum number of characters that represent one character of a text in a saved answer, as a JSON escape."""
_WARNING_CHARS = 340
"""Number of characters of the text after each file that Read shows; they count as part of the answer."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one call: the text for the model, and whether it is an error.

    `error` and `code` are the name and the number of a refusal, see `Refusal`; both are None for a success.
    `reminders` are messages to the model next to the answer, about changed files and from hooks. `early` means
    that the call was refused before its execution.
    """

    text: str
    is_error: bool
    error: str | None
    code: int | None
    reminders: tuple[str, ...] = ()
    early: bool = False


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """The arguments for the rules of a tool, and the remark at the end of a successful answer."""

    arguments: Mapping[str, Any]
    note: str


def without_whitespace_at_the_end(result: Result) -> Result:
    """Return a result whose text has no whitespace at its end."""
    return replace(result, text=result.text.rstrip(WHITESPACE))


def do_nothing() -> None:
    """Do nothing between validation and execution."""


@contextlib.contextmanager
def errors_as_refusals(prefix: str | None) -> Iterator[None]:
    """Convert errors to refusals: errors of the system while reading, unexpected content of a file, and JSON
    that is nested too deeply.

    `prefix` precedes the message of the system. None omits the message.
    """
    try:
        yield
    except (OSError, RecursionError, Failure) as error:
        if prefix is None:
            raise Refusal("os_error", "Error calling tool") from None
        if isinstance(error, OSError):
            raise of_read_error(error, prefix=prefix) from None
        words = str(error) if isinstance(error, Failure) else "Maximum call stack size exceeded"
        raise Refusal("not_a_notebook", f"{prefix}{words}") from None


def answer_text(session: Session, tool: str, answer: Answer) -> str:
    """Return the text of an answer for the model. A text that is too long is saved in a file and truncated."""
    text = answer if isinstance(answer, str) else "\n".join(answer)
    behaviours = session.behaviours
    if not text and behaviours.answers.empty_answers_say_so:
        return f"({tool} completed with no output)"
    longest = behaviours.answers.longest_answer
    if longest is None or len(text) * _MAX_ESCAPE_CHARS + _WARNING_CHARS < longest:
        return text
    if tool == "Read" and behaviours.answers.reads_may_be_longer:
        return text
    kept = text if isinstance(answer, str) else in_blocks(text)
    size = utf16_length(kept)
    if tool == "Read" and isinstance(answer, str) and behaviours.reminders.reads_end_with_warning:
        size += _WARNING_CHARS
    if size <= longest:
        return text
    try:
        return announce_truncation(kept, size, session.keep_answer(kept))
    except OSError:
        return text
