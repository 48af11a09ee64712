"""Open the real product in worker processes, estimate the duration of replays, and show their progress."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from packaging.version import Version

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.agents.claude_code.session_sharing import needs_own_session
from readfirst.harness.pluralize import pluralize
from readfirst.harness.record.confirmation import Confirmation, Replays
from readfirst.harness.record.replay_samples import Take, Takes
from readfirst.harness.report.progress import ProgressBar, duration
from readfirst.harness.run.connect import connect
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.suite.suite import Suite
from readfirst.harness.terminal import console, say


@dataclass(frozen=True, slots=True)
class Product:
    """A function object, which can be sent to worker processes, that opens `claude-code:CONTRACT`."""

    suite: Suite
    contract: str
    options: RunOptions

    def __call__(self) -> Adapter:
        """Install the product if necessary, and open it. Raises AdapterError."""
        contract = self.suite.contracts.find(self.contract)
        name = f"claude-code:{self.contract}"
        return connect(name, self.suite, self.options, contract=contract)


_SCRIPT_STARTUP_S, _PROGRAM_STARTUP_S = 2.0, 1.2
"""Seconds that the start of a session takes: for versions that are scripts, and for versions that are binaries. They
are longer than in docs/recording-design.md, because each processor has a worker and a session uses more than one.
"""
_FIRST_BINARY_VERSION = Version("2.1.113")
"""The first version of the product that is a binary. Older versions are scripts."""
_SCENARIO_S = 0.25
"""Seconds that a scenario takes in a running session."""
WORTH_SAYING = 30.0
"""An estimate of fewer seconds is not printed."""


class Replaying:
    """Shows the progress of replays. On entry, it prints an estimate of the duration if that is long.

    `errors` contains the reasons for missing replays, by scenario and contract.
    """

    def __init__(
        self, suite: Suite, wanted: Mapping[str, Sequence[str]], takes: Takes, jobs: int = 1
    ) -> None:
        self.errors: dict[tuple[str, str], str] = {}
        left = Confirmation(suite, takes).replays_left(wanted)
        self._planned = {
            (scenario_id, name, number)
            for name, replays in left.items()
            for number, ids in enumerate(replays, 1)
            for scenario_id in ids
        }
        self._estimate = estimate(suite, left, jobs)
        self._bar = ProgressBar(console(err=True), len(self._planned))

    def __call__(self, replay: Take) -> None:
        """Count a finished replay. A replay that was not part of the estimate (the second one of an unconfirmed answer)
        extends the total.
        """
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()


def estimate(suite: Suite, left: Replays, jobs: int = 1) -> str:
    """Return a line with the number of remaining replays and their estimated duration. Empty if the duration is short.

    Raises SuiteError if a scenario cannot be read.
    """
    seconds = sum(
        replaying_seconds(suite, ids, suite.contracts.find(name).version, jobs)
        for name, replays in left.items()
        for ids in replays
    )
    if seconds < WORTH_SAYING:
        return ""
    number = sum(len(ids) for replays in left.values() for ids in replays)
    scenarios = len({scenario_id for replays in left.values() for ids in replays for scenario_id in ids})
    names = " and ".join(left) if len(left) < 3 else f"{len(left)} contracts"
    return (
        f"{pluralize(scenarios, 'scenario')} on {names}: {number:,} replays, about {seconds / number:.1f} s each, "
        f"{duration(seconds)} in all; answers that differ from the neighbouring contract are replayed again"
    )


def replaying_seconds(suite: Suite, ids: Sequence[str], version: str | None, jobs: int = 1) -> float:
    """Return the estimated seconds for one replay of each of these scenarios on a version.

    Scenarios that cannot share a session need a session each. Raises SuiteError if a scenario cannot be read.
    """
    parsed = None if version is None else Version(version)
    alone = sum(needs_own_session(suite.scenario(each, require_expect=False), parsed) for each in ids)
    sessions = alone + (1 if len(ids) > alone else 0)
    is_program = parsed is not None and parsed >= _FIRST_BINARY_VERSION
    startup = _PROGRAM_STARTUP_S if is_program else _SCRIPT_STARTUP_S
    return (sessions * startup + len(ids) * _SCENARIO_S) / min(jobs, max(len(ids), 1))
