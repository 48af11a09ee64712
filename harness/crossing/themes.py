"""Themes: what the drawn scenarios are about, how often each move is made, and how files are called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["FOLDERS", "NOTEBOOKS", "SETTINGS", "THEMES", "Theme"]

_NAMES = (
    "notes.txt",
    "makefile",
    "run",
    ".profile",
    ".notes.md",
    "My Notes.TXT",
    "two words.md",
    "README.MD",
    "Plan.txt",
    "archive.tar.gz",
    "words.log",
    "guide.md",
)
NOTEBOOKS = ("plan.ipynb", ".plan.ipynb", "My Plan.ipynb", "Plan.ipynb")
_LONG_NAMES = (
    "n" * 250,
    "." + "n" * 249,
    "n n" * 82 + ".txt",
    "N" * 246 + ".txt",
    "n" * 246 + ".log",
    "n" * 246 + ".txt",
)
"""Names to which hardly anything can be added."""
SETTINGS = ("docs/.claude/settings.json", "a/b/c/d/.claude/settings.json", "x/.claude/Settings.JSON")
"""Not those of the working directory, by which the session itself would be set."""

FOLDERS = ("", "docs/", "a/b/c/d/e/")
SHAPES = ("lines", "open", "blank end", "blanks", "quoted", "long", "large", "empty")
"""What files hold; each has a name of its own here only."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Scenarios about one thing; `moves` says how often each is made."""

    sentence: str
    tags: tuple[str, ...]
    moves: Mapping[str, int]
    spellings: tuple[str, ...] = ("plain", "plain", "plain", "dot", "double", "up")
    names: tuple[str, ...] = _NAMES
    denied: bool = False
    missing: bool = False
    at_home: int = 0
    shapes: tuple[str, ...] = SHAPES
    folders: tuple[str, ...] = FOLDERS


_EDITS = {"edit": 9, "several": 2, "everywhere": 2, "missing": 2, "equal": 1, "create": 1, "read": 2}
THEMES: Mapping[str, Theme] = {
    "edits": Theme("Edit replaces what it is asked to", ("edit",), _EDITS),
    "quotes": Theme(
        "Quotation marks find each other",
        ("edit", "quotes"),
        {"quotes": 9, "edit": 1, "read": 1},
        shapes=("quoted",),
    ),
    "places": Theme(
        "A text is found where it stands as it is given",
        ("edit", "quotes"),
        {"straight": 9, "read": 1, "equal": 1},
        shapes=("twice",),
    ),
    "blanks": Theme(
        "Blanks at line ends go, but not in Markdown",
        ("edit", "whitespace", "write"),
        {"ended": 7, "written": 4, "read": 4, "several": 1},
        ("plain", "up", "relative"),
        shapes=("lines", "blank end", "blank end", "blanks", "long", "large", "empty"),
    ),
    "parts": Theme(
        "A part of a long file is shown and edited",
        ("edit", "ranges"),
        {"read": 9, "edit": 3, "everywhere": 1, "write": 1},
        ("plain", "up", "relative"),
        shapes=("large",),
    ),
    "sizes": Theme(
        "Of a large file parts are shown alone",
        ("large", "ranges", "read"),
        {"whole": 6, "read": 4, "write": 1, "edit": 1},
        ("plain", "up", "relative"),
        shapes=("large", "large", "large open", "large mixed", "empty"),
    ),
    "spaced": Theme(
        "Blanks that are all of a change go at line ends, too",
        ("edit", "whitespace"),
        {"spaced": 9, "written": 1, "read": 1},
        ("plain", "up", "relative"),
    ),
    "returns": Theme(
        "Carriage returns of its own are known again",
        ("chain", "clock", "edit"),
        {"returned": 9, "read": 1, "several": 1},
        ("plain", "up", "relative"),
    ),
    "tilde": Theme(
        "A folder may be called as home is",
        ("paths",),
        {"read": 8, "edit": 3, "write": 2, "create": 1, "missing": 1},
        folders=("~/", "~/docs/", "~/a/b/c/"),
    ),
    "own": Theme(
        "What is its own is known again",
        ("chain", "clock", "edit"),
        {"told_again": 6, "own": 3, "edit": 3, "read": 2, "write": 2, "several": 1},
    ),
    "writes": Theme(
        "Write replaces the whole file",
        ("write",),
        {"write": 6, "edit": 2, "read": 2, "world": 2, "create": 1},
    ),
    "changed": Theme(
        "Changed files are not edited",
        ("edit", "staleness"),
        {"world": 6, "edit": 4, "several": 1, "write": 3, "missing": 1, "read": 2, "own": 3, "everywhere": 1},
    ),
    "made": Theme(
        "What is missing is made by a call that makes files",
        ("creation", "write"),
        {"new": 8, "remove": 4, "edit": 2, "write": 3, "read": 2, "absent": 3, "folder": 2, "create": 2},
        missing=True,
    ),
    "denied": Theme(
        "What is denied stays, and nothing else is",
        ("permissions",),
        {"edit": 3, "write": 3, "read": 3, "new": 1, "create": 1, "everywhere": 1},
        ("plain", "dot", "up", "relative"),
        denied=True,
    ),
    "elsewhere": Theme(
        "A relative path and one at home lead to one file",
        ("paths", "relative"),
        {**_EDITS, "write": 3, "new": 3, "world": 1, "own": 1, "absent": 1, "remove": 1},
        ("relative",),
        names=(*_NAMES, "plan.ipynb"),
        missing=True,
        at_home=2,
    ),
    "during": Theme(
        "What changes during a call stops it",
        ("race",),
        {"race": 6, "read": 3, "own": 1, "edit": 1},
        ("plain", "plain", "up", "relative"),
    ),
    "notebooks": Theme(
        "Edit leaves notebooks alone",
        ("notebooks",),
        {"edit": 5, "read": 3, "write": 1, "create": 1, "missing": 1, "everywhere": 1, "world": 1},
        names=NOTEBOOKS,
    ),
    "named": Theme(
        "A name is as long as it is",
        ("edit", "paths", "write"),
        {**_EDITS, "write": 5},
        names=_LONG_NAMES,
    ),
    "settings": Theme(
        "A refused call leaves what is known of settings",
        ("settings", "state"),
        {"invalid": 8, "edit": 1, "read": 2, "world": 1},
        names=SETTINGS,
    ),
    "impossible": Theme(
        "A path that no file can have is refused",
        ("paths", "write"),
        {"null": 5, "beside": 3, "read": 1, "write": 1, "edit": 1},
        ("plain", "dot", "up", "relative"),
    ),
}
"""What the drawn scenarios are about, by the beginning of their slugs."""
