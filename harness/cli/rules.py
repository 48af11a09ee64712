"""Rule commands: `readfirst rules`; the command line registers it."""

from __future__ import annotations

from typing import Annotated

import typer

from readfirst.harness.cli.exits import UsageError, guarded
from readfirst.harness.cli.options import Classes, Fixtures, open_suite
from readfirst.harness.exit_code import ExitCode
from readfirst.harness.printed import say_lines, say_table

# Everything else is imported by the command that needs it, as in the command line itself.

__all__ = ["rules"]


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
