"""The interface of a session to the shell that runs its commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

__all__ = ["CommandResult", "Shell"]


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of a command: its output, its errors, and its exit code."""

    output: str
    errors: str
    code: int


class Shell(Protocol):
    """Runs commands one after the other. `directory` is the absolute start directory of the next command."""

    directory: str

    def run(self, command: str) -> CommandResult:
        """Run one command until it exits. Raises OSError if it cannot be started."""
        ...
