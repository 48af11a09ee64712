"""Test run: what `readfirst run` does: select, replay, rule by the baseline, report, and sum up."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING

from harness.baseline import Baseline, BaselineError, baseline_text, load_baseline, rule
from harness.contracts import DOCUMENTED
from harness.cost import Cost
from harness.finding import Finding, SuiteError
from harness.known_failures import first_differences, grouped_text
from harness.report import Report, RunFacts, output
from harness.report.jsonl import JsonlReport
from harness.report.junit import JunitReport
from harness.report.pages import Page, PageReport, Sources
from harness.report.progress import ProgressBar
from harness.report.results import Results
from harness.report.table import TableReport
from harness.run import TIME_LIMIT, run
from harness.scenario import Position, Scenario
from harness.selection import Selection, SelectionError, select
from harness.suite import Suite, UnknownScenarioError
from harness.summary import ExitCode, Summary
from harness.verdict import Level, Verdict

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Request", "chosen_contracts", "command_of", "open_baseline", "perform", "perform_report"]

_WIDE = 110
"""Columns of a table that does not go to a terminal."""


@dataclass(frozen=True, slots=True)
class Request:
    """The options of one run as they were given.

    `contracts` empty: the default. `update_baseline` writes the run's failures into `baseline`, keeping reasons.
    `most_failures` None: the table format explains all.
    """

    suite: Suite
    target: str
    version: str
    fixtures: Path | None = None
    contracts: tuple[str, ...] = ()
    level: Level = "text"
    selection: Selection = field(default_factory=Selection)
    format: str = "table"
    output: Path | None = None
    baseline: Path | None = None
    update_baseline: bool = False
    jobs: int = 1
    time_limit: float = TIME_LIMIT
    most_failures: int | None = 20


def chosen_contracts(suite: Suite, target: str, names: tuple[str, ...], level: Level) -> tuple[str, ...]:
    """Return the contracts to hold a target to.

    Without a name: the one that the target itself is of (`claude-code:2.1.7`), else the suite's default. Raises
    UnknownContractError, and SelectionError for the level `verbatim` on `documented`.
    """
    contracts = suite.contracts
    if not names:
        kind, _, own = target.partition(":")
        names = (own,) if kind in ("claude-code", "recording") and own in contracts else (contracts.default,)
    names = tuple(dict.fromkeys(contracts[name].name for name in names))
    if level == "verbatim" and DOCUMENTED in names:
        raise SelectionError(f"the level verbatim compares with a recording, and {DOCUMENTED} has none.")
    return names


def open_baseline(suite: Suite, file: Path, target: str) -> Baseline:
    """Read a baseline for a target. Raises BaselineError, also for what is not strict YAML."""
    contracts = suite.contracts
    try:
        baseline = load_baseline(
            file, suite.ids(), [contract.name for contract in contracts], contracts.default
        )
    except BaselineError:
        raise
    except SuiteError as error:
        raise BaselineError(error.findings) from error
    if baseline.target != target:
        message = f"this baseline is of the target {baseline.target!r}, but the run tests {target!r}"
        raise BaselineError(
            [Finding("target", Position(file, 1, 1), message, f"Write there: target: {target!r}")]
        )
    return baseline


def command_of(
    target: str,
    level: Level,
    contract: str,
    *,
    fixtures: Path | None = None,
    time_limit: float = TIME_LIMIT,
) -> str:
    """Return the command line that repeats a replay, without the scenario's id."""
    words = ["readfirst", "run", target, "--contract", contract, "--level", level]
    if fixtures is not None:
        words += ["--fixtures", str(fixtures)]
    if time_limit != TIME_LIMIT:
        words += ["--time-limit", f"{time_limit:g}"]
    return shlex.join(words)


def perform(request: Request) -> int:
    """Carry out the run and return its exit code. Raises what the parts raise, before or during the run.

    After Ctrl-C the reports on standard output are finished and say so; a report file is then not written.
    """
    suite, cost = request.suite, Cost()
    contracts = chosen_contracts(suite, request.target, request.contracts, request.level)
    baseline = _baseline(request)
    ids = select(suite, request.selection)
    if not ids:
        print("readfirst: nothing was selected, so nothing was tested.", file=sys.stderr)
        return ExitCode.NOTHING
    facts = RunFacts(
        target=request.target,
        contracts=contracts,
        level=request.level,
        scenarios=len(ids),
        command=partial(
            command_of,
            request.target,
            request.level,
            fixtures=request.fixtures,
            time_limit=request.time_limit,
        ),
        find=partial(_find, suite),
    )
    summary = Summary()
    seen: list[Verdict] = []
    with ExitStack() as stack:
        verdicts = stack.enter_context(
            closing(
                run(
                    suite,
                    request.target,
                    contracts,
                    request.level,
                    ids,
                    jobs=request.jobs,
                    time_limit=request.time_limit,
                )
            )
        )
        # The first verdict comes before any output: a target that cannot be connected gives none.
        first = next(verdicts)
        cost.verdict(first)
        reports, console = _reports(request, facts, stack)
        bar = stack.enter_context(ProgressBar(console, len(ids) * len(contracts)))
        try:
            for verdict in chain((first,), verdicts):
                ruling = rule(verdict, baseline)
                summary.add(verdict, ruling)
                cost.verdict(verdict)
                for report in reports:
                    report.verdict(verdict, ruling)
                bar.advance()
                if request.update_baseline:
                    seen.append(replace(verdict, differences=first_differences(verdict)))
        except KeyboardInterrupt:
            bar.stop()
            for report in reports:
                report.finish(summary, interrupted=True)
            raise
        bar.stop()
        for report in reports:
            report.finish(summary)
    if request.output or request.format != "table":
        print(summary.sentence(), file=sys.stderr)
    print(cost.sentence(summary.total, request.jobs), file=sys.stderr)
    if request.update_baseline and request.baseline:
        grouped = baseline.grouped if baseline else request.target.startswith(("target:", "agent:"))
        text = (grouped_text if grouped else baseline_text)(request.target, seen, baseline)
        request.baseline.parent.mkdir(exist_ok=True)
        with output(request.baseline) as stream:
            stream.write(text)
        return ExitCode.CONFORMANT if summary.total.scenarios > _unjudged(summary) else ExitCode.NOTHING
    return summary.exit_code


def perform_report(
    suite: Suite,
    streams: Sequence[Path],
    page: Page,
    target: Path | None,
    *,
    fixtures: Path | None = None,
    version: str = "unknown",
) -> None:
    """Write a page of the runs of these streams, to `target` or to standard output.

    Raises StreamError for a stream that is not whole, before anything is written.
    """
    from harness.report.stream import read_stream  # here, because a run must not wait for jsonschema

    results = Results(tuple(chain.from_iterable(map(read_stream, streams))))
    sources = Sources(
        partial(_find, suite),
        suite.contracts,
        lambda run: command_of(run.target, run.level, run.contract, fixtures=fixtures),
        version,
    )
    text = sources.write(page, results)
    if target is None:
        sys.stdout.write(text)
        return
    with output(target) as stream:
        stream.write(text)


def _unjudged(summary: Summary) -> int:
    return summary.total.unsupported + summary.total.unspecified


def _baseline(request: Request) -> Baseline | None:
    if request.baseline is None:
        return None
    if request.update_baseline and not request.baseline.exists():
        return None
    return open_baseline(request.suite, request.baseline, request.target)


def _find(suite: Suite, scenario_id: str) -> Scenario | None:
    try:
        return suite.scenario(scenario_id)
    except (UnknownScenarioError, SuiteError):
        return None  # it was removed or changed during the run


def _reports(request: Request, facts: RunFacts, stack: ExitStack) -> tuple[list[Report], Console]:
    """Open the reports, and the console that a progress bar may use."""
    from rich.console import Console

    terminal = sys.stdout.isatty()
    console = Console(file=sys.stdout, width=None if terminal else _WIDE, emoji=False)
    reports: list[Report] = []
    if request.output is not None:
        reports.append(_report(request, facts, stack.enter_context(output(request.output))))
    if request.output is None and request.format != "table":
        reports.append(_report(request, facts, sys.stdout))
    elif request.output is None or request.format != "table":
        reports.append(TableReport(console, facts, most_failures=request.most_failures))
    else:
        terminal = False
    # Above a bar only its own console may print.
    return reports, console if terminal else Console(file=sys.stderr)


def _report(request: Request, facts: RunFacts, stream: IO[str]) -> Report:
    match request.format:
        case "jsonl":
            return JsonlReport(stream, facts, request.version)
        case "junit":
            return JunitReport(stream, facts)
        case "markdown" | "html" | "badge":
            sources = Sources(
                facts.find, request.suite.contracts, lambda run: facts.command(run.contract), request.version
            )
            return PageReport(stream, facts, request.format, sources)
        case _:
            from rich.console import Console

            console = Console(file=stream, width=_WIDE, emoji=False)
            return TableReport(console, facts, most_failures=request.most_failures)
