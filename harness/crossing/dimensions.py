"""Dimensions: what an Edit or a Write can differ in, as names and values, and which values go together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = [
    "DIMENSIONS",
    "EDITS",
    "QUESTIONS",
    "RULES",
    "STALE",
    "WRITES",
    "Pair",
    "Point",
    "Values",
    "possible",
]

Values = Mapping[str, str]
"""The value of each dimension, by its name."""

Point = tuple[str, str]
"""A dimension and one of its values."""

Pair = tuple[Point, Point]
"""Values of two dimensions, in the order of `DIMENSIONS`."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """One thing in which calls differ. `values` says in a few words what each value means."""

    name: str
    means: str
    values: Mapping[str, str]


EDITS = ("word", "insertion", "deletion", "blanks", "lines", "long")
"""The kinds of edit that are calls of Edit."""

WRITES = ("other", "same", "empty")
"""The kinds of edit that are calls of Write."""

STALE = ("bytes", "size", "second", "millisecond")
"""Changes since the session read or wrote the file that a call must notice."""

DIMENSIONS = {
    each.name: each
    for each in (
        Dimension(
            "name",
            "the name of the file",
            {
                "text": "notes.txt",
                "bare": "without extension",
                "code": "with the extension of a program",
                "hidden": "with a dot in front",
                "spaced": "with a blank and capitals in it",
                "tilde": "with a tilde at the end",
            },
        ),
        Dimension(
            "depth",
            "the folder of the file",
            {"top": "the workspace itself", "folder": "one below it", "deep": "six levels below it"},
        ),
        Dimension(
            "mode",
            "the permissions of the file",
            {"0644": "usual", "0755": "executable", "0444": "read-only"},
        ),
        Dimension(
            "link",
            "what else leads to the file",
            {"none": "nothing", "symbolic": "the path is a link to it", "hard": "a second name"},
        ),
        Dimension(
            "encoding",
            "how its characters are written",
            {
                "ascii": "nothing beyond ASCII",
                "unicode": "UTF-8",
                "bom": "UTF-8 with a byte order mark",
                "utf-16": "little-endian UTF-16 with a byte order mark",
            },
        ),
        Dimension("ends", "its line ends", {"lf": "LF", "crlf": "CRLF"}),
        Dimension(
            "content",
            "what it holds before the call",
            {
                "lines": "some lines",
                "open": "some lines, the last one without an end",
                "long": "more than 4,096 characters",
                "empty": "nothing",
            },
        ),
        Dimension(
            "path",
            "how the call spells the path",
            {
                "plain": "absolute",
                "dot": "with /./ in it",
                "double": "with // in it",
                "up": "with /../ in it",
                "relative": "relative to the working directory",
            },
        ),
        Dimension(
            "edit",
            "what the call does",
            {
                "word": "Edit replaces some characters",
                "insertion": "Edit puts something beside old_string",
                "deletion": "Edit with an empty new_string",
                "blanks": "Edit changes white space alone",
                "lines": "Edit with an old_string of two lines",
                "long": "Edit with an old_string of more than 100 characters",
                "other": "Write of something else",
                "same": "Write of what the file holds",
                "empty": "Write of nothing",
            },
        ),
        Dimension(
            "replace_all",
            "the argument replace_all",
            {"absent": "not given", "true": "given as true", "false": "given as false"},
        ),
        Dimension(
            "known",
            "how the session knows the file",
            {
                "unread": "not at all",
                "whole": "by a Read",
                "range": "by a Read of some lines",
                "own": "by an Edit or Write of its own",
            },
        ),
        Dimension(
            "since",
            "what happened to the file since then",
            {
                "nothing": "nothing",
                "bytes": "other bytes, the same size, two seconds later",
                "size": "another size, two seconds later",
                "second": "a change one second later",
                "millisecond": "a change one millisecond later",
                "touched": "a newer time, the same bytes",
                "older": "an older time, the same bytes",
                "mode": "another mode",
            },
        ),
        Dimension(
            "refused",
            "why the last call since then was refused",
            {
                "nothing": "none was",
                "gate": "it was not read, or had changed",
                "missing": "old_string did not occur",
                "several": "old_string occurred several times",
                "equal": "both strings were equal",
                "arguments": "an argument was missing",
            },
        ),
    )
}
"""Every dimension, those of the file first, then those of the call, then those of the session."""

_ORDER = {name: number for number, name in enumerate(DIMENSIONS)}

_EXCLUDED: tuple[tuple[str, tuple[str, ...], str, tuple[str, ...]], ...] = (
    ("edit", WRITES, "replace_all", ("true", "false")),
    ("known", ("unread",), "since", ("bytes", "size", "second", "millisecond", "touched", "older", "mode")),
    ("known", ("unread",), "refused", ("missing", "several")),
    ("since", ("older", "mode"), "refused", ("gate",)),
    ("known", ("own",), "refused", ("gate",)),
    ("content", ("empty",), "edit", EDITS),
    ("content", ("empty",), "refused", ("several",)),
    ("content", ("empty",), "encoding", ("unicode", "bom", "utf-16")),
    ("content", ("empty",), "ends", ("crlf",)),
    ("content", ("empty",), "edit", ("empty",)),
    ("content", ("empty",), "since", ("bytes",)),
    ("content", ("long",), "edit", ("same",)),
)
"""Values that are not crossed, of the one dimension and of the other.

No call has them together, with two exceptions. A Write of a long file's own content would repeat the file. And when the
product refuses a changed file that the session wrote itself, it notices the change, which is a rule of its own.
"""

_IMPOSSIBLE: frozenset[Pair] = frozenset(
    ((one, value), (other, each)) if _ORDER[one] < _ORDER[other] else ((other, each), (one, value))
    for one, values, other, others in _EXCLUDED
    for value in values
    for each in others
)

_NOTICED = {"since": STALE}
_FRESH: Mapping[str, tuple[str, ...]] = {
    "known": ("whole", "range", "own"),
    "since": ("nothing",),
    "refused": ("nothing", "missing", "several", "equal", "arguments"),
}
_AGAIN = ("gate", "missing", "several", "equal", "arguments")

RULES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "edit-refuses-unread-file": {"edit": EDITS, "known": ("unread",)},
    "write-refuses-unread-file": {"edit": WRITES, "known": ("unread",)},
    "refused-call-unlocks-nothing": {"known": ("unread",), "refused": _AGAIN},
    "edit-refuses-changed-file": {"edit": EDITS, **_NOTICED},
    "write-refuses-changed-file": {"edit": WRITES, **_NOTICED},
    "changed-until-read-again": {"edit": EDITS, "refused": ("gate",), **_NOTICED},
    "touched-after-full-read": {"edit": EDITS, "known": ("whole",), "since": ("touched",)},
    "touched-after-partial-read": {"edit": EDITS, "known": ("range",), "since": ("touched",)},
    "touched-own-content": {"edit": EDITS, "known": ("own",), "since": ("touched",)},
    "write-refuses-touched-file": {"edit": WRITES, "since": ("touched",)},
    "not-a-change": {"since": ("older", "mode")},
    "one-match-replaced": {"edit": EDITS, **_FRESH},
    "write-is-exact": {"edit": WRITES, **_FRESH},
    "partial-read-counts": {**_FRESH, "known": ("range",)},
    "edits-in-a-row": {**_FRESH, "known": ("own",)},
    "refused-call-forgets-nothing": {**_FRESH, "refused": _AGAIN[1:]},
}
"""The rules that are crossed: which values make a call one about the rule. What is not named is free."""

QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "unread": ("edit-refuses-unread-file", "write-refuses-unread-file", "refused-call-unlocks-nothing"),
    "edit-changed": ("edit-refuses-changed-file", "changed-until-read-again"),
    "write-changed": ("write-refuses-changed-file", "write-refuses-touched-file"),
    "touched": ("touched-after-full-read", "touched-after-partial-read"),
    "allowed": (
        "one-match-replaced",
        "write-is-exact",
        "partial-read-counts",
        "refused-call-forgets-nothing",
    ),
    "own": ("edits-in-a-row", "touched-own-content", "not-a-change"),
}
"""What is asked of an implementation, and the rules that answer it, which versions of the product treat alike.

Each question is put with every pair of values, each rule is shown with every value.
"""


def possible(one: Point, other: Point) -> bool:
    """Whether there are calls with both values; the first is of the dimension that comes first."""
    return (one, other) not in _IMPOSSIBLE
