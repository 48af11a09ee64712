"""The commands `readfirst run`, `watch` and `report`."""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from readfirst.harness.cli.error_handling import UsageError, version
from readfirst.harness.cli.options import (
    ALL_SELECTION_OPTIONS,
    Claims,
    Fixtures,
    LevelName,
    Output,
    Selected,
    Trust,
    in_installed_package,
    open_suite,
    running,
    selecting,
)
from readfirst.harness.errors import ExitCode
from readfirst.harness.report.table import BRIEF
from readfirst.harness.run.capabilities import parse_capabilities
from readfirst.harness.run.connect import target_defaults
from readfirst.harness.run.did_you_mean import suggest_command
from readfirst.harness.run.run_command import RunRequest, perform, perform_report
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.run.watch import changes_below, rerun, written_by
from readfirst.harness.terminal import stdout

Failures = Annotated[
    str,
    typer.Option(
        help="The number of failures that the table explains, the worst first; `all` explains every failure.",
        show_default="the worst one, in a report of about 40 lines",
    ),
]


@selecting(ALL_SELECTION_OPTIONS)
@running("jobs", "time_limit", "settle", "confine")
def run(
    target: list[str] | None = typer.Argument(
        None, metavar="TARGET|ID", help="The implementation, and ids of scenarios (default: all)."
    ),
    contract: list[str] | None = typer.Option(
        None,
        help="Compare with this contract (repeatable), `latest`, or `all`; `readfirst contracts` lists all contracts.",
        show_default="the suite's default",
    ),
    level: LevelName | None = typer.Option(
        None, help="How strictly to compare.", show_default="text, or the target's own"
    ),
    *,
    selection: Selected,
    format_: Literal["table", "jsonl", "junit", "markdown", "html", "badge"] = typer.Option(
        "table", "--format", help="The format of the report."
    ),
    output: Path | None = typer.Option(
        None,
        help="Write the report to this file; if that fails, the file keeps its old content.",
        show_default="standard output",
    ),
    name: str | None = typer.Option(
        None,
        help="The name of the target in reports and in the baseline.",
        show_default="TARGET as it is written",
    ),
    baseline: Path | None = typer.Option(
        None, help="The file of accepted failures; see `readfirst docs running`."
    ),
    no_baseline: bool = typer.Option(
        False, "--no-baseline", help="Accept no failure, even if the target has a baseline."
    ),
    update_baseline: bool = typer.Option(
        False,
        "--update-baseline",
        "--baseline-update",
        help="Write the failures of this run to the file of --baseline; failures that it lists keep their reasons.",
    ),
    options: RunOptions,
    claims: Claims = None,
    isolation: Literal["auto", "process", "directory"] | None = typer.Option(
        None,
        help="For mcp:COMMAND: one server for each scenario (process), or one for many scenarios (directory).",
        show_default="auto",
    ),
    failures: Failures = "",
    last_failed: bool = typer.Option(
        False,
        "--last-failed",
        "--lf",
        help="Only scenarios that failed in the last run of the target in this directory.",
    ),
    remaining: bool = typer.Option(
        False,
        "--continue",
        help="Only scenarios that an interrupted run in this directory did not reach; with --last-failed, also failed "
        "scenarios.",
    ),
    failed_in: Path | None = typer.Option(
        None, help="Only scenarios that failed in these results, which --format jsonl wrote."
    ),
    keep: Path | None = typer.Option(
        None, help="Keep the workspaces of failing scenarios in this directory."
    ),
    trace: bool = typer.Option(
        False,
        "--trace",
        help="Print every call and raw answer; for an MCP server also its messages. Runs one scenario at a time.",
    ),
    fixtures: Fixtures = None,
    trust: Trust = False,
) -> int:
    """Replay scenarios on an implementation, and compare the results with a contract. Without a TARGET, the bundled
    reference implementation is tested.
    """
    target_capabilities: frozenset[str] | None = None
    targets, suite = list(target or ()), open_suite(fixtures, trust=trust)
    if targets:
        suggestion = suggest_command(targets, suite)
        if suggestion:
            raise UsageError(f"{targets[0]!r} is not a target. Did you mean: {suggestion}")
    # An id has a slash and no colon; every connect string except `reference` has a colon.
    is_id = bool(targets) and ":" not in targets[0] and ("/" in targets[0] or targets[0].endswith(".yaml"))
    connect_string = "reference" if not targets or is_id else targets.pop(0)
    if name is not None and not name.strip():
        raise UsageError("--name is empty. Write a name for the target, for example --name mine.")
    shown_target = connect_string
    if trace and options.jobs > 1:
        raise UsageError("--trace follows one scenario at a time. Leave out -j.")
    if connect_string.startswith("recording:") and (trace or keep is not None):
        option = "--trace" if trace else "--keep"
        raise UsageError(f"a recording makes no calls and has no workspace. Leave out {option}.")
    if isolation is not None:
        if not connect_string.startswith("mcp:"):
            raise UsageError(
                "--isolation is for mcp:COMMAND. Write `isolation: process` or `isolation: directory` below "
                "`mcp:` in the target's mapping."
            )
        connect_string = f"mcp:--isolation={isolation} {connect_string.removeprefix('mcp:')}"
    if no_baseline and (baseline is not None or update_baseline):
        raise UsageError("--no-baseline cannot be combined with --baseline and --update-baseline.")
    if baseline is not None and baseline.exists() and not baseline.is_file():
        raise UsageError(
            f"--baseline {baseline} is not a file. To run without a baseline, use --no-baseline."
        )
    if (known := target_defaults(connect_string)) is not None:
        shown_target = connect_string = known.connect
        level = level or known.level
        target_capabilities = known.claims
        has_own = not no_baseline and not fixtures
        if baseline is None and has_own and (known.baseline.exists() or update_baseline):
            baseline = known.baseline
            if update_baseline and in_installed_package(baseline):
                raise UsageError(
                    f"the baseline of {shown_target} is part of the installed package, and must not be changed. "
                    "Name a file of your own: --baseline FILE."
                )
    level = level or "text"
    if update_baseline and baseline is None:
        raise UsageError("--update-baseline needs --baseline FILE, the file to write.")
    return perform(
        RunRequest(
            suite=suite,
            fixtures=fixtures or (),
            target=connect_string,
            called=shown_target,
            name=name,
            contracts=tuple(contract or ()),
            level=level,
            selection=replace(selection, ids=tuple(targets)),
            format=format_,
            output=output,
            baseline=baseline,
            no_baseline=no_baseline,
            update_baseline=update_baseline,
            options=replace(options, jobs=1 if trace else options.jobs, keep=keep),
            claims=parse_capabilities(claims or ()),
            stated=target_capabilities,
            most_failures=_parse_failures(failures),
            last_failed=last_failed,
            failed_in=failed_in,
            remaining=remaining,
            trace=trace,
            version=version,
        )
    )


def report(
    streams: list[Path] = typer.Argument(..., metavar="FILE...", help="Results that --format jsonl wrote."),
    format_: Literal["table", "junit", "markdown", "html", "badge"] | None = typer.Option(
        None, "--format", help="The format of the report.", show_default="table on a terminal, else markdown"
    ),
    output: Output = None,
    failures: Failures = "",
    fixtures: Fixtures = None,
) -> None:
    """Make one report of one or more runs from their JSON lines; exit code 3 if one of them is incomplete."""
    terminal = output is None and stdout().isatty()
    perform_report(
        open_suite(fixtures),
        streams,
        format_ or ("table" if terminal else "markdown"),
        output,
        fixtures=fixtures or (),
        version=version(),
        most_failures=_parse_failures(failures),
    )


def _parse_failures(failures: str) -> int | None:
    """Return the number of failures to explain from the value of --failures. None for `all`, BRIEF for no value."""
    if not failures:
        return BRIEF
    if failures != "all" and not failures.isdecimal():
        raise UsageError(f"--failures {failures!r} is neither a number nor `all`.")
    return None if failures == "all" else int(failures)


def watch(
    target: str = typer.Argument(..., metavar="TARGET", help="The implementation, as for `readfirst run`."),
    options: list[str] | None = typer.Argument(
        None, metavar="ID|OPTION", help="Scenarios and options, as for `readfirst run`."
    ),
    path: list[Path] | None = typer.Option(
        None, help="A file or directory of the implementation (repeatable).", show_default="this directory"
    ),
) -> None:
    """Run TARGET, and again after each change of a file: failed scenarios first, then everything. Ctrl-C ends it.

    Needs the extra `watch`. All other options are those of `readfirst run`.
    """
    run_options = list(options or ())
    command = [sys.executable, "-P", "-m", "readfirst", "run", target, *run_options]

    def run_again(more_options: Sequence[str]) -> int:
        code = subprocess.run([*command, *more_options], check=False).returncode
        if code in (ExitCode.USAGE, ExitCode.SUITE_INVALID):
            raise UsageError(
                "`readfirst run` cannot run with these options and this suite, so nothing is watched."
            )
        return code

    rerun(run_again, changes_below(path or [Path()], written_by(run_options)))
