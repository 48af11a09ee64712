"""The command `readfirst product cache`."""

import sys

import typer
from rich.filesize import decimal

from readfirst.harness.cli.error_handling import UsageError
from readfirst.harness.errors import ExitCode
from readfirst.harness.pluralize import pluralize
from readfirst.harness.terminal import say
from readfirst.harness.versions.cache import list_entries, remove, roots, select_entries


def cache(
    names: list[str] | None = typer.Argument(
        None,
        metavar="NAME",
        help="Only entries with this name, such as 2.1.7 or agno, or of this kind, such as claude-code.",
        show_default="all",
    ),
    older_than: int | None = typer.Option(
        None, min=0, metavar="DAYS", help="Only entries that were not used for this many days."
    ),
    clear: bool = typer.Option(
        False, "--clear", help="Remove the listed entries; later commands install them again if needed."
    ),
    yes: bool = typer.Option(False, "--yes", "-y", help="Remove without asking for confirmation."),
) -> int:
    """List cached files, such as installed versions, with their sizes; `--clear` removes them."""
    entries = select_entries(list_entries(), names or (), older_than)
    total = 0
    for entry in entries:
        size = entry.size()
        total += size
        ago = f"{pluralize(entry.days, 'day')} ago" if entry.days else "today"
        say(f"{decimal(size):>9}  {ago:>12}  {entry.kind:11}  {entry.name}")
    amount = f"{pluralize(len(entries), 'folder')}, {decimal(total)}"
    if not entries:
        say("nothing is kept", err=True)
        return ExitCode.CONFORMANT
    if not clear:
        directories = dict.fromkeys(str(roots()[entry.kind].parent) for entry in entries)
        say(f"{amount} in {', '.join(directories)}", err=True)
        return ExitCode.CONFORMANT
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(
                f"--clear would remove {amount}, and there is no terminal to confirm it on. Add --yes."
            )
        if not typer.confirm(f"Remove {amount}?", err=True):
            say("nothing was removed", err=True)
            return ExitCode.CONFORMANT
    kept = 0
    for entry in entries:
        try:
            remove(entry)
        except OSError as error:
            kept += 1
            reason = "it is being installed." if isinstance(error, BlockingIOError) else error
            say(f"readfirst: {entry.kind}/{entry.name} was kept: {reason}", err=True)
    say(f"removed {len(entries) - kept} of {amount}" if kept else f"removed {amount}", err=True)
    return ExitCode.ERROR if kept else ExitCode.CONFORMANT
