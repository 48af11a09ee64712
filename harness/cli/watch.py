"""Watch commands: `readfirst watch`; the command line registers it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from readfirst.harness.cli.exits import UsageError, guarded
from readfirst.harness.exit_code import ExitCode

# Everything else is imported by the command that needs it, as in the command line itself.

__all__ = ["watch"]


@guarded
def watch(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="What to test, as for `readfirst run`.")],
    options: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID|OPTION", help="Scenarios and options, as for `readfirst run`."),
    ] = None,
    path: Annotated[
        list[Path] | None,
        typer.Option(help="A file or folder of the implementation (repeatable).", show_default="this folder"),
    ] = None,
) -> int:
    """Run TARGET, and again whenever a file changes: what failed first, then everything. Ctrl-C ends it.

    Needs the extra `watch`. All other options are those of `readfirst run`.
    """
    from readfirst.harness.run.watch import changes_below, rerun, written_by

    rest = list(options or ())
    command = [sys.executable, "-P", "-m", "readfirst", "run", target, *rest]

    def run(more: Sequence[str]) -> int:
        code = subprocess.run([*command, *more], check=False).returncode
        if code in (ExitCode.USAGE, ExitCode.SUITE_INVALID):
            raise UsageError("a run with these options is not possible, so there is nothing to watch.")
        return code

    rerun(run, changes_below(path or [Path()], written_by(rest)))
    return ExitCode.CONFORMANT
