"""Run commands: `readfirst run` and `report`; the command line registers them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from harness.guard import UsageError, guarded
from harness.options import (
    Expression,
    Families,
    Fixtures,
    Jobs,
    LevelName,
    Output,
    Tags,
    TimeLimit,
    open_suite,
    selection_of,
)
from harness.summary import ExitCode
from harness.version import version

# Everything else is imported by the command that needs it, as in the command line itself.

__all__ = ["report", "run"]


class IsolationName(StrEnum):
    """The values of `--isolation`."""

    process = "process"
    directory = "directory"


class FormatName(StrEnum):
    """The values of `--format`."""

    table = "table"
    jsonl = "jsonl"
    junit = "junit"
    markdown = "markdown"
    html = "html"
    badge = "badge"


class PageName(StrEnum):
    """The values of `report --format`."""

    markdown = "markdown"
    html = "html"
    badge = "badge"


@guarded
def run(
    target: Annotated[
        list[str] | None,
        typer.Argument(metavar="TARGET|ID", help="What to test, and which scenarios; all, if none is named."),
    ] = None,
    contract: Annotated[
        list[str] | None,
        typer.Option(
            help="The contract to hold it to (repeatable), or `all`.", show_default="the suite's default"
        ),
    ] = None,
    level: Annotated[
        LevelName | None,
        typer.Option(help="How strictly to compare.", show_default="text, or the target's own"),
    ] = None,
    family: Families = None,
    tag: Tags = None,
    expression: Expression = "",
    format_: Annotated[FormatName, typer.Option("--format", help="What to write.")] = FormatName.table,
    output: Annotated[
        Path | None,
        typer.Option(
            help="Write the report of --format to this file, whole or not at all.",
            show_default="standard output",
        ),
    ] = None,
    baseline: Annotated[Path | None, typer.Option(help="Accepted failures; see docs/running.md.")] = None,
    update_baseline: Annotated[
        bool,
        typer.Option(
            "--update-baseline",
            "--baseline-update",
            help="Write this run's failures into --baseline, keeping reasons.",
        ),
    ] = False,
    jobs: Jobs = 1,
    time_limit: TimeLimit = 30.0,
    isolation: Annotated[
        IsolationName | None,
        typer.Option(help="mcp: a server per scenario, or one for many.", show_default="process"),
    ] = None,
    failures: Annotated[
        str, typer.Option(help="How many failures the table format explains, or `all`.")
    ] = "20",
    fixtures: Fixtures = None,
) -> int:
    """Replay scenarios on an implementation and compare. `readfirst run` tests the bundled reference."""
    from harness.testrun import Request, perform

    targets = list(target or ())
    # An id has a slash and no colon; every connect string but `reference` has a colon.
    is_id = bool(targets) and ":" not in targets[0] and ("/" in targets[0] or targets[0].endswith(".yaml"))
    connect_string = "reference" if not targets or is_id else targets.pop(0)
    if failures != "all" and not failures.isdecimal():
        raise UsageError(f"--failures {failures!r} is neither a number nor `all`.")
    if isolation is not None:
        if not connect_string.startswith("mcp:"):
            raise UsageError("--isolation is for mcp:COMMAND; a target's mapping states its own.")
        connect_string = f"mcp:--isolation={isolation.value} {connect_string.removeprefix('mcp:')}"
    if connect_string.startswith(("target:", "agent:")):
        from harness.targets.known import known_target

        known = known_target(connect_string)
        connect_string, level = known.connect, level or LevelName(known.level)
        if baseline is None and fixtures is None and (known.baseline.exists() or update_baseline):
            baseline = known.baseline
    level = level or LevelName.text
    if update_baseline and baseline is None:
        raise UsageError("--update-baseline needs --baseline FILE, the file to write.")
    suite = open_suite(fixtures)
    names = tuple(contract or ())
    if "all" in names:
        names = tuple(each.name for each in suite.contracts)
    return perform(
        Request(
            suite=suite,
            fixtures=fixtures,
            target=connect_string,
            contracts=names,
            level=level.value,
            selection=selection_of(targets, family, tag, expression),
            format=format_.value,
            output=output,
            baseline=baseline,
            update_baseline=update_baseline,
            jobs=jobs,
            time_limit=time_limit,
            most_failures=None if failures == "all" else int(failures),
            version=version(),
        )
    )


@guarded
def report(
    streams: Annotated[list[Path], typer.Argument(metavar="FILE...", help="What --format jsonl wrote.")],
    format_: Annotated[PageName, typer.Option("--format", help="What to write.")] = PageName.markdown,
    output: Output = None,
    fixtures: Fixtures = None,
) -> int:
    """Make a page of one or more runs from their JSON lines; exit code 3 if one of them was cut off."""
    from harness.testrun import perform_report

    perform_report(open_suite(fixtures), streams, format_.value, output, fixtures=fixtures, version=version())
    return ExitCode.CONFORMANT
