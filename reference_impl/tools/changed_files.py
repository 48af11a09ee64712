"""Changed files: what the session notices by itself before the model speaks again."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from readfirst.reference_impl.reading.notebook import is_notebook
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.tools import read as read_tool

__all__ = ["read_again"]


def read_again(session: Session, outdated: Sequence[str]) -> bool:
    """Read files again that are newer on disk than the session knows them; the model is told what changed in them.

    What Read refuses stays as it was remembered. Returns whether there was any such file but notebooks.
    """
    for path in outdated:
        with contextlib.suppress(OSError, RecursionError, Refusal):
            arguments = {"file_path": path}
            read_tool.validate(session, arguments)
            read_tool.execute(session, arguments)
    return not all(is_notebook(path, session.behaviours) for path in outdated)
