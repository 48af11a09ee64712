"""List commands: `readfirst rules` and `contracts`; the command line registers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from readfirst.harness.cli.exits import UsageError, guarded
from readfirst.harness.cli.options import Classes, Fixtures, open_suite
from readfirst.harness.exit_code import ExitCode
from readfirst.harness.printed import say_lines, say_table

if TYPE_CHECKING:
    from readfirst.harness.suite.contracts import Contract, Contracts

# Everything else is imported by the command that needs it, as in the command line itself.


@guarded
def rules(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="RULE", help="Rules to show in full, with their scenarios."),
    ] = None,
    class_: Classes = None,
    fixtures: Fixtures = None,
) -> int:
    """List the rules that scenarios show, worst first: id, class, requirement, scenarios, and what each claims.

    A table on a terminal, else separated by tabs. `readfirst rules RULE` shows everything about one: what the
    documents claim, the behaviours of the reference and when they changed, and the versions that differ.
    """
    suite = open_suite(fixtures)
    known = suite.rules
    if known is None:
        raise UsageError(f"{suite.root} has no rules.yaml, so its scenarios belong to no rule.")
    chosen = [known[rule_id] for rule_id in ids] if ids else list(known)
    if class_:
        chosen = [rule for rule in chosen if rule.class_ in {each.value for each in class_}]
    from readfirst.harness.claims.rule_links import scenarios_by_rule

    scenarios = scenarios_by_rule(suite)
    if ids:
        from readfirst.harness.claims.rule_story import rule_story

        for rule in chosen:
            say_lines(rule_story(suite, known, rule))
    else:
        rows = [
            (rule.id, rule.class_, rule.requirement, str(len(scenarios.get(rule.id, []))), rule.title)
            for rule in chosen
        ]
        say_table(("rule", "class", "requirement", "scenarios", "what holds"), rows, numbers=("scenarios",))
    return ExitCode.CONFORMANT if chosen else ExitCode.NOTHING


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
