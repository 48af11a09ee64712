"""Matching: where Edit finds the text, and what it puts there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from readfirst.reference_impl.contract import Behaviours
from readfirst.reference_impl.text import escapes
from readfirst.reference_impl.text.quotes import curled, straight

__all__ = ["Match", "matched"]


@dataclass(frozen=True, slots=True)
class Match:
    """What stands in the file, in the file's own spelling, and what is to stand there."""

    old: str
    new: str

    def count(self, content: str) -> int:
        """Return how often it occurs; occurrences do not overlap."""
        return content.count(self.old)


def matched(content: str, arguments: Mapping[str, Any], behaviours: Behaviours) -> Match | None:
    """Return the match of `old_string`, None if it is not in the content.

    The exact text is preferred; then curly and straight quotes count as the same on both sides; then escapes and
    their characters do, all of them or none.
    """
    old, new = arguments["old_string"], arguments["new_string"]
    if old in content:
        return Match(old, new)
    at = straight(content).find(straight(old)) if behaviours.quotes_are_folded else -1
    if at >= 0:
        found = content[at : at + len(old)]
        return Match(found, curled(new, like=found) if behaviours.quotes_are_taken_over else new)
    return _swapped(content, old, new, behaviours) if behaviours.escapes_are_swapped else None


def _swapped(content: str, old: str, new: str, behaviours: Behaviours) -> Match | None:
    with_characters = escapes.with_characters(old, behaviours)
    if with_characters in content:
        return Match(with_characters, escapes.with_characters(new, behaviours))
    found = escapes.spelt_with_escapes(old, content)
    if found is None:
        return None
    large = found != escapes.with_escapes(old) and found == escapes.with_escapes(old, large=True)
    return Match(found, escapes.with_escapes(new, large=large))
