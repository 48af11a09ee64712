"""The result of a call: create the text for the model, and convert errors to refusals."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readfirst.reference_impl.refusal import ContentError, Refusal, refusal_of_read_error
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.text.content import utf16_length
from readfirst.reference_impl.text.js_number import size_text
from readfirst.reference_impl.text.json_text import indented_json
from readfirst.reference_impl.tools.tool import Answer

__all__ = ["PreparedCall", "Result", "answer_text", "convert_errors", "truncate_answer"]

_PREVIEW_UNITS = 2000
"""Maximum length, in UTF-16 code units, of the beginning of a too long answer that the model gets."""
_MAX_ESCAPE_CHARS = 6
"""Maximum number of characters that JSON uses for one character of a text, such as `\\u0000`."""
_WARNING_CHARS = 340
"""Length of the warning that Read adds to the text of a file. The maximum length of an answer includes it."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a call: the text for the model, and the name and number of a refusal (see `Refusal`)."""

    text: str
    is_error: bool
    # name of the refusal, or None
    error: str | None
    # number of the refusal, or None
    code: int | None
    # messages to the model about changed files and from hooks
    reminders: tuple[str, ...] = ()
    # whether the call was refused before its execution
    early: bool = False


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A call with prepared arguments. `note`, about corrected arguments, is added to a successful answer."""

    arguments: Mapping[str, Any]
    note: str


@contextlib.contextmanager
def convert_errors(prefix: str | None) -> Iterator[None]:
    """Convert OSError, ContentError and RecursionError (JSON that is nested too deeply) to refusals. The message is
    `prefix` and the message of the exception. Without `prefix`, the message is `Error calling tool`.
    """
    try:
        yield
    except (OSError, RecursionError, ContentError) as error:
        if prefix is None:
            raise Refusal("os_error", "Error calling tool") from None
        if isinstance(error, OSError):
            raise refusal_of_read_error(error, prefix=prefix) from None
        words = str(error) if isinstance(error, ContentError) else "Maximum call stack size exceeded"
        raise Refusal("not_a_notebook", f"{prefix}{words}") from None


def answer_text(session: Session, tool: str, answer: Answer) -> str:
    """Return the answer as one text for the model. If the answer is too long, save it and return its beginning."""
    text = answer if isinstance(answer, str) else "\n".join(answer)
    behaviours = session.behaviours
    if not text and behaviours.answers.empty_answers_say_so:
        return f"({tool} completed with no output)"
    longest = behaviours.answers.longest_answer
    if longest is None or len(text) * _MAX_ESCAPE_CHARS + _WARNING_CHARS < longest:
        return text
    if tool == "Read" and behaviours.answers.reads_may_be_longer:
        return text
    kept = text if isinstance(answer, str) else indented_json([{"text": text, "type": "text"}], width=2)
    size = utf16_length(kept)
    if tool == "Read" and isinstance(answer, str) and behaviours.reminders.reads_end_with_warning:
        size += _WARNING_CHARS
    if size <= longest:
        return text
    try:
        return truncate_answer(kept, size, session.save_answer(kept))
    except OSError:
        return text


def truncate_answer(text: str, size: int, path: str) -> str:
    """Return the beginning of an answer of `size` UTF-16 code units, and the `path` of the whole answer."""
    beginning = text.encode("utf-16-le", "surrogatepass")[: 2 * _PREVIEW_UNITS].decode("utf-16-le", "ignore")
    end = beginning.rfind("\n")
    if end > _PREVIEW_UNITS // 2:
        beginning = beginning[:end]
    return (
        f"<persisted-output>\nOutput too large ({size_text(size)}). Full output saved to: {path}\n\n"
        f"Preview (first 2KB):\n{beginning}\n...\n</persisted-output>"
    )
