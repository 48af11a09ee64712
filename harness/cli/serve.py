"""The command `readfirst serve`."""

from pathlib import Path
from typing import Literal

import typer

from readfirst.harness.cli.error_handling import UsageError, version
from readfirst.harness.cli.process_setup import exit_on_signals_during_command


def serve(
    contract: str = typer.Option("2.1.7", help="The contract to serve."),
    root: Path | None = typer.Option(None, help="The directory to work in.", show_default="the current one"),
    settings: Path | None = typer.Option(None, help="A Claude Code settings.json; its deny rules apply."),
    protocol: Literal["mcp", "lines"] = typer.Option(
        "mcp", help="mcp, or lines (JSON lines), which supports everything that scenarios need."
    ),
) -> None:
    """Serve the reference implementation over standard input and output: as an MCP server, or in JSON lines."""
    exit_on_signals_during_command()
    if protocol == "lines":
        if root is not None or settings is not None:
            raise UsageError(
                "--root and --settings are for --protocol mcp; with lines, each `open` message names the directory."
            )
        from readfirst.harness.adapters.reference import serve as serve_lines

        try:
            serve_lines(contract, version())
        except ValueError as error:
            raise UsageError(str(error)) from error
        return
    from readfirst.reference_impl.server import serve as serve_tools

    serve_tools(contract, root=root, settings=settings)
