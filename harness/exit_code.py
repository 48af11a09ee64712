"""Exit codes: what a command ends with, documented in docs/running.md."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["ExitCode"]


class ExitCode(IntEnum):
    """How `readfirst` ends; documented in docs/running.md."""

    CONFORMANT = 0
    NOT_CONFORMANT = 1
    USAGE = 2
    BROKEN = 3
    SUITE_INVALID = 4
    NOTHING = 5
    INTERNAL = 70
    INTERRUPTED = 130
