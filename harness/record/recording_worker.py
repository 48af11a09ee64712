"""Replaying: a worker's way to the real product, how long it will take, and how far it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.agents.claude_code.session_sharing import needs_own_session
from readfirst.harness.pluralize import pluralize
from readfirst.harness.record.replay_samples import NUMBERS, Take
from readfirst.harness.report.progress import ProgressBar, duration
from readfirst.harness.run.connect import connect
from readfirst.harness.suite.suite import Suite
from readfirst.harness.terminal import console, say


@dataclass(frozen=True, slots=True)
class Product:
    """A value that opens `claude-code:<contract>` when it is called. `time_limit` is in seconds per call."""

    suite: Suite
    contract: str
    time_limit: float

    def __call__(self) -> Adapter:
        """Install and open it. Raises BrokenAdapter."""
        contract = self.suite.contracts.find(self.contract)
        name = f"claude-code:{self.contract}"
        return connect(name, self.suite, contract=contract, time_limit=self.time_limit)


_SESSION = 1.0
"""Seconds in which a session of the product starts; docs/recording.md has what was measured."""
_SCENARIO = 0.11
"""Seconds of a scenario in a session."""
WORTH_SAYING = 30.0
"""Seconds; nobody needs an estimate of less."""


class Replaying:
    """Counts the takes of these scenarios, by contract; on entering it says how long they will take, if that is long.

    `times` says how often each scenario is replayed. `broken` says of scenario and contract why there is no take.
    """

    def __init__(
        self, suite: Suite, wanted: Mapping[str, Sequence[str]], jobs: int = 1, times: int = len(NUMBERS)
    ) -> None:
        self.broken: dict[tuple[str, str], str] = {}
        self._estimate = estimate(suite, wanted, jobs, times)
        self._bar = ProgressBar(console(err=True), times * sum(map(len, wanted.values())))

    def __call__(self, each: Take) -> None:
        """Count a take."""
        if each.status == "broken":
            self.broken[each.scenario_id, each.contract] = each.message
        self._bar.advance(failed=each.status == "broken")

    def __enter__(self) -> Self:
        if self._estimate:
            say(self._estimate, err=True)
        self._bar.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()


def estimate(
    suite: Suite, wanted: Mapping[str, Sequence[str]], jobs: int = 1, times: int = len(NUMBERS)
) -> str:
    """Return one line: what is replayed on which contracts, and how long that takes; empty where that is not long.

    Raises SuiteError for a scenario that cannot be read.
    """
    seconds = times * sum(replaying_seconds(suite, ids, jobs) for ids in wanted.values())
    if seconds < WORTH_SAYING:
        return ""
    replays = times * sum(map(len, wanted.values()))
    scenarios = len({each for ids in wanted.values() for each in ids})
    often = {1: "once", 2: "twice"}.get(times, f"{times} times")
    names = " and ".join(wanted) if len(wanted) < 3 else f"{len(wanted)} contracts"
    return (
        f"{pluralize(scenarios, 'scenario')} {often} on {names}: "
        f"{replays:,} replays, about {seconds / replays:.1f} s each, {duration(seconds)} in all"
    )


def replaying_seconds(suite: Suite, ids: Sequence[str], jobs: int = 1) -> float:
    """Return about how many seconds one replay of these scenarios takes: some have a session of their own.

    Raises SuiteError for a scenario that cannot be read.
    """
    alone = sum(needs_own_session(suite.scenario(each, require_expect=False)) for each in ids)
    sessions = alone + (1 if len(ids) > alone else 0)
    return (sessions * _SESSION + len(ids) * _SCENARIO) / min(jobs, max(len(ids), 1))
