"""Files that the model is shown without a Read: mentions and memory files."""

from __future__ import annotations

import contextlib
import os

from readfirst.reference_impl.files import disk
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.tools import read as read_tool

__all__ = ["look_into", "read_memory_files", "refresh_memory_files"]

_MEMORY_FILE = "CLAUDE.md"


def look_into(session: Session, path: str) -> None:
    """Read a file, an absolute path, for the model. Files that Read refuses are not shown."""
    arguments = {"file_path": path}
    with contextlib.suppress(OSError, RecursionError, Refusal):
        read_tool.validate(session, arguments)
        read_tool.check_permissions(session, arguments)
        read_tool.execute(session, arguments)


def read_memory_files(session: Session, given: str) -> bool:
    """Read the memory files (CLAUDE.md) in the directory of a file that was read, and in its parent directories
    below the working directory. Return whether there is such a file.
    """
    shown = False
    folder = os.path.dirname(session.paths.to_read(given))  # noqa: PTH120 - paths are strings here
    while folder.startswith(f"{session.memory.root}/"):
        path = f"{folder}/{_MEMORY_FILE}"
        if session.memory.records.peek(path) is None and disk.exists(path):
            look_into(session, path)
            session.memory.mentioned.add(path)
            shown = True
        folder = os.path.dirname(folder)  # noqa: PTH120
    return shown


def refresh_memory_files(session: Session) -> None:
    """Read the shown memory files (CLAUDE.md) again, so that changes by a sub-agent count as known."""
    for path in [*session.memory.mentioned]:
        if os.path.basename(path) == _MEMORY_FILE:  # noqa: PTH119 - paths are strings here
            look_into(session, path)
            session.memory.mentioned.add(path)
