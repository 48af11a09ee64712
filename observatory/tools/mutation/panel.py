"""The package that is mutated, and the test cases that judge its mutants."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Judge = Callable[[str], str]
"""Runs a test case in the process of a trial, and returns the failure as a text. Empty if the case passes."""


@dataclass(frozen=True, slots=True)
class Panel:
    """The mutated package (`package`, in the directory `folder`), and the names of the test cases (`cases`).

    `sources` contains the text of each module. `open_judge` creates the function that runs a test case, from the
    seconds of each case on the unchanged package (empty for the first run). `kind_of` returns the kind of a case.
    `unused` are modules that no case needs. `witnesses` maps mutants (`Mutant.described`) to the case that killed them
    in an earlier run. `circumstances` returns the circumstances of the calls in a case.

    `weight` returns the weight of a failure. A failure of weight 1 ends the trial of a mutant. After a failure with a
    lower weight, up to `most` cases are run to find a failure with a higher weight.
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
    """Return a module's name in the package directory `folder`: `session`, `behaviours.paths` or `__init__`."""
    return ".".join(file.relative_to(folder).with_suffix("").parts)


def file_of(module: str) -> str:
    """Return the path of a module's file, relative to the directory of its package."""
    return f"{module.replace('.', '/')}.py"
