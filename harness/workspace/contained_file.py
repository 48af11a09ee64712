"""Open regular files of a workspace without following links out of it; and the user's editor."""

import os
import stat
from collections.abc import Callable
from dataclasses import replace

from readfirst.harness.processes.safe_open import opened
from readfirst.harness.suite.file_entry import Entry, RegularFile
from readfirst.harness.workspace.snapshot import MAXIMUM_FILE_SIZE


def name_inside(root: str, path: str) -> str:
    """Return a file's path relative to the workspace, with links resolved. Raises ValueError if it leads out."""
    real = os.path.realpath(os.path.join(root, path))  # noqa: PTH118 - as it is given, then followed
    if not real.startswith(root + "/"):
        raise ValueError(f"{path} is not in the folder that is open")
    return real[len(root) + 1 :]


def open_inside(root: str, name: str, how: int) -> int:
    """Open the regular file with a name that `name_inside` returned. `how` are the flags of `os.open`. Raises
    OSError, also if a link has replaced a part of the path, and ValueError if it is not a regular file.
    """
    folder, _, last = f"{root}/{name}".rpartition("/")
    with opened(folder, make=bool(how & os.O_CREAT)) as at:
        descriptor = os.open(last, how | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644, dir_fd=at)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise ValueError(f"{name} is no regular file")


def read_inside(root: str, path: str) -> bytes:
    """Return a file's content. Raises OSError; ValueError if its path leads out of the workspace or it is too large."""
    root = os.path.realpath(root)
    with os.fdopen(open_inside(root, name_inside(root, path), os.O_RDONLY), "rb") as file:
        data = file.read(MAXIMUM_FILE_SIZE + 1)
    if len(data) > MAXIMUM_FILE_SIZE:
        raise ValueError(f"{path} has more than {MAXIMUM_FILE_SIZE} bytes")
    return data


class ScriptedEditor:
    """The user's editor, played by the harness. It contains a buffer for each file with unsaved text; `root` returns
    the open directory.

    Reading a file through the editor returns the text of its buffer; without a buffer, its saved text. Writing a file
    through the editor saves it and deletes its buffer, as editors do for agents.
    """

    def __init__(self, root: Callable[[], str]) -> None:
        self._root = root
        self._buffers: dict[str, RegularFile] = {}

    def hold(self, path: str, entry: RegularFile) -> None:
        """Set the unsaved text that the user has typed into a file; `path` is relative to the root."""
        self._buffers[path] = entry

    def clear(self) -> None:
        """Delete all buffers."""
        self._buffers.clear()

    def seen(self, entries: dict[str, Entry]) -> dict[str, Entry]:
        """Return the entries of a snapshot with the unsaved text of each buffer instead of the saved text."""
        if not self._buffers:
            return entries
        seen = dict(entries)
        for path, buffer in self._buffers.items():
            saved = entries.get(path)
            shown = saved if isinstance(saved, RegularFile) else RegularFile(b"", 0o644)
            seen[path] = replace(shown, content=buffer.data)
        return seen

    def read(self, path: str, line: int | None = None, limit: int | None = None) -> str:
        """Return a number of lines of a file, from a line (counted from 1). Raises OSError, ValueError."""
        name = self._inside(path)
        buffer = self._buffers.get(name)
        if buffer is None:
            with os.fdopen(open_inside(self._root(), name, os.O_RDONLY), "rb") as file:
                data = file.read()
        else:
            data = buffer.data
        text = data.decode("utf-8", "replace")
        if line is None and limit is None:
            return text
        first = (line or 1) - 1
        lines = text.split("\n")
        return "\n".join(lines[first : None if limit is None else first + limit])

    def write(self, path: str, text: str) -> None:
        """Replace a file's text and save it. Raises OSError, ValueError."""
        name = self._inside(path)
        with os.fdopen(open_inside(self._root(), name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
            file.write(text.encode())
        self._buffers.pop(name, None)

    def _inside(self, path: str) -> str:
        """Return the path relative to the root, with links resolved. Raises ValueError if it leads out of the root."""
        return name_inside(os.path.realpath(self._root()), path)
