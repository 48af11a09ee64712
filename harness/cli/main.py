"""Command line: `readfirst`, the commands it has, and its help."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from readfirst.harness.cli.exits import listen, show_tracebacks
from readfirst.harness.cli.manual import GUIDE, MANUAL, TARGETS
from readfirst.harness.cli.version import version
from readfirst.harness.exit_code import ExitCode

# Everything else is imported by the command that needs it: `list` must answer at once.

__all__ = ["COMMANDS", "main"]

COMMANDS: Mapping[str, str] = {
    "run": "readfirst.harness.cli.run:run",
    "watch": "readfirst.harness.cli.watch:watch",
    "diagnose": "readfirst.harness.cli.diagnose:diagnose",
    "report": "readfirst.harness.cli.run:report",
    "list": "readfirst.harness.cli.scenarios:list_",
    "show": "readfirst.harness.cli.scenarios:show",
    "rules": "readfirst.harness.cli.rules:rules",
    "contracts": "readfirst.harness.cli.contracts:contracts",
    "lint": "readfirst.harness.cli.scenarios:lint",
    "new": "readfirst.harness.cli.scenarios:new",
    "fuzz": "readfirst.harness.cli.fuzz:fuzz",
    "serve": "readfirst.harness.cli.reference:serve",
    "export": "readfirst.harness.cli.scenarios:export",
    "behaviour": "readfirst.harness.cli.pages:behaviour",
    "record": "readfirst.harness.cli.record:record",
    "merge": "readfirst.harness.cli.record:merge",
    "bisect": "readfirst.harness.cli.bisect:bisect",
    "diff": "readfirst.harness.cli.diff:diff",
    "behaviours": "readfirst.harness.cli.behaviours:behaviours",
    "history": "readfirst.harness.cli.pages:history",
    "snapshot": "readfirst.harness.cli.snapshot:snapshot",
    "sweep": "readfirst.harness.cli.sweep:sweep",
    "cache": "readfirst.harness.cli.cache:cache",
    "targets": "readfirst.harness.cli.targets:targets",
    "new-mapping": "readfirst.harness.cli.targets:new_mapping",
    "check-adapter": "readfirst.harness.cli.targets:check_adapter",
    "implementations": "readfirst.harness.cli.targets:implementations",
    "compatibility": "readfirst.harness.cli.compatibility:compatibility",
    "site": "readfirst.harness.cli.site:site",
    "docs": "readfirst.harness.cli.docs:docs",
}
"""Every command, in the order of the help, with the function that it is."""


def _say(manual: str) -> None:
    for line in manual.splitlines():
        typer.secho(line, bold=line.endswith(":") and not line.startswith(" "))


class _Manual(TyperGroup):
    """Adds the manual to the help of the whole; as it is, because it holds code and tables."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; an error about a value does not name Python's classes."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise

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


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; always ends with SystemExit."""
    given = sys.argv[1:] if arguments is None else arguments
    if "--traceback" in given:  # wherever it stands, because it is added to a command that failed
        given = ["--traceback", *(argument for argument in given if argument != "--traceback")]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # an arrow must not end a run on an ASCII terminal
    if sys.getfilesystemencoding().lower() not in ("utf-8", "utf8"):
        problem = (
            f"file names are {sys.getfilesystemencoding()} here, which cannot express those of scenarios"
        )
        print(f"readfirst: {problem}. Set PYTHONUTF8=1, or a locale with UTF-8.", file=sys.stderr)
        sys.exit(ExitCode.BROKEN)
    listen()
    _app(given)(given, prog_name="readfirst")


def _app(given: Sequence[str]) -> typer.Typer:
    """Return the application with the command that is asked for; with all, where that is not clear or help is wanted.

    Every command that is added costs more time than `list` takes: its parameters are checked.
    """
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
    app.callback()(_global)
    first = next((word for word in given if word != "--traceback"), "")
    for name in [first] if first in COMMANDS else COMMANDS:
        settings = {"ignore_unknown_options": True} if name == "watch" else None  # they are those of `run`
        app.command(name=name, cls=_Targets if name == "run" else None, context_settings=settings)(
            _function(COMMANDS[name])
        )
    return app


def _function(named: str) -> Callable[..., None]:
    module, _, function = named.partition(":")
    found: Callable[..., None] = getattr(import_module(module), function)
    return found


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"readfirst {version()}")
        raise typer.Exit


def _global(
    traceback: Annotated[
        bool, typer.Option("--traceback", help="Show the traceback of an unexpected error.")
    ] = False,
    _shown: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    show_tracebacks(traceback)


if __name__ == "__main__":
    main()
