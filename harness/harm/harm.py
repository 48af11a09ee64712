"""Harm: one thing that a session lost, spoiled or touched without being asked, in words that a person understands."""

from dataclasses import dataclass

from readfirst.harness.suite.harm_kinds import Kind

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
