"""Diagnose command: `readfirst diagnose`; the command line registers it."""

from pathlib import Path
from typing import Literal

import typer

from readfirst.harness.cli.exits import UsageError
from readfirst.harness.cli.options import AutoJobs, Confine, Fixtures, Output, TimeLimit, open_suite, put
from readfirst.harness.printed import console, say
from readfirst.harness.report.failure import short_path
from readfirst.harness.report.progress import ProgressBar
from readfirst.harness.session import TIME_LIMIT
from readfirst.harness.source.kept import KeptError
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.diagnosis.observation import comparable, read_observed, run_observed
from readfirst.observatory.diagnosis.replays import Replays
from readfirst.observatory.diagnosis.report import Case, as_json, as_markdown, as_text
from readfirst.observatory.diagnosis.search import diagnosed
from readfirst.observatory.diagnosis.table import BASE, TABLE, Table, contracts, made, reference_digest

_FEW = 40
"""Scenarios that the table may lack without a word: they are replayed in seconds."""


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
    jobs: AutoJobs = 0,
    time_limit: TimeLimit = TIME_LIMIT,
    confine: Confine = False,
    write_table: bool = typer.Option(
        False, "--write-table", help="Update the table that diagnoses start from (in a checkout)."
    ),
    fixtures: Fixtures = None,
) -> None:
    """Show which version of the reference an implementation resembles, and in which behaviours it differs.

    docs/diagnosis.md says how to read it.
    """
    suite = open_suite(fixtures)
    if write_table:
        if targets or fixtures is not None:
            raise UsageError("--write-table takes no target and no --fixtures: it is for the bundled suite.")
        _write_table(suite, jobs)
        return
    if not targets:
        raise UsageError("name a target, or the results of a run: readfirst diagnose mine.jsonl")
    if BASE not in contracts(suite):
        raise UsageError(f"{suite.root} has no contract {BASE}, which a diagnosis needs.")
    found = []
    for target in targets:
        if target.endswith(".jsonl") or (":" not in target and Path(target).is_file()):
            found.append(read_observed(suite, Path(target)))
        else:
            observed = run_observed(
                suite, target, suite.ids(), jobs=jobs, time_limit=time_limit, confine=confine
            )
            found.append((target, observed))
    table, known, cases = _up_to_date(suite, Table.read(), jobs), suite.rules, []
    headings = [] if known is None else [*map(suite.heading, suite.ids())]
    rules = {each.id: known[each.rule] for each in headings if known and each.rule in known}
    with Replays(suite) as replays:
        for name, observed in found:
            seen = comparable(table, observed)
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


def _up_to_date(suite: Suite, table: Table, jobs: int) -> Table:
    """Return the table with rows for all scenarios of a suite."""
    if table.reference != reference_digest():
        say(
            "readfirst: the table that diagnoses start from was made from another state of the reference, so this "
            "takes longer and may find less. In a checkout, `readfirst diagnose --write-table` updates it.",
            err=True,
        )
    stale = Table(reference_digest(), table.rows).stale(suite)
    if len(stale) > _FEW:
        say(
            f"readfirst: {len(stale)} scenarios are not in the table; replaying them takes a while.", err=True
        )
    ids = set(suite.ids())
    rows = {name: row for name, row in table.rows.items() if name in ids}
    return Table(table.reference, {**rows, **dict(made(suite, stale, jobs))})


def _write_table(suite: Suite, jobs: int) -> None:
    try:
        known = Table.read()
    except KeptError:
        known = Table("", {})
    stale = known.stale(suite)
    rows = {name: row for name, row in known.rows.items() if name in set(suite.ids())}
    with ProgressBar(console(err=True), len(stale)) as bar:
        for name, row in made(suite, stale, jobs):
            rows[name] = row
            bar.advance()
    Table(reference_digest(), rows).write()
    say(f"{short_path(TABLE)}: {len(stale)} of {len(rows)} scenarios replayed")
