"""The command line `readfirst`: its commands and its help."""

import ast
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from readfirst.harness.cli.commands import FORMER_OPTIONS, Commands, provider_of, providers, renamed_command
from readfirst.harness.cli.error_handling import print_error, show_tracebacks, version, with_exit_code
from readfirst.harness.cli.help_text import GUIDE, MANUAL, TARGETS
from readfirst.harness.errors import ExitCode
from readfirst.harness.terminal import OutputClosedError, console, guarded_streams, say


def _say(manual: str) -> None:
    shown = console()
    for line in manual.splitlines():
        bold = line.endswith(":") and not line.startswith(" ")
        shown.print(line, style="bold" if bold else None, soft_wrap=True)


class _Manual(TyperGroup):
    """Adds the manual to the help of `readfirst`, unformatted, because it contains code and tables."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command. Errors about values do not name Python classes."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command. The error for an unknown word names the commands that begin with this word."""
        word = args[0]
        longer = [name for name in self.list_commands(ctx) if name.startswith(f"{word}-")]
        if longer and self.get_command(ctx, word) is None:
            ctx.fail(f"No such command {word!r}. Did you mean {' or '.join(map(repr, longer))}?")
        return super().resolve_command(ctx, args)

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
    """Run the command line. Always ends with SystemExit."""
    given = sys.argv[1:] if arguments is None else arguments
    if "--traceback" in given:  # at any position, because it is appended to a command that failed
        given = ["--traceback", *(argument for argument in given if argument != "--traceback")]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # an arrow must not end a run on an ASCII terminal
    if sys.getfilesystemencoding().lower() not in ("utf-8", "utf8"):
        problem = (
            f"file names are {sys.getfilesystemencoding()} here, which cannot express those of scenarios"
        )
        say(f"readfirst: {problem}. Set PYTHONUTF8=1, or a locale with UTF-8.", err=True)
        sys.exit(ExitCode.ERROR)
    try:
        Path.cwd()
    except OSError as error:
        say(
            f"readfirst: the current directory cannot be used: {error.strerror}. Change to another one.",
            err=True,
        )
        sys.exit(ExitCode.ERROR)
    given = _replace_former_names(given)
    with guarded_streams():
        try:
            try:
                _app(given)(given, prog_name="readfirst")
            finally:
                sys.stdout.flush()
        except (OSError, OutputClosedError) as error:  # errors while printing help, versions or wrong usage
            sys.exit(print_error(error))


def _replace_former_names(given: list[str]) -> list[str]:
    """Return the arguments with the current names of renamed commands and options, and print these names."""
    flags = [word for word in given[:1] if word == "--traceback"]
    words = given[len(flags) :]
    if names := renamed_command(words):
        _announce_name(*names)
        words = [*names[1].split(), *words[len(names[0].split()) :]]
    for former, current in FORMER_OPTIONS.get(next(iter(words), ""), {}).items():
        renamed = [
            current + word.removeprefix(former) if word.partition("=")[0] == former else word
            for word in words
        ]
        if renamed != words:
            _announce_name(former, current)
            words = renamed
    return [*flags, *words]


def _announce_name(former: str, current: str) -> None:
    say(f"readfirst: `{former}` is now `{current}`; the next release removes the old name.", err=True)


def _app(given: Sequence[str]) -> typer.Typer:
    """Return the application with the requested command, or with stubs of all commands if the words determine none.

    Other commands are omitted: the check of one's parameters takes longer than the whole command `list`.
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
    groups: dict[str, typer.Typer] = {}
    wanted = _find_commands([word for word in given if word != "--traceback"])
    for called, provider in wanted.items():
        group, _, name = called.rpartition(" ")
        panel = provider.panel or None
        if group and group not in groups:
            groups[group] = _group(group, settings)
            app.add_typer(groups[group], name=group, rich_help_panel=_group_panel(group))
        (groups[group] if group else app).command(
            name=name,
            cls=_Targets if called == "run" else None,
            context_settings={"ignore_unknown_options": True}
            if called == "watch"
            else None,  # those of `run`
            rich_help_panel=panel,
        )(with_exit_code(provider.function(called)) if len(wanted) == 1 else _stub(provider, called))
    return app


def _group(name: str, settings: Mapping[str, Any]) -> typer.Typer:
    about = next(each.groups[name] for each in providers() if name in each.groups)
    return typer.Typer(
        help=about, no_args_is_help=True, rich_markup_mode="rich", context_settings={**settings}
    )


def _group_panel(name: str) -> str | None:
    return next((each.panel for each in providers() if name in each.groups), "") or None


def _find_commands(words: Sequence[str]) -> Mapping[str, Commands]:
    """Return the commands that the words of a command line may call, each with its provider.

    One command if the words determine it. Otherwise all commands of the group that the first word names, or all
    commands. Empty for `--version`.
    """
    if words == ["--version"]:
        return {}
    for called in (" ".join(words[:2]), *words[:1]):
        if (provider := provider_of(called)) is not None:
            return {called: provider}
    every = {called: each for each in providers() for called in each.functions}
    of_group = {called: each for called, each in every.items() if words and called.startswith(f"{words[0]} ")}
    return of_group or every


def _stub(provider: Commands, called: str) -> Callable[..., None]:
    """Return a function with the help text of a command, but without a body. The command's module is not imported."""
    module, _, function = provider.functions[called].partition(":")

    def stub() -> None: ...

    stub.__doc__ = _helps(provider.folder / f"{module}.py")[function]
    return stub


@cache
def _helps(module: Path) -> Mapping[str, str | None]:
    """Return the docstring of each function of a module, by name. The module is not imported."""
    tree = ast.parse(module.read_bytes())
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
