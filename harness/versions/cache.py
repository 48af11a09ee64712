"""Cache: what is kept on disk between runs, how large it is, and how it is removed."""

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
from readfirst.harness.suite.contracts import order

_DAY = 86_400.0
_WRITTEN = ("takes", "last-failed")
"""Kinds that are written by runs, not installed."""


class CacheError(ReadfirstError):
    """A name that nothing in the cache has; the message says which there are."""


class InUseError(Exception):
    """It is being installed by another process."""


@dataclass(frozen=True, slots=True)
class CachedValues:
    """A folder of the cache. `kind` is a key of `roots()`; of the same `name` there may be several.

    `used` is the time (seconds since 1970) at which it was last installed, opened or written.
    """

    kind: str
    name: str
    path: Path
    used: float

    @property
    def days(self) -> int:
        """Whole days since it was last used."""
        return max(0, int((time.time() - self.used) // _DAY))

    def size(self) -> int:
        """Return how much its files hold, in bytes; one of several names counts once. Raises OSError."""
        return sum({(each.st_dev, each.st_ino): each.st_size for each in _files(self.path)}.values())

    def called(self, word: str) -> bool:
        """Whether a word means it: its kind, its name, both, or a target without its version."""
        return word in {self.kind, self.name, f"{self.kind}/{self.name}", self.name.partition("@")[0]}


def roots() -> dict[str, Path]:
    """Return the folders that hold what is kept, by kind."""
    return {
        "claude-code": install.cache_root(),
        **{kind: root() for kind, root in extensions("caches").items()},
        "takes": default_takes(),
        "last-failed": default_folder(),
    }


def kept() -> list[CachedValues]:
    """Return what is kept, by kind and name. Raises OSError."""
    found = []
    for kind, root in roots().items():
        paths = sorted(root.iterdir(), key=lambda path: order(path.name)) if root.is_dir() else []
        if kind == "last-failed":  # small files, which belong together
            paths = [root]
        for path in (each for each in paths if each.is_dir() and not each.is_symlink()):
            # Of a name with a version, NAME@VERSION-DIGEST, the digest of the installed packages is left out.
            name = path.name.rpartition("-")[0] if "@" in path.name else path.name
            used = path.stat().st_mtime
            if kind in _WRITTEN:
                used = max((status.st_mtime for status in _files(path)), default=used)
            found.append(CachedValues(kind, name or path.name, path, used))
    return found


def _files(folder: Path) -> Iterator[os.stat_result]:
    """Yield the status of every file below a folder; links are not followed."""
    for above, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):  # another process may be at work
                yield (Path(above) / name).lstat()


def chosen(all_: Iterable[CachedValues], words: Sequence[str], older_than: int | None) -> list[CachedValues]:
    """Return what these words mean, all without any, as far as it was not used for so many days.

    Raises CacheError for a word that means nothing.
    """
    everything = list(all_)
    for word in words:
        if not any(each.called(word) for each in everything):
            raise CacheError(
                f"nothing in the cache is called {word!r}. `readfirst product cache` lists the entries; "
                f"a kind ({', '.join(roots())}) names all of them."
            )
    return [
        each
        for each in everything
        if (not words or any(each.called(word) for word in words))
        and (older_than is None or each.days >= older_than)
    ]


def remove(each: CachedValues) -> None:
    """Remove it, so that nobody finds half of it. Raises InUseError while it is being installed, and OSError."""
    if each.kind in _WRITTEN:
        destroy(str(each.path))
        return
    try:
        install_lock.remove(each.path)
    except BlockingIOError:
        raise InUseError from None
