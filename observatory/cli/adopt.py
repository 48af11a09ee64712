"""Command `readfirst product adopt`."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import typer

from readfirst.harness.agents.claude_code.install import PACKAGE
from readfirst.harness.cli.options import TakesDirectory, open_own_suite, running
from readfirst.harness.cli.snapshot import exact_version, print_causes, record_contracts
from readfirst.harness.diff.diff import Diff
from readfirst.harness.errors import ExitCode
from readfirst.harness.pluralize import pluralize
from readfirst.harness.processes.temp_dirs import sweep
from readfirst.harness.record.recording_worker import Product, ReplayProgress
from readfirst.harness.record.replay_samples import StoredReplays, default_takes
from readfirst.harness.run.job_count import processors
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.product_versions import load_releases
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.terminal import say
from readfirst.harness.versions.record_release import release_of, unrecorded_scenarios
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.observatory.cli.pages import renew
from readfirst.observatory.product_data import RESULTS, TOOLS, record_product_data
from readfirst.observatory.versions.adoption import (
    adoption_report,
    dated_differences,
    record_between,
    reference_tasks,
)
from readfirst.observatory.versions.bisect import Answers, VersionReplays, compared_parts
from readfirst.observatory.versions.history import releases_text
from readfirst.observatory.versions.npm_versions import published_versions
from readfirst.observatory.versions.retirement import (
    MAX_CONTRACTS,
    distinct_scenarios,
    retire,
    retiring_version,
)
from readfirst.reference_impl.behaviours_by_version import behaviour_histories


@running("jobs", "time_limit")
def adopt(
    version: str = typer.Argument("latest", help="A published version of the product, or `latest`."),
    report: Path | None = typer.Option(
        None, help="Write the differences for users, and the remaining tasks, to this file in Markdown."
    ),
    *,
    options: RunOptions,
    takes: TakesDirectory = None,
    fixtures: Path | None = typer.Option(
        None, help="The directory of the suite to write to.", show_default="the checkout's"
    ),
) -> int:
    """Make a new version the newest contract. If the command stops, run it again to continue.

    Requires npm; see `readfirst docs recording`. Exit code 0: everything is done. 1: tasks remain for a person, which
    the output lists.
    """
    suite = open_own_suite([str(fixtures)] if fixtures is not None else None)
    sweep()
    exact = exact_version(suite, version)
    options = replace(options, jobs=options.jobs or processors())
    kept = StoredReplays(takes or default_takes())
    with kept.held():
        if exact not in suite.contracts:
            release = release_of(suite.contracts, exact)
            failure = record_contracts(suite, release, kept, options)
            if failure is not None:
                return failure
            suite = Suite(suite.root)
        file = suite.root / "releases.yaml"
        if exact not in load_releases(file).versions:
            package = suite.contracts[suite.contracts.default].package or PACKAGE
            write_all({file: releases_text(published_versions(package)).encode()})
        for name in _record_given(suite, exact, options):
            say(f"recorded {name}", err=True)
        found = [
            _date_causes(suite, contract, before, kept, options) for contract, before in _pairs(suite, exact)
        ]
    print_causes(found)
    left = [*_remaining_work(suite, exact, found)]
    if report is not None:
        write_all({report: adoption_report(found, left).encode()})
    for line in left:
        say(f"left for a person: {line}")
    if suite.root.resolve() == default_root().resolve() and (code := renew()):
        return code
    return ExitCode.NOT_CONFORMANT if left else ExitCode.CONFORMANT


def _pairs(suite: Suite, version: str) -> Iterator[tuple[Contract, Contract]]:
    """Yield each contract of a version with the contract before it. Skips the oldest contract of the suite."""
    for contract in suite.contracts.recorded:
        if contract.version == version and (before := suite.contracts.before(contract)) is not None:
            yield contract, before


def _record_given(suite: Suite, version: str, options: RunOptions) -> Iterator[str]:
    """Record the tool definitions and structured results of a version, if missing. Yield a line for each recording."""
    contracts = [each for each in suite.contracts.recorded if each.version == version]
    for given in (TOOLS, RESULTS):
        file = given.file(suite.root)
        known = given.load(file) if file.exists() else {}
        missing = [each for each in contracts if each.name not in known]
        if file.exists() and missing:
            for name in record_product_data(given, suite, missing, write=True, time_limit=options.time_limit):
                yield f"{name} {given.name}"


def _date_causes(
    suite: Suite, contract: Contract, before: Contract, takes: StoredReplays, options: RunOptions
) -> Diff:
    """Return the differences between two contracts. Record versions in between to date each difference."""
    found = dated_differences(suite, contract, before)
    variant = contract.name.removeprefix(contract.version or "")
    replays = VersionReplays(suite, takes, partial(Product, suite, options), variant, jobs=options.jobs)

    def ask(version: str, ids: Sequence[str]) -> Answers:
        name = replays.contract(version).name
        recorded = {each: suite.recordings.recording(each).transcripts for each in ids}
        left = [each for each in ids if name not in recorded[each]]
        known = {each: recorded[each][name] for each in ids if name in recorded[each]}
        with ReplayProgress(suite, {name: left}, takes, options.jobs) as progress:
            known.update(replays(version, left, progress))
        return {each: compared_parts(answer, "text") for each, answer in known.items()}

    versions = load_releases(suite.root / "releases.yaml").versions
    for result in record_between(replays, versions, found, before, contract, ask):
        if not result.ok:
            say(f"{result.status} {result.scenario_id}: {result.message}")
    return dated_differences(Suite(suite.root), contract, before)


def _remaining_work(suite: Suite, version: str, found: Sequence[Diff]) -> Iterator[str]:
    """Yield the tasks that remain for a person. Removes the previous contract if there are more than MAX_CONTRACTS."""
    for contract, before in _pairs(suite, version):
        left_out = unrecorded_scenarios(suite, contract, before)
        if left_out:
            yield (
                f"{contract.name} has no recording of {pluralize(len(left_out), 'scenario')}: readfirst product "
                f"record --contract {contract.name} {' '.join(left_out)} (or --leave-out REASON)"
            )
    names = [name for each in found if (name := each.after) and not _is_followed(suite, name, each.differing)]
    if names:
        yield from reference_tasks(found, behaviour_histories())
        yield (
            f"the reference: raise LAST_VERSION in reference_impl/behaviours_by_version.py to {version}, and change "
            f"the behaviours until `readfirst run reference --contract {names[0]}` passes"
        )
        yield f"the summary of {version} in fixtures/contracts.yaml"
        yield f"then run again: readfirst product adopt {version}"
        return
    if len(suite.contracts.recorded) <= MAX_CONTRACTS:
        return
    former = retiring_version(suite.contracts, version)
    if former is None:
        yield f"there are {len(suite.contracts.recorded)} contracts, more than {MAX_CONTRACTS}: remove one"
    elif all(_is_followed(suite, *kept) for kept in distinct_scenarios(suite, former).items()):
        retire(suite, former)
        say(f"{former} is not a contract any more; recordings keep its answers for scenarios that differ")
    else:
        yield f"{former} stays a contract: the reference does not behave like it in every scenario that differs"


def _is_followed(suite: Suite, name: str, ids: Sequence[str] | frozenset[str]) -> bool:
    if not ids:
        return True
    command = ["run", "reference", "--contract", name, "--fixtures", str(suite.root), *sorted(ids)]
    done = subprocess.run([sys.executable, "-m", "readfirst", *command], capture_output=True, check=False)
    return done.returncode == ExitCode.CONFORMANT
