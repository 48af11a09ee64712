"""Shell: what a session needs of whatever runs its commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

__all__ = ["CommandResult", "Shell"]


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What came of a command: what it printed, its errors apart, and its exit code."""

    output: str
    errors: str
    code: int


class Shell(Protocol):
    """Runs commands, one after the other. `directory` is where the next one starts, an absolute path."""

    directory: str

    def run(self, command: str) -> CommandResult:
        """Run one command to its end. OSError: it cannot be started."""
        ...
