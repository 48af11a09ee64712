"""Changed files: what the session notices by itself before the model speaks again."""

from __future__ import annotations

import contextlib

from reference_impl import disk, read_tool
from reference_impl.refusal import Refusal
from reference_impl.session import Session

__all__ = ["notice_changed_files"]


def notice_changed_files(session: Session) -> None:
    """Read every file again that is known whole and is newer on disk; the model is told what changed in it.

    What Read refuses stays as it was remembered. The records are looked at from the newest to the oldest, and each
    look is a use: the order of use turns round.
    """
    for path in session.state.newest_first():
        record = session.state.get(path)
        if record is None or not record.whole:
            continue
        with contextlib.suppress(OSError, Refusal):
            if disk.modified_at(path) > record.timestamp:
                arguments = {"file_path": path}
                read_tool.validate(session, arguments)
                read_tool.execute(session, arguments)
