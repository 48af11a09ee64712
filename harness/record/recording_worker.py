"""Replaying: a worker's way to the real product, how long it will take, and how far it is."""

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
    """A value that opens `claude-code:<contract>` when it is called."""

    suite: Suite
    contract: str
    options: RunOptions

    def __call__(self) -> Adapter:
        """Install and open it. Raises BrokenAdapter."""
        contract = self.suite.contracts.find(self.contract)
        name = f"claude-code:{self.contract}"
        return connect(name, self.suite, self.options, contract=contract)


_SCRIPT_STARTUP_S, _PROGRAM_STARTUP_S = 1.0, 0.5
"""Seconds in which a session of the product starts; docs/recording.md has the measurements."""
_FIRST_PROGRAM = Version("2.1.113")
"""Older versions are scripts."""
_SCENARIO = 0.11
"""Seconds of a scenario in a session."""
WORTH_SAYING = 30.0
"""Seconds; nobody needs an estimate of less."""


class Replaying:
    """Counts the replays that are left, by contract; on entering it says how long they will take, if that is long.

    `broken` says of scenario and contract why there is no take.
    """

    def __init__(
        self, suite: Suite, wanted: Mapping[str, Sequence[str]], takes: Takes, jobs: int = 1
    ) -> None:
        self.broken: dict[tuple[str, str], str] = {}
        left = Confirmation(suite, takes).replays_left(wanted)
        self._planned = {
            (scenario_id, name, number)
            for name, replays in left.items()
            for number, ids in enumerate(replays, 1)
            for scenario_id in ids
        }
        self._estimate = estimate(suite, left, jobs)
        self._bar = ProgressBar(console(err=True), len(self._planned))

    def __call__(self, each: Take) -> None:
        """Count a take. One that is made because two answers differ comes on top of the estimate."""
        if (each.scenario_id, each.contract, each.number) not in self._planned:
            self._bar.extend(1)
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


def estimate(suite: Suite, left: Replays, jobs: int = 1) -> str:
    """Return one line: the number of replays that are left and their duration; empty if that is short.

    Raises SuiteError for a scenario that cannot be read.
    """
    seconds = sum(
        replaying_seconds(suite, ids, suite.contracts.find(name).version, jobs)
        for name, replays in left.items()
        for ids in replays
    )
    if seconds < WORTH_SAYING:
        return ""
    number = sum(len(ids) for replays in left.values() for ids in replays)
    scenarios = len({each for replays in left.values() for ids in replays for each in ids})
    names = " and ".join(left) if len(left) < 3 else f"{len(left)} contracts"
    return (
        f"{pluralize(scenarios, 'scenario')} on {names}: {number:,} replays, about {seconds / number:.1f} s each, "
        f"{duration(seconds)} in all; answers that differ from the neighbouring contract are replayed again"
    )


def replaying_seconds(suite: Suite, ids: Sequence[str], version: str | None, jobs: int = 1) -> float:
    """Return about how many seconds one replay of these scenarios takes on a version.

    Some scenarios have a session of their own.

    Raises SuiteError for a scenario that cannot be read.
    """
    parsed = None if version is None else Version(version)
    alone = sum(needs_own_session(suite.scenario(each, require_expect=False), parsed) for each in ids)
    sessions = alone + (1 if len(ids) > alone else 0)
    is_program = parsed is not None and parsed >= _FIRST_PROGRAM
    startup = _PROGRAM_STARTUP_S if is_program else _SCRIPT_STARTUP_S
    return (sessions * startup + len(ids) * _SCENARIO) / min(jobs, max(len(ids), 1))
