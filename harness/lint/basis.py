"""Basis: a digest of all that a look at a file depends on, beside the program."""

import hashlib
from functools import cached_property

from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import SuiteError
from readfirst.harness.suite.recordings import MOST_BYTES
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordingError

Ids = tuple[str, ...]
"""The scenarios of one file."""


class Basis:
    """What looks at the files of the bundled suite are based on; other suites are looked at every time."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    def shared(self, what: str) -> bytes:
        """Return what is the same as long as the files are that belong to no scenario; empty for other suites."""
        if not self._suite.bundled:
            return b""
        return hashlib.blake2b(self._shared + what.encode(), digest_size=20).digest()

    def of(self, ids: Ids) -> bytes:
        """Return what is the same as long as all is that a look at a file depends on.

        Empty where the file cannot be read, and for other suites.
        """
        suite = self._suite
        if not suite.bundled:
            return b""
        digest = hashlib.blake2b(self._shared, digest_size=20)
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
