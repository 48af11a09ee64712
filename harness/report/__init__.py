"""Reports of a run: the common interface, the facts about a run, and the output file."""

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
    """Command lines to which a scenario id is appended. `run` replays a scenario, `show` prints it."""

    run: str
    show: str


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Data of a run that are known before the first verdict. `target` is the connect string, `name` the name of the
    target in reports.

    `scenarios` is the number of scenarios on each contract. `commands` returns the commands for failures on the
    contract with a name.
    """

    target: str
    name: str
    contracts: tuple[str, ...]
    level: Level
    scenarios: int
    commands: Callable[[str], Commands]
    find: Callable[[str], Scenario | None]
    """Returns the scenario with an id, so that its steps can be shown. None if its file can no longer be read."""
    rules: Rules | None = None
    """The rules that are used to group failures. None if the suite has none."""
    suite: str = ""
    """The title of the suite: its name and version, after `part of` if the run contains only some scenarios."""
    design: str = ""
    """The declared design of the target. Empty if none is declared."""
    refuses: tuple[str, ...] = ()
    """The calls that the target declares to refuse although the contract answers them."""


class Report(Protocol):
    """Receives the verdicts of a run in order. `finish` is called once at the end, also after an interrupt."""

    def verdict(self, verdict: Verdict, ruling: BaselineResult) -> None:
        """Add one verdict with its baseline result."""
        ...

    def finish(self, summary: Summary, *, interrupted: bool = False) -> None:
        """Write the end of the report."""
        ...


class OutputError(ReadfirstError):
    """The report file cannot be written."""


@contextmanager
def output(path: Path) -> Iterator[TextIOWrapper]:
    """Open a text file that replaces the file at `path` only if the block ends without an exception.

    Until then, and after a failure or an interrupt, the old file stays. A link stays a link. A path that is
    not a regular file (`/dev/stdout`, a pipe) is written to directly. Raises OutputError.
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
