"""Names for the errors of the tools, such as `modified_since_read`, found by comparing messages with known ones."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from readfirst.harness.suite.schema import read_checked

_PLACEHOLDER = re.compile(r"\{[a-z_]+\}")


@dataclass(frozen=True, slots=True)
class MessageForm:
    """A wording of an error message. `{word}` matches any text. `tools` use this wording (empty: all tools)."""

    text: str
    tools: tuple[str, ...] = ()

    @property
    def literal_chars(self) -> int:
        """The number of characters outside placeholders. If several wordings match, the longest is used."""
        return len(_PLACEHOLDER.sub("", self.text))

    def matches(self, message: str) -> bool:
        """Whether a whole error message has this wording. The time is linear in the length of the message."""
        first, *others = _PLACEHOLDER.split(self.text)
        if not others:
            return message == first
        *middle, last = others
        if not (message.startswith(first) and message.endswith(last)):
            return False
        position, end = len(first), len(message) - len(last)
        for literal in middle:
            position = message.find(literal, position, end)
            if position < 0:
                return False
            position += len(literal)
        return position <= end


@dataclass(frozen=True, slots=True)
class ErrorName:
    """A kind of refusal with a name, such as `modified_since_read`."""

    name: str
    summary: str
    codes: Mapping[str, int]
    """The number of this error in Claude Code's published descriptions, by tool."""
    forms: tuple[MessageForm, ...]
    """The wordings of its messages."""
    words: str = ""
    """The message, with `{old_string}` for an argument of the call. Empty if the error has several messages."""
    data: tuple[str, ...] = ()
    """The possible texts before a long text of the product, such as a schema, that is not stored."""
    data_ends: tuple[str, ...] = ()
    """The possible texts after this long text."""


@dataclass(frozen=True)
class Vocabulary:
    """The names of errors in `errors.yaml` and their messages, to compare the errors of implementations by name."""

    names: Mapping[str, ErrorName]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    @cached_property
    def words(self) -> Mapping[str, str]:
        """The message of each error that has only one message, by the name of the error."""
        return {name: entry.words for name, entry in self.names.items() if entry.words}

    def name_of(self, tool: str, text: str) -> str | None:
        """Return the name of the error that `tool` reports with the message `text`. None if the message has no known
        wording. Whitespace at both ends is ignored. Text that the host program added must be removed before.
        """
        text = text.strip()
        for form, name in self._forms:
            if (not form.tools or tool in form.tools) and form.matches(text):
                return name
        return None

    def code(self, name: str, tool: str) -> int | None:
        """Return the number of an error of `tool` in Claude Code's published descriptions. None without a number."""
        error = self.names.get(name)
        return None if error is None else error.codes.get(tool)

    def text_before_data(self, name: str, text: str) -> str | None:
        """Return an error message up to its omitted long text, such as a schema. None for a complete message."""
        ends = [at + len(mark) for mark in self.names[name].data if (at := text.find(mark)) > 0]
        return text[: min(ends)] if ends else None

    def text_after_data(self, name: str, text: str) -> str:
        """Return an error message after its omitted long text, such as a schema. Empty for a complete message."""
        starts = [at for mark in self.names[name].data_ends if (at := text.rfind(mark)) > 0]
        return text[min(starts) :] if starts else ""

    @cached_property
    def _forms(self) -> tuple[tuple[MessageForm, str], ...]:
        forms = [(form, entry.name) for entry in self.names.values() for form in entry.forms]
        return tuple(sorted(forms, key=lambda item: -item[0].literal_chars))


def load_vocabulary(path: Path) -> Vocabulary:
    """Read `errors.yaml`, and return the names of errors with their messages. Raises SuiteError with all problems."""
    with read_checked(path, "errors") as look:
        names = {name: _error(name, values) for name, values in look.document.value["errors"].items()}
        owners: dict[str, str] = {}
        for entry in names.values():
            error_path = ("errors", entry.name)
            for number, form in enumerate(entry.forms):
                owner = owners.setdefault(form.text, entry.name)
                if owner != entry.name:
                    message = f"{owner} and {entry.name} have the same form"
                    look.note((*error_path, "forms", number), message, "Remove it from one of them.")
                if form.literal_chars == 0:
                    fix = "Write the words that the message always contains."
                    look.note((*error_path, "forms", number), "a form needs literal characters", fix)
            if entry.words and not any(form.matches(entry.words) for form in entry.forms):
                look.note((*error_path, "words"), "no form matches these words", "Add a form for them.")
    return Vocabulary(names)


def _error(name: str, values: Mapping[str, Any]) -> ErrorName:
    forms = tuple(
        MessageForm(form)
        if isinstance(form, str)
        else MessageForm(form["text"], tuple(form.get("tools", ())))
        for form in values["forms"]
    )
    data, data_ends = (tuple(values.get(key, ())) for key in ("data", "data_ends"))
    words = values.get("words", "")
    return ErrorName(name, values["summary"], values.get("codes", {}), forms, words, data, data_ends)
