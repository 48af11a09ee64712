"""Between: hold the reference to the real product in any version, also one between two contracts, side by side.

    python3 observatory/tools/between.py 2.1.270 2.1.240+gated [--family NAME]...

What scenarios expect of a version between two contracts is as exact as their recordings are near; here the product
itself answers, and the reference at the same version must do the same, word for word. Scenarios that pin only the
beginning of an answer, or need a tool that the version does not have, are left out and counted.

Needs npm and node; a version takes some minutes. Exit code 1 if there was any disagreement, 2 if a version cannot be
had or nothing was selected.
"""

from __future__ import annotations

# ruff: noqa: E402
import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(CHECKOUT))

from readfirst.harness.adapter_api import BrokenAdapter
from readfirst.harness.run.connect import ConnectError, connect
from readfirst.harness.suite.contracts import Contract, UnknownContractError
from readfirst.harness.suite.scenario import Scenario, TextDigest
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Recording
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.observatory.fuzz.differential import DifferentialRunner
from readfirst.observatory.fuzz.disagreement import Disagreement

"""Seconds that one call may take."""


class NothingToCompareError(Exception):
    """No scenario is left: nothing would be asked, and nothing could disagree."""


def is_comparable(scenario: Scenario, recording: Recording, contract: Contract) -> bool:
    """Whether both sides can be asked, and their whole answers are compared.

    False if the scenario, or a recording of any contract, keeps only the beginning of an answer.
    """
    calls = list(scenario.calls())
    clauses = (clause for call in calls for clause in call.expect.clauses())
    pinned = any(isinstance(each.text, TextDigest) and each.text.sha256 is None for each in clauses)
    steps = (step for transcript in recording.transcripts.values() for step in transcript.steps)
    cut = any(result.cut is not None for step in steps for result in step.results)
    return not (pinned or cut) and all(call.tool in contract.tools for call in calls)


def disagreements(
    scenarios: Iterable[Scenario], duel: DifferentialRunner
) -> Iterator[tuple[Scenario, Disagreement]]:
    """Yield the scenarios in which the two sides differ. Raises BrokenAdapter."""
    for scenario in scenarios:
        found = duel(scenario)
        if found is not None:
            yield scenario, found


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and return the exit code."""
    options = _options(arguments)
    suite = Suite(CHECKOUT / "fixtures")
    differ = 0
    for name in options.versions:
        try:
            differ += _compared(suite, name, options.family)
        except (UnknownContractError, ConnectError, BrokenAdapter, NothingToCompareError) as error:
            print(f"between: {name}: {error}", file=sys.stderr)
            return 2
    return int(differ > 0)


def _compared(suite: Suite, name: str, families: Sequence[str]) -> int:
    """Compare in one version, print what differs, and return in how many scenarios."""
    contract = suite.contracts.find(name)
    chosen = [each for each in suite.scenarios() if not families or each.family in families]
    recordings = suite.recordings
    asked = [each for each in chosen if is_comparable(each, recordings.recording(each.id), contract)]
    if not asked:
        raise NothingToCompareError(
            "no scenario of these families can be compared; readfirst list shows them"
        )
    reference = connect("reference", suite, contract=contract)
    product = connect(f"claude-code:{name}", suite, contract=contract)
    differ = 0
    try:
        with WorkspacePool() as place:
            ignored = contract.ignores_outer_whitespace
            duel = DifferentialRunner(
                reference, product, place, "text", suite.vocabulary, ignores_outer_whitespace=ignored
            )
            for scenario, found in disagreements(asked, duel):
                differ += 1
                print(f"{scenario.id}, step {found.step + 1}: {found.cause}, {found.what}")
                print(f"  reference: {found.reference!r}\n  {name}: {found.target!r}", flush=True)
    finally:
        getattr(product, "close", lambda: None)()
    left_out = len(chosen) - len(asked)
    print(f"{name}: {len(asked)} scenarios, {differ} disagreements; {left_out} left out", flush=True)
    return differ


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="between.py"
    )
    parser.add_argument("versions", nargs="+", metavar="VERSION", help="a version, or one with +gated")
    parser.add_argument("--family", action="append", default=[], help="only this family; repeatable")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
