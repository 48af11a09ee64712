"""Check the structure of a parsed YAML file, and collect all problems with their positions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

from readfirst.harness.yaml_io import strict_yaml
from readfirst.harness.yaml_io.finding import Finding, Position, SuiteError
from readfirst.harness.yaml_io.strict_yaml import Document, YamlPath

_Read = TypeVar("_Read")
_Choice = TypeVar("_Choice")
_ANY_TEXT = re.compile(r"(?s).+")
MAX_FINDINGS = 1000
"""Maximum number of findings about one file. More findings would not help the user, and each takes time."""


def json_type_name(value: object) -> str:
    """Return the name of a value's JSON type for error messages, such as `a string`, `null` or `a number`."""
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
    """Return `Did you mean X?` if a known name is similar to the word. Otherwise return `otherwise` or all names."""
    import difflib  # only errors need it

    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    close = close or [name for name in names if word and word.lower() in name.lower()]
    use = f"Use one of: {', '.join(names)}." if names else "There is none."
    return f"Did you mean {close[0]}?" if close else otherwise or use


class FormError(ValueError):
    """Raised if a value has a wrong type or form, which ends the check. A JSON schema may then find further errors."""

    def __init__(
        self, node: Node, problem: str = "", fix: str = "Use one of the forms that the format describes."
    ) -> None:
        super().__init__(f"{node.what} {problem or f'cannot be {json_type_name(node.value)} of this form'}")
        self.node = node
        self.fix = fix


class Inspection:
    """Collects the findings about one document while it is checked."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.findings: list[Finding] = []

    @classmethod
    def of(cls, path: Path) -> Self:
        """Read a file in the top directory of a suite, so that it can be checked. Raises StrictYamlError."""
        return cls(strict_yaml.load(strict_yaml.read(path, suite=path.parent), path))

    @property
    def top(self) -> Node:
        """The value of the whole document, as a Node."""
        return Node(self, self.document.value, (), "the file")

    def note(
        self, path: YamlPath, message: str, fix: str, *, rule: str = "schema", key: bool = False
    ) -> None:
        """Add a finding about the value at `path`, or with `key` about its key. Raises SuiteError for too many."""
        self.findings.append(Finding(rule, self.document.position(path, key=key), message, fix))
        if len(self.findings) >= MAX_FINDINGS:
            self.finish()

    @contextmanager
    def reading(self, error: type[SuiteError] = SuiteError) -> Iterator[Node]:
        """Yield the document's value for checking. Raise `error` at the end of the block if there are findings."""
        try:
            yield self.top
        except FormError as wrong:
            self.note(wrong.node.path, str(wrong), wrong.fix)
        self.finish(error)

    def finish(self, error: type[SuiteError] = SuiteError) -> None:
        """Raise `error` with all findings, in the order of the file. Do nothing without findings."""
        if self.findings:
            ordered = sorted(self.findings, key=lambda item: (item.position.line, item.position.column))
            raise error(ordered)


class Node(NamedTuple):
    """A value of a document, with its path and its name in messages (`what`). Its methods may raise FormError."""

    look: Inspection
    value: Any
    path: YamlPath
    what: str

    def below(self, key: str | int, what: str = "") -> Node:
        """Return the value of a key, or an item of a list. Its name in messages is `what`, or the key by default."""
        return Node(self.look, self.value[key], (*self.path, key), what or str(key))

    def called(self, what: str) -> Node:
        """Return the same value with the name `what` in messages."""
        return Node(self.look, self.value, self.path, what)

    @property
    def position(self) -> Position:
        """The position of the value in the file."""
        return self.look.document.position(self.path)

    def note(self, message: str, fix: str, *, rule: str = "schema", key: bool = False) -> None:
        """Add a finding about the value. With `key`, the finding is about the key of the value."""
        self.look.note(self.path, message, fix, rule=rule, key=key)

    def mapping(self, known: Collection[str] | None = None, required: Collection[str] = ()) -> Fields:
        """Return a mapping's fields. `known`: the allowed keys (None: all). Raises FormError, also for wrong keys."""
        value = self.value
        if type(value) is not dict:
            raise FormError(self, f"must be a mapping, not {json_type_name(value)}")
        if known is not None and not all(key in known for key in value):
            unknown = next(key for key in value if key not in known)
            raise FormError(self, f"has no key {unknown!r}", did_you_mean(unknown, known))
        for key in required:
            if key not in value:
                raise FormError(self, f"lacks the key {key!r}", f"Add {key}: to it.")
        return Fields(self)

    def listed(self, *, empty: bool = True) -> list[Node]:
        """Return the items of a list. Raises FormError for other values, and for an empty list unless `empty`."""
        if type(self.value) is not list or not (self.value or empty):
            name = "empty" if self.value == [] else json_type_name(self.value)
            raise FormError(self, f"must be a list, not {name}")
        return [self.below(number, f"an item of {self.what}") for number in range(len(self.value))]

    def matching(self, pattern: re.Pattern[str] = _ANY_TEXT) -> str:
        """Return a string that matches the whole pattern (default: any but the empty string). Raises FormError."""
        if type(self.value) is not str:
            raise FormError(self, f"must be a string, not {json_type_name(self.value)}")
        if not pattern.fullmatch(self.value):
            raise FormError(self, f"cannot be {self.value[:80]!r}")
        return self.value

    def one_of(self, choices: Collection[_Choice]) -> _Choice:
        """Return the value if it is one of the `choices`. Raises FormError if it is not one of them."""
        for choice in choices:
            if type(choice) is type(self.value) and choice == self.value:
                return choice
        if isinstance(self.value, str):
            advice = did_you_mean(self.value, [choice for choice in choices if isinstance(choice, str)])
            raise FormError(self, f"cannot be {self.value[:80]!r}", advice)
        raise FormError(self)

    def number(self, minimum: int, maximum: int) -> int:
        """Return the value if it is a whole number from `minimum` to `maximum`. Raises FormError."""
        if type(self.value) is not int or not minimum <= self.value <= maximum:
            raise FormError(self)
        return self.value


class Fields:
    """The keys and values of one mapping. Used to read each value by its key."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.values: Mapping[str, Any] = node.value

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def __iter__(self) -> Iterator[tuple[str, Node]]:
        """Yield each key with its value, as a Node. In messages, the key is used as the name of the value."""
        return ((key, self[key]) for key in self.values)

    def __getitem__(self, key: str) -> Node:
        return self.node.below(key)

    def read(self, key: str, reader: Callable[[Node], _Read]) -> _Read | None:
        """Apply `reader` to the value of a key, and return the result. None if the key is missing."""
        return reader(self[key]) if key in self.values else None

    def text(self, key: str) -> str:
        """Return the non-empty text at a key. Return "" if the key is missing. Raises FormError."""
        return self[key].matching() if key in self.values else ""

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the list of non-empty texts at a key. Return () if the key is missing. Raises FormError."""
        return tuple(node.matching() for node in self[key].listed()) if key in self.values else ()
