"""Save files at each message of the user, so that a rewind can restore them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from readfirst.reference_impl.files import disk

__all__ = ["Checkpoint"]


@dataclass(frozen=True, slots=True)
class _Kept:
    """The saved bytes and mode of a file; None for a missing file. `leads_to` is its path without links."""

    data: bytes | None = None
    mode: int | None = None
    leads_to: str = field(default="", compare=False)


@dataclass(slots=True)
class Checkpoint:
    """The previous state of the files that the tools of one session changed, by absolute path.

    Changes by commands, other programs and sub-agents are not saved. `as_utf_8`: invalid UTF-8 is restored as
    U+FFFD. `follows_links`: a file is also restored through a link that has replaced the file or a directory
    above it.
    """

    as_utf_8: bool
    follows_links: bool = True
    _kept: dict[str, _Kept] = field(default_factory=dict)

    def keep(self, path: str) -> None:
        """Save a file before it is written, unless it is already saved."""
        if path not in self._kept:
            self._kept[path] = _current_state(path)

    def move(self) -> None:
        """Start a new user message: the saved files are saved again in their current state."""
        for path in self._kept:
            self._kept[path] = _current_state(path)

    def bring_back(self) -> list[str]:
        """Restore the files; return the paths that were written.

        Directories stay, even in place of a file. A file that cannot be written or removed stays, too. Raises
        OSError if another entry is in the way.
        """
        written = []
        for path, kept in self._kept.items():
            moved = disk.leads_to(path) != kept.leads_to
            if kept == _current_state(path) or (moved and not self.follows_links):
                continue
            with suppress(PermissionError, IsADirectoryError):
                if kept.data is None:
                    disk.remove(path)
                else:
                    disk.overwrite(path, self._restore_file(kept.data), mode=kept.mode)
                    written.append(path)
        return written

    def _restore_file(self, data: bytes) -> bytes:
        return data.decode("utf-8", "replace").encode() if self.as_utf_8 else data


def _current_state(path: str) -> _Kept:
    leads_to = disk.leads_to(path)
    is_there = disk.is_file(path)
    return _Kept(disk.read(path), disk.mode_of(path), leads_to) if is_there else _Kept(leads_to=leads_to)
