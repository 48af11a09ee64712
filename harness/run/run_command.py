"""Execute `readfirst run`: select and replay scenarios, apply the baseline, and write reports."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

from readfirst.harness.compare.baseline import (
    Baseline,
    BaselineChecker,
    BaselineError,
    BaselineResult,
    load_baseline,
)
from readfirst.harness.compare.baseline_file import with_first_difference
from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import Level, Verdict
from readfirst.harness.errors import ExitCode
from readfirst.harness.pluralize import pluralize
from readfirst.harness.processes.trace import tracing
from readfirst.harness.report import Commands, Report, RunFacts, output
from readfirst.harness.report.escape import visible, visible_command
from readfirst.harness.report.failure import short_path
from readfirst.harness.report.jsonl import JsonlReport, read_stream
from readfirst.harness.report.progress import ProgressBar
from readfirst.harness.report.results import Page, PageReport, ReportSources, Results, Run
from readfirst.harness.report.table import BRIEF, TableReport, print_runs
from readfirst.harness.report.timing import RunTimer
from readfirst.harness.run.failed_workspaces import prepare_directory
from readfirst.harness.run.job_count import jobs_for
from readfirst.harness.run.last_failed import LastFailed, failed_in
from readfirst.harness.run.next_commands import all_pass_line, grouping_line, interrupted_lines, suite_options
from readfirst.harness.run.run_options import DEFAULT, RunOptions
from readfirst.harness.run.runner import run
from readfirst.harness.run.server_notice import ServerNotice
from readfirst.harness.run.update_baseline import update_baseline
from readfirst.harness.suite.contracts import DOCUMENTED
from readfirst.harness.suite.selection import Selection, SelectionError, select
from readfirst.harness.suite.shared_files import partial_title
from readfirst.harness.suite.suite import Suite
from readfirst.harness.terminal import console, say, say_lines, stderr, stdout
from readfirst.harness.yaml_io.finding import Finding

if TYPE_CHECKING:
    from rich.console import Console


ALL = "all"
"""Value of the option `--contract` that selects every contract of a suite."""
_MAX_REPLACED = 5
"""Maximum number of scenarios that a run lists because another suite replaces them."""
_FILE_WIDTH_COLUMNS = 110
"""Width in columns that is used for a report table in a file."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """The options of one run, as on the command line."""

    suite: Suite
    target: str
    """The connect string."""
    version: Callable[[], str] = lambda: "unknown"
    """Returns the version of readfirst, for reports."""
    called: str = ""
    """The connect string as the user typed it. Used as the name in reports and baselines unless `name` is given."""
    name: str | None = None
    fixtures: Sequence[str] = ()
    contracts: tuple[str, ...] = ()
    """The default contract is used if this is empty."""
    level: Level = "text"
    selection: Selection = field(default_factory=Selection)
    format: str = "table"
    output: Path | None = None
    baseline: Path | None = None
    no_baseline: bool = False
    """Whether to ignore the baseline of the target."""
    update_baseline: bool = False
    """Whether to write the failures of the run into `baseline`. Written reasons are kept."""
    options: RunOptions = DEFAULT
    claims: frozenset[str] | None = None
    """The required capabilities. Default: `stated`, otherwise the baseline, otherwise Read, Edit and Write."""
    stated: frozenset[str] | None = None
    """The capabilities that the mapping declares. None without a mapping."""
    most_failures: int | None = BRIEF
    """Number of rules whose shortest failing scenario is explained. None: all failing scenarios."""
    last_failed: bool = False
    """Whether to select the failures of the last run of the target."""
    failed_in: Path | None = None
    """Select the failures in this result file."""
    remaining: bool = False
    """Whether to select the scenarios that an interrupted run did not reach."""
    trace: bool = False
    """Whether to print calls and answers on standard error."""

    @property
    def title(self) -> str:
        """The name that reports use for the implementation."""
        return self.name or self.called or self.target

    def commands(self, contract: str) -> Commands:
        """Return the command lines that show and replay a failed scenario. The id of the scenario must be appended."""
        show = ["readfirst", "show", "--contract", contract, *suite_options(self.fixtures)]
        return Commands(visible_command(self.run_words([contract])), visible_command(show))

    def run_words(self, contracts: Sequence[str]) -> list[str]:
        """Return the words of a command line that runs the target on these contracts with the same options."""
        words = ["readfirst", "run", self.target]
        words += [word for name in contracts for word in ("--contract", name)]
        words += ["--level", self.level, *suite_options(self.fixtures)]
        words += ["--trust"] if self.suite.trust else []
        words += self.options.words()
        return words if self.claims is None else [*words, "--require", ",".join(sorted(self.claims))]


def chosen_contracts(suite: Suite, target: str, names: tuple[str, ...], level: Level) -> tuple[str, ...]:
    """Return the names of the contracts that a target is compared with, in release order. The default is the contract
    in the connect string (`claude-code:2.1.7`), otherwise of the suite. `all` means all contracts. Raises
    UnknownContractError, and SelectionError for the level `verbatim` on `documented`.
    """
    contracts = suite.contracts
    if not names:
        kind, _, own = target.partition(":")
        names = (own,) if kind in ("claude-code", "recording") and own in contracts else (contracts.default,)
    chosen = {contracts[name].name for name in names if name != ALL}
    names = tuple(contract.name for contract in contracts if ALL in names or contract.name in chosen)
    if level == "verbatim" and DOCUMENTED in names:
        raise SelectionError(f"the level verbatim compares with a recording, and {DOCUMENTED} has none.")
    return names


def check_coverage(suite: Suite, names: Sequence[str], ids: Sequence[str] | None = None) -> None:
    """Raise SelectionError if none of the contracts `names` can judge the suite of one of the scenarios `ids` (None:
    all). Recorded contracts and their extensions can judge every suite, other contracts only suites that list them.
    """
    contracts = [suite.contracts[name] for name in names]
    for part in dict.fromkeys(suite.parts if ids is None else map(suite.suite_containing, ids)):
        if not any(each.recorded or each.extends or each.name in part.contracts for each in contracts):
            default = part.contracts.default
            raise SelectionError(
                f"{' and '.join(names)} has no expected results for the suite {part.name}. Add "
                f"`extends: {default}` to {names[-1]} in contracts.yaml, or use several contracts: "
                f"{' '.join(f'--contract {name}' for name in (default, *names))}."
            )


def replacement_lines(suite: Suite, ids: Sequence[str]) -> Iterator[str]:
    """Yield a line for each suite that replaces scenarios of its base suite. The lines list the replaced `ids`."""
    replaced: dict[tuple[str, str], list[str]] = {}
    for scenario_id in ids if suite.base is not None else ():
        part = suite.suite_containing(scenario_id)
        if part.base is not None and part.base.has(scenario_id):
            replaced.setdefault((part.name, part.base.suite_containing(scenario_id).name), []).append(
                scenario_id
            )
    for (name, lower), names in replaced.items():
        more = f" and {len(names) - _MAX_REPLACED} more" if len(names) > _MAX_REPLACED else ""
        listed = ", ".join(names[:_MAX_REPLACED])
        yield f"{visible(name)} replaces {pluralize(len(names), 'scenario')} of {visible(lower)}: {listed}{more}"


def open_baseline(
    suite: Suite, file: Path, name: str | None, called: str, option: str = "--name"
) -> Baseline:
    """Read the baseline of a target. The name in the baseline must be `name`, the value of `option`, or `called`, the
    target as the user wrote it. Raises BaselineError, also for invalid YAML.
    """
    baseline = load_baseline(file, suite.ids(), suite.contracts, suite.rule_ids, suite.title)
    if baseline.name not in (name, called):
        message = f"this baseline belongs to {baseline.name!r}, but the run is called {name or called!r}"
        fix = f"If they are the same, add {option} {shlex.quote(baseline.name)}."
        raise BaselineError([Finding("name", baseline.position, message, fix)])
    return baseline


def perform(request: RunRequest) -> int:
    """Execute a run with all its reports, and return the exit code. After Ctrl-C, the reports on standard output are
    finished, but a report file is not written.
    """
    suite, keep, timer = request.suite, request.options.keep, RunTimer()
    contracts = chosen_contracts(suite, request.target, request.contracts, request.level)
    baseline = None
    if request.baseline is not None and (request.baseline.exists() or not request.update_baseline):
        baseline = open_baseline(suite, request.baseline, request.name, request.called or request.target)
        if not request.update_baseline and (warning := baseline.level_warning(request.level)):
            say(f"readfirst: {warning}", err=True)
    last_failed = {name: LastFailed(request.target, suite.roots, name) for name in contracts}
    ids, why = _filter_failed(request, select(suite, request.selection), last_failed)
    if not ids:
        say(f"readfirst: {why}, so nothing was tested.", err=True)
        return ExitCode.NOTHING
    check_coverage(suite, contracts, ids)
    for line in replacement_lines(suite, ids):
        say(line, err=True)
    if keep is not None:
        prepare_directory(keep)
    jobs = jobs_for(request.options.jobs, request.target, len(ids))
    is_filtered = bool(request.last_failed or request.failed_in or request.remaining)
    is_whole = request.selection == Selection() and not is_filtered
    facts = RunFacts(
        target=request.target,
        name=request.title,
        contracts=contracts,
        level=request.level,
        scenarios=len(ids),
        commands=request.commands,
        find=suite.find_scenario,
        rules=suite.rules,
        suite=suite.title if is_whole else partial_title(suite.title),
    )
    summary, checker = Summary(), BaselineChecker(baseline, request.claims or request.stated)
    summary.has_unclaimed_list = baseline is not None and baseline.lacking is not None
    seen: list[Verdict] = []
    failing: Counter[str] = Counter()
    tested: dict[str, dict[str, bool]] = {name: {} for name in contracts}
    """For each contract and each tested scenario: whether the scenario failed."""
    with ExitStack() as stack:
        if request.trace:
            stack.enter_context(tracing(stderr()))
        for name, cache in last_failed.items():
            stack.callback(cache.store, tested[name], ids)
        options = replace(request.options, jobs=jobs)
        verdicts = run(suite, request.target, contracts, request.level, ids, options)
        stack.enter_context(closing(verdicts))
        # The first verdict comes before any output, because connecting to the target may raise an exception.
        first = next(verdicts)
        timer.started(first)
        facts = replace(facts, design=first.design, refuses=first.refuses)
        reports, console = _open_reports(request, facts, stack)
        notice = ServerNotice(len(ids), jobs)
        bar = stack.enter_context(ProgressBar(console, len(ids) * len(contracts)))
        try:
            for verdict in chain((first,), verdicts):
                ruling = checker.apply_baseline(verdict)
                if request.update_baseline and ruling.stale and not ruling.needs_reason:  # it is rewritten
                    ruling = BaselineResult(conformant=not verdict.failing)
                summary.add(verdict, ruling)
                timer.verdict()
                if line := notice.line(verdict):
                    say(line, err=True)
                for report in reports:
                    report.verdict(verdict, ruling)
                failed = not (ruling.conformant or ruling.unclaimed)
                bar.advance(visible(verdict.scenario_id), failed=failed, calls=verdict.calls)
                tested[verdict.contract][verdict.scenario_id] = failed
                if verdict.status == "failed" and not ruling.conformant:
                    failing[verdict.contract] += 1
                if request.update_baseline:
                    seen.append(with_first_difference(verdict))
        except KeyboardInterrupt:
            bar.stop()
            for report in reports:
                report.finish(summary, interrupted=True)
            say_lines(interrupted_lines(request, len(ids), tested), err=True)
            raise
        bar.stop()
        for report in reports:
            report.finish(summary)
    # Otherwise the table has already been printed.
    if (request.output is None) == (request.format != "table"):
        say_lines([*map(visible, summary.error_lines()), summary.sentence()], err=True)
        for line in filter(None, (summary.design_sentence(), summary.complaint())):
            say(line, err=True)
    if baseline is not None and baseline.lacking is None and not request.update_baseline:
        say(
            f"{request.baseline} does not list the scenarios that were not judged, so a scenario that is no longer "
            "judged goes unnoticed. Renew it with --update-baseline.",
            err=True,
        )
    say(timer.sentence(summary, jobs), err=True)
    for line in filter(None, (grouping_line(request, failing), all_pass_line(request, tested))):
        say(line, err=True)
    if keep is not None and any(any(each.values()) for each in tested.values()):
        say(f"the workspaces of failed scenarios are in {short_path(keep)}", err=True)
    if request.update_baseline and request.baseline:
        return update_baseline(request, baseline, seen, is_whole=len(ids) == len(suite.ids()))
    return summary.exit_code


def perform_report(
    suite: Suite,
    streams: Sequence[Path],
    page: Page | Literal["table"],
    target: Path | None,
    *,
    fixtures: Sequence[str] = (),
    version: str = "unknown",
    most_failures: int | None = BRIEF,
) -> None:
    """Write a report about the runs in result files to `target` or to standard output. `table` is the format of
    `readfirst run`. Raises StreamError for an incomplete stream, before anything is written.
    """
    runs = (replace(run, series=number) for number, file in enumerate(streams) for run in read_stream(file))
    results = Results(tuple(runs))

    def commands(run: Run) -> Commands:
        return RunRequest(suite, run.target, fixtures=fixtures, level=run.level).commands(run.contract)

    sources = _report_sources(suite, commands, version)
    with output(target) if target is not None else nullcontext(stdout()) as stream:
        if page == "table":
            print_runs(_open_console(stream), results, sources, most_failures)
        else:
            stream.write(sources.write(page, results))


def _filter_failed(
    request: RunRequest, ids: list[str], last: Mapping[str, LastFailed]
) -> tuple[list[str], str]:
    """Return the ids that `--failed-in`, `--last-failed` and `--continue` select (default: all), and a message for an
    empty selection. Raises SelectionError if the target was not run before.
    """
    if request.failed_in is not None:
        failed = failed_in(request.failed_in)
        return sorted({*ids} & {*failed}), f"no selected scenario failed in {request.failed_in}"
    if not (request.last_failed or request.remaining):
        return ids, "nothing was selected"
    known: list[str] = []
    for results in last.values():
        known += (results.ids() or ()) if request.last_failed else ()
        known += results.untested() if request.remaining else ()
    if all(results.ids() is None for results in last.values()):
        raise SelectionError(
            f"{request.target} has not been run in this directory yet on {' or '.join(last)}. Run it once without "
            "--last-failed and --continue, or name the results of a run with --failed-in."
        )
    fate = " or ".join(["failed"] * request.last_failed + ["was left untested"] * request.remaining)
    return sorted({*ids} & {*known}), f"no selected scenario {fate} when {request.target} was last run"


def _report_sources(suite: Suite, commands: Callable[[Run], Commands], version: str) -> ReportSources:
    return ReportSources(
        suite.find_scenario,
        suite.contracts,
        suite.with_expectations_of,
        commands,
        version,
        suite.rules,
        lambda class_: select(suite, Selection(classes=(class_,))),
    )


def _open_reports(request: RunRequest, facts: RunFacts, stack: ExitStack) -> tuple[list[Report], Console]:
    """Open the reports that the user requested. Return the reports, and the console that is used for a progress bar."""
    terminal = stdout().isatty()
    table = _open_console(stdout())
    reports: list[Report] = []
    if request.output is not None:
        reports.append(_open_report(request, facts, stack.enter_context(output(request.output))))
    if request.output is None and request.format != "table":
        reports.append(_open_report(request, facts, stdout()))
    elif request.output is None or request.format != "table":
        reports.append(TableReport(table, facts, most_failures=request.most_failures))
    else:
        terminal = False
    # While a progress bar is shown, only its own console may print.
    return reports, table if terminal else console(err=True)


def _open_report(request: RunRequest, facts: RunFacts, stream: IO[str]) -> Report:
    match request.format:
        case "jsonl":
            return JsonlReport(stream, facts, request.version())
        case "markdown" | "html" | "badge" | "junit":
            sources = _report_sources(
                request.suite, lambda run: facts.commands(run.contract), request.version()
            )
            return PageReport(stream, facts, request.format, sources)
        case _:
            return TableReport(_open_console(stream), facts, most_failures=request.most_failures)


def _open_console(stream: IO[str]) -> Console:
    return console(stream=stream, width=None if stream.isatty() else _FILE_WIDTH_COLUMNS)
