"""Validate the shape of one strict YAML document and collect all problems with their positions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

from readfirst.harness.yaml_io import strict_yaml
from readfirst.harness.yaml_io.finding import Finding, Position, SuiteError
from readfirst.harness.yaml_io.strict_yaml import Document, YamlPath

_NOTHING: Mapping[str, Any] = {}
_Read = TypeVar("_Read")
_MOST_FINDINGS = 1000
"""Maximum number of findings per file."""


def a_kind_of(value: object) -> str:
    """Name the JSON type of `value` as a message says it: `a string`, `null`, `a number`."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "a list"
        case _:
            return "a mapping"


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return `Did you mean X?` for the closest of `known`, or one that holds the word; else `otherwise`, or all."""
    import difflib  # only errors need it

    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    close = close or [name for name in names if word and word.lower() in name.lower()]
    return f"Did you mean {close[0]}?" if close else otherwise or f"Use one of: {', '.join(names)}."


class Inspection:
    """One document, and the findings so far."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.findings: list[Finding] = []

    @classmethod
    def of(cls, path: Path) -> Self:
        """Read a file of a suite, relative to its directory. Raises StrictYamlError."""
        return cls(strict_yaml.load(strict_yaml.read(path, suite=path.parent), path))

    @property
    def top(self) -> Node:
        """The value of the whole document."""
        return Node(self, self.document.value, (), "the file")

    def note(
        self, path: YamlPath, message: str, fix: str, *, rule: str = "schema", key: bool = False
    ) -> None:
        """Record a problem of the value at `path`, or of its key. Validation ends at the maximum number of
        findings.
        """
        self.findings.append(Finding(rule, self.document.position(path, key=key), message, fix))
        if len(self.findings) >= _MOST_FINDINGS:
            self.finish()

    def finish(self, error: type[SuiteError] = SuiteError) -> None:
        """Raise `error` with all findings, in the order of the file, if there are any."""
        if self.findings:
            ordered = sorted(self.findings, key=lambda item: (item.position.line, item.position.column))
            raise error(ordered)


class Node(NamedTuple):
    """A value of a document, its path, and its name in messages.

    Every check returns the value if it is valid. Otherwise it records a finding and returns None or an empty
    value.
    """

    look: Inspection
    value: Any
    path: YamlPath
    what: str

    def below(self, key: str | int, what: str = "") -> Node:
        """Return the value under a key, or an item. Messages use the key as its name unless `what` is given."""
        return Node(self.look, self.value[key], (*self.path, key), what or str(key))

    def called(self, what: str) -> Node:
        """Return the same value with another name in messages."""
        return Node(self.look, self.value, self.path, what)

    @property
    def position(self) -> Position:
        """The position of the value."""
        return self.look.document.position(self.path)

    def note(self, message: str, fix: str, *, rule: str = "schema", key: bool = False) -> None:
        """Record a problem of the value, or of its key."""
        self.look.note(self.path, message, fix, rule=rule, key=key)

    def fields(
        self,
        known: Collection[str] | None = None,
        required: Iterable[str] = (),
        fixes: Mapping[str, str] = _NOTHING,
    ) -> Fields:
        """Check a mapping, and return a reader of its keys; an empty reader if it is not a mapping.

        With `known`, other keys are recorded as unknown but do not end the check. `fixes` contains the remedies
        for some of them.
        """
        if not isinstance(self.value, dict):
            self.note(f"{self.what} must be a mapping, not {a_kind_of(self.value)}", "Write keys and values.")
            return Fields(self._replace(value=_NOTHING))
        if known is not None and not self.value.keys() <= set(known):
            for key in self.value.keys() - set(known):
                fix = fixes.get(key) or did_you_mean(key, known)
                self.below(key).note(f"{self.what} has no key {key!r}", fix, rule="unknown-key", key=True)
        for key in required:
            if key not in self.value:
                self.note(f"{self.what} lacks the key {key!r}", f"Add {key}: to it.")
        return Fields(self)

    def string(self, *, empty: bool = False) -> str | None:
        """Check a string, not empty unless `empty`."""
        if isinstance(self.value, str) and (self.value or empty):
            return self.value
        found = "empty" if self.value == "" else a_kind_of(self.value)
        fix = "Write it, in quotes if it looks like another type."
        self.note(f"{self.what} must be a string, not {found}", fix)
        return None

    def choice(self, choices: Collection[str]) -> str | None:
        """Check one of several words."""
        if isinstance(self.value, str) and self.value in choices:
            return self.value
        shown = repr(self.value) if isinstance(self.value, str) else a_kind_of(self.value)
        self.note(f"{self.what} cannot be {shown}", did_you_mean(str(self.value), choices))
        return None

    def items(self, *, empty: bool = True) -> list[Node]:
        """Check a list, and return its items."""
        if isinstance(self.value, list) and (self.value or empty):
            return [self.below(number, f"an item of {self.what}") for number in range(len(self.value))]
        found = "empty" if self.value == [] else a_kind_of(self.value)
        fix = "Write its items as [a, b] or as lines that begin with -."
        self.note(f"{self.what} must be a list, not {found}", fix)
        return []

    def strings(self) -> tuple[str, ...]:
        """Check a list of non-empty strings, and return the valid ones."""
        return tuple(string for item in self.items() if (string := item.string()) is not None)

    def integer(self, *, least: int, most: int) -> int | None:
        """Check an integer from `least` to `most`."""
        number = self.value if isinstance(self.value, int) and not isinstance(self.value, bool) else None
        if number is not None and least <= number <= most:
            return number
        found = a_kind_of(self.value) if number is None else str(number)
        self.note(
            f"{self.what} must be a whole number, not {found}", f"Write a number from {least} to {most}."
        )
        return None

    def is_true(self) -> bool:
        """Check a value that must be true or absent."""
        if self.value is not True:
            self.note(f"{self.what} is true or left out", f"Write `{self.what}: true`.")
        return self.value is True


class Fields:
    """The keys of a checked mapping. If there is no mapping, all values are empty and nothing is recorded."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.values: Mapping[str, Any] = node.value

    @property
    def wrong(self) -> bool:
        """Whether the value is not a mapping."""
        return self.values is _NOTHING

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def __iter__(self) -> Iterator[tuple[str, Node]]:
        """Yield each key with its value; messages use the key as its name."""
        return ((key, self[key]) for key in self.values)

    def __getitem__(self, key: str) -> Node:
        return self.node.below(key)

    def read(self, key: str, reader: Callable[[Node], _Read]) -> _Read | None:
        """Return the result of `reader` for the value of a key. None if the key is missing."""
        return reader(self[key]) if key in self.values else None

    def string(self, key: str) -> str | None:
        """Check a non-empty string."""
        return self.read(key, Node.string)

    def text(self, key: str) -> str:
        """Check a non-empty string. Empty if the key is missing."""
        return self.string(key) or ""

    def strings(self, key: str) -> tuple[str, ...]:
        """Check a list of such strings."""
        return self.read(key, Node.strings) or ()

    def choice(self, key: str, choices: Collection[str]) -> str | None:
        """Check one of several words."""
        return self[key].choice(choices) if key in self.values else None

    def fields(self, key: str) -> Fields:
        """Check a mapping with any keys. Empty if the key is missing."""
        return self.read(key, Node.fields) or Fields(self.node._replace(value=_NOTHING))

    def items(self, key: str, *, empty: bool = True) -> list[Node]:
        """Check a list. Empty if the key is missing."""
        return self[key].items(empty=empty) if key in self.values else []

    def integer(self, key: str, *, least: int, most: int) -> int | None:
        """Check an integer from `least` to `most`."""
        return self[key].integer(least=least, most=most) if key in self.values else None

    def is_true(self, key: str) -> bool:
        """Check a value that must be true or absent."""
        return self.read(key, Node.is_true) is True
