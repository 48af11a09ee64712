"""The exit codes of the commands, documented in docs/running.md, and the base class of readfirst's errors."""

from collections.abc import Sequence
from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """The exit codes of the command `readfirst`, documented in docs/running.md."""

    CONFORMANT = 0
    NOT_CONFORMANT = 1
    USAGE = 2
    ERROR = 3
    SUITE_INVALID = 4
    NOTHING = 5
    INTERNAL = 70
    INTERRUPTED = 130


class ReadfirstError(Exception):
    """Base class of errors that the user can correct. The message describes the correction. A command prints the
    message, then `details` if there are any, and ends with `exit_code`.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.USAGE
    details: str = ""

    def __init__(self, *words: object, details: str = "") -> None:
        super().__init__(*words)
        if details:
            self.details = details

    @property
    def lines(self) -> Sequence[str]:
        """The message as a list of lines: one line, unless a subclass adds further lines."""
        return (str(self),)
