"""Command line: `readfirst`, the commands it has, and its help."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from harness.bisect_commands import bisect
from harness.diff_commands import diff
from harness.guard import listen, show_tracebacks
from harness.page_commands import behaviour, history
from harness.record_commands import merge, record
from harness.reference_commands import fuzz, serve
from harness.release_commands import snapshot
from harness.run_commands import report, run
from harness.scenario_commands import export, lint, list_, new, show
from harness.target_commands import check_adapter, implementations, targets
from harness.usage import GUIDE, MANUAL, TARGETS
from harness.version import version

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


app.command(cls=_Targets)(run)
app.command()(report)
app.command(name="list")(list_)
app.command()(show)
app.command()(lint)
app.command()(new)
app.command()(fuzz)
app.command()(serve)
app.command()(export)
app.command()(behaviour)
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
