"""The names of errors, their codes, and the messages that identify an error."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from readfirst.harness.suite.schema import read_checked

_PLACEHOLDER = re.compile(r"\{[a-z_]+\}")


@dataclass(frozen=True, slots=True)
class Form:
    """One wording of an error: `{word}` in `text` is any text. `tools`: the only tools with this wording, if any."""

    text: str
    tools: tuple[str, ...] = ()

    @property
    def weight(self) -> int:
        """The number of characters outside placeholders. Of several matching forms, the heaviest is used."""
        return len(_PLACEHOLDER.sub("", self.text))

    def fits(self, message: str) -> bool:
        """Whether the form matches the whole message. The time is linear in the length of the message."""
        first, *others = _PLACEHOLDER.split(self.text)
        if not others:
            return message == first
        *middle, last = others
        if not (message.startswith(first) and message.endswith(last)):
            return False
        place, end = len(first), len(message) - len(last)
        for literal in middle:
            place = message.find(literal, place, end)
            if place < 0:
                return False
            place += len(literal)
        return place <= end


@dataclass(frozen=True, slots=True)
class ErrorName:
    """A kind of refusal. `forms` are its possible messages. `codes` has the documented number of the error, by tool.

    `words` is the whole message that an expectation means if it contains only the name of the error; `{old_string}`
    stands for this argument of the call. `words` is empty if several messages are possible. `data` are texts that
    precede data of the product in a message, such as its schema of settings; `data_ends` are the beginnings of the text
    after the data.
    """

    name: str
    summary: str
    codes: Mapping[str, int]
    forms: tuple[Form, ...]
    words: str = ""
    data: tuple[str, ...] = ()
    data_ends: tuple[str, ...] = ()


@dataclass(frozen=True)
class Vocabulary:
    """The error names of `errors.yaml`, in the order of the file."""

    names: Mapping[str, ErrorName]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    @cached_property
    def words(self) -> Mapping[str, str]:
        """The messages of the errors with only one message, by name."""
        return {name: entry.words for name, entry in self.names.items() if entry.words}

    def name_of(self, tool: str, text: str) -> str | None:
        """Return the name of the error that `tool` reports with `text`. None if no form matches the whole text.

        Additions of the host must be removed from `text` before. Whitespace at both ends is ignored.
        """
        text = text.strip()
        for form, name in self._forms:
            if (not form.tools or tool in form.tools) and form.fits(text):
                return name
        return None

    def code(self, name: str, tool: str) -> int | None:
        """Return the number of an error in the documents' table for `tool`. None if it has no number."""
        known = self.names.get(name)
        return None if known is None else known.codes.get(tool)

    def beginning(self, name: str, text: str) -> str | None:
        """Return a message up to the words before the product's data. None if the message contains no such data."""
        ends = [place + len(mark) for mark in self.names[name].data if (place := text.find(mark)) > 0]
        return text[: min(ends)] if ends else None

    def ending(self, name: str, text: str) -> str:
        """Return the text after the product data in a message, or an empty text."""
        found = [place for mark in self.names[name].data_ends if (place := text.rfind(mark)) > 0]
        return text[min(found) :] if found else ""

    @cached_property
    def _forms(self) -> tuple[tuple[Form, str], ...]:
        forms = [(form, entry.name) for entry in self.names.values() for form in entry.forms]
        return tuple(sorted(forms, key=lambda item: -item[0].weight))


def merge_vocabularies(layers: Sequence[Vocabulary]) -> Vocabulary:
    """Return the error names of several suites as one vocabulary. The last suite with a name defines it."""
    if len(layers) == 1:
        return layers[0]
    return Vocabulary({name: entry for layer in layers for name, entry in layer.names.items()})


def load_vocabulary(path: Path) -> Vocabulary:
    """Read `errors.yaml`. Raises SuiteError with all problems."""
    with read_checked(path, "errors") as look:
        names = {name: _error(name, said) for name, said in look.document.value["errors"].items()}
        owners: dict[str, str] = {}
        for entry in names.values():
            place = ("errors", entry.name)
            for number, form in enumerate(entry.forms):
                owner = owners.setdefault(form.text, entry.name)
                if owner != entry.name:
                    message = f"{owner} and {entry.name} have the same form"
                    look.note((*place, "forms", number), message, "Keep it at one of them.")
                if form.weight == 0:
                    fix = "Write the words that the message always has."
                    look.note((*place, "forms", number), "a form needs literal characters", fix)
            if entry.words and not any(form.fits(entry.words) for form in entry.forms):
                look.note((*place, "words"), "no form fits these words", "Add the form that they have.")
    return Vocabulary(names)


def _error(name: str, said: Mapping[str, Any]) -> ErrorName:
    forms = tuple(
        Form(each) if isinstance(each, str) else Form(each["text"], tuple(each.get("tools", ())))
        for each in said["forms"]
    )
    data, ends = (tuple(said.get(key, ())) for key in ("data", "data_ends"))
    return ErrorName(name, said["summary"], said.get("codes", {}), forms, said.get("words", ""), data, ends)
