"""Release commands: `readfirst snapshot`; the command line registers it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.exit_code import ExitCode
from harness.guard import UsageError, guarded
from harness.options import Jobs, TimeLimit

# Everything else is imported by the command that needs it, as in the command line itself.

__all__ = ["snapshot"]


@guarded
def snapshot(
    version: Annotated[str, typer.Argument(help="The published version, or `latest`.")],
    jobs: Jobs = 1,
    takes: Annotated[
        Path | None,
        typer.Option(
            help="The folder for takes; an interrupted run goes on from it.", show_default="a cache"
        ),
    ] = None,
    time_limit: TimeLimit = 30.0,
    fixtures: Annotated[Path, typer.Option(help="The folder of the suite to write to.")] = Path("fixtures"),
) -> int:
    """Record a new version as a contract and tell what differs from the newest known one; exit code 1 if anything does.

    Exit code 0: nothing differs that an expectation states, or the version is a contract already. Needs npm; see
    docs/recording.md.
    """
    from rich.console import Console

    from harness.claude_code.package import PACKAGE
    from harness.product import Product
    from harness.record import take
    from harness.registry import newest
    from harness.release import ReleaseError, differing, differing_beyond, release_of, write_release
    from harness.report.progress import ProgressBar
    from harness.suite import Suite
    from harness.takes import NUMBERS, Takes, default_takes

    suite = Suite(fixtures)
    package = suite.contracts[suite.contracts.default].package or PACKAGE
    exact = newest(package) if version == "latest" else version
    if exact in suite.contracts:
        print(f"{exact} is a contract already: nothing to record.")
        return ExitCode.CONFORMANT
    try:
        release = release_of(suite.contracts, exact)
    except ReleaseError as error:
        raise UsageError(str(error)) from error
    ids = suite.ids()
    new = [contract for contract, _ in release.contracts]
    kept = Takes(takes if takes is not None else default_takes())
    broken: dict[tuple[str, str], str] = {}
    with ProgressBar(Console(stderr=True), len(NUMBERS) * len(ids) * len(new)) as bar:
        for each in take(
            suite,
            {contract.name: ids for contract in new},
            lambda each: Product(suite.root, each.name, time_limit),
            kept,
            jobs=jobs,
        ):
            bar.advance()
            if each.status == "broken":
                broken[each.scenario_id, each.contract] = each.message
    whole = True
    for result in write_release(suite, release, ids, kept, broken):
        if not result.ok:
            whole = False
            print(f"{result.status} {result.scenario_id}: {result.message}", flush=True)
    if not whole:
        print(f"{exact} was not recorded: see above. Nothing was written; takes are kept.", file=sys.stderr)
        return ExitCode.BROKEN if broken else ExitCode.SUITE_INVALID
    written = Suite(fixtures)
    changed = False
    for contract, before in release.contracts:
        differ = differing(written, ids, contract, before)
        changed = changed or bool(differ)
        print(f"{contract.name}: {len(differ)} of {len(ids)} scenarios differ from {before.name}")
        for scenario_id in differ:
            print(f"  {scenario_id}")
        beyond = differing_beyond(written, ids, contract, before)
        if beyond:
            print(f"{contract.name}: {len(beyond)} more answer otherwise in what expectations leave open")
        for scenario_id in beyond:
            print(f"  {scenario_id}")
    if changed:
        print(f"readfirst diff {release.contracts[0][1].name} {exact} tells what changed.", file=sys.stderr)
    return ExitCode.NOT_CONFORMANT if changed else ExitCode.CONFORMANT
