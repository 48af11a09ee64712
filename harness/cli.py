"""Command line: `readfirst run report list show new lint record fuzz serve export behaviour`."""

from __future__ import annotations

import contextlib
import sys
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from harness.bisect_commands import bisect
from harness.diff_commands import diff, history
from harness.guard import UsageError, guarded, listen, show_tracebacks
from harness.options import (
    ContractName,
    Expression,
    Families,
    Fixtures,
    Ids,
    LevelName,
    Tags,
    open_suite,
    selection_of,
)
from harness.record_commands import merge, record
from harness.release_commands import snapshot
from harness.summary import ExitCode
from harness.target_commands import check_adapter, implementations, targets
from harness.usage import GUIDE, MANUAL, TARGETS

# Everything else is imported by the command that needs it: `list` and `--help` must answer at once.

__all__ = ["app", "main"]


def _say(manual: str) -> None:
    for line in manual.splitlines():
        typer.secho(line, bold=line.endswith(":") and not line.startswith(" "))


class _Manual(TyperGroup):
    """Adds the manual to the help of the whole; as it is, because it holds code and tables."""

    def format_help(self, *args: Any, **kwargs: Any) -> None:
        """Print the help."""
        super().format_help(*args, **kwargs)
        _say(MANUAL)


class _Targets(TyperCommand):
    """Adds the list of targets to the help of `run`."""

    def format_help(self, *args: Any, **kwargs: Any) -> None:
        """Print the help."""
        super().format_help(*args, **kwargs)
        _say(TARGETS)


app = typer.Typer(
    name="readfirst",
    help=GUIDE,
    cls=_Manual,
    rich_markup_mode="rich",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; always ends with SystemExit."""
    given = sys.argv[1:] if arguments is None else arguments
    if "--traceback" in given:  # wherever it stands, because it is added to a command that failed
        given = ["--traceback", *(argument for argument in given if argument != "--traceback")]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # an arrow must not end a run on an ASCII terminal
    listen()
    app(given, prog_name="readfirst")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"readfirst {version()}")
        raise typer.Exit


def version() -> str:
    """Return the version of the installed distribution; `unknown` in a checkout that is not installed."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("readfirst")
    except PackageNotFoundError:
        return "unknown"


@app.callback()
def _global(
    traceback: Annotated[
        bool, typer.Option("--traceback", help="Show where an unexpected error of readfirst itself arose.")
    ] = False,
    _shown: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    show_tracebacks(traceback)


@app.command(cls=_Targets)
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
        typer.Option("--update-baseline", help="Write this run's failures into --baseline, keeping reasons."),
    ] = False,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, max=256, help="Worker processes.")] = 1,
    time_limit: Annotated[float, typer.Option(min=0.1, help="Seconds that one call may take.")] = 30.0,
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


@app.command()
@guarded
def report(
    streams: Annotated[list[Path], typer.Argument(metavar="FILE...", help="What --format jsonl wrote.")],
    format_: Annotated[PageName, typer.Option("--format", help="What to write.")] = PageName.markdown,
    output: Annotated[
        Path | None,
        typer.Option(help="Write to this file, whole or not at all.", show_default="standard output"),
    ] = None,
    fixtures: Fixtures = None,
) -> int:
    """Make a page of one or more runs from their JSON lines; exit code 3 if one of them was cut off."""
    from harness.testrun import perform_report

    perform_report(open_suite(fixtures), streams, format_.value, output, fixtures=fixtures, version=version())
    return ExitCode.CONFORMANT


@app.command(name="list")
@guarded
def list_(
    ids: Ids = None,
    family: Families = None,
    tag: Tags = None,
    expression: Expression = "",
    fixtures: Fixtures = None,
) -> int:
    """List scenarios: id, requirement and title, separated by tabs."""
    from harness.selection import select

    suite = open_suite(fixtures)
    chosen = select(suite, selection_of(ids, family, tag, expression))
    headings = map(suite.heading, chosen)
    sys.stdout.writelines(f"{each.id}\t{each.requirement}\t{each.title}\n" for each in headings)
    return ExitCode.CONFORMANT if chosen else ExitCode.NOTHING


@app.command()
@guarded
def show(
    scenario: Annotated[str, typer.Argument(metavar="ID", help="The scenario's id or file.")],
    contract: ContractName = None,
    fixtures: Fixtures = None,
) -> int:
    """Show one scenario: its files, its steps, and what a contract expects of each."""
    from harness.report.scenario import scenario_lines
    from harness.selection import Selection, select

    suite = open_suite(fixtures)
    (scenario_id,) = select(suite, Selection(ids=(scenario,)))
    chosen = suite.contracts[contract or suite.contracts.default]
    for line in scenario_lines(suite.scenario(scenario_id), chosen):
        print(line)
    return ExitCode.CONFORMANT


@app.command()
@guarded
def lint(ids: Ids = None, fixtures: Fixtures = None) -> int:
    """Check scenario files and recordings; exit code 4 if anything is wrong. docs/format.md lists the rules."""
    from harness.lint import lint as find
    from harness.selection import Selection, select

    suite = open_suite(fixtures)
    chosen = select(suite, Selection(ids=tuple(ids))) if ids else None
    count = 0
    for finding in find(suite, chosen):
        print(finding)
        count += 1
    files = len(chosen) if chosen is not None else len(suite.ids())
    print(
        f"{files} scenario{'' if files == 1 else 's'}, {count} finding{'' if count == 1 else 's'}",
        file=sys.stderr,
    )
    if count:
        return ExitCode.SUITE_INVALID
    return ExitCode.CONFORMANT if files else ExitCode.NOTHING


@app.command()
@guarded
def new(
    scenario: Annotated[str, typer.Argument(metavar="ID", help="Family and slug of the new scenario.")],
    fixtures: Fixtures = None,
) -> int:
    """Write a commented scenario to begin with. CONTRIBUTING.md goes on from there."""
    from harness.skeleton import SkeletonError, write_skeleton

    try:
        print(write_skeleton(open_suite(fixtures), scenario))
    except SkeletonError as error:
        raise UsageError(str(error)) from error
    return ExitCode.CONFORMANT


@app.command()
@guarded
def fuzz(
    against: Annotated[str, typer.Option(help="The target, for example claude-code:2.1.7.")],
    steps: Annotated[int, typer.Option(min=0, help="Stop when so many were made on both sides.")] = 2000,
    seed: Annotated[int, typer.Option(help="Another seed gives other scenarios.")] = 0,
    level: Annotated[LevelName, typer.Option(help="How strictly to compare.")] = LevelName.text,
    contract: ContractName = None,
    output: Annotated[Path, typer.Option(help="The folder for the scenario file of each finding.")] = Path(
        "fuzz-findings"
    ),
    known: Annotated[Path | None, typer.Option(help="Accepted disagreements; see docs/fuzzing.md.")] = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="Reach claude-code:VERSION through MCP: no texts, more steps.")
    ] = False,
    jobs: Annotated[
        int,
        typer.Option("-j", "--jobs", min=1, max=256, help="Search as many seeds at once, from --seed on."),
    ] = 1,
    time_limit: Annotated[float, typer.Option(min=0.1, help="Seconds that one call may take.")] = 30.0,
    fixtures: Fixtures = None,
) -> int:
    """Replay generated scenarios on the reference and a target; write where they differ, as small as it gets."""
    from harness.fuzz.search import Request, perform

    if level.value == "verbatim":
        raise UsageError("--level verbatim needs recordings, and generated scenarios have none; write text.")
    suite = open_suite(fixtures)
    chosen = contract or suite.contracts.default
    return perform(
        Request(suite, against, chosen, steps, seed, level.value, output, known, time_limit, fast, jobs)
    )


@app.command()
@guarded
def serve(
    contract: Annotated[str, typer.Option(help="The contract to serve.")] = "2.1.7",
    root: Annotated[
        Path | None, typer.Option(help="The directory to work in.", show_default="the current one")
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(help="A Claude Code settings.json; its deny rules apply.")
    ] = None,
) -> int:
    """Serve the reference implementation as an MCP server over standard input and output."""
    from reference_impl.server import serve as serve_tools

    serve_tools(contract, root=root, settings=settings)
    return ExitCode.CONFORMANT


@app.command()
@guarded
def export(
    contract: ContractName = None,
    output: Annotated[
        Path | None,
        typer.Option(help="Write to this file, whole or not at all.", show_default="standard output"),
    ] = None,
    fixtures: Fixtures = None,
) -> int:
    """Write all scenarios expanded for one contract, one JSON object per line, for other languages to read."""
    import json

    from harness.export import export as expanded
    from harness.report import output as opened

    suite = open_suite(fixtures)
    chosen = suite.contracts[contract or suite.contracts.default]
    count = 0
    with opened(output) if output is not None else contextlib.nullcontext(sys.stdout) as stream:
        for scenario in expanded(suite, chosen):
            stream.write(json.dumps(scenario) + "\n")
            count += 1
    return ExitCode.CONFORMANT if count else ExitCode.NOTHING


@app.command()
@guarded
def behaviour(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit code 1 if the page on disk is stale.")
    ] = False,
    write: Annotated[
        bool, typer.Option("--write", help="Write docs/behaviour.md beside the fixtures.")
    ] = False,
    fixtures: Fixtures = None,
) -> int:
    """Print what the documents claim and what the product was recorded to do, as docs/behaviour.md has it."""
    if check and write:
        raise UsageError("--check and --write exclude each other.")
    from harness.behaviour.page import behaviour as made
    from harness.behaviour.page import is_fresh, page_file

    suite = open_suite(fixtures)
    page = made(suite)
    if not check and not write:
        sys.stdout.write(page)
        return ExitCode.CONFORMANT
    file = page_file(suite)
    if file is None:
        raise UsageError("The bundled suite has no page beside it: name a checkout's with --fixtures.")
    if is_fresh(file, page):
        return ExitCode.CONFORMANT
    if check:
        print(f"{file} is stale. Write it with `readfirst behaviour --write`.", file=sys.stderr)
        return ExitCode.NOT_CONFORMANT
    from harness.atomic import write_all

    write_all({file: page.encode()})
    print(f"wrote {file}", file=sys.stderr)
    return ExitCode.CONFORMANT


app.command()(record)
app.command()(merge)
app.command()(bisect)
app.command()(diff)
app.command()(history)
app.command()(snapshot)
app.command()(targets)
app.command(name="check-adapter")(check_adapter)
app.command()(implementations)


if __name__ == "__main__":
    main()
