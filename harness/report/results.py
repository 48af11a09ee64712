"""Results: the runs that a page compares, one per target and contract, and what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from harness.baseline import Ruling
from harness.summary import Count, Summary
from harness.verdict import LEVELS, Level, Verdict

__all__ = ["Judged", "Results", "Run", "levels_shown"]

Judged = tuple[Verdict, Ruling]
"""A verdict and what the baseline makes of it."""


@dataclass(frozen=True)
class Run:
    """One target held to one contract. `version` is that of readfirst.

    `interrupted`: the verdicts are those until the interrupt.
    """

    target: str
    contract: str
    level: Level
    version: str
    judged: tuple[Judged, ...]
    interrupted: bool = False

    @cached_property
    def summary(self) -> Summary:
        """The verdicts counted."""
        summary = Summary()
        for verdict, ruling in self.judged:
            summary.add(verdict, ruling)
        return summary

    @cached_property
    def verdicts(self) -> Mapping[str, Judged]:
        """The verdicts by scenario id."""
        return MappingProxyType({judged[0].scenario_id: judged for judged in self.judged})

    @property
    def total(self) -> Count:
        """All families together."""
        return self.summary.total

    @property
    def conformant(self) -> bool:
        """Whether the run was green; never, if it was interrupted."""
        return not self.interrupted and self.summary.exit_code == 0

    def family(self, name: str) -> Count:
        """Return the count of one family; zero of everything, if the run had none of it."""
        return self.summary.families.get((self.contract, name), Count())


@dataclass(frozen=True)
class Results:
    """Runs in the order in which they were given."""

    runs: tuple[Run, ...] = field(default=())

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The ids of all scenarios of all runs, sorted."""
        return tuple(sorted({scenario_id for run in self.runs for scenario_id in run.verdicts}))

    @property
    def families(self) -> tuple[str, ...]:
        """The families of these scenarios, sorted."""
        return tuple(dict.fromkeys(scenario_id.partition("/")[0] for scenario_id in self.ids))

    @property
    def contracts(self) -> tuple[str, ...]:
        """The contracts in the order of the runs."""
        return tuple(dict.fromkeys(run.contract for run in self.runs))

    def labels(self) -> tuple[str, ...]:
        """Return a name for each run: the target and the contract; the level too, where they differ in it.

        Runs that are still named alike get a number.
        """
        levels = {run.level for run in self.runs}
        labels = [
            f"{run.target} on {run.contract}" + (f", level {run.level}" if len(levels) > 1 else "")
            for run in self.runs
        ]
        return tuple(_numbered(labels))


def _numbered(labels: list[str]) -> Iterator[str]:
    seen: dict[str, int] = {}
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        yield f"{label} ({seen[label]})" if labels.count(label) > 1 else label


def levels_shown(runs: Iterable[Run]) -> tuple[Level, ...]:
    """Return the levels that stand side by side: always three, `verbatim` where a run was asked for it."""
    verbatim = any(run.level == "verbatim" for run in runs)
    return LEVELS if verbatim else LEVELS[:-1]
