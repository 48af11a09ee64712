"""Replacement: the content after an Edit, and the snippet that it answers with."""

from __future__ import annotations

from readfirst.reference_impl.text.numbering import lines_of, numbered

__all__ = ["applied", "snippet"]

_CONTEXT = 4


def applied(content: str, old: str, new: str, *, everywhere: bool) -> str:
    """Return the content with the first or every `old` replaced; `new` is taken literally.

    A deletion also takes the line end after the text, if `old` does not end in one and if some `old` in the file
    is followed by one. Occurrences that are not followed by one then stay.
    """
    if new == "" and not old.endswith("\n") and f"{old}\n" in content:
        old = f"{old}\n"
    return content.replace(old, new) if everywhere else content.replace(old, new, 1)


def snippet(content: str, old: str, new: str, prefix: str, *, everywhere: bool) -> str:
    """Return the lines around the change, numbered: 4 before it, 4 after it.

    `content` is the content before. `everywhere`: the other occurrences are shown replaced as well.
    """
    before = content.partition(old)[0] if old else content[:1]
    first = before.count("\n")
    start, end = max(0, first - _CONTEXT), first + _CONTEXT + len(lines_of(new))
    lines = lines_of(applied(content, old, new, everywhere=everywhere))[start:end]
    return numbered("\n".join(lines), prefix, start + 1)
