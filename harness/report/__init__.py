"""Reports: what a run writes as verdicts come in; a table for people, JSON lines and JUnit for machines."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from harness.baseline import Ruling
from harness.scenario import Scenario
from harness.summary import Summary
from harness.verdict import Level, Verdict

__all__ = ["OutputError", "Report", "RunFacts", "output"]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is known before the first verdict. `target` is the connect string.

    `scenarios` counts those of one contract. `command` gives, for a contract, the command line that
    repeats a replay when an id is added to it.
    """

    target: str
    contracts: tuple[str, ...]
    level: Level
    scenarios: int
    command: Callable[[str], str]
    find: Callable[[str], Scenario | None]
    """Returns the scenario of an id, to show its steps; None if it cannot be read any more."""


class Report(Protocol):
    """Receives a run's verdicts in order; `finish` is called once, also after an interrupt."""

    def verdict(self, verdict: Verdict, ruling: Ruling) -> None:
        """Take one verdict and what the baseline makes of it."""
        ...

    def finish(self, summary: Summary, *, interrupted: bool = False) -> None:
        """Write what comes last."""
        ...


class OutputError(Exception):
    """The report file cannot be written."""


@contextmanager
def output(path: Path) -> Iterator[IO[str]]:
    """Open a text file that appears under `path` only when the block ends without an exception.

    Until then, and after a failure or an interrupt, what stood there before stays. Raises OutputError.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise OutputError(
            f"{path} cannot be written: {error.strerror}. Name a file in an existing folder."
        ) from error
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            yield stream
        temporary.chmod(path.stat().st_mode & 0o7777 if path.exists() else 0o644)
        temporary.replace(path)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
