"""Rarity: of several calls or files that could be drawn, take the one whose conditions have seldom met."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from readfirst.harness.fuzz.conditions import Pair, pairs_of

T = TypeVar("T")


class Rarity:
    """Counts how often each pair of conditions met: in the suite, `seen`, and in what was drawn since."""

    def __init__(self, seen: Mapping[Pair, int]) -> None:
        self._seen = seen
        self._drawn: dict[Pair, int] = {}

    def rarest(
        self, draw: Callable[[], T], conditions: Callable[[T], tuple[str, tuple[str, ...]]], *, of: int
    ) -> T:
        """Draw some times and return what has the rarest pairs: a pair that met N times counts 1/(N+1)².

        `conditions` gives the tool and the conditions of what was drawn.
        """
        best, most = draw(), -1.0
        for number in range(of):
            candidate = best if number == 0 else draw()
            worth = sum((1 + self._count(pair)) ** -2 for pair in pairs_of(*conditions(candidate)))
            if worth > most:
                best, most = candidate, worth
        return best

    def note(self, tool: str, conditions: tuple[str, ...]) -> None:
        """Count the pairs of a call that is made."""
        for pair in pairs_of(tool, conditions):
            self._drawn[pair] = self._drawn.get(pair, 0) + 1

    def _count(self, pair: Pair) -> int:
        return self._seen.get(pair, 0) + self._drawn.get(pair, 0)
