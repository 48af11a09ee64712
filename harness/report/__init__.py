"""The interface that all reports of a run implement, the data about a run that reports use, and the output file."""

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
from readfirst.harness.terminal import guard_stream
from readfirst.harness.yaml_io.atomic_write import StagedFile


@dataclass(frozen=True, slots=True)
class Commands:
    """Command lines for a report, without the scenario's id: `run` replays a scenario, `show` prints a scenario."""

    run: str
    show: str


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Data of a run that is known before the first scenario is judged."""

    target: str
    """The connect string."""
    name: str
    """The name of the target in reports."""
    contracts: tuple[str, ...]
    level: Level
    scenarios: int
    """Number of scenarios on each contract."""
    commands: Callable[[str], Commands]
    """Returns the command lines that a report prints below a failure on a contract."""
    find: Callable[[str], Scenario | None]
    """Returns the scenario with an id, to show its steps. None if its file can no longer be read."""
    rules: Rules | None = None
    """The rules that are used to group failures. None if the suite has none."""
    suite: str = ""
    """The suite's name and version. Starts with `part of` if the run uses only some scenarios."""
    design: str = ""
    """The declared design of the target. Empty if none is declared."""
    refuses: tuple[str, ...] = ()
    """Calls that the target declares to refuse, although the contract answers them. Reports list them."""


class Report(Protocol):
    """A report on a run. `verdict` is called for each scenario in order, `finish` at the end or after an interrupt."""

    def verdict(self, verdict: Verdict, ruling: BaselineResult) -> None:
        """Add the verdict on one scenario. `ruling` states whether the baseline accepts the verdict."""
        ...

    def finish(self, summary: Summary, *, interrupted: bool = False) -> None:
        """Write the end of the report, with the summary of the run."""
        ...


class OutputError(ReadfirstError):
    """Raised if the file of a report cannot be written."""


@contextmanager
def output(path: Path) -> Iterator[TextIOWrapper]:
    """Open a text file for a report. The new file replaces the file at `path`, or the target of the link `path`,
    only if the block ends without an exception. A path such as `/dev/stdout` is written to directly. Raises
    OutputError.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("w", encoding="utf-8", newline="\n") as stream:
                yield cast("TextIOWrapper", guard_stream(stream))  # the path may be a terminal or a log
            return
        staged = StagedFile(Path(os.path.realpath(path)))
    except OSError as error:
        problem = f"{path} cannot be written: {error.strerror}"
        raise OutputError(f"{problem}. Name a file in an existing directory.") from error
    with staged:
        try:
            stream = TextIOWrapper(staged.stream, encoding="utf-8", newline="\n")
            yield stream
            stream.flush()
            staged.finish()
            staged.replace()
        except OSError as error:
            raise OutputError(f"{path} cannot be written: {error.strerror}.") from error
