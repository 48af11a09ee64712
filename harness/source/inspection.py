"""Inspection: checks the shape of one strict YAML document and collects every problem with its position."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import Finding, SuiteError
from readfirst.harness.source.strict_yaml import Document, YamlPath

_NOTHING: Mapping[str, str] = {}
_MOST_FINDINGS = 1000
"""More than this of one file nobody reads, and each takes a while to be put into words."""


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


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `Did you mean X?` for the closest of `known`, else which ones there are."""
    import difflib  # by who made a mistake, and nobody else waits for it

    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if not close:
        close = [name for name in names if name.lower() == word.lower()]
    return f"Did you mean {close[0]}?" if close else f"Use one of: {', '.join(names)}."


class Inspection:
    """Every method returns the value if it has the right form, else None after noting a finding."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.findings: list[Finding] = []

    @classmethod
    def of(cls, path: Path) -> Self:
        """Read a file of a suite, in whose folder it is. Raises StrictYamlError."""
        return cls(strict_yaml.load(strict_yaml.read(path, suite=path.parent), path))

    def note(
        self, path: YamlPath, message: str, fix: str, *, rule: str = "schema", key: bool = False
    ) -> None:
        """Note a problem of the value at `path`, or of its key. Reading ends at the last that is told."""
        self.findings.append(Finding(rule, self.document.position(path, key=key), message, fix))
        if len(self.findings) >= _MOST_FINDINGS:
            self.finish()

    def finish(self, error: type[SuiteError] = SuiteError) -> None:
        """Raise `error` with all findings, in the order of the file, if there are any."""
        if self.findings:
            ordered = sorted(self.findings, key=lambda item: (item.position.line, item.position.column))
            raise error(ordered)

    def fields(
        self,
        value: object,
        path: YamlPath,
        what: str,
        known: Collection[str] | None = None,
        required: Iterable[str] = (),
        elsewhere: Mapping[str, str] = _NOTHING,
        *,
        whose: str = "",
    ) -> Fields:
        """Check a mapping as `mapping` does, and return what reads its keys; of what is no mapping, of none."""
        return Fields(self, self.mapping(value, path, what, known, required, elsewhere) or {}, path, whose)

    def mapping(
        self,
        value: object,
        path: YamlPath,
        what: str,
        known: Collection[str] | None = None,
        required: Iterable[str] = (),
        elsewhere: Mapping[str, str] = _NOTHING,
    ) -> Mapping[str, Any] | None:
        """Check a mapping; with `known`, only these keys. Unknown keys are noted and do not end the check.

        `elsewhere` says, for keys that are right in another place, where that is.
        """
        if not isinstance(value, dict):
            self.note(path, f"{what} must be a mapping, not {a_kind_of(value)}", "Write keys and values.")
            return None
        if known is not None and not value.keys() <= set(known):
            for key in value.keys() - set(known):
                fix = elsewhere.get(key) or did_you_mean(key, known)
                self.note((*path, key), f"{what} has no key {key!r}", fix, rule="unknown-key", key=True)
        for key in required:
            if key not in value:
                self.note(path, f"{what} lacks the key {key!r}", f"Add {key}: to it.")
        return value

    def string(self, value: object, path: YamlPath, what: str, *, empty: bool = False) -> str | None:
        """Check a string, not empty unless `empty`."""
        if isinstance(value, str) and (value or empty):
            return value
        found = "empty" if value == "" else a_kind_of(value)
        self.note(
            path,
            f"{what} must be a string, not {found}",
            "Write it, in quotes if it looks like another type.",
        )
        return None

    def choice(self, value: object, path: YamlPath, what: str, choices: Collection[str]) -> str | None:
        """Check one of several words."""
        if isinstance(value, str) and value in choices:
            return value
        shown = repr(value) if isinstance(value, str) else a_kind_of(value)
        self.note(path, f"{what} cannot be {shown}", did_you_mean(str(value), choices))
        return None

    def sequence(self, value: object, path: YamlPath, what: str, *, empty: bool = True) -> list[Any] | None:
        """Check a list."""
        if isinstance(value, list) and (value or empty):
            return value
        found = "empty" if value == [] else a_kind_of(value)
        self.note(
            path,
            f"{what} must be a list, not {found}",
            "Write its items as [a, b] or as lines that begin with -.",
        )
        return None

    def strings(self, value: object, path: YamlPath, what: str) -> tuple[str, ...]:
        """Check a list of strings that are not empty; returns those that are right."""
        items = self.sequence(value, path, what) or []
        checked = (
            self.string(item, (*path, number), f"an item of {what}") for number, item in enumerate(items)
        )
        return tuple(item for item in checked if item is not None)

    def integer(self, value: object, path: YamlPath, what: str, *, least: int, most: int) -> int | None:
        """Check a whole number from `least` to `most`."""
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        found = str(value) if isinstance(value, int) and not isinstance(value, bool) else a_kind_of(value)
        self.note(
            path, f"{what} must be a whole number, not {found}", f"Write a number from {least} to {most}."
        )
        return None


class Fields:
    """The keys of a mapping that was checked; of one that is not there, nothing is returned and nothing noted.

    Messages call the value of a key by the key, and say `whose` it is.
    """

    def __init__(self, look: Inspection, values: Mapping[str, Any], path: YamlPath, whose: str = "") -> None:
        self.look = look
        self.values = values
        self.path = path
        self._of = f" of {whose}" if whose else ""

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def place(self, key: str) -> YamlPath:
        """Return where the value of a key is."""
        return (*self.path, key)

    def string(self, key: str) -> str | None:
        """Check a string that is not empty."""
        return self.look.string(self.values[key], self.place(key), key + self._of) if key in self else None

    def text(self, key: str) -> str:
        """Check a string that is not empty; empty where there is none."""
        return self.string(key) or ""

    def strings(self, key: str) -> tuple[str, ...]:
        """Check a list of such strings."""
        return self.look.strings(self.values[key], self.place(key), key + self._of) if key in self else ()

    def choice(self, key: str, choices: Collection[str]) -> str | None:
        """Check one of several words."""
        if key not in self:
            return None
        return self.look.choice(self.values[key], self.place(key), key + self._of, choices)

    def mapping(self, key: str) -> Mapping[str, Any]:
        """Check a mapping with any keys; empty where there is none."""
        if key not in self:
            return {}
        return self.look.mapping(self.values[key], self.place(key), key + self._of) or {}

    def sequence(self, key: str, *, empty: bool = True) -> list[Any]:
        """Check a list; empty where there is none."""
        if key not in self:
            return []
        return self.look.sequence(self.values[key], self.place(key), key + self._of, empty=empty) or []
