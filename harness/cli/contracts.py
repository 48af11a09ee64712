"""Contract commands: `readfirst contracts`; the command line registers it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from readfirst.harness.cli.exits import guarded
from readfirst.harness.cli.options import Fixtures, open_suite
from readfirst.harness.exit_code import ExitCode
from readfirst.harness.printed import say_table

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
    say_table(("contract", "", "read gate", "what it changed"), rows)
    return ExitCode.CONFORMANT


def _mark(contract: Contract, known: Contracts) -> str:
    marks = {"default": known.default, "latest": known.latest.name}
    return ", ".join(mark for mark, name in marks.items() if name == contract.name)
