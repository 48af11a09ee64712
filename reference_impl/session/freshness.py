"""Freshness: whether what the session knows of a file is enough to change it."""

from __future__ import annotations

from readfirst.reference_impl.refusal import NOT_READ, Refusal
from readfirst.reference_impl.session.memory import Record
from readfirst.reference_impl.session.session import Session

__all__ = ["is_changed", "may_be_unread", "refuse_stale", "refuse_unread"]


def may_be_unread(session: Session, path: str, *, needs_read: bool) -> bool:
    """Tell whether a file may be changed unread. Outside the working directory no file may."""
    return not needs_read and f"{path}/".startswith(f"{session.root}/")


def refuse_unread(session: Session, path: str, *, needs_read: bool, code: int) -> Record | None:
    """Return what is known of a file; refuse one that is not known but must be."""
    record = session.state.get(path)
    if record is None and not may_be_unread(session, path, needs_read=needs_read):
        raise Refusal("not_read", NOT_READ, code=code)
    return record


def is_changed(session: Session, path: str, record: Record) -> bool:
    """Tell whether a file is newer than its record, unless all of it is known and it reads the same."""
    if session.modified_at(path, exact=session.behaviours.edit_times_are_exact) <= record.timestamp:
        return False
    return record.content is None or session.content_of(path)[0] != record.content


def refuse_stale(session: Session, path: str, *, needs_read: bool) -> Record | None:
    """Return what is known of an existing file; refuse it, right before writing, if it is not known as it is now."""
    record = session.state.get(path)
    if not session.behaviours.execution_checks_again:
        return record
    if record is None and may_be_unread(session, path, needs_read=needs_read):
        return None
    if record is None and session.behaviours.execution_asks_for_a_read:
        raise Refusal("not_read", NOT_READ)
    if record is None or is_changed(session, path, record):
        raise Refusal("unexpectedly_modified", session.behaviours.stale_wording)
    return record
