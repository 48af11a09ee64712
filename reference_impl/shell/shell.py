"""The interface of a shell that runs the commands of a session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

__all__ = ["CommandResult", "Shell"]


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of a command: its standard output, its standard error, and its exit code."""

    output: str
    errors: str
    code: int


class Shell(Protocol):
    """Interface of a shell, which runs commands in order. The next command starts in the absolute `directory`."""

    directory: str

    def run(self, command: str) -> CommandResult:
        """Run a command until it exits. Raises OSError if the command cannot be started."""
        ...
