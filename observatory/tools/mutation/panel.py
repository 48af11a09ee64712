"""The package that is changed, and the cases that judge it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Judge", "Panel", "file_of", "module_at"]


Judge = Callable[[str], str]
"""Returns the failure of a case, an empty string if it holds. Called only in a trial."""


@dataclass(frozen=True, slots=True)
class Panel:
    """The changed package and its judge: `sources` by module, `open_judge` creates the judge of a trial.

    Modules are named as in `module_at`.

    `open_judge` receives the seconds of each case on the unchanged package, an empty mapping the first time. `kind_of`
    groups cases that are similar if they execute the same lines. `unused` are modules that no case needs. `witnesses`
    are cases that killed a mutant before, by the mutant in one line (`Mutant.described`). `circumstances` returns the
    circumstances that occur in some call of a case, for exceptions of rules. `weight` is the weight of a failed case:
    1 ends a trial; after less, the other cases are tried for a higher weight, but at most `most`.
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
    """Return the module name of a file of the package in `folder`: `session`, `behaviours.paths`, `__init__`."""
    return ".".join(file.relative_to(folder).with_suffix("").parts)


def file_of(module: str) -> str:
    """Return the file of a module, relative to the directory of its package."""
    return f"{module.replace('.', '/')}.py"
