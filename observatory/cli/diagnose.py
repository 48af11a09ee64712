"""Diagnose command: `readfirst diagnose`; the command line registers it."""

from contextlib import ExitStack
from pathlib import Path
from typing import Literal

import typer

from readfirst.harness.cli.error_handling import UsageError
from readfirst.harness.cli.options import (
    Fixtures,
    Output,
    Trust,
    open_suite,
    put,
    running,
)
from readfirst.harness.processes.sandbox import refuse_without_trust
from readfirst.harness.report.progress import ProgressBar
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.suite.suite import Suite
from readfirst.harness.terminal import console, say
from readfirst.observatory.diagnosis.best_match import diagnosed
from readfirst.observatory.diagnosis.lookup_table import BASE, Table, contracts, up_to_date
from readfirst.observatory.diagnosis.observation import comparable, read_observed, run_observed
from readfirst.observatory.diagnosis.replay_cache import Replays
from readfirst.observatory.diagnosis.report import Case, as_json, as_markdown, as_text


@running("jobs", "time_limit", "confine")
def diagnose(
    targets: list[str] | None = typer.Argument(
        None, metavar="TARGET|FILE...", help="A target, or results that --format jsonl wrote."
    ),
    level: Literal["effects", "reason"] = typer.Option(
        "effects", help="What to explain: effects, or also the names of errors."
    ),
    format_: Literal["text", "markdown", "json"] = typer.Option(
        "text", "--format", help="What to write; markdown is one line for each."
    ),
    output: Output = None,
    all_: bool = typer.Option(False, "--all", help="List every rule with unexplained failures."),
    *,
    options: RunOptions,
    fixtures: Fixtures = None,
    trust: Trust = False,
) -> None:
    """Show which version of the reference an implementation resembles, and in which behaviours it differs.

    docs/diagnosis.md says how to read it.
    """
    suite = open_suite(fixtures, trust=trust)
    if suite.needs_wall:
        refuse_without_trust(suite.root, "diagnose")
    if not targets:
        raise UsageError("name a target, or the results of a run: readfirst diagnose mine.jsonl")
    if BASE not in contracts(suite):
        raise UsageError(f"{suite.root} has no contract {BASE}, which a diagnosis needs.")
    found = []
    for target in targets:
        if target.endswith(".jsonl") or (":" not in target and Path(target).is_file()):
            found.append(read_observed(suite, Path(target)))
        else:
            found.append((target, run_observed(suite, target, suite.ids(), options)))
    table, known, cases = _table(suite, options.jobs), suite.rules, []
    headings = [] if known is None else [*map(suite.heading, suite.ids())]
    rules = {each.id: known[each.rule] for each in headings if known and each.rule in known}
    ids = frozenset(suite.ids())
    with Replays(suite) as replays:
        for name, observed in found:
            seen = comparable(table, {each: did for each, did in observed.items() if each in ids})
            if not seen:
                raise UsageError(
                    f"{name}: none of the scenarios that were judged can be replayed on the reference."
                )
            diagnosis = diagnosed(table, replays, seen, level, contracts=contracts(suite))
            cases.append(Case(name, diagnosis, rules, known))
    match format_:
        case "json":
            put(as_json(cases), output)
        case "markdown":
            put(f"{as_markdown(cases)}\n", output)
        case _:
            texts = ("".join(f"{line}\n" for line in as_text(case, everything=all_)) for case in cases)
            put("\n".join(texts), output)


def _table(suite: Suite, jobs: int) -> Table:
    """Return the table of a suite; a progress bar shows how it is made on first use."""
    with ExitStack() as stack:
        bars: list[ProgressBar] = []

        def begin(count: int) -> None:
            say("readfirst: preparing the comparison with the reference, once for this suite.", err=True)
            bars.append(stack.enter_context(ProgressBar(console(err=True), count)))

        return up_to_date(suite, jobs, begin, lambda: bars[0].advance())
