"""The command `readfirst diff`."""

from typing import Literal

import typer

from readfirst.harness.cli.options import (
    MOST_SELECTION_OPTIONS,
    Fixtures,
    Output,
    Selected,
    open_suite,
    running,
    selecting,
    write_output,
)
from readfirst.harness.diff.diff import diff as compare_sides
from readfirst.harness.diff.introduced_in import add_versions
from readfirst.harness.diff.operands import SideParser
from readfirst.harness.diff.report import MAX_DETAILED_CAUSES, as_json, as_markdown, as_text
from readfirst.harness.diff.sources import ContractSide
from readfirst.harness.errors import ExitCode
from readfirst.harness.report.progress import ProgressBar
from readfirst.harness.run.job_count import jobs_for
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.suite.selection import select
from readfirst.harness.terminal import console, say
from readfirst.harness.versions.points import scenarios_of_changes


@selecting(MOST_SELECTION_OPTIONS)
@running("jobs", "time_limit")
def diff(
    before: str = typer.Argument(
        ..., metavar="A", help="A contract, a file that --format jsonl wrote, or a target."
    ),
    after: str = typer.Argument(
        ...,
        metavar="B",
        help="Compare A with this: a contract, a file that --format jsonl wrote, or a target.",
    ),
    format_: Literal["text", "markdown", "json"] = typer.Option(
        "text", "--format", help="The format of the report."
    ),
    output: Output = None,
    all_: bool = typer.Option(False, "--all", help="List every cause of a difference, and every scenario."),
    *,
    selection: Selected,
    options: RunOptions,
    fixtures: Fixtures = None,
) -> int:
    """Show the differences between A and B, grouped by cause. Exit code 0: no difference, 1: differences.

    `readfirst docs changes` describes the output.
    """
    suite = open_suite(fixtures)
    ids = select(suite, selection)
    if not ids:
        say("readfirst: nothing was selected, so nothing was compared.", err=True)
        return ExitCode.NOTHING
    with ProgressBar(console(err=True), 3 * len(ids)) as bar:
        sides = SideParser(suite, ids, options, bar.advance)
        left, right = sides.both(before, after)
        jobs = jobs_for(options.jobs, "", len(ids))
        result = compare_sides(suite, left, right, ids, jobs=jobs, advance=bar.advance)
        if isinstance(left, ContractSide) and isinstance(right, ContractSide):
            shown = result.causes if all_ or format_ != "text" else result.causes[:MAX_DETAILED_CAUSES]
            dated = add_versions(suite, left.contract, right.contract, shown, scenarios_of_changes())
            result = result.with_causes([*dated, *result.causes[len(shown) :]])
    match format_:
        case "json":
            text = as_json(result)
        case "markdown":
            text = as_markdown(result, all_=all_)
        case _:
            text = "".join(f"{line}\n" for line in as_text(result, all_=all_))
    write_output(text, output)
    if result.error:
        say(f"readfirst: {result.error} scenarios have no result, so the comparison is incomplete.", err=True)
        return ExitCode.ERROR
    if not result.compared:
        say("readfirst: no scenario has a result on both sides.", err=True)
        return ExitCode.NOTHING
    return ExitCode.NOT_CONFORMANT if result.causes else ExitCode.CONFORMANT
