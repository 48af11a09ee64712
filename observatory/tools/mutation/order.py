"""Order the cases of a mutant: those that will probably notice it come first."""

from __future__ import annotations

from collections import Counter

from measurement import Cases, Line
from mutants import Mutant, lines_that_mention
from panel import Panel

__all__ = ["MOST", "Order"]


MOST = 1500
"""Cases that are asked about one mutant, at most."""


class Order:
    """The order of the cases for a mutant: those that will probably detect it come first."""

    def __init__(self, panel: Panel, cases: Cases) -> None:
        self._sources = panel.sources
        self._most = min(panel.most, MOST)
        self._cases = cases
        self._kinds = {name: panel.kind_of(name) for name in cases.seconds}
        self._witnesses = panel.witnesses
        self._circumstances = panel.circumstances
        self._mentions: dict[frozenset[str], set[Line]] = {}
        self._ranks: dict[frozenset[str], dict[str, int]] = {}
        self._kills: Counter[tuple[str, str]] = Counter()

    def learn(self, mutant: Mutant, killer: str) -> None:
        """Move the case that killed a mutant to the front for the next mutants at the same position."""
        self._kills[mutant.where, killer] += 1

    def of(self, mutant: Mutant) -> list[str]:
        """Return the cases that reach the change. For code that runs at import, these are the cases that use the
        defined names. The case that killed the mutant before comes first, then the cases named in its statement.

        Each path through the module has its turn before the next case of the same kind on the same path. For an
        exception, only cases with its circumstance are used.
        """
        lines = {(mutant.module, line) for line in mutant.reached_by} or self._mentioned(mutant.names)
        ranks = self._ranked(frozenset(module for module, _ in lines))
        kills = {name: kills for (where, name), kills in self._kills.items() if where == mutant.where}
        words = self._mentioned(mutant.words) if mutant.words else set()
        near = set(self._cases.names(self._cases.that_execute(words)))
        names = self._cases.names(self._cases.that_execute(lines))
        if mutant.when:
            names = [name for name in names if mutant.when in self._circumstances(name)]

        witness = self._witnesses.get(mutant.described)

        def place(name: str) -> tuple[bool, bool, int, bool, int]:
            is_named = name.split()[-1] in mutant.texts
            return name != witness, not is_named, -kills.get(name, 0), name not in near, ranks[name]

        return sorted(names, key=place)[: self._most]

    def _ranked(self, modules: frozenset[str]) -> dict[str, int]:
        """Return, for each case, how many cases are cheaper than it, of the same kind, and execute exactly the same
        lines of `modules`.
        """
        if modules not in self._ranks:
            ranks = self._ranks[modules] = {}
            for way in self._cases.ways(modules):
                alike: Counter[str] = Counter()
                for name in self._cases.names(way):
                    ranks[name] = alike[self._kinds[name]]
                    alike[self._kinds[name]] += 1
        return self._ranks[modules]

    def _mentioned(self, names: frozenset[str]) -> set[Line]:
        if names not in self._mentions:
            self._mentions[names] = lines_that_mention(names, self._sources)
        return self._mentions[names]
