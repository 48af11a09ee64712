"""Get the results of an implementation from a run or from a results file, and select the scenarios for a diagnosis."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.report.jsonl import read_stream
from readfirst.harness.run.run_options import DEFAULT, RunOptions
from readfirst.harness.run.runner import run
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.diagnosis.fingerprint import Fingerprint, fingerprint_of
from readfirst.reference_impl import behaviours_of
from readfirst.reference_impl.behaviours_by_version import behaviour_histories

MAX_SAMPLE_SIZE = 450
"""If there are more scenarios, a diagnosis searches only those that `search_sample` selects."""
_VERSION_SPECIFIC_TOOLS = {"MultiEdit", "NotebookRead"}
"""Tools that only some versions of the product have. A scenario that uses one of them is still compared."""


class ObservationError(ReadfirstError):
    """The results to diagnose are missing. The message describes the solution."""


def observe_run(
    suite: Suite, target: str, ids: Sequence[str], options: RunOptions = DEFAULT
) -> dict[str, Fingerprint]:
    """Replay scenarios on a target with the default contract. If the default contract does not cover a scenario, use
    the contract of the scenario.
    """
    observed: dict[str, Fingerprint] = {}
    default = suite.contracts.default

    def observe(contract: str, contract_ids: Sequence[str]) -> list[str]:
        with closing(run(suite, target, [contract], "reason", contract_ids, options)) as verdicts:
            return _add_results(observed, verdicts)

    left = observe(default, ids)
    # The reference follows its contract: with a different contract it would be a different implementation.
    for contract in () if target == "reference" else suite.contracts.recorded:
        own = [each for each in left if suite.scenario(each).contract == contract.name != default]
        if own:
            observe(contract.name, own)
    return observed


def read_observations(suite: Suite, file: Path) -> tuple[str, dict[str, Fingerprint]]:
    """Return an implementation's name and its results from a JSON Lines file. Raises StreamError, ObservationError."""
    runs = {each.contract: each for each in read_stream(file)}
    default = suite.contracts.default
    if default not in runs:
        raise ObservationError(
            f"{file} has results for the contract {', '.join(runs)} only, but diagnosis needs {default}, the contract "
            f"of the scenarios' expectations. Run the target again with --contract {default}."
        )
    observed: dict[str, Fingerprint] = {}
    left = _add_results(observed, (verdict for verdict, _ in runs[default].judged))
    ids = set(suite.ids())  # the stream may be of a suite that has more
    contract_ids = (
        {each: suite.scenario(each).contract for each in ids.intersection(left)} if len(runs) > 1 else {}
    )
    for contract, other in runs.items():
        _add_results(
            observed,
            (verdict for verdict, _ in other.judged if contract_ids.get(verdict.scenario_id) == contract),
        )
    observed = {each: found for each, found in observed.items() if each in ids}
    if not observed:
        raise ObservationError(f"{file} judges no scenario, so there is nothing to diagnose.")
    return runs[default].name or runs[default].target, observed


def _add_results(observed: dict[str, Fingerprint], verdicts: Iterable[Verdict]) -> list[str]:
    """Add the results in the verdicts to `observed`. Return the scenarios that the contract does not cover."""
    uncovered = []
    for verdict in verdicts:
        found = fingerprint_of(verdict)
        if found is not None:
            observed[verdict.scenario_id] = found
        elif verdict.status == "unspecified":
            uncovered.append(verdict.scenario_id)
    return uncovered


def without_missing_capabilities(observed: Mapping[str, Fingerprint]) -> dict[str, Fingerprint]:
    """Remove results of scenarios that need a missing capability, unless some product version also lacks it."""
    compared = {}
    for name, found in observed.items():
        lacks, _, tools = found.effects.partition(" ")
        if lacks != "lacks" or {*tools.split(", ")} <= _VERSION_SPECIFIC_TOOLS:
            compared[name] = found
    return compared


def search_sample(suite: Suite, ids: Collection[str]) -> list[str]:
    """Return all `ids` or, if there are more than MAX_SAMPLE_SIZE, scenarios that show each behaviour and each rule."""
    if len(ids) <= MAX_SAMPLE_SIZE:
        return sorted(ids)
    shown = {name for history in behaviour_histories().values() for name in history.shown_by} & {*ids}
    covered = {suite.heading(each).rule for each in shown}
    others = {suite.heading(each).rule: each for each in sorted(ids, reverse=True)}
    return sorted(shown.union(each for rule, each in others.items() if rule not in covered))


def reference_contracts(suite: Suite) -> tuple[str, ...]:
    """Return the names of the suite's contracts that the reference supports, in the order of the suite."""
    found = []
    for each in suite.contracts:
        with suppress(ValueError):
            behaviours_of(each.name)
            found.append(each.name)
    return tuple(found)
