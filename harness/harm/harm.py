"""The description of one harm: work that a session lost or spoiled."""

from dataclasses import dataclass

from readfirst.harness.suite.harm_kinds import Kind

_MAX_EXCERPT_CHARS = 200
"""Maximum length of the excerpts that a harm contains, in characters."""


@dataclass(frozen=True, slots=True, order=True)
class Harm:
    """One harm of a session: step and call (both from 0), kind, path of the file, and a describing sentence (`what`).
    `before` and `after` are exact excerpts of the content.
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
        """Kind and description: `lost: line 2 of notes.txt, which another program saved after the Read`."""
        return f"{self.kind}: {self.what}"


def excerpt(text: str) -> str:
    """Return the beginning of a text, at most `_MAX_EXCERPT_CHARS` characters. `…` marks a shortened text."""
    return text if len(text) <= _MAX_EXCERPT_CHARS else f"{text[:_MAX_EXCERPT_CHARS]}…"
