"""The command `readfirst check-adapter`."""

from contextlib import closing

import typer

from readfirst.harness.adapter_api import TIME_LIMIT, traits_of
from readfirst.harness.cli.options import Claims, Confine, Settle, TimeLimit, one_target
from readfirst.harness.errors import ExitCode
from readfirst.harness.pluralize import pluralize
from readfirst.harness.report.escape import visible
from readfirst.harness.run.capabilities import claims_named
from readfirst.harness.run.check_adapter import check_adapter as checks
from readfirst.harness.run.connect import connect
from readfirst.harness.run.target_defaults import target_defaults
from readfirst.harness.suite.suite import Suite
from readfirst.harness.terminal import say
from readfirst.harness.workspace.workspace_dir import WorkspacePool


def check_adapter(
    words: list[str] = typer.Argument(
        ..., metavar="TARGET", help="The connect string, as for `readfirst run`."
    ),
    time_limit: TimeLimit = TIME_LIMIT,
    settle: Settle = 200,
    claims: Claims = None,
    confine: Confine = False,
) -> int:
    """Check that an adapter works at all, before the implementation is judged."""
    target = one_target(words, "readfirst check-adapter")
    required = claims_named(claims or ())
    if required is None and (known := target_defaults(target)) is not None:
        required = known.claims
    adapter = connect(target, Suite(None), time_limit=time_limit, confine=confine)
    problems = 0
    with closing(traits_of(adapter)), WorkspacePool(confined=confine) as place:
        for check in checks(adapter, place, settle / 1000, required):
            problems += bool(check.problem)
            say(f"{'no ' if check.problem else 'yes'}  {check.name}")
            for line in check.problem.splitlines():
                say(f"       {visible(line)}")
    if problems:
        say(
            f"{pluralize(problems, 'problem')} of the adapter; fix {'it' if problems == 1 else 'them'} first."
        )
        return ExitCode.BROKEN
    say(f"The adapter works. Judge the implementation: readfirst run {target!r}")
    return ExitCode.CONFORMANT
