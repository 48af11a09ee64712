"""Read changed files again, and create the reminders that tell the model about the changes."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.session.read_state import modified_at
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.text.diff_snippet import changed_lines
from readfirst.reference_impl.tools import read as read_tool

__all__ = ["report_hook_change", "reread_files"]

_SECRET = re.compile(
    r"/\.env\.(?!(?:dist|example|sample|template)\Z)[^/]*\Z|\.(?:env|jks|key|keystore|p12|pem|pfx)\Z"
    r"|id_(?:dsa|ecdsa|ed25519|rsa)(?:_sk)?\Z|secrets?\.(?:env|json|toml|ya?ml)\Z",
    re.IGNORECASE,
)
"""Matches paths of files that contain keys or passwords. Reminders do not show the content of these files."""


def reread_files(session: Session, outdated: Sequence[str]) -> tuple[str, ...]:
    """Read the files `outdated` again. Return a reminder with the changed lines of each file."""
    reported = []
    for path in outdated:
        before = session.memory.records.peek(path)
        with contextlib.suppress(OSError, RecursionError):
            again = (
                session.paths.expand_argument(path) if session.behaviours.memory.rereads_fold_dots else path
            )
            arguments = {"file_path": again}
            try:
                read_tool.validate(session, arguments)
                read_tool.execute(session, arguments)
            except Refusal:
                if session.behaviours.memory.unreadable_changed_files_are_forgotten:
                    session.memory.records.forget(path)
                continue
            after = session.memory.records.peek(again)
            if (
                before is not None
                and before.text is not None
                and after is not None
                and after.text is not None
            ):
                news = change_reminders(path, before.text, after.text, session.behaviours)
                if news and is_secret_file(path, session.behaviours):
                    session.memory.records.put(again, replace(after, is_seen=False))
                reported += news
    return tuple(reported)


def report_hook_change(
    session: Session, tool: str, arguments: Mapping[str, Any], known: Collection[str]
) -> None:
    """If a hook changed a file right after a call wrote the file, record the new state and remind the model. Only some
    versions do this. `known` contains the paths that the session knew before the call.
    """
    behaviours = session.behaviours
    path = session.paths.expand_argument(arguments.get("file_path") or arguments.get("notebook_path") or "")
    record = session.memory.records.peek(path)
    silently = behaviours.hooks.hook_changes_to_new_files_are_silent and path not in known
    if session.hooks is None or record is None or not record.is_own:
        return
    if not (behaviours.hooks.hook_changed_file_notice or silently):
        return
    with contextlib.suppress(OSError):
        if session.memory.is_newer(path, record):
            modified = modified_at(path)
            session.memory.records.put(path, replace(record, content=None, timestamp=modified, is_seen=False))
            if not silently:
                session.hooks.remind_of_hook_change(tool, path)


def change_reminders(path: str, before: str, after: str, behaviours: Behaviours) -> list[str]:
    """Return one reminder with the changed lines of a file, or none in some versions."""
    if not behaviours.reminders.changed_file_reminder:
        return []
    mark_missing_ends = behaviours.reminders.changed_lines_mark_missing_newline
    lines = changed_lines(
        before, after, behaviours.reading.line_number_format, mark_missing_ends=mark_missing_ends
    )
    if behaviours.reminders.first_changed_line_is_unpadded:
        lines = lines.lstrip(" ")
    if (
        behaviours.reminders.changed_lines_limit is not None
        and len(lines) > behaviours.reminders.changed_lines_limit
    ):
        lines = truncate_lines(
            lines,
            behaviours.reminders.changed_lines_limit,
            end_counts=behaviours.reminders.changed_lines_count_one_too_many,
        )
    if not lines:
        if behaviours.reminders.reminder_without_changed_lines is None:
            return []
        lines = behaviours.reminders.reminder_without_changed_lines
    if is_secret_file(path, behaviours):
        return [behaviours.reminders.secret_file_reminder.format(path=path)]
    return [behaviours.reminders.changed_file_reminder.format(path=path, lines=lines).removesuffix("\n")]


def is_secret_file(path: str, behaviours: Behaviours) -> bool:
    """Whether a reminder must not show the changed lines of a file, because its name suggests keys or passwords."""
    return bool(behaviours.reminders.secret_file_reminder and _SECRET.search(path))


def truncate_lines(lines: str, limit: int, *, end_counts: bool) -> str:
    """Shorten lines to `limit` characters: the first lines that fit, or the beginning of the first line, and a note
    with the number of missing lines. `end_counts`: the note states one line more than are missing.
    """
    end = lines.rfind("\n", 0, limit)
    shown = lines[:limit] if end < 0 else lines[:end]
    left_out = lines[len(shown) :].count("\n") + (end < 0 or end_counts)
    return f"{shown}\n\n... [{left_out} lines truncated] ..."
