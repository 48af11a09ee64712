"""Version spans: versions that follow one another and of which the same is true, as `1.0.60 to 2.1.7`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import TypeVar

What = TypeVar("What")


def version_spans(names: Iterable[str], what: Callable[[str], What]) -> Iterator[tuple[str, What]]:
    """Yield each span of contracts of which `what` gives the same, and that; those of older models apart.

    The names come oldest first.
    """
    known = list(names)
    for variant in dict.fromkeys(name.partition("+")[2] for name in known):
        track = [name for name in known if name.partition("+")[2] == variant]
        for same, group in groupby(track, key=what):
            first, *others = group
            yield f"{first} to {others[-1]}" if others else first, same
