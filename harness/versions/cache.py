"""List and remove the entries of readfirst's cache directories, such as installed versions."""

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from readfirst.harness.agents.claude_code import install
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.extension import extensions
from readfirst.harness.processes import install_lock
from readfirst.harness.processes.rmtree import destroy
from readfirst.harness.record.replay_samples import default_takes
from readfirst.harness.run.last_failed import default_folder
from readfirst.harness.suite.contracts import contract_sort_key

_DAY_S = 86_400.0
_RUN_KINDS = ("takes", "last-failed")
"""Kinds of cache entries that runs write. Entries of all other kinds are installed programs."""


class CacheError(ReadfirstError):
    """Raised if the cache contains no entry with a name. The message lists the valid names."""


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """One directory in the cache, for example an installed version. `kind` is a key of `roots()`. `used` is the time
    when the entry was last installed, used or changed, in seconds since 1970.
    """

    kind: str
    name: str
    path: Path
    used: float

    @property
    def days(self) -> int:
        """Number of whole days since the last use."""
        return max(0, int((time.time() - self.used) // _DAY_S))

    def size(self) -> int:
        """Return the size of the files in bytes. Hard links to one file count once. Raises OSError."""
        statuses = _iter_file_status(self.path)
        sizes = {(status.st_dev, status.st_ino): status.st_size for status in statuses}
        return sum(sizes.values())

    def matches(self, word: str) -> bool:
        """Whether a word names this entry: its kind, its name (also without the version), or `KIND/NAME`."""
        return word in {self.kind, self.name, f"{self.kind}/{self.name}", self.name.partition("@")[0]}


def roots() -> dict[str, Path]:
    """Return the cache directories by the kind of their entries."""
    return {
        "claude-code": install.cache_root(),
        **{kind: root() for kind, root in extensions("caches").items()},
        "takes": default_takes(),
        "last-failed": default_folder(),
    }


def list_entries() -> list[CacheEntry]:
    """Return all entries of the cache, sorted by kind and name. Raises OSError."""
    entries = []
    for kind, root in roots().items():
        paths = sorted(root.iterdir(), key=lambda path: contract_sort_key(path.name)) if root.is_dir() else []
        if kind == "last-failed":  # small files, which are one entry
            paths = [root]
        for path in (path for path in paths if path.is_dir() and not path.is_symlink()):
            # The name NAME@VERSION-DIGEST is shown without the digest of the installed packages.
            name = path.name.rpartition("-")[0] if "@" in path.name else path.name
            used = path.stat().st_mtime
            if kind in _RUN_KINDS:
                used = max((status.st_mtime for status in _iter_file_status(path)), default=used)
            entries.append(CacheEntry(kind, name or path.name, path, used))
    return entries


def _iter_file_status(folder: Path) -> Iterator[os.stat_result]:
    """Yield the status of every file in a directory tree. Links are not followed."""
    for above, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):  # another process may remove files
                yield (Path(above) / name).lstat()


def select_entries(
    entries: Iterable[CacheEntry], words: Sequence[str], older_than: int | None
) -> list[CacheEntry]:
    """Return the entries that match one of the words, or all entries without words. Entries that were used in the last
    `older_than` days are excluded. Raises CacheError for a word that matches no entry.
    """
    selected = list(entries)
    for word in words:
        if not any(entry.matches(word) for entry in selected):
            raise CacheError(
                f"nothing in the cache is called {word!r}. `readfirst product cache` lists the entries; "
                f"a kind ({', '.join(roots())}) names all of them."
            )
    if words:
        selected = [entry for entry in selected if any(map(entry.matches, words))]
    return [entry for entry in selected if older_than is None or entry.days >= older_than]


def remove(entry: CacheEntry) -> None:
    """Delete an entry of the cache. Raises OSError, and BlockingIOError if a process is installing the entry."""
    if entry.kind in _RUN_KINDS:
        destroy(str(entry.path))
    else:
        install_lock.remove(entry.path)
