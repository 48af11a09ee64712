"""Open files of a workspace without following links out of it, and the user's editor, whose role the harness plays."""

import os
import stat
from collections.abc import Callable
from dataclasses import replace

from readfirst.harness.processes.safe_open import open_directory
from readfirst.harness.suite.file_entry import Entry, RegularFile


def resolve_inside(root: str, path: str) -> str:
    """Resolve links in a path relative to `root`. Raises ValueError if the path leads out of the workspace."""
    resolved = os.path.realpath(os.path.join(root, path))  # noqa: PTH118 - as it is given, then followed
    if not resolved.startswith(root + "/"):
        raise ValueError(f"{path} is not in the open directory")
    return resolved[len(root) + 1 :]


def open_inside(root: str, name: str, flags: int) -> int:
    """Open the file at a path from `resolve_inside`. Raises OSError (also for a new link in the path), ValueError."""
    folder, _, last = f"{root}/{name}".rpartition("/")
    with open_directory(folder, make=bool(flags & os.O_CREAT)) as directory_fd:
        descriptor = os.open(last, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644, dir_fd=directory_fd)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise ValueError(f"{name} is not a regular file")


class ScriptedEditor:
    """The user's editor, whose role the harness plays, with a buffer for each file with unsaved text. `root` returns
    the path of the workspace. Reading a file returns its unsaved text, if any. Writing a file deletes its buffer.
    """

    def __init__(self, root: Callable[[], str]) -> None:
        self._root = root
        self._buffers: dict[str, RegularFile] = {}

    def set_unsaved(self, path: str, entry: RegularFile) -> None:
        """Set the unsaved text that the user has typed into a file. `path` is relative to the workspace."""
        self._buffers[path] = entry

    def clear(self) -> None:
        """Delete the unsaved text of all files."""
        self._buffers.clear()

    def with_unsaved_texts(self, entries: dict[str, Entry]) -> dict[str, Entry]:
        """Return the files of a snapshot, with unsaved texts in place of saved texts."""
        if not self._buffers:
            return entries
        changed = dict(entries)
        for path, buffer in self._buffers.items():
            saved = entries.get(path)
            file = saved if isinstance(saved, RegularFile) else RegularFile(b"", 0o644)
            changed[path] = replace(file, content=buffer.data)
        return changed

    def read(self, path: str, line: int | None = None, limit: int | None = None) -> str:
        """Return up to `limit` lines from `line` (from 1), including unsaved text. Raises OSError, ValueError."""
        name = self._resolve(path)
        buffer = self._buffers.get(name)
        if buffer is None:
            with os.fdopen(open_inside(self._root(), name, os.O_RDONLY), "rb") as file:
                data = file.read()
        else:
            data = buffer.data
        text = data.decode("utf-8", "replace")
        first = (line or 1) - 1
        lines = text.split("\n")
        return "\n".join(lines[first : None if limit is None else first + limit])

    def write(self, path: str, text: str) -> None:
        """Replace the text of a file, save the file, and delete its unsaved text. Raises OSError, ValueError."""
        name = self._resolve(path)
        with os.fdopen(open_inside(self._root(), name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
            file.write(text.encode())
        self._buffers.pop(name, None)

    def _resolve(self, path: str) -> str:
        """Return the path relative to the workspace, with resolved links. Raises ValueError if it leads outside."""
        return resolve_inside(os.path.realpath(self._root()), path)
