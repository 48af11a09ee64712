"""The command `readfirst product cache`."""

import sys

import typer
from rich.filesize import decimal

from readfirst.harness.cli.error_handling import UsageError
from readfirst.harness.errors import ExitCode
from readfirst.harness.pluralize import pluralize
from readfirst.harness.terminal import say
from readfirst.harness.versions.cache import InUseError, list_entries, remove, roots, select_entries


def cache(
    names: list[str] | None = typer.Argument(
        None,
        metavar="NAME",
        help="Only entries of this name: 2.1.7, takes/2.1.7, agno, or a kind.",
        show_default="all",
    ),
    older_than: int | None = typer.Option(
        None, min=0, metavar="DAYS", help="Only entries that were not used for this many days."
    ),
    clear: bool = typer.Option(
        False, "--clear", help="Remove these entries; later commands install them again if needed."
    ),
    yes: bool = typer.Option(False, "--yes", "-y", help="Remove without asking for confirmation."),
) -> int:
    """List cached files, such as installed versions, with their sizes; `--clear` removes them."""
    found = select_entries(list_entries(), names or (), older_than)
    total = 0
    for each in found:
        size = each.size()
        total += size
        ago = f"{pluralize(each.days, 'day')} ago" if each.days else "today"
        say(f"{decimal(size):>9}  {ago:>12}  {each.kind:11}  {each.name}")
    amount = f"{pluralize(len(found), 'folder')}, {decimal(total)}"
    if not found:
        say("nothing is kept", err=True)
        return ExitCode.CONFORMANT
    places = ", ".join(dict.fromkeys(str(roots()[each.kind].parent) for each in found))
    if not clear:
        say(f"{amount} in {places}", err=True)
        return ExitCode.CONFORMANT
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(
                f"--clear would remove {amount}, and there is no terminal to confirm it on. Add --yes."
            )
        if not typer.confirm(f"Remove {amount}?", err=True):
            say("nothing was removed", err=True)
            return ExitCode.CONFORMANT
    left = 0
    for each in found:
        try:
            remove(each)
        except InUseError:
            left += 1
            say(f"readfirst: {each.kind}/{each.name} was kept: it is being installed.", err=True)
        except OSError as error:
            left += 1
            say(f"readfirst: {each.kind}/{each.name} was kept: {error}", err=True)
    say(f"removed {amount}" if not left else f"removed {len(found) - left} of {amount}", err=True)
    return ExitCode.ERROR if left else ExitCode.CONFORMANT
