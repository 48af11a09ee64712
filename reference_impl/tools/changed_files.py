"""Changed files: what the session notices by itself before the model speaks again."""

from __future__ import annotations

import contextlib

from readfirst.reference_impl.reading.notebook import is_notebook
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.tools import read as read_tool

__all__ = ["notice_changed_files"]


def notice_changed_files(session: Session) -> bool:
    """Read every file again that the session wrote and that is newer on disk; the model is told what changed in it.

    What Read refuses stays as it was remembered. First all records are looked at, from the newest to the oldest. Each
    look is a use, so the order of use turns round. Returns whether there was any such file but notebooks.
    """
    outdated = [path for path in session.state.newest_first() if _is_outdated(session, path)]
    for path in outdated:
        with contextlib.suppress(OSError, RecursionError, Refusal):
            arguments = {"file_path": path}
            read_tool.validate(session, arguments)
            read_tool.execute(session, arguments)
    return not all(is_notebook(path, session.behaviours) for path in outdated)


def _is_outdated(session: Session, path: str) -> bool:
    record = session.state.get(path)
    if record is None or not (record.own or session.behaviours.changed_reads_are_noticed):
        return False
    try:
        return session.is_newer(path, record)
    except OSError:
        return False
