"""Open the real product in recording workers, estimate the duration of replays, and show their progress."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from packaging.version import Version

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.agents.claude_code.session_sharing import needs_own_session
from readfirst.harness.pluralize import pluralize
from readfirst.harness.record.confirmation import Confirmation, Replays
from readfirst.harness.record.replay_samples import ProductReplayResult, StoredReplays
from readfirst.harness.report.progress import ProgressBar, duration
from readfirst.harness.run.connect import connect
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.suite import Suite
from readfirst.harness.terminal import console, say


@dataclass(frozen=True, slots=True)
class Product:
    """Opens the product of one contract (`claude-code:CONTRACT`) when called. Picklable, for worker processes."""

    suite: Suite
    options: RunOptions
    contract: Contract

    def __call__(self) -> Adapter:
        """Install the product if necessary, and return its adapter. Raises AdapterError."""
        name = f"claude-code:{self.contract.name}"
        return connect(name, self.suite, self.options, contract=self.contract)


_SCRIPT_STARTUP_S, _BINARY_STARTUP_S = 2.0, 1.2
"""Measured seconds to start a version that is a script, and one that is a binary, with one worker per processor."""
_FIRST_BINARY_VERSION = Version("2.1.113")
"""First version of the product that is a binary. Earlier versions are scripts."""
_SCENARIO_S = 0.25
"""Seconds that a scenario takes in a running session. Used to estimate the duration of replays."""
MIN_PRINTED_ESTIMATE_S = 30.0
"""Minimum seconds of an estimate. A shorter estimate is not printed."""


class ReplayProgress:
    """Context manager that shows the progress of replays, preceded by an estimate. Must be called with each finished
    replay. `errors` contains the reasons for missing replays, by scenario and contract.
    """

    def __init__(
        self, suite: Suite, wanted: Mapping[str, Sequence[str]], takes: StoredReplays, jobs: int = 1
    ) -> None:
        self.errors: dict[tuple[str, str], str] = {}
        missing = Confirmation(suite, takes).missing_replays(wanted)
        self._planned = {
            (scenario_id, name, number)
            for name, replays in missing.items()
            for number, ids in enumerate(replays, 1)
            for scenario_id in ids
        }
        self._estimate = estimate(suite, missing, jobs)
        self._bar = ProgressBar(console(err=True), len(self._planned))

    def __call__(self, replay: ProductReplayResult) -> None:
        """Count a finished replay. A replay that was not planned, such as a second replay, increases the total."""
        if (replay.scenario_id, replay.contract, replay.number) not in self._planned:
            self._bar.extend(1)
        if replay.status == "error":
            self.errors[replay.scenario_id, replay.contract] = replay.message
        self._bar.advance(failed=replay.status == "error")

    def __enter__(self) -> Self:
        if self._estimate:
            say(self._estimate, err=True)
        self._bar.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()


def estimate(suite: Suite, replays: Replays, jobs: int = 1) -> str:
    """Return a line with the number and estimated duration of replays. Empty if they are fast. Raises SuiteError."""
    runs = [(name, ids) for name, numbered in replays.items() for ids in numbered]
    seconds = sum(replay_seconds(suite, ids, suite.contracts.find(name).version, jobs) for name, ids in runs)
    if seconds < MIN_PRINTED_ESTIMATE_S:
        return ""
    number = sum(len(ids) for _, ids in runs)
    scenarios = len({scenario_id for _, ids in runs for scenario_id in ids})
    names = " and ".join(replays) if len(replays) < 3 else f"{len(replays)} contracts"
    return (
        f"{pluralize(scenarios, 'scenario')} on {names}: {number:,} replays, about {seconds / number:.1f} s each, "
        f"{duration(seconds)} in all; answers that differ from the neighbouring contract are replayed again"
    )


def replay_seconds(suite: Suite, ids: Sequence[str], version: str | None, jobs: int = 1) -> float:
    """Estimate the seconds of one replay of each scenario on a version. Raises SuiteError."""
    parsed = None if version is None else Version(version)
    separate = sum(needs_own_session(suite.scenario(each, require_expect=False), parsed) for each in ids)
    sessions = separate + (1 if len(ids) > separate else 0)
    is_binary = parsed is not None and parsed >= _FIRST_BINARY_VERSION
    startup = _BINARY_STARTUP_S if is_binary else _SCRIPT_STARTUP_S
    return (sessions * startup + len(ids) * _SCENARIO_S) / min(jobs, max(len(ids), 1))
