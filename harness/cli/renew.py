"""Renew command: `readfirst renew`; the command line registers it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from readfirst.harness.cli.exits import UsageError, guarded
from readfirst.harness.cli.options import open_suite
from readfirst.harness.cli.suite_page import page_file
from readfirst.harness.exit_code import ExitCode
from readfirst.harness.printed import say

STEPS: tuple[tuple[str, ...], ...] = (
    ("readfirst", "product", "behaviours", "--write"),
    ("readfirst", "product", "claims", "--write"),
    ("readfirst", "product", "history", "--write"),
    ("python3", "tools/harms.py"),
    ("readfirst", "field", "compatibility", "--write"),
    ("readfirst", "diagnose", "--write-table"),
)
"""The commands that make files of others, each after those that make what it reads."""

_PROGRAMS = {"readfirst": (sys.executable, "-m", "readfirst"), "python3": (sys.executable,)}


@guarded
def renew() -> int:
    """Write anew what a change of scenarios, recordings, behaviours or targets made stale, in a checkout.

    The commands are run one after the other, and named before they run. The first that fails ends it.
    """
    page = page_file(open_suite(None), "")
    if page is None:
        raise UsageError("The installed package holds nothing to renew: run this in a checkout.")
    for step in STEPS:
        say(" ".join(step), err=True)
        if code := _perform(step, page.parent):
            say(f"`{' '.join(step)}` ended with exit code {code}; what comes after it was not run.", err=True)
            return code
    return ExitCode.CONFORMANT


def _perform(step: Sequence[str], checkout: Path) -> int:
    return subprocess.run([*_PROGRAMS[step[0]], *step[1:]], cwd=checkout, check=False).returncode
