"""The command `readfirst check-adapter`."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from threading import Timer

import typer

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.adapter_traits import REFUSALS, traits_of
from readfirst.harness.cli.options import Claims, Settle, one_target, running
from readfirst.harness.compare.design import OBSERVED_BEHAVIOURS, DesignUnclear, design_seen
from readfirst.harness.compare.refusals import refusals_seen
from readfirst.harness.errors import ExitCode
from readfirst.harness.pluralize import pluralize
from readfirst.harness.report.escape import visible
from readfirst.harness.report.progress import duration
from readfirst.harness.run.capabilities import parse_capabilities
from readfirst.harness.run.check_adapter import plan_checks, run_checks
from readfirst.harness.run.connect import connect, target_defaults
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.suite.suite import Suite
from readfirst.harness.terminal import say
from readfirst.harness.workspace.workspace_dir import WorkspacePool

_SLOW_S = 5.0
"""A message reports that a check is still running after this number of seconds."""


@running("time_limit", "confine", settle=(Settle, 200.0))
def check_adapter(
    words: list[str] = typer.Argument(
        ..., metavar="TARGET", help="The connect string, as for `readfirst run`."
    ),
    *,
    options: RunOptions,
    claims: Claims = None,
) -> int:
    """Check that an adapter works at all, before the implementation is judged."""
    target = one_target(words, "readfirst check-adapter")
    required = parse_capabilities(claims or ())
    if required is None and (known := target_defaults(target)) is not None:
        required = known.claims
    adapter = connect(target, Suite(None), options)
    problems = 0
    with closing(traits_of(adapter)), WorkspacePool(confined=options.confine) as workspaces:
        plan = plan_checks(adapter, workspaces, options.settle, required)
        limit = options.time_limit
        say(
            f"{len(plan)} checks; they usually take some seconds, and at most about "
            f"{duration(len(plan) * limit)}: each ends with the first call that takes {duration(limit)}.",
            err=True,
        )
        for check in run_checks(plan, _report_if_slow):
            problems += bool(check.problem)
            say(f"{'no ' if check.problem else 'yes'}  {check.name}")
            for line in check.problem.splitlines():
                say(f"       {visible(line)}")
        if not problems:
            with _report_if_slow("the design and the refusals"):
                for line in _describe_behaviour(adapter, workspaces):
                    say(visible(line))
    if problems:
        them = "it" if problems == 1 else "them"
        say(f"{pluralize(problems, 'problem')} of the adapter; fix {them} first.")
        return ExitCode.ERROR
    say(f"The adapter works. Judge the implementation: readfirst run {target!r} --level safe")
    return ExitCode.CONFORMANT


def _describe_behaviour(adapter: Adapter, workspaces: WorkspacePool) -> Iterator[str]:
    """Yield lines about the adapter's design and about undeclared refusals of calls that the contract answers. The
    lines contain the declarations that the user can add.
    """
    traits = traits_of(adapter)
    if {"Read", "Edit"} <= traits.capabilities:
        try:
            seen = design_seen(adapter, workspaces)
        except DesignUnclear as error:
            yield f"design: not known, because {error}"
        else:
            advice = "" if seen == (traits.design or "strict") else f". Declare it: design = {seen!r}"
            yield f"design: {seen} ({OBSERVED_BEHAVIOURS[seen]}){advice}"
    undeclared = [name for name in refusals_seen(adapter, workspaces) if name not in traits.refuses]
    for name in undeclared:
        yield f"refuses: {REFUSALS[name]}, which the contract answers"
    if undeclared:
        yield f"If these refusals are intended, declare them: refuses = {undeclared}"


@contextmanager
def _report_if_slow(name: str) -> Iterator[None]:
    """If the `with` block runs longer than _SLOW_S seconds, print that the check `name` is still running."""
    timer = Timer(_SLOW_S, lambda: say(f"...  {name} (still running)", err=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
