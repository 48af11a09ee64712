"""Command line: `readfirst`, the commands it has, and its help."""

import ast
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from readfirst.harness.cli.exits import explained, guarded, show_tracebacks, version
from readfirst.harness.cli.manual import GUIDE, MANUAL, TARGETS
from readfirst.harness.exit_code import ExitCode
from readfirst.harness.printed import UnreadError, console, guarded_streams, say

_CLI = "readfirst.harness.cli"

COMMANDS: Mapping[str, str] = {
    "run": "run:run",
    "watch": "run:watch",
    "diagnose": "diagnose:diagnose",
    "diff": "diff:diff",
    "report": "run:report",
    "fuzz": "fuzz:fuzz",
    "check-adapter": "targets:check_adapter",
    "list": "scenarios:list_",
    "show": "scenarios:show",
    "rules": "scenarios:rules",
    "contracts": "scenarios:contracts",
    "new": "scenarios:new",
    "lint": "scenarios:lint",
    "renew": "pages:renew",
    "export": "scenarios:export",
    "serve": "reference:serve",
    "docs": "pages:docs",
    "product record": "record:record",
    "product merge": "record:merge",
    "product snapshot": "snapshot:snapshot",
    "product bisect": "bisect:bisect",
    "product sweep": "sweep:sweep",
    "product history": "pages:history",
    "product behaviours": "pages:behaviours",
    "product claims": "pages:claims",
    "product cache": "cache:cache",
    "field targets": "targets:targets",
    "field new-mapping": "targets:new_mapping",
    "field implementations": "targets:implementations",
    "field compatibility": "compatibility:compatibility",
    "field site": "compatibility:site",
}
"""Every command as it is called, in the order of the help, with its module and the function that it is."""

GROUPS: Mapping[str, str] = {
    "product": "The real product: record it, find what a release changed, and since when.",
    "field": "Published implementations: run them, compare them, show them; and connect a new one.",
}
"""The commands that hold others, with their help."""

FORMER: Mapping[str, str] = {
    "behaviour": "product claims",
    **{
        called.partition(" ")[2]: called
        for called in COMMANDS
        if " " in called and not called.endswith(" claims")
    },
}
"""Names that commands had until 0.1, and what they are called now."""


def _say(manual: str) -> None:
    shown = console()
    for line in manual.splitlines():
        bold = line.endswith(":") and not line.startswith(" ")
        shown.print(line, style="bold" if bold else None, soft_wrap=True)


class _Manual(TyperGroup):
    """Adds the manual to the help of `readfirst`; as it is, because it holds code and tables."""

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
    if "--traceback" in given:  # wherever it is, because it is added to a command that failed
        given = ["--traceback", *(argument for argument in given if argument != "--traceback")]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # an arrow must not end a run on an ASCII terminal
    if sys.getfilesystemencoding().lower() not in ("utf-8", "utf8"):
        problem = (
            f"file names are {sys.getfilesystemencoding()} here, which cannot express those of scenarios"
        )
        say(f"readfirst: {problem}. Set PYTHONUTF8=1, or a locale with UTF-8.", err=True)
        sys.exit(ExitCode.BROKEN)
    try:
        Path.cwd()
    except OSError as error:
        say(
            f"readfirst: the current folder cannot be used: {error.strerror}. Change to another one.",
            err=True,
        )
        sys.exit(ExitCode.BROKEN)
    given = _as_called_now(given)
    with guarded_streams():
        try:
            try:
                _app(given)(given, prog_name="readfirst")
            finally:
                sys.stdout.flush()
        except (OSError, UnreadError) as error:  # of what no command prints: help, versions, wrong usage
            sys.exit(explained(error))


def _as_called_now(given: Sequence[str]) -> list[str]:
    """Return the arguments with a former name of a command replaced, and say so on standard error."""
    place = next((place for place, word in enumerate(given) if word != "--traceback"), None)
    if place is None or given[place] not in FORMER:
        return list(given)
    former, name = given[place], FORMER[given[place]]
    say(f"readfirst: `readfirst {former}` is called `readfirst {name}` now.", err=True)
    return [*given[:place], *name.split(), *given[place + 1 :]]


def _app(given: Sequence[str]) -> typer.Typer:
    """Return the application with the command that is asked for; with stubs of all, where that is not clear.

    Every command that is added costs more time than `list` takes: its parameters are checked.
    """
    settings = {"help_option_names": ["-h", "--help"]}
    app = typer.Typer(
        name="readfirst",
        help=GUIDE,
        cls=_Manual,
        rich_markup_mode="rich",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings=settings,
    )
    app.callback()(_global)
    groups = {
        name: typer.Typer(
            help=about, no_args_is_help=True, rich_markup_mode="rich", context_settings=settings
        )
        for name, about in GROUPS.items()
    }
    wanted = _wanted([word for word in given if word != "--traceback"])
    for called in wanted:
        group, _, name = called.rpartition(" ")
        (groups[group] if group else app).command(
            name=name,
            cls=_Targets if called == "run" else None,
            context_settings={"ignore_unknown_options": True}
            if called == "watch"
            else None,  # those of `run`
        )((_function if len(wanted) == 1 else _stub)(COMMANDS[called]))
    for name, each in groups.items():
        if each.registered_commands:
            app.add_typer(each, name=name)
    return app


def _wanted(words: Sequence[str]) -> Collection[str]:
    """Return the commands that these words may call: none for `--version`, all where the words do not tell."""
    if words == ["--version"]:
        return ()
    for called in (" ".join(words[:2]), *words[:1]):
        if called in COMMANDS:
            return [called]
    if words and words[0] in GROUPS:
        return [called for called in COMMANDS if called.startswith(f"{words[0]} ")]
    return COMMANDS


def _function(named: str) -> Callable[..., None]:
    module, _, function = named.partition(":")
    return guarded(getattr(import_module(f"{_CLI}.{module}"), function))


def _stub(named: str) -> Callable[..., None]:
    """Return a command as a list of commands needs it: its help, without what it imports."""
    module, _, function = named.partition(":")

    def stub() -> None: ...

    stub.__doc__ = _helps(module)[function]
    return stub


@cache
def _helps(module: str) -> Mapping[str, str | None]:
    """Return the docstrings of a module's functions, which is not imported."""
    tree = ast.parse(Path(__file__).with_name(f"{module}.py").read_bytes())
    return {each.name: ast.get_docstring(each) for each in tree.body if isinstance(each, ast.FunctionDef)}


def _version(wanted: bool) -> None:
    if wanted:
        say(f"readfirst {version()}")
        raise typer.Exit


def _global(
    traceback: bool = typer.Option(False, "--traceback", help="Show the traceback of an unexpected error."),
    _shown: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    show_tracebacks(traceback)


if __name__ == "__main__":
    main()
