"""The command line in this process: its output and its exit code."""

import io
from collections.abc import Callable
from typing import NamedTuple

import pytest

from readfirst.harness.cli.commands import providers
from readfirst.harness.cli.main import main

__all__ = ["COMMANDS", "GROUPS", "Cli", "Ended", "Terminal", "exit_code"]


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


class Terminal(io.StringIO):
    """The output on a terminal."""

    def isatty(self) -> bool:
        return True


COMMANDS = frozenset(called for each in providers() for called in each.functions)
"""All commands as they are called: those of the suite and those of the observatory."""
GROUPS = frozenset(name for each in providers() for name in each.groups)
"""The commands that hold others."""
Cli = Callable[..., Ended]
"""Runs a command line: `readfirst("run", "reference")`."""


def exit_code(*arguments: object) -> int:
    """Run a command line; return the code that it ends with."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(ended.value.code or 0)
