"""Nested: the texts in a JSON value, however deep they are."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return the value with each of its texts changed; names of keys are none."""
    match value:
        case str():
            return change(value)
        case list():
            return [with_texts(item, change) for item in value]
        case Mapping():
            return {key: with_texts(item, change) for key, item in value.items()}
        case _:
            return value


def texts_in(value: Any) -> Iterator[str]:
    """Yield the texts of a value in their order; names of keys are none."""
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from texts_in(item)
        case Mapping():
            for item in value.values():
                yield from texts_in(item)
