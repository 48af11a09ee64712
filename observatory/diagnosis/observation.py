"""Observation: what an implementation does in the scenarios, from a run of it or from the stream of one."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.report.jsonl import read_stream
from readfirst.harness.run.run_options import DEFAULT, RunOptions
from readfirst.harness.run.runner import run
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.diagnosis.fingerprint import BROKEN, Fingerprint, fingerprint_of, is_lacking
from readfirst.observatory.diagnosis.lookup_table import Table


class ObservationError(ReadfirstError):
    """There is nothing to diagnose; the message says what to do."""


def run_observed(
    suite: Suite, target: str, ids: Sequence[str], options: RunOptions = DEFAULT
) -> dict[str, Fingerprint]:
    """Replay scenarios on a target, each compared with the contract that its file states. Raises what `run` raises."""
    observed: dict[str, Fingerprint] = {}
    left = list(ids)
    default = suite.contracts.default
    # The reference does what its contract says, so that another contract would be another implementation.
    others = (
        []
        if target == "reference"
        else [each.name for each in suite.contracts.recorded if each.name != default]
    )
    for contract in (default, *others):
        own = [each for each in left if contract == default or suite.scenario(each).contract == contract]
        if not own:
            continue
        with closing(run(suite, target, [contract], "reason", own, options)) as verdicts:
            silent = _take(observed, verdicts)
        if contract == default:
            left = silent
    return observed


def read_observed(suite: Suite, file: Path) -> tuple[str, dict[str, Fingerprint]]:
    """Return the name of what a stream of `--format jsonl` is of, and what it did.

    Raises StreamError for an incomplete stream, ObservationError for one that does not hold the implementation
    to the contract that the scenarios state.
    """
    runs = {each.contract: each for each in read_stream(file)}
    default = suite.contracts.default
    if default not in runs:
        raise ObservationError(
            f"{file} is of the contract {', '.join(runs)}. Run the target again with --contract {default}, which is "
            "what the scenarios state."
        )
    observed: dict[str, Fingerprint] = {}
    left = _take(observed, (verdict for verdict, _ in runs[default].judged))
    known = set(left).intersection(suite.ids())  # the stream may be of a suite that has more
    own = {each: suite.scenario(each).contract for each in known} if len(runs) > 1 else {}
    for contract, other in runs.items():
        _take(observed, (verdict for verdict, _ in other.judged if own.get(verdict.scenario_id) == contract))
    if not observed:
        raise ObservationError(f"{file} judges no scenario, so there is nothing to diagnose.")
    return runs[default].name or runs[default].target, observed


def _take(observed: dict[str, Fingerprint], verdicts: Iterable[Verdict]) -> list[str]:
    """Add what verdicts tell, and return the scenarios of which the contract says nothing."""
    silent = []
    for verdict in verdicts:
        found = fingerprint_of(verdict)
        if found is not None:
            observed[verdict.scenario_id] = found
        elif verdict.status == "unspecified":
            silent.append(verdict.scenario_id)
    return silent


def comparable(table: Table, observed: Mapping[str, Fingerprint]) -> dict[str, Fingerprint]:
    """Return the results without scenarios for which the implementation lacks something that every version has.

    Without MultiEdit there are some versions. Scenarios of the table that need a process of their own are left out.
    """
    lacking = {each for row in table.rows.values() for each in row.known() if is_lacking(each)}
    return {
        name: found
        for name, found in observed.items()
        if (name not in table.rows or table.rows[name].known() != {BROKEN})
        and (not is_lacking(found) or found in (table.rows[name].known() if name in table.rows else lacking))
    }
