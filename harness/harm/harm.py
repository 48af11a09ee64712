"""Harm: one thing that a session lost, spoiled or touched without being asked, in words that a person understands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

__all__ = ["BESIDE", "HARMS", "KINDS", "MEANING", "Harm", "Kind", "excerpt"]

Kind = Literal[
    "lost", "misplaced", "spoiled", "altered", "stray", "untrue", "trespass", "blind", "overcautious"
]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""All kinds, the worst first."""
HARMS: tuple[Kind, ...] = KINDS[:7]
"""What harms somebody."""
BESIDE: tuple[Kind, ...] = KINDS[7:]
"""What is counted beside harm: it loses nothing."""

MEANING: dict[str, str] = {
    "lost": "bytes that others put there are gone, though no call named them",
    "misplaced": "an Edit replaced what is not the one place where the old text stands",
    "spoiled": "bytes outside what was to be replaced changed, or type, mode, owner, links or names of the file",
    "altered": "what was written is not what was asked",
    "stray": "something else was changed, made or left over",
    "untrue": "answered as done and not done, or refused and something was changed",
    "trespass": "something that rules or modes close was read or changed",
    "blind": "an Edit of a file that the session was never shown",
    "overcautious": "a call was refused that every contract answers",
}

_SHOWN = 200
"""Characters of a content that a harm shows."""


@dataclass(frozen=True, slots=True, order=True)
class Harm:
    """At which step (from 0) and call of it, what kind, at which path, and a sentence without the kind.

    `before` is what was there, `after` what is there now: an excerpt of each, exact; a report makes control characters
    visible.
    """

    step: int
    call: int
    kind: Kind
    path: str
    what: str
    before: str = ""
    after: str = ""

    @property
    def line(self) -> str:
        """The harm in one line: `lost: line 2 of notes.txt, which somebody else saved after the Read`."""
        return f"{self.kind}: {self.what}"


def excerpt(text: str) -> str:
    """Return the beginning of a text, as a harm shows it."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
