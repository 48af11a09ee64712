"""Inspection: checks the shape of one strict YAML document and collects every problem with its position."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

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
