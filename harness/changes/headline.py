"""Headline: a cause in one line, in terms of what the tools do, and the words of both sides, shortened."""

from __future__ import annotations

from collections.abc import Sequence

from readfirst.harness.changes.cause import Cause
from readfirst.harness.changes.wording import BLANKS
from readfirst.harness.report.visible import first_difference, visible

__all__ = ["headline", "words"]

_MOST_NAMES = 3
_SHORT = 60
"""Characters of a sentence in a headline."""
_LONG = 150
"""Characters of what a side said."""


def headline(cause: Cause) -> str:
    """Return the cause in one line: the tools, then `before → after`."""
    return f"{', '.join(cause.tools)}: {_what(cause)}"


def _what(cause: Cause) -> str:
    subject = cause.signature.subject
    before, after, _ = cause.variants[0]
    match cause.signature.kind:
        case "refusal" | "reason" if subject.endswith(" gone"):
            return f"{_named(before)} → {_several([variant[1] for variant in cause.variants])}"
        case "refusal" | "reason":
            return f"{_several([variant[0] for variant in cause.variants])} → {_named(after)}"
        case "file" if subject == "content":
            return "different content is written"
        case "file" if subject == "whether it changes":
            return f"{_named(before)} → {_named(after)}"
        case "file" if before or after:
            return f"{_named(subject)} of what is written: {_named(before)} → {_named(after)}"
        case "file":
            return f"{_named(subject)} of what is written"
        case "path":
            return f"{_named(before)} → {_named(after)}"
        case "mode":
            return f"mode: {_named(before)} → {_named(after)}"
        case "prefix":
            return f"number of a line: {_quoted(before)} → {_quoted(after)}"
        case "content" if subject == "content":
            return "shows other content"
        case "content":
            return f"shows different content: {_named(subject)}"
        case "refusal words":
            return f"refused ({_named(subject)}) in other words{_more(len(cause.variants))}"
        case "detail" if subject == BLANKS:
            return f"says the same with different {subject}"
        case "detail":
            return f"different details: {_named(subject)}"
        case _:
            old, _, new = subject.partition(" → ")
            return f"says {_quoted(old)} → {_quoted(new)}"


def _more(variants: int) -> str:
    return f" ({variants} ways)" if variants > 1 else ""


def _several(names: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(map(_named, names)))
    if len(distinct) > _MOST_NAMES + 1:
        return f"{', '.join(distinct[:_MOST_NAMES])} and {len(distinct) - _MOST_NAMES} others"
    return ", ".join(distinct)


def _named(text: str) -> str:
    """Return what a side calls something, which of a run is whatever its answers say."""
    return _shortened(visible(text), _SHORT)


def _quoted(text: str) -> str:
    if text in ("nothing", ""):
        return "nothing"
    return "lines of a file" if text == "LINES" else f"“{_shortened(visible(text), _SHORT)}”"


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def words(cause: Cause) -> tuple[str, str]:
    """Return what the two sides said or wrote in the cause's example: on one line, the part that differs."""
    before, after = cause.example.change.words_before, cause.example.change.words_after
    at = first_difference(before, after) or 0
    start = 0 if at < _LONG // 2 else at - _LONG // 4
    return _part(before, start), _part(after, start)


def _part(text: str, start: int) -> str:
    shown = visible(text[start : start + _LONG])
    return f"{'…' if start and text else ''}{shown}{'…' if len(text) > start + _LONG else ''}" or "(nothing)"
