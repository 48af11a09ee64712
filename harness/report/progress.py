"""Show the progress of a run: on a terminal a bar, otherwise a line every half minute."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from readfirst.harness.pluralize import pluralize
from readfirst.harness.terminal import say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress


_LINE_INTERVAL_S = 30.0
"""Seconds between two lines of progress if the output is not a terminal."""
_SLOW_S = 10.0
"""Limit for slow scenarios, in seconds. A slower scenario is reported, and not used to estimate the remaining time."""


class ProgressBar:
    """Shows how many of `total` scenarios are finished: on a terminal as a bar, otherwise as lines on standard error.
    `clock` returns the current time in seconds.
    """

    def __init__(self, console: Console, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._progress: Progress | None = None
        self._total = total
        self._done = self._failed = 0
        self._clock = clock
        self._start_time = self._last_line_time = self._last_advance_time = clock()
        self._slow_scenarios, self._slow_seconds = 0, 0.0
        self._prints_lines = not console.file.isatty() or console.is_dumb_terminal
        if not self._prints_lines:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            self._progress = Progress(
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("[red]{task.description}"),
                console=console,
                transient=True,
            )
            self._task = self._progress.add_task("", total=total)

    def advance(self, name: str = "", *, failed: bool = False, calls: int = 0) -> None:
        """Count one finished scenario. Print the name, if any, and the calls of a slow scenario."""
        self._done += 1
        self._failed += failed
        now = self._clock()
        seconds, self._last_advance_time = now - self._last_advance_time, now
        # The time of the first scenario includes the start of the implementation.
        if seconds >= _SLOW_S or self._done == 1:
            self._slow_scenarios, self._slow_seconds = self._slow_scenarios + 1, self._slow_seconds + seconds
            if name and self._done > 1:
                self._print_line(f"{name} took {duration(seconds)} for {pluralize(calls, 'call')}")
        if self._progress is not None:
            failures = f"{self._failed} failed" if self._failed else ""
            self._progress.update(self._task, advance=1, description=failures)
        elif self._prints_lines and now - self._last_line_time >= _LINE_INTERVAL_S:
            self._last_line_time = now
            say(self._progress_line(), err=True)

    def extend(self, number: int) -> None:
        """Add a number of scenarios to the total."""
        self._total += number
        if self._progress is not None:
            self._progress.update(self._task, total=self._total)

    def stop(self) -> None:
        """Remove the bar from the terminal, and print no further lines."""
        self._prints_lines = False
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def _print_line(self, line: str) -> None:
        if self._progress is not None:
            self._progress.console.print(line, markup=False, highlight=False, soft_wrap=True)
        else:
            say(line, err=True)

    def _progress_line(self) -> str:
        """Return a line with the progress and the estimated remaining time."""
        seconds_spent = self._last_advance_time - self._start_time
        parts = [f"{self._done:,} of {max(self._total, self._done):,} done"]
        if self._failed:
            parts.append(f"{self._failed:,} failed")
        so_far = f"{', '.join(parts)}; {duration(seconds_spent)} so far"
        if not (usual_scenarios := self._done - self._slow_scenarios):
            return so_far
        # One slow scenario does not make the others slow.
        usual_seconds = (seconds_spent - self._slow_seconds) / usual_scenarios
        return f"{so_far}, about {duration(usual_seconds * max(self._total - self._done, 0))} left"

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def duration(seconds: float) -> str:
    """Return a time in words: in seconds if it is below two minutes, otherwise in minutes or hours."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
