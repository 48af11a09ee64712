"""Options that several commands use, and the functions that parse their values."""

from __future__ import annotations

import functools
import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

from readfirst.harness.adapter_api import TIME_LIMIT
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.suite.rule_classes import CLASSES, FORMER_CLASSES, former_class_message
from readfirst.harness.terminal import say, stdout

if TYPE_CHECKING:
    from readfirst.harness.suite.selection import Selection
    from readfirst.harness.suite.suite import Suite

    Selected = Selection
else:
    Selected = object  # imported by the command that needs it


R = TypeVar("R")

_SHARD_PATTERN = re.compile(r"([1-9][0-9]*)/([1-9][0-9]*)")


LevelName = Literal["safe", "effects", "reason", "text", "verbatim"]
RequirementName = StrEnum("RequirementName", ["must", "should", "observed"])


def _parse_class(word: str) -> str:
    """Return the current name of a class of rules. For a former name, print a message. Raises BadParameter."""
    if word in FORMER_CLASSES:
        say(f"readfirst: {former_class_message(word)}", err=True)
    if (current := FORMER_CLASSES.get(word, word)) not in CLASSES:
        raise typer.BadParameter(f"{word!r} is not one of {', '.join(map(repr, CLASSES))}.")
    return current


Fixtures = Annotated[
    list[str] | None,
    typer.Option(
        metavar="DIR",
        help="A directory that contains `scenarios`, or the word `bundled` (repeatable; several form one suite).",
        show_default="the bundled suite",
    ),
]
Families = Annotated[
    list[str] | None, typer.Option("--family", help="Only scenarios of this family (repeatable).")
]
Tags = Annotated[
    list[str] | None,
    typer.Option("--tag", help="Only scenarios with this tag (repeatable: at least one of the tags)."),
]
Requirements = Annotated[
    list[RequirementName] | None,
    typer.Option(
        "--requirement",
        help="Only scenarios that test the contract (must), good conduct (should) or quirks (observed) (repeatable).",
    ),
]
Rules = Annotated[
    list[str] | None,
    typer.Option(
        "--rule",
        metavar="RULE",
        help="Only scenarios of this rule (repeatable); `readfirst rules` lists them.",
    ),
]
Classes = Annotated[
    list[str] | None,
    typer.Option(
        "--class",
        parser=_parse_class,
        metavar=f"[{'|'.join(CLASSES)}]",
        help="Only scenarios of rules of this class (repeatable). Breaking a rule of `safety` loses or spoils work.",
    ),
]
Expression = Annotated[
    str,
    typer.Option(
        "-k",
        metavar="EXPRESSION",
        help="Only scenarios whose id or title matches an expression such as 'touch and not write'.",
    ),
]
Shard = Annotated[
    str | None,
    typer.Option(
        metavar="I/N", help="Only the I-th of N parts, for parallel runs: 2/4 is the second of four."
    ),
]
ContractName = Annotated[
    str | None,
    typer.Option(
        "--contract",
        help="The name of the contract to use, or `latest`.",
        show_default="the suite's default",
    ),
]
Ids = Annotated[list[str] | None, typer.Argument(metavar="ID", help="Scenario ids or files (default: all).")]


_MAX_JOBS = 256


def _parse_jobs(text: str | int) -> int:
    """Parse the value of `--jobs`: the number of processes, or 0 for `auto`. Raises BadParameter."""
    if text in ("auto", 0):
        return 0
    if not str(text).isdecimal() or not 1 <= int(text) <= _MAX_JOBS:
        raise typer.BadParameter(f"{text!r} is neither `auto` nor a number from 1 to {_MAX_JOBS}.")
    return int(text)


def reject_nan(value: float | None) -> float | None:
    """Return the value of an option unchanged. Raises BadParameter for `nan`, which typer would accept in any range."""
    if value is not None and math.isnan(value):
        raise typer.BadParameter("nan is not a number.")
    return value


Jobs = Annotated[int, typer.Option("-j", "--jobs", min=1, max=_MAX_JOBS, help="Worker processes.")]
AutoJobs = Annotated[
    int,
    typer.Option(
        "-j",
        "--jobs",
        parser=_parse_jobs,
        metavar="N|auto",
        show_default="auto",
        help="Worker processes; auto: one for each processor, but fewer for short runs.",
    ),
]
"""Type of the option `-j` in commands that use `auto` by default. The value for `auto` is 0."""
Trust = Annotated[
    bool,
    typer.Option(
        "--trust",
        help="Run the suite of --fixtures with your own rights: without a sandbox and without checks of paths.",
    ),
]
Confine = Annotated[
    bool,
    typer.Option(
        "--confine",
        help="Run the implementation in a sandbox: it can write only to its workspace and home, without a network; see "
        "`readfirst docs isolation`.",
    ),
]
Settle = Annotated[
    float,
    typer.Option(
        min=0,
        max=60_000,
        callback=reject_nan,
        metavar="MS",
        help="Milliseconds to wait for late writes after the last answer, and again after the end of the session.",
    ),
]
Claims = Annotated[
    list[str] | None,
    typer.Option(
        "--require",
        metavar="NAMES",
        help="Capabilities that the implementation must have, such as Read,Write (repeatable).",
        show_default="Read,Edit,Write, or those of the baseline or mapping",
    ),
]
TimeLimit = Annotated[
    float, typer.Option(min=0.1, max=86_400, callback=reject_nan, help="Time limit of one call, in seconds.")
]
TakesDirectory = Annotated[
    Path | None,
    typer.Option(
        help="The directory for replays; an interrupted recording resumes from it.", show_default="a cache"
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        help="Write to this file; if that fails, the file keeps its old content.",
        show_default="standard output",
    ),
]


def one_target(words: Sequence[str], command: str, kind: str = "") -> str:
    """Return the target that a command line names. Raises UsageError for several words, or a word that looks like a
    misspelled target. The message suggests a command line that starts with `command`, with a target that starts with
    `kind`, such as `mcp:`.
    """
    from readfirst.harness.cli.error_handling import UsageError
    from readfirst.harness.run.did_you_mean import suggest_target

    suggestion = suggest_target(words)
    if suggestion and suggestion.lstrip("'").startswith(kind):
        raise UsageError(f"{words[0]!r} is not a target. Did you mean: {command} {suggestion}")
    if len(words) > 1:
        raise UsageError(f"Only one target is allowed: remove {words[1]!r}, or quote a target with spaces.")
    return words[0]


def open_suite(fixtures: Sequence[str] | None, *, trust: bool = False) -> Suite:
    """Open the suites of --fixtures as one suite (default: the bundled suite). `trust` is the value of --trust."""
    from readfirst.harness.suite.suite import open_layers

    return open_layers(fixtures or (), trust=trust)


def in_installed_package(file: Path) -> bool:
    """Whether a path is in the installed package, which must not be changed. The path may be missing."""
    import readfirst
    from readfirst.harness.suite.suite import Suite

    package = Path(readfirst.__file__).resolve().parent
    return Suite(None).installed and file.resolve().is_relative_to(package)


def open_own_suite(fixtures: Sequence[str] | None, *, trust: bool = False) -> Suite:
    """Open the suite of --fixtures (default: the checkout's), for a command that writes to the suite. Raises UsageError
    for several suites, and for the suite in the installed package.
    """
    from readfirst.harness.cli.error_handling import UsageError

    if len(fixtures or ()) > 1:
        raise UsageError("this command writes to one suite. Name one --fixtures.")
    suite = open_suite(fixtures, trust=trust)
    if suite.installed:
        here = Path("fixtures/contracts.yaml").is_file()
        checkout = " Here, add `--fixtures fixtures`: that is the suite of this checkout." if here else ""
        raise UsageError(
            f"{suite.root} is part of the installed package, and must not be changed.{checkout} Name a suite of your "
            "own with --fixtures DIR: the `fixtures` of a checkout, or one that `readfirst new ID --fixtures DIR` "
            "creates."
        )
    return suite


_SELECTION_OPTIONS: Mapping[str, tuple[str, Any]] = {
    "family": ("families", Families),
    "tag": ("tags", Tags),
    "requirement": ("requirements", Requirements),
    "rule": ("rules", Rules),
    "class_": ("classes", Classes),
    "expression": ("expression", Expression),
    "shard": ("shard", Shard),
}
"""Options that select scenarios. For each option: the name of its field in Selection, and its type for Typer."""
FEW_SELECTION_OPTIONS = ("family", "tag", "expression")
MOST_SELECTION_OPTIONS = ("family", "tag", "requirement", "rule", "class_", "expression")
ALL_SELECTION_OPTIONS = tuple(_SELECTION_OPTIONS)


_RUN_OPTIONS: Mapping[str, tuple[Any, Any]] = {
    "jobs": (AutoJobs, 0),
    "time_limit": (TimeLimit, TIME_LIMIT),
    "settle": (Settle, 0.0),
    "confine": (Confine, False),
}
"""Options for running an implementation, by field of RunOptions: the type, and the default."""


def selecting(names: Sequence[str]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Return a decorator that adds the options `names` to a command, which gets their values as `selection`."""
    options = {name: (_SELECTION_OPTIONS[name][1], None) for name in names}
    return _replace_parameter("selection", options, _make_selection)


def running(*names: str, **others: tuple[Any, Any]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Return a decorator that adds options for running an implementation to a command, which gets their values as
    `options`. `names` are options of `_RUN_OPTIONS`. `others` are options with a different type or default.
    """
    return _replace_parameter(
        "options", {**{name: _RUN_OPTIONS[name] for name in names}, **others}, _make_run_options
    )


def _replace_parameter(
    parameter: str, declared: Mapping[str, tuple[Any, Any]], parse: Callable[[dict[str, Any]], object]
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Return a decorator that replaces a command's parameter by options. `declared` contains each option's type and
    default. `parse` converts the values of the options to the value of the parameter.
    """

    def decorate(command: Callable[..., R]) -> Callable[..., R]:
        @functools.wraps(command)
        def command_with_options(**values: Any) -> R:
            value = parse({name: values.pop(name) for name in declared})
            return command(**{parameter: value}, **values)

        kind = inspect.Parameter.KEYWORD_ONLY
        options = [
            inspect.Parameter(name, kind, annotation=annotation, default=default)
            for name, (annotation, default) in declared.items()
        ]
        parameters: list[inspect.Parameter] = []
        for former in inspect.signature(command, eval_str=True).parameters.values():
            parameters += options if former.name == parameter else [former.replace(kind=kind)]
        signature = inspect.Signature(parameters)
        command_with_options.__signature__ = signature  # type: ignore[attr-defined]
        command_with_options.__annotations__ = {each.name: each.annotation for each in parameters}
        return command_with_options

    return decorate


def _make_run_options(values: dict[str, Any]) -> RunOptions:
    """Convert option values to RunOptions. `--settle` is in milliseconds, RunOptions in seconds."""
    return RunOptions(**{**values, "settle": values.get("settle", 0.0) / 1000})


def _make_selection(values: dict[str, Any]) -> Selection:
    from readfirst.harness.suite.selection import Selection

    fields: dict[str, Any] = {}
    for name, value in values.items():
        if name == "shard":
            value = None if value is None else parse_shard(value)
        elif isinstance(value, list):
            value = tuple(map(str, value))
        if value:
            fields[_SELECTION_OPTIONS[name][0]] = value
    return Selection(**fields)


def parse_shard(text: str) -> tuple[int, int]:
    """Return the numbers I and N in the value `I/N` of the option --shard. Raises UsageError."""
    from readfirst.harness.cli.error_handling import UsageError

    match = _SHARD_PATTERN.fullmatch(text)
    if match is None or int(match[1]) > int(match[2]):
        raise UsageError(f"--shard {text!r}: write I/N with I from 1 to N, for example 1/4.")
    return int(match[1]), int(match[2])


def write_output(text: str, output: Path | None) -> None:
    """Write a text to the file of --output, or print it without this option. Raises OutputError."""
    if output is None:
        stdout().write(text)
        return
    from readfirst.harness.report import output as open_output

    with open_output(output) as stream:
        stream.write(text)
