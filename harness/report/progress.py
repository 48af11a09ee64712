"""Progress: a bar with the number of scenarios done and failed, shown on a terminal only."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

__all__ = ["ProgressBar"]


class ProgressBar:
    """Counts up to `total`. Does nothing where the console is no terminal; disappears when it stops."""

    def __init__(self, console: Console, total: int) -> None:
        self._progress: Progress | None = None
        if console.is_terminal and not console.is_dumb_terminal:
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
            self._failed = 0

    def advance(self, *, failed: bool = False) -> None:
        """Count one, and one that failed."""
        if self._progress is not None:
            self._failed += failed
            told = f"{self._failed} failed" if self._failed else ""
            self._progress.update(self._task, advance=1, description=told)

    def at(self, done: int, total: int) -> None:
        """Say how many are done, and of how many."""
        if self._progress is not None:
            self._progress.update(self._task, completed=done, total=total)

    def stop(self) -> None:
        """Remove the bar; more calls do nothing."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
