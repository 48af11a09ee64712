"""Sort the test cases for a mutant, so that the cases that will probably detect it are run first."""

from __future__ import annotations

from collections import Counter

from measurement import Cases, Line
from mutants import Mutant, lines_that_mention
from panel import Panel

MOST = 1500
"""Maximum number of test cases that are run on one mutant."""


class Order:
    """Sorts the test cases for each mutant: cases that will probably detect the mutant are first."""

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
        """Record that the test case `killer` killed a mutant: it is then run early on mutants of the same function."""
        self._kills[mutant.where, killer] += 1

    def of(self, mutant: Mutant) -> list[str]:
        """Return at most MOST test cases that can detect a mutant, the most promising first: the case that killed the
        mutant in an earlier run, cases that the changed statement names, and cases that killed other mutants of the
        function.
        """
        lines = {(mutant.module, line) for line in mutant.reached_by} or self._lines_that_use(mutant.names)
        ranks = self._ranks(frozenset(module for module, _ in lines))
        kills = {name: kills for (where, name), kills in self._kills.items() if where == mutant.where}
        words = self._lines_that_use(mutant.words) if mutant.words else set()
        near = set(self._cases.names(self._cases.that_execute(words)))
        names = self._cases.names(self._cases.that_execute(lines))
        if mutant.when:
            names = [name for name in names if mutant.when in self._circumstances(name)]

        witness = self._witnesses.get(mutant.described)

        def place(name: str) -> tuple[bool, bool, int, bool, int]:
            is_named = name.split()[-1] in mutant.texts
            return name != witness, not is_named, -kills.get(name, 0), name not in near, ranks[name]

        return sorted(names, key=place)[: self._most]

    def _ranks(self, modules: frozenset[str]) -> dict[str, int]:
        """Return each case's rank by speed among the cases of its kind that execute the same lines of `modules`."""
        if modules not in self._ranks:
            ranks = self._ranks[modules] = {}
            for way in self._cases.ways(modules):
                alike: Counter[str] = Counter()
                for name in self._cases.names(way):
                    ranks[name] = alike[self._kinds[name]]
                    alike[self._kinds[name]] += 1
        return self._ranks[modules]

    def _lines_that_use(self, names: frozenset[str]) -> set[Line]:
        if names not in self._mentions:
            self._mentions[names] = lines_that_mention(names, self._sources)
        return self._mentions[names]
