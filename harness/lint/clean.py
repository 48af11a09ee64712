"""Clean: files of the bundled suite in which an earlier look found nothing, and that are what they were then."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from readfirst.harness.lint.basis import Basis, Ids
from readfirst.harness.lint.looked import Looked, Seen
from readfirst.harness.source.finding import Finding
from readfirst.harness.suite.compiled import Compiled
from readfirst.harness.suite.suite import Suite

Shared = TypeVar("Shared")


class Clean:
    """What was seen in such files. Those with findings are looked at every time, and so are those of other suites."""

    def __init__(self, suite: Suite, files: Iterable[Ids], folder: Path | None = None) -> None:
        """Find them among these files, in a folder of the cache, by default the user's."""
        packages = ("claims", "lint", "source", "suite")
        self._compiled: Compiled[tuple[Any, ...]] = Compiled(
            "clean", tuple, packages, suite.root, folder, worth_writing=1
        )
        self._basis = Basis(suite)
        known = () if self._compiled.is_empty else ((ids, self._basis.of(ids)) for ids in files)
        found = ((ids, self._compiled.find(key)) for ids, key in known if key)
        self.looks: Mapping[Ids, tuple[Looked, ...]] = {
            ids: looks for ids, looks in found if looks is not None
        }
        """What was seen, by the scenarios of a file."""

    def shared(
        self, what: str, look: Callable[[], tuple[Shared, tuple[Finding, ...]]]
    ) -> tuple[Shared, tuple[Finding, ...]]:
        """Return what a look at the files gives that belong to no scenario, and what it finds in them.

        As for the others, it is kept where nothing is found, with the next `keep`.
        """
        key = self._basis.shared(what)
        kept = self._compiled.find(key) if key else None
        if kept is not None:
            return kept[0], ()
        value, findings = look()
        if key and not findings:
            self._compiled.keep(key, (value,))
        return value, findings

    def keep(self, seen: Iterable[Seen]) -> list[Seen]:
        """Keep what is seen now in other files, as it comes and as far as nothing is found, and return all of it."""
        came = []
        for each in seen:
            came.append(each)
            if each.basis and not any(look.findings for look in each.looks):
                self._compiled.keep(each.basis, each.looks)
        self._compiled.close()
        return came
