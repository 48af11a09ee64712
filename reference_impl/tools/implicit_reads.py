"""Read files for the model although it has made no call: mentioned files, and memory files (CLAUDE.md)."""

from __future__ import annotations

import contextlib
import os

from readfirst.reference_impl.files import disk
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.tools import read as read_tool

__all__ = ["read_memory_files", "refresh_memory_files", "show_file"]


def show_file(session: Session, path: str, *, obeys_rules: bool = True) -> None:
    """Show a file to the model without a call, unless Read refuses the file. `obeys_rules`: deny rules apply."""
    arguments = {"file_path": path}
    with contextlib.suppress(OSError, RecursionError, Refusal):
        read_tool.validate(session, arguments)
        if obeys_rules:
            read_tool.check_permissions(session, arguments)
        read_tool.execute(session, arguments)


def read_memory_files(session: Session, raw_path: str) -> bool:
    """Show every CLAUDE.md above a file, up to the session's first directory. Return whether any was shown."""
    shown = False
    directory = os.path.dirname(session.paths.to_read(raw_path))  # noqa: PTH120 - paths are strings here
    while directory.startswith(f"{session.memory.root}/"):
        path = f"{directory}/{read_tool.MEMORY_FILE}"
        if session.memory.records.peek(path) is None and disk.exists(path):
            show_file(session, path)
            session.memory.mentioned.add(path)
            shown = True
        directory = os.path.dirname(directory)  # noqa: PTH120
    return shown


def refresh_memory_files(session: Session) -> None:
    """Read the known CLAUDE.md files again after a sub-agent ends, so that the session knows changes by the agent."""
    for path in [*session.memory.mentioned]:
        if os.path.basename(path) == read_tool.MEMORY_FILE:  # noqa: PTH119 - paths are strings here
            show_file(session, path)
            session.memory.mentioned.add(path)
