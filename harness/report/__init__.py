"""Reports: what a run writes as verdicts come in; a table for people, JSON lines and JUnit for machines."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Protocol, cast

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import Level, Verdict
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.suite.rules import Rules
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.terminal import guarded
from readfirst.harness.yaml_io.atomic_write import Staged


@dataclass(frozen=True, slots=True)
class Commands:
    """Command lines that go on from a failure when the scenario's id is added.

    `run` repeats the replay, `show` prints the scenario with what the contract expects.
    """

    run: str
    show: str


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is known before the first verdict. `target` is the connect string, `name` what reports call it.

    `scenarios` counts those of one contract. `commands` are those that go on from a failure on a contract.
    """

    target: str
    name: str
    contracts: tuple[str, ...]
    level: Level
    scenarios: int
    commands: Callable[[str], Commands]
    find: Callable[[str], Scenario | None]
    """Returns the scenario of an id, to show its steps; None if it cannot be read any more."""
    rules: Rules | None = None
    """The rules that failures are gathered by; None where the suite has none."""
    suite: str = ""
    """The title of the suite: its name and version, `part of` it if scenarios were selected."""
    design: str = ""
    """What the target declares to be; empty where it says nothing."""
    refuses: tuple[str, ...] = ()
    """The calls that the target declares to refuse although the contract answers them."""


class Report(Protocol):
    """Receives a run's verdicts in order; `finish` is called once, also after an interrupt."""

    def verdict(self, verdict: Verdict, ruling: BaselineResult) -> None:
        """Take one verdict and what the baseline makes of it."""
        ...

    def finish(self, summary: Summary, *, interrupted: bool = False) -> None:
        """Write what comes last."""
        ...


class OutputError(ReadfirstError):
    """The report file cannot be written."""


@contextmanager
def output(path: Path) -> Iterator[TextIOWrapper]:
    """Open a text file that appears under `path` only when the block ends without an exception.

    Until then, and after a failure or an interrupt, what was there before stays. A link stays one, and what is no
    file (`/dev/stdout`, a pipe) is written to as it is. Raises OutputError.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("w", encoding="utf-8", newline="\n") as stream:
                yield cast("TextIOWrapper", guarded(stream))  # it may lead to a terminal, or to a log
            return
        staged = Staged(Path(os.path.realpath(path)))
    except OSError as error:
        raise OutputError(
            f"{path} cannot be written: {error.strerror}. Name a file in an existing folder."
        ) from error
    with staged:
        try:
            stream = TextIOWrapper(staged.stream, encoding="utf-8", newline="\n")
            yield stream
            stream.flush()
            staged.finish()
            staged.replace()
        except OSError as error:
            raise OutputError(f"{path} cannot be written: {error.strerror}.") from error
