"""Reference command: `readfirst serve`; the command line registers it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from readfirst.harness.cli.exits import guarded
from readfirst.harness.exit_code import ExitCode

# Everything else is imported by the command that needs it, as in the command line itself.

__all__ = ["serve"]


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
