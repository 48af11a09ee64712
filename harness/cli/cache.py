"""Cache commands: `readfirst cache`; the command line registers it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from readfirst.harness.cli.exits import UsageError, guarded
from readfirst.harness.exit_code import ExitCode

# Everything else is imported by the command that needs it, as in the command line itself.

__all__ = ["cache"]


@guarded
def cache(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Only what is called so: 2.1.7, takes/2.1.7, agno, or a kind.",
            show_default="all",
        ),
    ] = None,
    older_than: Annotated[
        int | None, typer.Option(min=0, metavar="DAYS", help="Only what was not used for so many days.")
    ] = None,
    clear: Annotated[
        bool, typer.Option("--clear", help="Remove it; it is installed again when needed.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Remove it without asking.")] = False,
) -> int:
    """List what is kept on disk: versions of the product, targets, takes, what failed last; `--clear` removes it."""
    from rich.filesize import decimal

    from readfirst.harness.versions.cache import InUseError, chosen, kept, remove, roots

    found = chosen(kept(), names or (), older_than)
    total = 0
    for each in found:
        size = each.size()
        total += size
        print(f"{decimal(size):>9}  {_ago(each.days):>12}  {each.kind:11}  {each.name}", flush=True)
    told = f"{len(found)} folder{'' if len(found) == 1 else 's'}, {decimal(total)}"
    if not found:
        print("nothing is kept", file=sys.stderr)
        return ExitCode.CONFORMANT
    places = ", ".join(dict.fromkeys(str(roots()[each.kind].parent) for each in found))
    if not clear:
        print(f"{told} in {places}", file=sys.stderr)
        return ExitCode.CONFORMANT
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(f"--clear would remove {told}, and there is nobody to ask. Add --yes.")
        if not typer.confirm(f"Remove {told}?", err=True):
            print("nothing was removed", file=sys.stderr)
            return ExitCode.CONFORMANT
    left = 0
    for each in found:
        try:
            remove(each)
        except InUseError:
            left += 1
            print(f"readfirst: {each.kind}/{each.name} stays: it is being installed.", file=sys.stderr)
        except OSError as error:
            left += 1
            print(f"readfirst: {each.kind}/{each.name} stays: {error}", file=sys.stderr)
    print(f"removed {told}" if not left else f"removed {len(found) - left} of {told}", file=sys.stderr)
    return ExitCode.BROKEN if left else ExitCode.CONFORMANT


def _ago(days: int) -> str:
    return "today" if not days else f"{days} day{'' if days == 1 else 's'} ago"
