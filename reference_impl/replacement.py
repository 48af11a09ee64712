"""Replacement: how Edit finds the text, what it puts in its place, and the snippet that it answers with."""

from __future__ import annotations

from reference_impl.numbering import lines_of, numbered

__all__ = ["actual_text", "applied", "snippet", "with_long_tags"]

_CURLY_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"'})
_LONG_TAGS = {
    "<fnr>": "<function_results>",
    "<n>": "<name>",
    "</n>": "</name>",
    "<o>": "<output>",
    "</o>": "</output>",
    "<e>": "<error>",
    "</e>": "</error>",
    "<s>": "<system>",
    "</s>": "</system>",
    "<r>": "<result>",
    "</r>": "</result>",
    "< META_START >": "<META_START>",
    "< META_END >": "<META_END>",
    "< META >": "<META>",
    "< EOT >": "<EOT>",
    "< SOS >": "<SOS>",
    "\n\nH:": "\n\nHuman:",
    "\n\nA:": "\n\nAssistant:",
}
_CONTEXT = 4


def with_long_tags(content: str, old: str, new: str) -> tuple[str, str]:
    """Return both texts with the short tags of `old` written out, if only then `old` is in the file.

    In `new` only those short tags are written out that are in `old`.
    """
    used = [(short, long) for short, long in _LONG_TAGS.items() if short in old]
    expanded_old, expanded_new = old, new
    for short, long in used:
        expanded_old = expanded_old.replace(short, long)
        expanded_new = expanded_new.replace(short, long)
    return (old, new) if old in content or expanded_old not in content else (expanded_old, expanded_new)


def actual_text(content: str, wanted: str) -> str | None:
    """Return the file's own spelling of the wanted text, None if it is not there.

    The exact text is preferred; then curly and straight quotes count as the same on both sides.
    """
    if wanted in content:
        return wanted
    at = content.translate(_CURLY_QUOTES).find(wanted.translate(_CURLY_QUOTES))
    return None if at < 0 else content[at : at + len(wanted)]


def applied(content: str, old: str, new: str, *, everywhere: bool) -> str:
    """Return the content with the first or every `old` replaced; `new` is taken literally.

    A deletion also takes the line end after the text, if `old` does not end in one and if some `old` in the file
    is followed by one. Occurrences that are not followed by one then stay.
    """
    if new == "" and not old.endswith("\n") and f"{old}\n" in content:
        old = f"{old}\n"
    return content.replace(old, new, -1 if everywhere else 1)


def snippet(content: str, old: str, new: str) -> str:
    """Return the numbered lines around the change: 4 before it, 4 after it. `content` is the content before."""
    before = content.partition(old)[0] if old else content[:1]
    first = before.count("\n")
    start, end = max(0, first - _CONTEXT), first + _CONTEXT + len(lines_of(new))
    return numbered("\n".join(lines_of(applied(content, old, new, everywhere=False))[start:end]), start + 1)
