"""Short forms for texts in calls: long texts as a unit and its repetitions, unusual texts as JSON escapes."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from weakref import WeakValueDictionary

from readfirst.harness.suite.file_content import MAX_CONTENT_BYTES
from readfirst.harness.suite.file_entry import TextContent
from readfirst.harness.yaml_io.yaml_validation import Node

_KEYS = {"repeat", "times"}


class RepeatedText(str):
    """A long text with its short form: `unit` is repeated `times` times. In the unit, `{n}` stands for the number of
    the repetition. Reports and files use the short form.
    """

    unit: str
    times: int

    @staticmethod
    def of(unit: str, times: int) -> "RepeatedText":
        """Return `times` repetitions of `unit`. Equal texts are created only once."""
        text = _cached_texts.get((unit, times))
        if text is None:
            text = _cached_texts[unit, times] = RepeatedText(TextContent(unit, times).expanded)
            text.unit, text.times = unit, times
        return text


_cached_texts: WeakValueDictionary[tuple[str, int], RepeatedText] = WeakValueDictionary()


def read_arguments(node: Node) -> Any:
    """Read a call's arguments. Expands the short forms `{repeat, times}` and `{json}`. Adds findings for errors."""
    match node.value:
        case {"repeat": _, "times": _} if node.value.keys() == _KEYS:
            count = node.below("times").number(1, MAX_CONTENT_BYTES)
            return RepeatedText.of(node.below("repeat").matching(), count)
        case {"json": str(escaped)} if len(node.value) == 1:
            text = _json_text(escaped)
            if text is None:
                fix = "Write it as between the quotes of a JSON string, for example half a pair as \\ud83d."
                node.below("json").note(f"{escaped!r} is not a JSON text", fix)
            return text or ""
        case dict():
            return {key: read_arguments(node.below(key)) for key in node.value}
        case list():
            return [read_arguments(node.below(number)) for number in range(len(node.value))]
        case _:
            return node.value


def repeated_characters(value: Any) -> int:
    """Return the total length of all `{repeat, times}` texts, each counted up to MAX_CONTENT_BYTES + 1."""
    if isinstance(value, dict):
        unit, times = value.get("repeat"), value.get("times")
        if isinstance(unit, str) and isinstance(times, int):
            return max(0, min(len(unit) * times, MAX_CONTENT_BYTES + 1))
        return sum(repeated_characters(each) for each in value.values() if isinstance(each, dict | list))
    return sum(map(repeated_characters, value)) if isinstance(value, list) else 0


def _transform(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a copy of a value. `change` returns the replacement of a value inside it, or None to keep the value."""
    changed = change(value)
    if changed is not None:
        return changed
    match value:
        case dict() | Mapping():  # `dict` first, because the check for Mapping is slow
            return {key: _transform(item, change) for key, item in value.items()}
        case list() | tuple():
            return [_transform(item, change) for item in value]
        case _:
            return value


def expand_arguments(value: Any) -> Any:
    """Expand the short forms `{repeat, times}` (up to the maximum length) and `{json}` in arguments."""
    return _transform(value, _expand_value)


def _json_text(escaped: str) -> str | None:
    """Decode a JSON string without its quotes, perhaps with half a surrogate pair. None if the JSON is invalid."""
    try:
        text = json.loads(f'"{escaped}"')
    except ValueError:
        return None
    return text if isinstance(text, str) else None


def has_half_surrogate(text: str) -> bool:
    """Whether a text contains half a surrogate pair, which has no valid UTF-8 encoding."""
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)


def _expand_value(value: Any) -> str | None:
    match value:
        case {"json": str(escaped)} if len(value) == 1:
            return _json_text(escaped)
        case {"repeat": str(unit), "times": int(times)} if value.keys() == _KEYS:
            return RepeatedText.of(unit, min(times, MAX_CONTENT_BYTES // max(len(unit), 1)))
        case _:
            return None


def map_texts(value: Any, change: Callable[[str], Any]) -> Any:
    """Return a copy of a JSON value with `change` applied to each text. Keys are not changed."""
    return _transform(value, lambda each: change(each) if isinstance(each, str) else None)


def with_short_forms(value: Any) -> Any:
    """Return the arguments of a call for a scenario file: with `{repeat, times}` for repeated texts."""
    return map_texts(
        value,
        lambda text: {"repeat": text.unit, "times": text.times} if isinstance(text, RepeatedText) else text,
    )


def texts_in(value: Any) -> Iterator[str]:
    """Yield each text in a JSON value, in order, without keys."""
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from texts_in(item)
        case Mapping():
            for item in value.values():
                yield from texts_in(item)
