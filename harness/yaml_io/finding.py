"""Findings: the problems that were found in a suite's files, each with a position and a solution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from readfirst.harness.errors import ExitCode, ReadfirstError
from readfirst.harness.terminal import one_line


@dataclass(frozen=True, slots=True)
class Position:
    """A position in a file, used in error messages. Line and column count from 1."""

    file: Path
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem in a file. `rule` is the id of the lint check, `fix` a sentence that describes the solution."""

    rule: str
    position: Position
    message: str
    fix: str

    def __str__(self) -> str:
        # A file's name may contain invalid UTF-8 and line ends.
        return one_line(f"{self.position}: {self.message} [{self.rule}]") + "\n  " + one_line(self.fix)


class SuiteError(ReadfirstError):
    """A file of a suite is invalid. `findings` contains all problems in the order of the file."""

    exit_code = ExitCode.SUITE_INVALID

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__("\n".join(map(str, findings)))
        self.findings = tuple(findings)

    @property
    def lines(self) -> Sequence[str]:
        """The lines of the error message: two lines for each finding."""
        return str(self).split("\n")

    def __reduce__(self) -> tuple[type[SuiteError], tuple[tuple[Finding, ...]]]:
        """Support pickle: the error is sent to other processes with its findings, not only with their text."""
        return type(self), (self.findings,)
