"""The package that is changed, and the cases that judge it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Judge", "Panel", "file_of", "module_at"]


Judge = Callable[[str], str]
"""Tells how a case does not hold, an empty string if it does. Called in a trial only."""


@dataclass(frozen=True, slots=True)
class Panel:
    """The package that is changed and who judges: `sources` by module, `open_judge` makes the judge of a trial.

    Modules are called as by `module_at`.

    `open_judge` is given what each case cost on the unchanged package, in seconds; nothing at the first time.
    `kind_of` tells which cases are much alike if they execute the same lines. `unused` are modules that no case needs.
    `witnesses` are cases that killed a mutant before, by the mutant in one line (`Mutant.described`).
    `circumstances` tells what is so in some call of a case, for mutants that are exceptions of a rule. `weight` tells
    how much a case counts that does not hold: 1 ends a trial, after less the other cases are asked for more. Of them
    `most` are asked at most.
    """

    package: str
    folder: Path
    sources: Mapping[str, str]
    cases: Sequence[str]
    open_judge: Callable[[Mapping[str, float]], Judge]
    unused: Collection[str] = ()
    kind_of: Callable[[str], str] = str
    witnesses: Mapping[str, str] = field(default_factory=dict)
    circumstances: Callable[[str], Collection[str]] = lambda _: ()
    weight: Callable[[str], float] = lambda _: 1.0
    most: int = sys.maxsize


def module_at(file: Path, folder: Path) -> str:
    """Return what a file of the package in `folder` is called here: `session`, `behaviours.paths`, `__init__`."""
    return ".".join(file.relative_to(folder).with_suffix("").parts)


def file_of(module: str) -> str:
    """Return the file of a module, from the folder of its package."""
    return f"{module.replace('.', '/')}.py"
