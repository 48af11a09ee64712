"""The published versions of the product, read from `fixtures/releases.yaml`, and ranges of versions."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from pathlib import Path
from typing import TypeVar

from packaging.version import Version

from readfirst.harness.errors import ReadfirstError
from readfirst.harness.suite.schema import read_checked


class UnlistedVersionError(ReadfirstError, LookupError):
    """`releases.yaml` does not list the version. The message states how to renew the file."""


@dataclass(frozen=True)
class Releases:
    """The published versions of the product that can be installed, oldest first."""

    versions: tuple[str, ...] = ()

    def position(self, version: str) -> int:
        """Return the position of a version, from 0. Raises UnlistedVersionError."""
        if version not in self.versions:
            newest = self.versions[-1] if self.versions else "none"
            raise UnlistedVersionError(
                f"releases.yaml does not list {version}; its newest version is {newest}. "
                "Renew it with `readfirst product history --published --write`."
            )
        return self.versions.index(version)

    @cached_property
    def _neighbours(self) -> frozenset[tuple[str, str]]:
        return frozenset(pairwise(self.versions))

    def are_adjacent(self, earlier: str, later: str) -> bool:
        """Whether `later` was published directly after `earlier`. False if one of them is not listed."""
        return (earlier, later) in self._neighbours


def load_releases(path: Path) -> Releases:
    """Read the list of published versions. Empty if the file is missing. Raises SuiteError with all problems."""
    if not path.exists():
        return Releases()
    with read_checked(path, "releases") as inspection:
        versions = inspection.document.value["versions"]
        for number, (previous, version) in enumerate(pairwise(versions), 1):
            if Version(previous) >= Version(version):
                inspection.note(
                    ("versions", number), f"{version} comes after {previous}", "Write the oldest first."
                )
        return Releases(tuple(versions))


Result = TypeVar("Result")


def version_spans(names: Iterable[str], result_of: Callable[[str], Result]) -> Iterator[tuple[str, Result]]:
    """Group successive contracts with the same result. Yield the name of each group, such as `1.0.60 to 2.1.7`, and its
    result. `names` are sorted, oldest first.
    """
    sorted_names = list(names)
    for variant in dict.fromkeys(name.partition("+")[2] for name in sorted_names):
        track = [name for name in sorted_names if name.partition("+")[2] == variant]
        for same, group in groupby(track, key=result_of):
            first, *others = group
            yield f"{first} to {others[-1]}" if others else first, same
