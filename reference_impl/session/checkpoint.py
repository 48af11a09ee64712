"""Save files before the tools change them, so that a rewind can restore them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from readfirst.reference_impl.files import disk

__all__ = ["Checkpoint"]


@dataclass(frozen=True, slots=True)
class _SavedFile:
    """The state of a file before its change: bytes and mode (None if missing), and its path with links resolved."""

    data: bytes | None = None
    mode: int | None = None
    resolved_path: str = field(default="", compare=False)


@dataclass(slots=True)
class Checkpoint:
    """The saved states of the files that the tools of a session changed, by absolute path, for a rewind."""

    # invalid UTF-8 is restored as U+FFFD
    as_utf_8: bool
    # write through a link that has replaced the file or a directory above it
    follows_links: bool = True
    _saved: dict[str, _SavedFile] = field(default_factory=dict)

    def save(self, path: str) -> None:
        """Save the state of a file before it is written. Does nothing if the file is already saved."""
        if path not in self._saved:
            self._saved[path] = _current_state(path)

    def save_again(self) -> None:
        """Save the current state of every saved file. Called for a new message of the user."""
        for path in self._saved:
            self._saved[path] = _current_state(path)

    def restore_files(self) -> list[str]:
        """Restore the saved files, and return the paths of the written files. Files that cannot be written stay
        unchanged. Raises OSError if a directory or link is in place of a file.
        """
        written = []
        for path, saved in self._saved.items():
            moved = disk.resolve_links(path) != saved.resolved_path
            if saved == _current_state(path) or (moved and not self.follows_links):
                continue
            with suppress(PermissionError, IsADirectoryError):
                if saved.data is None:
                    disk.remove(path)
                else:
                    disk.overwrite(path, self._restore_file(saved.data), mode=saved.mode)
                    written.append(path)
        return written

    def _restore_file(self, data: bytes) -> bytes:
        return data.decode("utf-8", "replace").encode() if self.as_utf_8 else data


def _current_state(path: str) -> _SavedFile:
    resolved_path = disk.resolve_links(path)
    is_there = disk.is_file(path)
    return (
        _SavedFile(disk.read(path), disk.mode_of(path), resolved_path)
        if is_there
        else _SavedFile(resolved_path=resolved_path)
    )
