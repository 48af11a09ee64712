"""The command line `readfirst`: find the command that the user called, and print the help."""

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


def _print_manual(manual: str) -> None:
    """Print a part of the help text. Headings, which end with a colon, are printed in bold."""
    terminal = console()
    for line in manual.splitlines():
        is_heading = line.endswith(":") and not line.startswith(" ")
        terminal.print(line, style="bold" if is_heading else None, soft_wrap=True)


class _GroupWithManual(TyperGroup):
    """The group of all commands. Its help contains the manual as preformatted text, with code and tables."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command. In the error about an invalid value, remove `Value error, ` before the error message."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the named command. For an unknown word, the error lists the commands that begin with the word."""
        word = args[0]
        longer_names = [name for name in self.list_commands(ctx) if name.startswith(f"{word}-")]
        if longer_names and self.get_command(ctx, word) is None:
            ctx.fail(f"No such command {word!r}. Did you mean {' or '.join(map(repr, longer_names))}?")
        return super().resolve_command(ctx, args)

    def format_help(self, *args: Any, **kwargs: Any) -> None:
        """Print the help of `readfirst`."""
        super().format_help(*args, **kwargs)
        _print_manual(MANUAL)


class _CommandWithTargets(TyperCommand):
    """The command `run`. Its help contains the list of targets."""

    def format_help(self, *args: Any, **kwargs: Any) -> None:
        """Print the help of the command, with the list of targets."""
        super().format_help(*args, **kwargs)
        _print_manual(TARGETS)


def main(arguments: list[str] | None = None) -> None:
    """Run the command in `arguments` (default: the arguments of the process). Always ends with SystemExit."""
    words = sys.argv[1:] if arguments is None else arguments
    if "--traceback" in words:  # at any position, because it is appended to a command that failed
        words = ["--traceback", *(word for word in words if word != "--traceback")]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # an arrow must not end a run on an ASCII terminal
    if (encoding := sys.getfilesystemencoding()).lower() not in ("utf-8", "utf8"):
        problem = f"file names are {encoding} here, which cannot express those of scenarios"
        say(f"readfirst: {problem}. Set PYTHONUTF8=1, or a locale with UTF-8.", err=True)
        sys.exit(ExitCode.ERROR)
    try:
        Path.cwd()
    except OSError as error:
        problem = f"the current directory cannot be used: {error.strerror}"
        say(f"readfirst: {problem}. Change to another one.", err=True)
        sys.exit(ExitCode.ERROR)
    words = _replace_former_names(words)
    with guarded_streams():
        try:
            try:
                _build_app(words)(words, prog_name="readfirst")
            finally:
                sys.stdout.flush()
        except (OSError, OutputClosedError) as error:  # errors while printing help, versions or wrong usage
            sys.exit(print_error(error))


def _replace_former_names(words: list[str]) -> list[str]:
    """Replace the former names of commands and options in a command line, and print a message for each."""
    flags = [word for word in words[:1] if word == "--traceback"]
    words = words[len(flags) :]
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


def _build_app(words: Sequence[str]) -> typer.Typer:
    """Return the Typer application with only the called command. For a help text, the application contains a stub of
    each listed command instead. More commands would be slow, because Typer checks their parameters.
    """
    settings = {"help_option_names": ["-h", "--help"]}
    app = typer.Typer(
        name="readfirst",
        help=GUIDE,
        cls=_GroupWithManual,
        rich_markup_mode="rich",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings=settings,
    )
    app.callback()(_set_global_options)
    groups: dict[str, typer.Typer] = {}
    commands = _find_commands([word for word in words if word != "--traceback"])
    for command, provider in commands.items():
        group, _, name = command.rpartition(" ")
        if group and group not in groups:
            owner = next(each for each in providers() if group in each.groups)
            groups[group] = typer.Typer(
                help=owner.groups[group],
                no_args_is_help=True,
                rich_markup_mode="rich",
                context_settings={**settings},
            )
            app.add_typer(groups[group], name=group, rich_help_panel=owner.panel or None)
        (groups[group] if group else app).command(
            name=name,
            cls=_CommandWithTargets if command == "run" else None,
            # `watch` passes unknown options to `run`.
            context_settings={"ignore_unknown_options": True} if command == "watch" else None,
            rich_help_panel=provider.panel or None,
        )(with_exit_code(provider.function(command)) if len(commands) == 1 else _stub(provider, command))
    return app


def _find_commands(words: Sequence[str]) -> Mapping[str, Commands]:
    """Return the commands that a command line may call, with their providers: the called command, the commands of the
    called group, or all commands. Empty for `--version`.
    """
    if words == ["--version"]:
        return {}
    for command in (" ".join(words[:2]), *words[:1]):
        if (provider := provider_of(command)) is not None:
            return {command: provider}
    every = {command: provider for provider in providers() for command in provider.functions}
    group = f"{words[0]} " if words else ""
    return {command: provider for command, provider in every.items() if command.startswith(group)} or every


def _stub(provider: Commands, command: str) -> Callable[..., None]:
    """Return a function that does nothing and has the help text of a command. The command's module is not imported."""
    module, _, function = provider.functions[command].partition(":")

    def stub() -> None: ...

    stub.__doc__ = _read_docstrings(provider.folder / f"{module}.py")[function]
    return stub


@cache
def _read_docstrings(module: Path) -> Mapping[str, str | None]:
    """Return the docstring of each function in a module, by name, without importing the module."""
    functions = [node for node in ast.parse(module.read_bytes()).body if isinstance(node, ast.FunctionDef)]
    return {function.name: ast.get_docstring(function) for function in functions}


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"readfirst {version()}")
        raise typer.Exit


def _set_global_options(
    traceback: bool = typer.Option(False, "--traceback", help="Show the traceback of an unexpected error."),
    _is_version_wanted: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    show_tracebacks(traceback)


if __name__ == "__main__":
    main()
