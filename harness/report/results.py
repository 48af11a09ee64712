"""The data that reports use: the runs (one per target and contract), and functions that return further data."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import IO, Literal, get_args

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.summary import Count, Summary
from readfirst.harness.compare.verdict import LEVELS, Level, Verdict
from readfirst.harness.report import Commands, RunFacts
from readfirst.harness.suite.contracts import Contract, Contracts, contract_sort_key
from readfirst.harness.suite.rule_classes import RuleClass
from readfirst.harness.suite.rules import Rules
from readfirst.harness.suite.scenario import Scenario

JudgedScenario = tuple[Verdict, BaselineResult]
"""The verdict on a scenario, and whether the baseline accepts this verdict."""


@dataclass(frozen=True)
class Run:
    """The results of one target on one contract."""

    target: str
    contract: str
    level: Level
    version: str
    """Version of readfirst."""
    judged: tuple[JudgedScenario, ...]
    interrupted: bool = False
    """Whether `judged` contains only the verdicts before an interrupt."""
    name: str = ""
    """The name of the target in reports (default: the connect string)."""
    series: int = 0
    """A number that is equal for all results of one command."""
    suite: str = ""
    """The title of the suite. Empty if unknown."""

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self.target)

    @cached_property
    def summary(self) -> Summary:
        """The summary of all verdicts of the run."""
        summary = Summary()
        for verdict, ruling in self.judged:
            summary.add(verdict, ruling)
        summary.suites.clear()  # the run on another contract may have judged them
        return summary

    @property
    def likeness(self) -> str:
        """A sentence about scenarios with the same harm by target and contract. Empty without such scenarios."""
        return "" if self.interrupted else self.summary.likeness_sentence(self.name, self.level)

    @cached_property
    def verdicts(self) -> Mapping[str, JudgedScenario]:
        """The verdicts by scenario id."""
        return MappingProxyType({judged[0].scenario_id: judged for judged in self.judged})

    @property
    def total(self) -> Count:
        """The counts of all scenarios of the run."""
        return self.summary.total

    @property
    def conformant(self) -> bool:
        """Whether the run passed. False if it was interrupted."""
        return not self.interrupted and self.summary.exit_code == 0

    def family(self, name: str) -> Count:
        """Return the counts of one family. All counts are zero if the run contained no scenario of the family."""
        return self.summary.families.get((self.contract, name), Count())


@dataclass(frozen=True)
class Results:
    """The runs of a report, in the user's order."""

    runs: tuple[Run, ...] = field(default=())

    @property
    def unjudged_suites(self) -> list[str]:
        """The names of suites without a judged scenario in any run."""
        verdicts = [verdict for run in self.runs for verdict, _ in run.judged if verdict.suite]
        judged = {verdict.suite for verdict in verdicts if verdict.judged}
        return [name for name in dict.fromkeys(verdict.suite for verdict in verdicts) if name not in judged]

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The ids of all scenarios of all runs, sorted."""
        return tuple(sorted({scenario_id for run in self.runs for scenario_id in run.verdicts}))

    @property
    def families(self) -> tuple[str, ...]:
        """The families of all scenarios of all runs, sorted."""
        return tuple(dict.fromkeys(scenario_id.partition("/")[0] for scenario_id in self.ids))

    @property
    def contracts(self) -> tuple[str, ...]:
        """The contracts that the runs used, in the order of their release."""
        return tuple(sorted({run.contract for run in self.runs}, key=contract_sort_key))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each run for headings. Runs with the same target, contract and level are numbered."""
        counts = Counter((run.name, run.contract, run.level) for run in self.runs)
        repeated_names = {name for (name, _, _), times in counts.items() if times > 1}
        series: dict[str, list[int]] = {}
        for run in self.runs:
            if run.series not in series.setdefault(run.name, []):
                series[run.name].append(run.series)
        return tuple(
            f"{run.name} ({series[run.name].index(run.series) + 1})"
            if run.name in repeated_names
            else run.name
            for run in self.runs
        )

    def labels(self) -> tuple[str, ...]:
        """Return the name of each run with its contract, and with its level if the levels of the runs differ."""
        levels = {run.level for run in self.runs}
        return tuple(
            f"{name} on {run.contract}" + (f", level {run.level}" if len(levels) > 1 else "")
            for name, run in zip(self.names, self.runs, strict=True)
        )


def levels_shown(runs: Iterable[Run | RunFacts]) -> tuple[Level, ...]:
    """Return the levels that a report shows: all levels, but `verbatim` only if a run requested it."""
    verbatim = any(run.level == "verbatim" for run in runs)
    return LEVELS if verbatim else LEVELS[:-1]


Page = Literal["markdown", "html", "badge", "junit"]
"""Reports that are written at the end of a run. Each is the name of a module with a function `page`."""
PAGES: tuple[Page, ...] = get_args(Page)


@dataclass(frozen=True, slots=True)
class ReportSources:
    """Functions and data that reports use to look up scenarios, contracts and commands."""

    find: Callable[[str], Scenario | None]
    """Returns the scenario with an id, or None."""
    contracts: Contracts
    with_expectations_of: Callable[[Scenario, Contract], Scenario]
    """Returns a scenario with the expectations of another contract."""
    commands: Callable[[Run], Commands]
    """Returns the commands for failures of a run."""
    version: str
    """Version of readfirst."""
    rules: Rules | None = None
    of_class: Callable[[RuleClass], Collection[str]] = lambda _: ()
    """Returns the ids of all scenarios of a class of rules."""

    def write(self, page: Page, results: Results) -> str:
        """Return the text of a report in the format `page`."""
        made: str = import_module(f"{__package__}.{page}").page(results, self)  # only some pages need jinja2
        return made


class PageReport:
    """Report that collects the verdicts, and writes a page at the end (Markdown, HTML, JUnit or badge)."""

    def __init__(self, stream: IO[str], facts: RunFacts, page: Page, sources: ReportSources) -> None:
        self._stream = stream
        self._facts = facts
        self._page = page
        self._sources = sources
        self._judged: dict[str, list[JudgedScenario]] = {name: [] for name in facts.contracts}

    def verdict(self, verdict: Verdict, ruling: BaselineResult) -> None:
        """Add the verdict on one scenario."""
        self._judged[verdict.contract].append((verdict, ruling))

    def finish(self, summary: Summary, *, interrupted: bool = False) -> None:  # noqa: ARG002 - each run counts its own
        """Write the page with the results of the run."""
        facts, version = self._facts, self._sources.version
        runs = tuple(
            Run(
                facts.target,
                contract,
                facts.level,
                version,
                tuple(judged),
                interrupted,
                facts.name,
                suite=facts.suite,
            )
            for contract, judged in self._judged.items()
        )
        self._stream.write(self._sources.write(self._page, Results(runs)))
        self._stream.flush()
