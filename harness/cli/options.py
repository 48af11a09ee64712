"""Options that several commands share, and their parsers."""

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

_NUMBER = re.compile(r"[1-9][0-9]*")


LevelName = Literal["safe", "effects", "reason", "text", "verbatim"]
RequirementName = StrEnum("RequirementName", ["must", "should", "observed"])


def _parse_class(word: str) -> str:
    """Return the present name of a class, and print it for a former name. Raises BadParameter for an unknown one."""
    if word in FORMER_CLASSES:
        say(f"readfirst: {former_class_message(word)}", err=True)
    if (current := FORMER_CLASSES.get(word, word)) not in CLASSES:
        raise typer.BadParameter(f"{word!r} is not one of {', '.join(map(repr, CLASSES))}.")
    return current


Fixtures = Annotated[
    list[str] | None,
    typer.Option(
        metavar="DIR",
        help="A directory that contains `scenarios`, or `bundled` (repeatable: all of them in one suite).",
        show_default="the bundled suite",
    ),
]
Families = Annotated[list[str] | None, typer.Option("--family", help="Only this family (repeatable).")]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", help="Only scenarios with this tag (repeatable: any of them).")
]
Requirements = Annotated[
    list[RequirementName] | None,
    typer.Option(
        "--requirement",
        help="Only scenarios of this requirement (repeatable: any of them): the contract, good conduct, quirks.",
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
        "-k", metavar="EXPRESSION", help="Only scenarios whose id or title matches: 'touch and not write'."
    ),
]
Shard = Annotated[
    str | None, typer.Option(metavar="I/N", help="Only the I-th of N parts, for runs side by side: 2/4.")
]
ContractName = Annotated[
    str | None,
    typer.Option("--contract", help="The contract, or `latest`.", show_default="the suite's default"),
]
Ids = Annotated[list[str] | None, typer.Argument(metavar="ID", help="Scenario ids or files (default: all).")]


_MOST_JOBS = 256


def _jobs(text: str | int) -> int:
    """Parse a number of processes. 0 means `auto`."""
    if text in ("auto", 0):
        return 0
    if not str(text).isdecimal() or not 1 <= int(text) <= _MOST_JOBS:
        raise typer.BadParameter(f"{text!r} is neither `auto` nor a number from 1 to {_MOST_JOBS}.")
    return int(text)


def finite(value: float | None) -> float | None:
    """Return the value of an option. Raises BadParameter for `nan`, which is inside every range."""
    if value is not None and math.isnan(value):
        raise typer.BadParameter("nan is not a number.")
    return value


Jobs = Annotated[int, typer.Option("-j", "--jobs", min=1, max=_MOST_JOBS, help="Worker processes.")]
AutoJobs = Annotated[
    int,
    typer.Option(
        "-j",
        "--jobs",
        parser=_jobs,
        metavar="N|auto",
        show_default="auto",
        help="Worker processes; auto: one for each processor, if that is worth it.",
    ),
]
"""The option `-j`. Its default is 0, which means `auto`."""
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
        help="Let it write only to its workspace and home, without a network; see `readfirst docs isolation`.",
    ),
]
Settle = Annotated[
    float,
    typer.Option(
        min=0,
        max=60_000,
        callback=finite,
        metavar="MS",
        help="Milliseconds to wait for late writes after the last answer, and again after the session.",
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
    float, typer.Option(min=0.1, max=86_400, callback=finite, help="Time limit of one call, in seconds.")
]
TakesFolder = Annotated[
    Path | None,
    typer.Option(
        help="The directory for replays; an interrupted recording resumes from it.", show_default="a cache"
    ),
]
Minutes = Annotated[
    float | None,
    typer.Option(
        min=0.01, max=10_000, callback=finite, help="Begin nothing after this time.", show_default="no limit"
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(help="Write to this file, complete or not at all.", show_default="standard output"),
]


def one_target(words: Sequence[str], command: str, kind: str = "") -> str:
    """Return the target in these words. Raises UsageError for several words, or for a word that is not a target if
    `readfirst` can suggest one. `command` precedes the suggested target in the message.

    `kind` is the prefix that a suggested target must have.
    """
    from readfirst.harness.cli.error_handling import UsageError
    from readfirst.harness.run.did_you_mean import suggest_target

    meant = suggest_target(words)
    if meant and meant.lstrip("'").startswith(kind):
        raise UsageError(f"{words[0]!r} is not a target. Did you mean: {command} {meant}")
    if len(words) > 1:
        raise UsageError(
            f"{words[1]!r} is one word too many: write one target, in quotes if it contains spaces."
        )
    return words[0]


def open_suite(fixtures: Sequence[str] | None, *, trust: bool = False) -> Suite:
    """Open the suites of --fixtures as one suite; the bundled suite by default. `trust` is the value of --trust."""
    from readfirst.harness.suite.suite import open_layers

    return open_layers(fixtures or (), trust=trust)


def in_installed_package(file: Path) -> bool:
    """Whether a file is, or would be, part of the installed package, which must not be changed."""
    import readfirst
    from readfirst.harness.suite.suite import Suite

    package = Path(readfirst.__file__).resolve().parent
    return Suite(None).installed and file.resolve().is_relative_to(package)


def open_own_suite(fixtures: Sequence[str] | None, *, trust: bool = False) -> Suite:
    """Open the suite that --fixtures names, to write to it; by default the suite of the checkout. `trust` is the
    value of --trust.

    Raises UsageError for several suites, and for the copy inside the installed package.
    """
    from readfirst.harness.cli.error_handling import UsageError

    if len(fixtures or ()) > 1:
        raise UsageError("this command writes to one suite. Name one --fixtures.")
    suite = open_suite(fixtures, trust=trust)
    if suite.installed:
        here = Path("fixtures/contracts.yaml").is_file()
        checkout = " Here, add `--fixtures fixtures`: that is the suite of this checkout." if here else ""
        raise UsageError(
            f"{suite.root} is part of the installed package, and nothing is written there.{checkout} Name a suite of "
            "your own with --fixtures DIR: the `fixtures` of a checkout, or one that `readfirst new ID --fixtures DIR` "
            "begins."
        )
    return suite


_SELECTING: Mapping[str, tuple[str, Any]] = {
    "family": ("families", Families),
    "tag": ("tags", Tags),
    "requirement": ("requirements", Requirements),
    "rule": ("rules", Rules),
    "class_": ("classes", Classes),
    "expression": ("expression", Expression),
    "shard": ("shard", Shard),
}
"""The options that select scenarios, each with its field of Selection."""
FEW = ("family", "tag", "expression")
MOST = ("family", "tag", "requirement", "rule", "class_", "expression")
ALL = tuple(_SELECTING)


_RUNNING: Mapping[str, tuple[Any, Any]] = {
    "jobs": (AutoJobs, 0),
    "time_limit": (TimeLimit, TIME_LIMIT),
    "settle": (Settle, 0.0),
    "confine": (Confine, False),
}
"""Options for running an implementation: fields of RunOptions, each with its default."""


def selecting(names: Sequence[str]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Return a decorator that replaces the parameter `selection` of a command by options. The command gets the
    Selection that the values of the options make.
    """
    return _replacing("selection", {name: (_SELECTING[name][1], None) for name in names}, _selection)


def running(*names: str, **others: tuple[Any, Any]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Return a decorator that replaces the parameter `options` of a command by options. The command gets the
    RunOptions that the values of the options make.

    `names` are options of `_RUNNING`. `others` are options with a different form or default.
    """
    return _replacing("options", {**{name: _RUNNING[name] for name in names}, **others}, _run_options)


def _replacing(
    parameter: str, declared: Mapping[str, tuple[Any, Any]], parse: Callable[[dict[str, Any]], object]
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Return a decorator that replaces one parameter of a command by options. `parse` converts the values of the
    options to the value of the parameter.
    """

    def decorate(command: Callable[..., R]) -> Callable[..., R]:
        @functools.wraps(command)
        def replaced(**given: Any) -> R:
            value = parse({name: given.pop(name) for name in declared})
            return command(**{parameter: value}, **given)

        kind = inspect.Parameter.KEYWORD_ONLY
        parameters: list[inspect.Parameter] = []
        for each in inspect.signature(command, eval_str=True).parameters.values():
            if each.name != parameter:
                parameters.append(each.replace(kind=kind))
                continue
            for name, (annotation, default) in declared.items():
                parameters.append(inspect.Parameter(name, kind, annotation=annotation, default=default))
        replaced.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        replaced.__annotations__ = {each.name: each.annotation for each in parameters}
        return replaced

    return decorate


def _run_options(given: dict[str, Any]) -> RunOptions:
    """Return the RunOptions for the values of options. `--settle` is in milliseconds, RunOptions in seconds."""
    return RunOptions(**{**given, "settle": given.get("settle", 0.0) / 1000})


def _selection(given: dict[str, Any]) -> Selection:
    from readfirst.harness.suite.selection import Selection

    fields: dict[str, Any] = {}
    for name, value in given.items():
        if name == "shard":
            value = None if value is None else shard_of(value)
        elif isinstance(value, list):
            value = tuple(map(str, value))
        if value:
            fields[_SELECTING[name][0]] = value
    return Selection(**fields)


def shard_of(text: str) -> tuple[int, int]:
    """Return the numbers of `--shard I/N`: the number of the part, and the number of all parts. Raises UsageError."""
    from readfirst.harness.cli.error_handling import UsageError

    part, slash, parts = text.partition("/")
    if not (slash and _NUMBER.fullmatch(part) and _NUMBER.fullmatch(parts) and int(part) <= int(parts)):
        raise UsageError(f"--shard {text!r}: write I/N with I from 1 to N, for example 1/4.")
    return int(part), int(parts)


def write_output(text: str, output: Path | None) -> None:
    """Write a text to the file of --output; print it by default. Raises OutputError."""
    if output is None:
        stdout().write(text)
        return
    from readfirst.harness.report import output as opened

    with opened(output) as stream:
        stream.write(text)
