"""Checkpoint: what files were when the user last said something, to bring them back."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from readfirst.reference_impl.files import disk

__all__ = ["Checkpoint"]


@dataclass(frozen=True, slots=True)
class _Kept:
    """The bytes and the mode of a file; both None: there was none. `leads_to`: its path without links."""

    data: bytes | None = None
    mode: int | None = None
    leads_to: str = field(default="", compare=False)


@dataclass(slots=True)
class Checkpoint:
    """The files that the tools of one session changed, by absolute path, each as it was before.

    Nothing else is kept: what commands, other programs and sub-agents change stays as it is. `as_utf_8`: bytes that
    are no UTF-8 come back as U+FFFD. `follows_links`: a file is also written through a link that has come to be in its
    place, or in that of a folder of it.
    """

    as_utf_8: bool
    follows_links: bool = True
    _kept: dict[str, _Kept] = field(default_factory=dict)

    def keep(self, path: str) -> None:
        """Keep a file that is about to be written, unless it was kept before."""
        if path not in self._kept:
            self._kept[path] = _now(path)

    def move(self) -> None:
        """Let the user say something: the files that are kept are so from now on as they are now."""
        for path in self._kept:
            self._kept[path] = _now(path)

    def bring_back(self) -> list[str]:
        """Make the files what they were; return the paths that were written.

        Folders stay, also in the place of a file, and so does a file that may not be written or removed. OSError:
        something else is in the way.
        """
        written = []
        for path, kept in self._kept.items():
            moved = disk.leads_to(path) != kept.leads_to
            if kept == _now(path) or (moved and not self.follows_links):
                continue
            with suppress(PermissionError, IsADirectoryError):
                if kept.data is None:
                    disk.remove(path)
                else:
                    disk.overwrite(path, self._restored(kept.data), mode=kept.mode)
                    written.append(path)
        return written

    def _restored(self, data: bytes) -> bytes:
        return data.decode("utf-8", "replace").encode() if self.as_utf_8 else data


def _now(path: str) -> _Kept:
    leads_to = disk.leads_to(path)
    is_there = disk.is_file(path)
    return _Kept(disk.read(path), disk.mode_of(path), leads_to) if is_there else _Kept(leads_to=leads_to)
