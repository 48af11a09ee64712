"""Clean: files of the bundled suite in which an earlier look found nothing, and that are what they were then."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from readfirst.harness.lint.looked import Looked
from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import SuiteError
from readfirst.harness.suite.compiled import Compiled
from readfirst.harness.suite.recordings import MOST_BYTES
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordingError

Ids = tuple[str, ...]
"""The scenarios of one file."""


class Clean:
    """What was seen in such files. Those with findings are looked at every time, and so are those of other suites."""

    def __init__(self, suite: Suite, files: Iterable[Ids], folder: Path | None = None) -> None:
        """Find them among these files, in a folder of the cache, by default the user's."""
        self._suite = suite
        packages = ("claims", "lint", "source", "suite")
        self._compiled: Compiled[tuple[Looked, ...]] = Compiled(
            "clean", tuple, packages, suite.root, folder, worth_writing=1
        )
        keys = ((ids, self._key(ids)) for ids in files) if suite.bundled else ()
        self._keys = {ids: key for ids, key in keys if key}
        found = ((ids, self._compiled.find(key)) for ids, key in self._keys.items())
        self.looks: Mapping[Ids, Sequence[Looked]] = {ids: looks for ids, looks in found if looks is not None}
        """What was seen, by the scenarios of a file."""

    def keep(self, looks: Mapping[Ids, Sequence[Looked]]) -> None:
        """Keep what is seen now in others of the files, as far as nothing is found."""
        for ids, each in looks.items():
            if ids in self._keys and not any(look.findings for look in each):
                self._compiled.keep(self._keys[ids], tuple(each))
        self._compiled.close()

    def _key(self, ids: Ids) -> bytes:
        """Return what is the same as long as all is that a look at a file depends on; empty where it cannot be read."""
        suite, digest = self._suite, hashlib.blake2b(self._shared, digest_size=20)
        file = suite.path(ids[0])
        try:
            for part in (file.relative_to(suite.root), *ids):
                digest.update(f"{part}\n".encode("utf-8", "surrogateescape"))
            digest.update(hashlib.blake2b(strict_yaml.read(file, suite=suite.root)).digest())
            for each in ids:
                digest.update(suite.recordings.digest(each))
        except (SuiteError, RecordingError):
            return b""
        return digest.digest()

    @cached_property
    def _shared(self) -> bytes:
        """What is the same as long as nothing changes that belongs to no scenario: contracts, rules, tags, schemas."""
        root = self._suite.root
        files = sorted(
            each for folder in (root, root / "schema") for each in folder.iterdir() if each.is_file()
        )
        digests = (hashlib.blake2b(strict_yaml.read(each, most=MOST_BYTES)).digest() for each in files)
        return b"".join(digests)
