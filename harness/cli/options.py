"""Options: what several commands of the command line take, and what they make of it."""

from __future__ import annotations

import math
import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from readfirst.harness.suite.selection import Selection
    from readfirst.harness.suite.suite import Suite

__all__ = [
    "AutoJobs",
    "Claims",
    "Classes",
    "Confine",
    "ContractName",
    "Expression",
    "Families",
    "Fixtures",
    "Ids",
    "Jobs",
    "LevelName",
    "Output",
    "Release",
    "RequirementName",
    "Requirements",
    "Rules",
    "Settle",
    "Shard",
    "Tags",
    "TimeLimit",
    "finite",
    "in_installed_package",
    "one_target",
    "open_own_suite",
    "open_suite",
    "selection_of",
    "shard_of",
]


_NUMBER = re.compile(r"[1-9][0-9]*")


class LevelName(StrEnum):
    """The values of `--level`."""

    safe = "safe"
    effects = "effects"
    reason = "reason"
    text = "text"
    verbatim = "verbatim"


class RequirementName(StrEnum):
    """The values of `--requirement`."""

    must = "must"
    should = "should"
    observed = "observed"


class ClassName(StrEnum):
    """The values of `--class`."""

    safety = "safety"
    contract = "contract"
    fidelity = "fidelity"
    product = "product"


Fixtures = Annotated[
    Path | None,
    typer.Option(
        help="The folder with scenarios, contracts.yaml and errors.yaml.", show_default="the bundled suite"
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
    list[ClassName] | None,
    typer.Option(
        "--class",
        help="Only scenarios of rules of this class (repeatable): safety is what harms whatever the design.",
    ),
]
Expression = Annotated[
    str,
    typer.Option(
        "-k", metavar="EXPRESSION", help="Only scenarios whose id or title matches: 'touch and not write'."
    ),
]
Release = Annotated[
    str,
    typer.Option("--suite", metavar="VERSION", help="Only the scenarios of this release of the suite: 1.0."),
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
    """Read a number of processes; 0 stands for `auto`."""
    if text in ("auto", 0):
        return 0
    if not str(text).isdecimal() or not 1 <= int(text) <= _MOST_JOBS:
        raise typer.BadParameter(f"{text!r} is neither `auto` nor a number from 1 to {_MOST_JOBS}.")
    return int(text)


def finite(value: float | None) -> float | None:
    """Refuse `nan`, which is in every range."""
    if value is not None and math.isnan(value):
        raise typer.BadParameter("nan is no number.")
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
        help="Worker processes; auto: as many as there are processors, where that is worth while.",
    ),
]
"""Its default is 0, which means `auto`."""
Confine = Annotated[
    bool,
    typer.Option(
        "--confine",
        help="Let it write only to its workspace and home, without a network; see `readfirst docs adapters`.",
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
        "--claims",
        metavar="NAMES",
        help="What must be claimed, for example Read or Read,Write (repeatable).",
        show_default="Read,Edit,Write, or what baseline or mapping say",
    ),
]
TimeLimit = Annotated[
    float, typer.Option(min=0.1, max=86_400, callback=finite, help="Seconds that one call may take.")
]
Output = Annotated[
    Path | None,
    typer.Option(help="Write to this file, whole or not at all.", show_default="standard output"),
]


def one_target(words: Sequence[str], command: str, kind: str = "") -> str:
    """Return the target that these words are; UsageError for others, with what to write after `command` instead.

    `kind` is what a suggestion must begin with.
    """
    from readfirst.harness.cli.exits import UsageError
    from readfirst.harness.run.hint import target_hint

    meant = target_hint(words)
    if meant and meant.lstrip("'").startswith(kind):
        raise UsageError(f"{words[0]!r} is not a target. Did you mean: {command} {meant}")
    if len(words) > 1:
        raise UsageError(
            f"{words[1]!r} is one word too many: write one target, in quotes if it contains spaces."
        )
    return words[0]


def open_suite(fixtures: Path | None) -> Suite:
    """Open the suite that --fixtures names, or the bundled one."""
    from readfirst.harness.suite.suite import Suite

    return Suite(fixtures)


def in_installed_package(file: Path) -> bool:
    """Whether a file is, or would be, part of the installed package, which nothing is written to."""
    import readfirst
    from readfirst.harness.suite.suite import Suite

    package = Path(readfirst.__file__).resolve().parent
    return Suite(None).installed and file.resolve().is_relative_to(package)


def open_own_suite(fixtures: Path | None) -> Suite:
    """Open the suite that --fixtures names, or that of the checkout, to write to it.

    Raises UsageError for the copy inside the installed package.
    """
    from readfirst.harness.cli.exits import UsageError

    suite = open_suite(fixtures)
    if suite.installed:
        raise UsageError(
            f"{suite.root} is part of the installed package, and nothing is written there. Name a suite of your own "
            "with --fixtures DIR: the `fixtures` of a checkout, or one that `readfirst new ID --fixtures DIR` begins."
        )
    return suite


def selection_of(
    ids: list[str] | None,
    families: list[str] | None,
    tags: list[str] | None,
    expression: str,
    requirements: list[RequirementName] | None = None,
    rules: list[str] | None = None,
    classes: list[ClassName] | None = None,
    shard: str | None = None,
    release: str = "",
) -> Selection:
    """Return what the options of a command select."""
    from readfirst.harness.suite.selection import Selection

    return Selection(
        tuple(ids or ()),
        tuple(families or ()),
        tuple(tags or ()),
        expression,
        tuple(each.value for each in requirements or ()),
        tuple(rules or ()),
        tuple(each.value for each in classes or ()),
        release,
        (1, 1) if shard is None else shard_of(shard),
    )


def shard_of(text: str) -> tuple[int, int]:
    """Return the number of a part and of all parts, which `--shard I/N` states. Raises UsageError."""
    from readfirst.harness.cli.exits import UsageError

    part, slash, parts = text.partition("/")
    if not (slash and _NUMBER.fullmatch(part) and _NUMBER.fullmatch(parts) and int(part) <= int(parts)):
        raise UsageError(f"--shard {text!r}: write I/N with I from 1 to N, for example 1/4.")
    return int(part), int(parts)
