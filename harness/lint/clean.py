"""Clean: files of the bundled suite in which an earlier look found nothing, and that are what they were then."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from readfirst.harness.lint.basis import Basis, Ids
from readfirst.harness.lint.looked import Looked, Seen
from readfirst.harness.suite.compiled import Compiled
from readfirst.harness.suite.suite import Suite


class Clean:
    """What was seen in such files. Those with findings are looked at every time, and so are those of other suites."""

    def __init__(self, suite: Suite, files: Iterable[Ids], folder: Path | None = None) -> None:
        """Find them among these files, in a folder of the cache, by default the user's."""
        packages = ("claims", "lint", "source", "suite")
        self._compiled: Compiled[tuple[Looked, ...]] = Compiled(
            "clean", tuple, packages, suite.root, folder, worth_writing=1
        )
        basis = Basis(suite)
        known = () if self._compiled.is_empty else ((ids, basis.of(ids)) for ids in files)
        found = ((ids, self._compiled.find(key)) for ids, key in known if key)
        self.looks: Mapping[Ids, tuple[Looked, ...]] = {
            ids: looks for ids, looks in found if looks is not None
        }
        """What was seen, by the scenarios of a file."""

    def keep(self, seen: Iterable[Seen]) -> list[Seen]:
        """Keep what is seen now in other files, as it comes and as far as nothing is found, and return all of it."""
        came = []
        for each in seen:
            came.append(each)
            if each.basis and not any(look.findings for look in each.looks):
                self._compiled.keep(each.basis, each.looks)
        self._compiled.close()
        return came
