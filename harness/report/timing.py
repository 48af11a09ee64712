"""Measure the wall time of a run: until the first verdict, per scenario, and per step (parallel calls are one)."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.pluralize import pluralize


@dataclass
class RunTimer:
    """Measures the time of a run, from the constructor to the last verdict. `clock` returns the time in seconds. The
    start-up is the time before the first scenario's replay.
    """

    clock: Callable[[], float] = time.perf_counter
    began: float = field(init=False)
    startup: float = field(init=False, default=0.0)
    """Seconds that the start-up took."""
    ended: float = field(init=False)
    """Time of the latest verdict, from `clock`."""

    def __post_init__(self) -> None:
        self.began = self.ended = self.clock()

    def started(self, first: Verdict) -> None:
        """Record the start-up time. Must be called at the first verdict, before `verdict`."""
        self.startup = max(0.0, self.clock() - self.began - first.milliseconds / 1000)

    def verdict(self) -> None:
        """Add a verdict to the measurement."""
        self.ended = self.clock()

    def sentence(self, summary: Summary, jobs: int = 1) -> str:
        """Return one line with the times of a run (start-up, per scenario, per step, in all) and the use of servers."""
        total = summary.total
        elapsed = self.ended - self.began
        parts = [f"start-up {_format_duration(self.startup)}"]
        if total.scenarios:
            parts.append(f"{_format_duration((elapsed - self.startup) / total.scenarios)} per scenario")
        if total.steps:
            parts.append(f"{_format_duration(total.milliseconds / 1000 / total.steps)} per step")
        processes = "" if jobs == 1 else f" with {jobs} jobs"
        servers = "".join(
            f"; {pluralize(summary.servers[shared], 'scenario')} {how} ({summary.server_reasons[shared]})"
            for shared, how in ((True, "on a shared server"), (False, "each on its own server"))
            if summary.servers[shared]
        )
        return f"cost: {', '.join(parts)}; {_format_duration(elapsed)} in all{processes}{servers}"


def _format_duration(seconds: float) -> str:
    """Return a time as text in a suitable unit, with two or three significant digits, such as `1.3 s`."""
    if seconds >= 100:
        return f"{seconds:.0f} s"
    if seconds >= 1:
        return f"{seconds:.1f} s"
    milliseconds = seconds * 1000
    return f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{milliseconds:.2f} ms"
