import io
from collections.abc import Callable
from typing import NamedTuple

import pytest

from readfirst.harness.cli.commands import providers
from readfirst.harness.cli.main import main


class CliResult(NamedTuple):
    code: int
    out: str
    err: str


class Terminal(io.StringIO):
    """A text stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


COMMANDS = frozenset(called for each in providers() for called in each.functions)
GROUPS = frozenset(name for each in providers() for name in each.groups)
Cli = Callable[..., CliResult]
"""A function that runs a command, for example `readfirst("run", "reference")`."""


def exit_code(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(ended.value.code or 0)
