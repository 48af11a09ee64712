"""Run: replay scenarios against one implementation and yield the verdicts in the order of their ids."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from harness.adapters.connect import connect
from harness.compare import compare, skipped
from harness.recordings import Recordings
from harness.replay import replay
from harness.session import capabilities_of
from harness.suite import Suite
from harness.verdict import LEVELS, Blame, Level, Status, Verdict
from harness.workspace import Place

__all__ = ["TIME_LIMIT", "Bench", "Order", "run"]

TIME_LIMIT = 30.0
"""Seconds that one call may take, unless a run says otherwise."""


@dataclass(frozen=True, slots=True)
class Order:
    """What to hold to what: plain values, so that a worker process can be given one.

    `fixtures` is the suite's root, `connect` the connect string; `time_limit` is in seconds per call.
    """

    fixtures: Path
    connect: str
    contract: str
    level: Level = "text"
    time_limit: float = TIME_LIMIT

    @contextmanager
    def bench(self) -> Iterator[Callable[[str], Verdict]]:
        """Connect, and judge one scenario after the other."""
        with Bench(self) as bench:
            yield bench.judge

    def lost(self, scenario_id: str, reason: str) -> Verdict:
        """Return the verdict on a scenario whose worker died."""
        levels = dict.fromkeys(LEVELS, False)
        return Verdict(
            scenario_id,
            self.contract,
            self.level,
            "broken",
            levels,
            blame="environment",
            reason=reason,
        )


class Bench:
    """One connected implementation and a place to replay in; judges one scenario at a time."""

    def __init__(self, order: Order, suite: Suite | None = None) -> None:
        self.order = order
        self.suite = suite if suite is not None else Suite(order.fixtures)
        self.contract = self.suite.contracts.find(order.contract)
        self._default = self.suite.contracts[self.suite.contracts.default]
        self._adapter = connect(
            order.connect, self.suite, contract=self.contract, time_limit=order.time_limit
        )
        self._capabilities = capabilities_of(self._adapter)
        self._lacks = getattr(self._adapter, "lacks", lambda _tool, _arguments: "")
        self._place = Place()
        self._recordings = Recordings(self.suite.recordings_root) if order.level == "verbatim" else None

    def judge(self, scenario_id: str) -> Verdict:
        """Replay one scenario and compare. Raises SuiteError or RecordingError if its files are damaged.

        Everything else that goes wrong becomes a verdict: `broken`, with whom to blame.
        """
        scenario = self.suite.scenario(scenario_id)
        contract, level = self.contract, self.order.level
        skip = skipped(scenario, contract, level, self._capabilities, self._lacks)
        if skip is not None:
            return skip
        recorded = self._recordings.load(scenario_id, contract.name) if self._recordings else None
        if level == "verbatim" and recorded is None:
            return self._verdict(scenario_id, "unspecified", f"there is no recording of {contract.name}")
        try:
            outcome = replay(scenario, self._adapter, self._place)
            return compare(
                scenario, outcome, contract, level, self.suite.vocabulary, recorded, default=self._default
            )
        except Exception as error:
            told = "".join(traceback.format_exception(error)[-3:]).strip()
            return self._verdict(scenario_id, "broken", f"{type(error).__name__} in the harness: {told}")

    def _verdict(self, scenario_id: str, status: Status, reason: str) -> Verdict:
        levels = dict.fromkeys(LEVELS, False)
        blame: Blame | None = "harness" if status == "broken" else None
        return Verdict(scenario_id, self.contract.name, self.order.level, status, levels, (), blame, reason)

    def close(self) -> None:
        """Close the adapter and remove the workspaces."""
        try:
            close = getattr(self._adapter, "close", None)
            if close is not None:
                close()
        finally:
            self._place.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def run(
    suite: Suite,
    connect_string: str,
    contracts: Sequence[str],
    level: Level = "text",
    ids: Sequence[str] | None = None,
    *,
    jobs: int = 1,
    time_limit: float = TIME_LIMIT,
    apart: bool = False,
) -> Generator[Verdict]:
    """Yield one verdict per contract and scenario: contract by contract, each in the order of sorted ids.

    `ids` are the scenarios to take, None for all (`harness.selection.select` finds them). Scenarios are loaded
    one at a time. With `jobs` above 1 as many worker processes replay a share each; verdicts and their order
    are the same. `apart`: also one job has a process of its own, which a thread needs. Close the iterator to end
    them early. Raises SuiteError, and what `connect` raises.
    """
    chosen = sorted(suite.ids() if ids is None else ids)
    for name in contracts:
        order = Order(suite.root, connect_string, name, level, time_limit)
        if apart or (jobs > 1 and len(chosen) > 1):
            from harness.workers import (
                work_in_processes,
            )  # here, because a run with one job needs none of it

            with closing(work_in_processes(order, chosen, jobs)) as verdicts:
                yield from verdicts
            continue
        with Bench(order, suite) as bench:
            for scenario_id in chosen:
                yield bench.judge(scenario_id)
