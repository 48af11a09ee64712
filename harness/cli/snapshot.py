"""The command `readfirst product snapshot`."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import typer

from readfirst.harness.agents.claude_code.install import PACKAGE
from readfirst.harness.agents.npm import newest
from readfirst.harness.cli.error_handling import UsageError
from readfirst.harness.cli.options import TakesDirectory, open_own_suite, open_suite, running
from readfirst.harness.diff.diff import Diff, diff
from readfirst.harness.diff.introduced_in import add_versions
from readfirst.harness.diff.report import as_text, headline
from readfirst.harness.diff.sources import ContractSide, has_answers
from readfirst.harness.errors import ExitCode
from readfirst.harness.pluralize import pluralize
from readfirst.harness.processes.temp_dirs import sweep
from readfirst.harness.record.record import replay_scenarios
from readfirst.harness.record.recording_worker import Product, ReplayProgress
from readfirst.harness.record.replay_samples import StoredReplays, default_takes
from readfirst.harness.run.job_count import processors
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.suite import Suite
from readfirst.harness.terminal import say, say_lines
from readfirst.harness.versions.points import change_points, scenarios_of_changes
from readfirst.harness.versions.quick_check import QuickComparison, differing_by_model, quick_set
from readfirst.harness.versions.record_release import (
    MAX_UNANSWERED,
    Release,
    differing_beyond,
    predecessor,
    release_of,
    scenarios_to_record,
    unrecorded_scenarios,
    write_release,
)
from readfirst.reference_impl.behaviours_by_version import behaviour_histories


@running("jobs", "time_limit")
def snapshot(
    version: str = typer.Argument("latest", help="The published version, or `latest`."),
    quick: bool = typer.Option(
        False,
        "--quick",
        help="Check in a few minutes whether anything changed, and write nothing to the suite.",
    ),
    *,
    options: RunOptions,
    takes: TakesDirectory = None,
    fixtures: Path | None = typer.Option(
        None,
        help="The directory of the suite to write to.",
        show_default="the checkout's; with --quick the bundled one",
    ),
) -> int:
    """Record a new version as a contract, and show its differences from the version before; exit code 1 if there are
    any.

    Exit code 0: no expectation differs, or the version is already a contract. Needs npm; see `readfirst docs
    recording`.
    """
    named = [str(fixtures)] if fixtures is not None else None
    suite = (open_suite if quick else open_own_suite)(named)
    sweep()
    exact = exact_version(suite, version)
    if exact in suite.contracts:
        notice = f"{exact} is already a contract{', and nothing newer is published' if version == 'latest' else ''}"
        former = predecessor(suite.contracts, exact)
        how = f" `readfirst diff {former.name} {exact}` shows what it changed." if former else ""
        say(f"{notice}: nothing to record.{how}")
        return ExitCode.CONFORMANT
    release = release_of(suite.contracts, exact)
    kept = StoredReplays(takes or default_takes())
    options = replace(options, jobs=options.jobs or processors())
    with kept.held():
        return (_check_quickly if quick else _record_and_compare)(suite, release, kept, options)


def exact_version(suite: Suite, version: str) -> str:
    """Return `version`, or the newest published one for `latest`. Raises UsageError, and AdapterError if npm fails."""
    if version != "latest":
        if not re.fullmatch(r"\d+\.\d+\.\d+", version):
            advice = "Write it as it is published, for example 2.1.7, or `latest`."
            raise UsageError(f"{version!r} is not a version. {advice}")
        return version
    return newest(suite.contracts[suite.contracts.default].package or PACKAGE)


def record_contracts(
    suite: Suite, release: Release, takes: StoredReplays, options: RunOptions
) -> ExitCode | None:
    """Record all scenarios on a new version, and write its contracts. Return None if they were written, otherwise the
    exit code. Nothing is written if the share of scenarios without an answer is above MAX_UNANSWERED.
    """
    wanted = scenarios_to_record(suite, release)

    connect = partial(Product, suite, options)
    for is_last in (False, True):
        with ReplayProgress(suite, wanted, takes, options.jobs) as progress:
            for replay in replay_scenarios(suite, wanted, connect, takes, jobs=options.jobs):
                progress(replay)
        failures = write_release(
            suite, release, wanted, takes, progress.errors, max_unanswered=MAX_UNANSWERED if is_last else 0
        )
        if not failures.results or is_last or not failures.are_unanswered:
            break
    for result in failures.results:
        say(f"{result.status} {result.scenario_id}: {result.message}")
    if failures.written:
        return None
    say(f"{release.version} was not recorded: see above. Nothing was written; replays are kept.", err=True)
    return ExitCode.ERROR if progress.errors else ExitCode.SUITE_INVALID


def _record_and_compare(suite: Suite, release: Release, takes: StoredReplays, options: RunOptions) -> int:
    """Record all scenarios, write the contracts, and report the differences. Return the exit code."""
    ids = suite.ids()
    if (code := record_contracts(suite, release, takes, options)) is not None:
        return code
    written = suite.reopened()
    diffs = []
    for contract, before in release.contracts:
        result = diff(written, ContractSide(written, before), ContractSide(written, contract), ids)
        dated = add_versions(written, before, contract, result.causes, scenarios_of_changes())
        diffs.append(result.with_causes(dated))
    print_causes(diffs)
    for (contract, before), result in zip(release.contracts, diffs, strict=True):
        beyond = differing_beyond(written, result, contract, before)
        if beyond:
            differ = "differs" if len(beyond) == 1 else "differ"
            say(f"{contract.name}: {len(beyond)} more {differ} only in values that no expectation states")
        for scenario_id in beyond:
            say(f"  {scenario_id}")
    is_complete = not any(unrecorded_scenarios(written, *pair) for pair in release.contracts)
    is_same = is_complete and not any(result.causes for result in diffs)
    return ExitCode.CONFORMANT if is_same else ExitCode.NOT_CONFORMANT


def _check_quickly(suite: Suite, release: Release, takes: StoredReplays, options: RunOptions) -> int:
    """Replay a few scenarios, print whether the version changes anything and why, and return the exit code."""
    known = behaviour_histories()
    points = change_points(suite, known)
    pairs = [(suite.contracts.find(contract.name), before) for contract, before in release.contracts]
    chosen = cache(lambda capabilities: quick_set(suite, known, points, capabilities))
    ids = {
        contract.name: [
            scenario_id
            for scenario_id in chosen(contract.capabilities)
            if has_answers(ContractSide(suite, before), suite.scenario(scenario_id))
        ]
        for contract, before in pairs
    }
    newer_models, *others = pairs
    for contract, before in others:
        ids[contract.name] = differing_by_model(suite, ids[contract.name], newer_models[1], before)
    pairs = [newer_models, *((contract, before) for contract, before in others if ids[contract.name])]
    ids = {contract.name: ids[contract.name] for contract, _ in pairs}
    with ReplayProgress(suite, ids, takes, options.jobs) as progress:
        connect = partial(Product, suite, options)
        look = QuickComparison(suite, takes, connect, options.jobs, progress, _print_first_difference)
        diffs = look.compare(pairs, ids)
    say(_describe_result(release.version, pairs[0][1].name, diffs))
    if any(result.causes or result.left_out for result in diffs):
        print_causes(diffs)
    say(f"To record all scenarios, in a checkout: readfirst product snapshot {release.version}", err=True)
    if failed := sum(result.error for result in diffs):
        replays = pluralize(failed, "replay")
        say(f"readfirst: {replays} gave no answer, so the result is incomplete.", err=True)
        return ExitCode.ERROR
    return ExitCode.NOT_CONFORMANT if any(result.causes for result in diffs) else ExitCode.CONFORMANT


def _print_first_difference(contract: Contract, result: Diff) -> None:
    """Print the first scenario that differs, before all scenarios are replayed."""
    (scenario_id,) = result.differing
    cause = headline(result.causes[0])
    say(f"{contract.name}: {scenario_id} differs: {cause}; a second replay will confirm it", err=True)


def _describe_result(version: str, before: str, diffs: Sequence[Diff]) -> str:
    """Return a sentence that states whether the version changes anything."""
    if any(result.causes for result in diffs):
        return f"Yes: the file tools of {version} behave differently from those of {before}."
    compared = diffs[0].compared
    if not compared:
        return f"Unknown: no scenario got a steady answer from {version}."
    scenarios = "the one scenario that was replayed" if compared == 1 else f"all of {compared:,} scenarios"
    if by_model := sum(result.compared for result in diffs[1:]):
        scenarios += f", and with older models in {by_model:,} whose answers depend on the model"
    return f"No: the file tools of {version} do what those of {before} do, in {scenarios}."


def print_causes(diffs: Sequence[Diff]) -> None:
    """Print the causes of differences as `readfirst diff` does. Print equal causes of older models only once."""
    printed: list[str] = []
    for result in diffs:
        head, *lines = as_text(result)
        if lines and lines == printed:
            say(f"{head}, the same")
        else:
            say_lines((head, *lines))
        printed = printed or lines
