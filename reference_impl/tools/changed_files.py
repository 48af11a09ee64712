"""Changed files: what the session notices by itself before the model speaks again, and tells it."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from readfirst.reference_impl.contract import Behaviours
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.text.changed_lines import changed_lines
from readfirst.reference_impl.tools import read as read_tool

__all__ = ["read_again"]


def read_again(session: Session, outdated: Sequence[str]) -> tuple[str, ...]:
    """Read files again that are newer on disk than the session knows them; return what the model is told of them.

    What Read refuses stays as it was remembered.
    """
    told = []
    for path in outdated:
        before = session.memory.records.peek(path)
        with contextlib.suppress(OSError, RecursionError, Refusal):
            arguments = {"file_path": path}
            read_tool.validate(session, arguments)
            read_tool.execute(session, arguments)
            after = session.memory.records.peek(path)
            if (
                before is not None
                and before.text is not None
                and after is not None
                and after.text is not None
            ):
                told += reminders(path, before.text, after.text, session.behaviours)
    return tuple(told)


def reminders(path: str, before: str, after: str, behaviours: Behaviours) -> list[str]:
    """Return what the model is told of a file, if anything."""
    lines = changed_lines(before, after, behaviours.line_prefix)
    limit = behaviours.reminder_limit
    if limit is not None and len(lines) > limit:
        shown = lines[:limit]
        left_out = lines[limit:].count("\n") + 1
        lines = f"{shown}\n\n... [{left_out} lines truncated] ..."
    return [behaviours.reminder.format(path=path, lines=lines)] if lines else []
