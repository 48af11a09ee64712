"""Pages: the reports that are written at the end, of the run that is going on or of the streams of several."""

from typing import IO

from readfirst.harness.compare.baseline import Ruling
from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.report import RunFacts
from readfirst.harness.report.results import Judged, Page, Results, Run, Sources


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
