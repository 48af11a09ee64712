"""Runs commands of readfirst in this process, and returns their output and their exit code."""

import io
from collections.abc import Callable
from typing import NamedTuple

import pytest

from readfirst.harness.cli.commands import providers
from readfirst.harness.cli.main import main


class CliResult(NamedTuple):
    """The result of a command: exit code, standard output and standard error."""

    code: int
    out: str
    err: str


class Terminal(io.StringIO):
    """A text stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


COMMANDS = frozenset(called for each in providers() for called in each.functions)
"""The names of all commands, such as `product cache`. Used by tests that check a property of every command."""
GROUPS = frozenset(name for each in providers() for name in each.groups)
"""The names of the groups of commands, such as `product`. Used by tests that check the help of every group."""
Cli = Callable[..., CliResult]
"""The type of the fixture `readfirst`: a function that runs a command, for example `readfirst("run", "reference")`."""


def exit_code(*arguments: object) -> int:
    """Run a command and return its exit code."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(ended.value.code or 0)
