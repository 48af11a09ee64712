"""Measure one pass over the suite with the real product. Exit code 1 if it takes longer than the limit.

    python tools/benchmarks/recording.py [CONTRACT ...] [--every N]

A pass replays every scenario once. A recording is two passes, divided by `-j`. The limit is `start-up + scenarios / 8`
seconds per session on one core, which this process shares with the product. A session is one start of the product; some
scenarios need a separate session. The result with only one start-up for the whole pass is reported, too.

The wall time is only valid on an idle machine. The processor time of this process and of all processes of the product
equals the wall time on an idle machine without waiting, so the processor time decides. `--every 10` uses every tenth
scenario with a separate session, and every tenth of the others.
"""

from __future__ import annotations

# ruff: noqa: E402
import argparse
import os
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT))

from readfirst.harness.agents.agent_process import Conversation
from readfirst.harness.agents.claude_code import adapter as claude_code
from readfirst.harness.agents.claude_code.session_sharing import needs_own_session
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool

RATE = 8
"""The number of scenarios per second that a pass must reach, not counting the start of the product."""
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Cost:
    """Seconds of a task: wall time (`clock`), and processor time of the `product` and of this process (`own`)."""

    clock: float = 0.0
    product: float = 0.0
    own: float = 0.0

    @property
    def processor(self) -> float:
        """The processor time of the product and of this process together, in seconds."""
        return self.product + self.own

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.clock + other.clock, self.product + other.product, self.own + other.own)

    def __mul__(self, factor: float) -> Cost:
        return Cost(self.clock * factor, self.product * factor, self.own * factor)

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.clock - other.clock, self.product - other.product, self.own - other.own)


@dataclass
class Meter:
    """Measures the cost of all sessions, without that of measuring. `starts` contains the cost of each start."""

    starts: list[Cost] = field(default_factory=list)
    _ended: float = 0.0
    """Processor time in seconds of the sessions that have ended."""
    _running: set[Conversation] = field(default_factory=set)
    _looking: Cost = field(default_factory=Cost)

    def now(self) -> Cost:
        """Return the total cost since the start of this program."""
        began = Cost(time.perf_counter(), 0.0, time.process_time())
        product = self._ended + sum(group_seconds(each.pid) for each in self._running)
        now = Cost(began.clock, product, began.own) - self._looking
        self._looking += Cost(time.perf_counter(), 0.0, time.process_time()) - began
        return now

    def started(self, session: Conversation, before: Cost) -> None:
        """Record the cost of starting a session. `before` is the total cost before the start."""
        self._running.add(session)
        self.starts.append(self.now() - before)

    def ends(self, session: Conversation) -> None:
        """Record the processor time of a session before it ends: afterwards it is not available."""
        if session in self._running:
            self._running.remove(session)
            self._ended += group_seconds(session.pid)


METER = Meter()


class Metered(Conversation):
    """A session of the product whose cost METER measures. Used instead of `Conversation` during a pass."""

    def __init__(self, program: Any) -> None:
        before = METER.now()
        super().__init__(program)
        METER.started(self, before)

    def close(self) -> None:
        """Record the processor time of the session, and close it."""
        METER.ends(self)
        super().close()


def group_seconds(leader: int) -> float:
    """Return the processor time in seconds of a process group, including child processes that have ended."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == leader:
            ticks += sum(map(int, fields[11:15]))
    return ticks / _TICKS


def sample(scenarios: list[Scenario], every: int) -> list[Scenario]:
    """Return every Nth scenario (`every`) that needs a separate session, and every Nth of all others."""
    chosen = [
        each.id
        for isolated in (True, False)
        for each in [each for each in scenarios if needs_own_session(each) == isolated][::every]
    ]
    return [each for each in scenarios if each.id in chosen]


def one_pass(suite: Suite, contract: Contract, every: int) -> bool:
    """Replay the scenarios of a contract once, and print the times. Return whether the times are within the limit."""
    scenarios = sample([each for each in suite.scenarios() if each.needs <= contract.capabilities], every)
    families: dict[str, list[Cost]] = defaultdict(list)
    first = len(METER.starts)
    adapter = claude_code.open_claude_code(contract.name, suite, contract=contract, time_limit=30)
    with WorkspacePool() as place:
        began = METER.now()
        for scenario in scenarios:
            before, starts = METER.now(), len(METER.starts)
            outcome = replay(scenario, adapter, place)
            if outcome.error is not None:
                raise SystemExit(f"{scenario.id}: {outcome.error.message}")
            cost = METER.now() - before - sum(METER.starts[starts:], Cost())
            families[scenario.family].append(cost)
        adapter.close()
        whole = METER.now() - began
    started = METER.starts[first:]
    startups = sum(started, Cost())
    rest = whole - startups
    number, own = len(scenarios), sum(map(needs_own_session, scenarios))
    print(f"{contract.name}: {number} scenarios, {own} of them in sessions of their own")
    print(f"  sessions started: {len(started)}")
    print_cost("start-up", startups, len(started), "session")
    print_cost("beyond it", rest, number, "scenario")
    for name, costs in sorted(families.items(), key=lambda item: -sum(each.clock for each in item[1]))[:5]:
        print_cost(f"  {name}", sum(costs, Cost()), len(costs), "scenario")
    print_cost("whole pass", whole, number, "scenario")
    holds = promise("start-up per session", whole, startups, number)
    promise("start-up once", whole, startups * (1 / len(started)), number)
    return holds


def promise(reading: str, whole: Cost, startup: Cost, number: int) -> bool:
    """Print limits and times. Return whether the processor time is in its limit. `reading`: how the start counts."""
    for kind, taken, starting in (
        ("clock", whole.clock, startup.clock),
        ("processor", whole.processor, startup.processor),
    ):
        limit = starting + number / RATE
        holds = taken <= limit
        compared = f"{taken:.1f} s of {starting:.1f} + {number}/{RATE} = {limit:.1f} s"
        print(f"  {reading}, {kind}: {compared}: {'holds' if holds else 'BROKEN'}")
    return holds


def print_cost(name: str, cost: Cost, number: int, of: str) -> None:
    """Print a cost, in total and per item. `number` is the number of items, `of` their name: session or scenario."""
    processor = f"processor {cost.processor:.1f} s (product {cost.product:.1f}, own {cost.own:.1f})"
    each = f"{cost.clock / number * 1000:.0f} ms, processor {cost.processor / number * 1000:.0f} ms per {of}"
    print(f"  {name}: {cost.clock:.1f} s, {processor}; {each}")


def main() -> int:
    """Measure a pass on each contract that the command line names, by default on the default contract."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("contracts", nargs="*")
    parser.add_argument("--every", type=int, default=1, help="only use every Nth scenario")
    arguments = parser.parse_args()
    suite = Suite()
    os.umask(0o022)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    claude_code.Conversation = Metered  # type: ignore[misc]
    names = arguments.contracts or [suite.contracts.default]
    for name in names:
        if name not in suite.contracts or not suite.contracts[name].recorded:
            parser.error(f"{name} is not a contract with a version")
    verdicts = [one_pass(suite, suite.contracts[name], arguments.every) for name in names]
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
