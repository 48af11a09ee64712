"""Releases: which versions of the product are published (`fixtures/releases.yaml`), and spans of versions."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from pathlib import Path
from typing import TypeVar

from packaging.version import Version

from readfirst.harness.source.inspection import Inspection

_EXACT = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")


@dataclass(frozen=True)
class Releases:
    """Published versions that can be installed, oldest first."""

    versions: tuple[str, ...] = ()

    @cached_property
    def _places(self) -> dict[str, int]:
        return {version: place for place, version in enumerate(self.versions)}

    def follow(self, earlier: str, later: str) -> bool:
        """Whether no version was published between two; of one that is not listed that is not known."""
        places = self._places
        return earlier in places and later in places and places[later] - places[earlier] == 1


def releases_file(root: Path) -> Path:
    """Return where a suite at `root` keeps the list; a suite may have none."""
    return root / "releases.yaml"


def load_releases(path: Path) -> Releases:
    """Read the list; empty where there is none. Raises SuiteError with all problems."""
    if not path.exists():
        return Releases()
    look = Inspection.of(path)
    top = look.top.fields(("versions",), ("versions",))
    versions = top.strings("versions")
    for number, (former, version) in enumerate(pairwise(("0", *versions))):
        node = top["versions"].below(number)
        if not _EXACT.fullmatch(version):
            node.note(f"{version!r} is not a version", "Write it as 2.1.7.")
        elif _EXACT.fullmatch(former) and Version(former) >= Version(version):
            node.note(f"{version} comes after {former}", "Write the oldest first.")
    look.finish()
    return Releases(versions)


def releases_text(versions: Iterable[str]) -> str:
    """Return the file for these versions."""
    head = "# Every published version that can be installed, oldest first, according to npm.\nversions:\n"
    return head + "".join(f"  - {version}\n" for version in versions)


What = TypeVar("What")


def version_spans(names: Iterable[str], what: Callable[[str], What]) -> Iterator[tuple[str, What]]:
    """Yield each span of contracts of which `what` gives the same, and that; those of older models apart.

    The names come oldest first.
    """
    known = list(names)
    for variant in dict.fromkeys(name.partition("+")[2] for name in known):
        track = [name for name in known if name.partition("+")[2] == variant]
        for same, group in groupby(track, key=what):
            first, *others = group
            yield f"{first} to {others[-1]}" if others else first, same
