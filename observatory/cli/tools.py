"""Command `readfirst product tools`."""

from collections.abc import Sequence

import typer

from readfirst.harness.cli.options import Fixtures, open_own_suite, open_suite, running
from readfirst.harness.cli.record import Check, Contracts, contracts_named
from readfirst.harness.errors import ExitCode
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.terminal import say
from readfirst.observatory.product_data import RESULTS, TOOLS, record_product_data


@running("time_limit")
def tools(
    results: bool = typer.Option(
        False,
        "--results",
        help="Record the structured results (`tool_use_result`) of some calls, instead of the tool definitions.",
    ),
    contract: Contracts = None,
    check: Check = False,
    *,
    options: RunOptions,
    fixtures: Fixtures = None,
) -> int:
    """Record the tools that each version offers its model, or the structured results of some calls. Needs npm."""
    suite = (open_suite if check else open_own_suite)(fixtures)
    chosen = contracts_named(suite, contract or ["all"])
    given = RESULTS if results else TOOLS
    changed: Sequence[str] = [
        *record_product_data(given, suite, chosen, write=not check, time_limit=options.time_limit)
    ]
    for name in changed:
        say(f"{'differs' if check else 'recorded'} {name} {given.name}")
    return ExitCode.NOT_CONFORMANT if changed and check else ExitCode.CONFORMANT
