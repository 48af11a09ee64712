"""Reference commands: `readfirst serve`, and `fuzz`, which asks it; the command line registers them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from readfirst.harness.cli.exits import UsageError, guarded
from readfirst.harness.cli.options import ContractName, Fixtures, LevelName, TimeLimit, one_target, open_suite
from readfirst.harness.exit_code import ExitCode
from readfirst.harness.session import TIME_LIMIT

# Everything else is imported by the command that needs it, as in the command line itself.

__all__ = ["fuzz", "serve"]


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
    from readfirst.reference_impl.server import serve as serve_tools

    serve_tools(contract, root=root, settings=settings)
    return ExitCode.CONFORMANT


@guarded
def fuzz(
    against: Annotated[str, typer.Option(help="The target, for example claude-code:2.1.7.")],
    words: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    steps: Annotated[int, typer.Option(min=0, help="Stop after this many steps on each side.")] = 2000,
    seed: Annotated[int, typer.Option(help="A different seed generates different scenarios.")] = 0,
    level: Annotated[LevelName, typer.Option(help="How strictly to compare.")] = LevelName.text,
    contract: ContractName = None,
    output: Annotated[Path, typer.Option(help="The folder for the scenario file of each finding.")] = Path(
        "fuzz-findings"
    ),
    known: Annotated[
        Path | None, typer.Option(help="Accepted disagreements; see `readfirst docs fuzzing`.")
    ] = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="Reach claude-code:VERSION through MCP: no texts, more steps.")
    ] = False,
    jobs: Annotated[
        int,
        typer.Option(
            "-j", "--jobs", min=1, max=256, help="Search this many seeds at once, starting at --seed."
        ),
    ] = 1,
    time_limit: TimeLimit = TIME_LIMIT,
    fixtures: Fixtures = None,
) -> int:
    """Replay generated scenarios on the reference and a target; write each difference as a minimal scenario."""
    from readfirst.harness.fuzz.search import SearchRequest
    from readfirst.harness.fuzz.searches import perform

    if level.value == "verbatim":
        raise UsageError("--level verbatim needs recordings, and generated scenarios have none; write text.")
    against = one_target([against, *(words or ())], "readfirst fuzz --against")
    suite = open_suite(fixtures)
    chosen = contract or suite.contracts.default
    return perform(
        SearchRequest(suite, against, chosen, steps, seed, level.value, output, known, time_limit, fast, jobs)
    )
