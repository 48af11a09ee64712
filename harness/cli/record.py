"""The commands `readfirst product record` and `readfirst product merge`."""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from readfirst.harness.cli.error_handling import UsageError
from readfirst.harness.cli.options import (
    FEW_SELECTION_OPTIONS,
    Fixtures,
    Ids,
    Jobs,
    Selected,
    Trust,
    open_own_suite,
    open_suite,
    parse_shard,
    running,
    selecting,
)
from readfirst.harness.errors import ExitCode
from readfirst.harness.pluralize import pluralize
from readfirst.harness.processes.temp_dirs import Scratch, sweep
from readfirst.harness.record.record import (
    Mode,
    Recorded,
    accept_replays,
    find_unrecorded,
    replay_scenarios,
    store_reason,
)
from readfirst.harness.record.record import record as record_scenarios
from readfirst.harness.record.recording_worker import Product, ReplayProgress
from readfirst.harness.record.replay_samples import ProductReplayResult, StoredReplays, default_takes
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.selection import select
from readfirst.harness.suite.suite import Suite
from readfirst.harness.terminal import say, say_lines
from readfirst.harness.yaml_io.atomic_write import write_all

Contracts = Annotated[
    list[str] | None,
    typer.Option(
        "--contract",
        help="Record the answers of this contract (repeatable), or of `all` contracts.",
        show_default="the one that each scenario states",
    ),
]
Missing = Annotated[
    bool, typer.Option("--missing", help="Record only missing recordings, on every contract.")
]
Fix = Annotated[bool, typer.Option("--fix", help="Also replace expectations that the product contradicts.")]
Check = Annotated[bool, typer.Option("--check", help="Write nothing; exit code 1 if anything would change.")]


@selecting(FEW_SELECTION_OPTIONS)
@running("time_limit", jobs=(Jobs, 1))
def record(
    ids: Ids = None,
    contract: Contracts = None,
    missing: Missing = False,
    fix: Fix = False,
    check: Check = False,
    *,
    selection: Selected,
    leave_out: str | None = typer.Option(
        None,
        metavar="REASON",
        help="Record nothing. For each contract of --contract, store this reason instead of a recording.",
    ),
    shard: str | None = typer.Option(
        None,
        metavar="I/N",
        help="Record only the I-th of N parts; `readfirst product merge` writes the expectations of all parts.",
    ),
    takes: Path | None = typer.Option(
        None,
        help="The directory for replays; an interrupted run resumes from it.",
        show_default="a cache, with --check a fresh one",
    ),
    options: RunOptions,
    fixtures: Fixtures = None,
    trust: Trust = False,
) -> int:
    """Record the answers of the real product into scenarios. Needs npm and node; see `readfirst docs recording`.

    A scenario is recorded on its own contract, 2.1.7 by default. This contract suffices for a new scenario. `--missing`
    records the other contracts later.
    """
    mode = _parse_mode(fix, check)
    suite = (open_suite if check else open_own_suite)(fixtures, trust=trust)
    sweep()
    selected = select(suite, replace(selection, ids=tuple(ids or ())))
    if shard is not None:
        if takes is None:
            raise UsageError("--shard needs --takes DIR, which `readfirst product merge` reads.")
        part, parts = parse_shard(shard)
        selected = selected[part - 1 :: parts]
    wanted = _select_scenarios(suite, selected, contract, missing=missing)
    if leave_out is not None:
        return _store_reason(suite, wanted, leave_out)
    if missing and selected and not wanted:
        say(f"nothing is missing in {pluralize(len(selected), 'scenario')}", err=True)
        return ExitCode.CONFORMANT
    with ExitStack() as stack:
        # A check replays the product again: earlier replays do not count.
        folder = takes or (stack.enter_context(Scratch()).folder() if check else default_takes())
        kept = StoredReplays(folder)
        stack.enter_context(kept.held())
        progress = stack.enter_context(ReplayProgress(suite, wanted, kept, options.jobs))

        def report_replay(replay: ProductReplayResult) -> None:
            progress(replay)
            subject = f"{replay.scenario_id}: {replay.contract}: {replay.message}"
            if replay.status == "error":
                say(f"error {subject}")
            elif replay.message and replay.number == 1:
                say(f"note: {subject}; add them while others are replayed")

        connect = partial(Product, suite, options)
        if shard is None:
            results = record_scenarios(
                suite, wanted, mode, connect, kept, jobs=options.jobs, progress=report_replay
            )
            return _print_results(results, wanted)
        for replay in replay_scenarios(suite, wanted, connect, kept, jobs=options.jobs):
            report_replay(replay)
    say(f"{pluralize(len(selected), 'scenario')} taken for shard {shard}", err=True)
    return ExitCode.ERROR if progress.errors else ExitCode.CONFORMANT if selected else ExitCode.NOTHING


@selecting(FEW_SELECTION_OPTIONS)
def merge(
    folders: list[Path] = typer.Argument(..., metavar="DIR...", help="The --takes directory of each shard."),
    contract: Contracts = None,
    missing: Missing = False,
    fix: Fix = False,
    check: Check = False,
    *,
    selection: Selected,
    fixtures: Fixtures = None,
) -> int:
    """Merge the recordings of several shards into the suite, as `record` does with its own replays."""
    mode = _parse_mode(fix, check)
    suite = (open_suite if check else open_own_suite)(fixtures)
    selected = select(suite, selection)
    wanted = _select_scenarios(suite, selected, contract, missing=missing)
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a directory. Name the --takes directory of a shard.")
    with Scratch() as scratch:
        merged = StoredReplays(scratch.folder())
        for folder in folders:
            shutil.copytree(folder, merged.root, dirs_exist_ok=True)
        return _print_results(accept_replays(suite, wanted, mode, merged), wanted)


def _parse_mode(fix: bool, check: bool) -> Mode:
    if fix and check:
        raise UsageError("--fix and --check exclude each other.")
    return "fix" if fix else "check" if check else "create"


def _select_scenarios(
    suite: Suite, ids: Sequence[str], names: list[str] | None, *, missing: bool
) -> dict[str, Sequence[str]]:
    """Return the ids of the scenarios to record, by contract: each scenario's own contract, or the contracts `names`.
    With `missing`, return only scenarios without a valid recording. Raises UsageError if only invariants are selected.
    """
    scenarios = {scenario_id: suite.scenario(scenario_id, require_expect=False) for scenario_id in ids}
    ids = [scenario_id for scenario_id, scenario in scenarios.items() if not scenario.invariant]
    if scenarios and not ids:
        raise UsageError("An invariant has no recording: it only checks that no harm occurs. Run it instead.")
    if missing:
        contracts = contracts_named(suite, names or ["all"])
        return dict(find_unrecorded(suite, ids, contracts))
    if names:
        return {contract.name: ids for contract in contracts_named(suite, names)}
    own: dict[str, list[str]] = {}
    for scenario_id in ids:
        own.setdefault(scenarios[scenario_id].contract, []).append(scenario_id)
    contracts_named(suite, list(own))  # raises UsageError for a contract without a product
    return dict(own)


def _store_reason(suite: Suite, wanted: Mapping[str, Sequence[str]], why: str) -> int:
    """Replace the answers in the recordings of these scenarios by the reason `why`. Return the exit code."""
    if not why.strip():
        raise UsageError("--leave-out needs a reason: a sentence that is stored in the recording.")
    chosen = [(scenario_id, name) for name, ids in wanted.items() for scenario_id in ids]
    if not chosen:
        raise UsageError(
            "--leave-out needs scenarios and contracts: name the ids of scenarios, and contracts with --contract."
        )
    for scenario_id, name in chosen:
        scenario = suite.scenario(scenario_id, require_expect=False)
        if scenario.contract == name and not scenario.composed:
            problem = f"{scenario_id} states what {name} does"
            raise UsageError(
                f"{problem}, so --leave-out cannot store a reason for {name}. Name other contracts with --contract."
            )
    for scenario_id, name in chosen:
        write_all(store_reason(suite, scenario_id, name, why.strip()))
        say(f"left out {scenario_id} on {name}")
    return ExitCode.CONFORMANT


def contracts_named(suite: Suite, names: list[str]) -> list[Contract]:
    """Return the recorded contracts `names`, or all for `all`. Raises UsageError if a contract is not recorded."""
    if "all" in names:
        return list(suite.contracts.recorded)
    chosen = [suite.contracts.find(name) for name in dict.fromkeys(names)]
    for contract in chosen:
        if not contract.recorded:
            version = contract.extends or suite.contracts.latest
            raise UsageError(
                f"{contract.name} has no product to record: its expectations are written by hand. Use --contract "
                f"{version.name} to record the answers of a version."
            )
    return chosen


def _print_results(results: Iterable[Recorded], wanted: Mapping[str, Sequence[str]]) -> int:
    counts: dict[str, int] = {}
    ok = True
    for result in results:
        counts[result.status] = counts.get(result.status, 0) + 1
        ok = ok and result.ok
        if result.status != "unchanged":
            message = f": {result.message}" if result.message else ""
            say_lines(f"{result.status} {result.scenario_id}{message}".splitlines())
    total = ", ".join(f"{number} {status}" for status, number in counts.items())
    number = sum(counts.values())
    on = f" on {', '.join(wanted)}" if wanted else ""
    say(f"{pluralize(number, 'scenario')}{on}: {total or 'nothing was selected'}", err=True)
    if not counts:
        return ExitCode.NOTHING
    if counts.get("error"):
        return ExitCode.ERROR
    return ExitCode.CONFORMANT if ok else ExitCode.NOT_CONFORMANT
