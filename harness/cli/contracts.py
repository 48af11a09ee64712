"""Contract commands: `readfirst contracts`; the command line registers it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from readfirst.harness.cli.exits import guarded
from readfirst.harness.cli.options import Fixtures, open_suite
from readfirst.harness.exit_code import ExitCode

if TYPE_CHECKING:
    from readfirst.harness.suite.contracts import Contract, Contracts

# Everything else is imported by the command that needs it, as in the command line itself.

__all__ = ["contracts"]


@guarded
def contracts(fixtures: Fixtures = None) -> int:
    """List the contracts, oldest first: name, which is default or latest, the read gate, and what each changed.

    A table on a terminal, else separated by tabs. `readfirst diff 2.1.7 2.1.40` shows what differs between two.
    """
    known = open_suite(fixtures).contracts
    rows = [(each.name, _mark(each, known), each.read_gate or "", each.summary) for each in known]
    if sys.stdout.isatty():
        _print_table(rows)
    else:
        sys.stdout.writelines("\t".join(row) + "\n" for row in rows)
    return ExitCode.CONFORMANT


def _mark(contract: Contract, known: Contracts) -> str:
    marks = {"default": known.default, "latest": known.latest.name}
    return ", ".join(mark for mark, name in marks.items() if name == contract.name)


def _print_table(rows: Iterable[tuple[str, str, str, str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("contract", "", "read gate"):
        table.add_column(name, no_wrap=True)
    table.add_column("what it changed")
    for row in rows:
        table.add_row(*map(Text, row))  # as text, so that nothing in it is markup
    Console(emoji=False, highlight=False).print(table)
