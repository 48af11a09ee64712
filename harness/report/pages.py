"""Pages: the reports that are written at the end, of the run that is going on or of the streams of several."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import IO, Literal

from readfirst.harness.compare.baseline import Ruling
from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.report import Commands, RunFacts
from readfirst.harness.report.results import Judged, Results, Run
from readfirst.harness.suite.contracts import Contract, Contracts
from readfirst.harness.suite.rules import RuleClass, Rules
from readfirst.harness.suite.scenario import Scenario

Page = Literal["markdown", "html", "badge"]
PAGES: tuple[Page, ...] = ("markdown", "html", "badge")


@dataclass(frozen=True, slots=True)
class Sources:
    """Where a page takes from what results do not hold: scenarios, contracts, and how to repeat a run.

    `find` gives the scenario of an id, None where the suite has none; `seen_by` what another contract expects of it;
    `commands` those that go on from a failure of a run; `version` is that of readfirst; `rules` are
    those that scenarios are gathered by, None where the suite has none, and `of_class` gives the ids of all scenarios
    of a class of these.
    """

    find: Callable[[str], Scenario | None]
    contracts: Contracts
    seen_by: Callable[[Scenario, Contract], Scenario]
    commands: Callable[[Run], Commands]
    version: str
    rules: Rules | None = None
    of_class: Callable[[RuleClass], Collection[str]] = lambda _: ()

    def write(self, page: Page, results: Results) -> str:
        """Return the page; the same results and scenarios give the same text."""
        match page:
            case "html":
                from readfirst.harness.report.html import page as html  # here, because only it needs jinja2

                return html(
                    results,
                    self.find,
                    self.contracts,
                    self.seen_by,
                    self.commands,
                    self.version,
                    self.rules,
                )
            case "markdown":
                from readfirst.harness.report.markdown import page as markdown

                return markdown(results, self.find, self.commands, self.rules)
            case "badge":
                from readfirst.harness.report.badge import badge

                return badge(results, self.rules, self.of_class)


class PageReport:
    """Collects the verdicts of a run and writes the page at the end."""

    def __init__(self, stream: IO[str], facts: RunFacts, page: Page, sources: Sources) -> None:
        self._stream = stream
        self._facts = facts
        self._page = page
        self._sources = sources
        self._judged: dict[str, list[Judged]] = {name: [] for name in facts.contracts}

    def verdict(self, verdict: Verdict, ruling: Ruling) -> None:
        """Take one verdict."""
        self._judged[verdict.contract].append((verdict, ruling))

    def finish(self, summary: Summary, *, interrupted: bool = False) -> None:  # noqa: ARG002 - each run counts its own
        """Write the page."""
        facts, version = self._facts, self._sources.version
        runs = tuple(
            Run(facts.target, contract, facts.level, version, tuple(judged), interrupted, facts.name)
            for contract, judged in self._judged.items()
        )
        self._stream.write(self._sources.write(self._page, Results(runs)))
        self._stream.flush()
