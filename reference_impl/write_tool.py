"""Write: the rules in the order in which they apply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reference_impl import disk
from reference_impl.blanks import without_trailing_blanks
from reference_impl.edit_tool import refuse_stale
from reference_impl.numbering import numbered
from reference_impl.paths import refuse_null
from reference_impl.refusal import MODIFIED, Refusal
from reference_impl.session import Session
from reference_impl.text_file import Format

__all__ = ["execute", "permit", "prepare", "validate"]


def prepare(session: Session, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments that all rules see: blanks at the ends of lines are gone."""
    if not session.behaviours.trailing_blanks_are_cut:
        return arguments
    return {**arguments, "content": without_trailing_blanks(arguments["content"])}


def validate(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse what is wrong before anything is done. Only the time tells whether the file was changed."""
    refuse_null(arguments["file_path"], tool="Write")
    path = session.expanded_path(arguments["file_path"])
    session.deny("Edit", path, code=1)
    if not disk.exists(path):
        return
    record = session.state.get(path)
    if record is None:
        raise Refusal("not_read", "File has not been read yet. Read it first before writing to it.", code=2)
    if disk.modified_at(path) > record.timestamp:
        raise Refusal("modified_since_read", MODIFIED, code=3)


def permit(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse a path, or a link to a file, that a deny rule covers."""
    session.deny_target("Edit", arguments["file_path"])


def execute(session: Session, arguments: Mapping[str, Any]) -> str:
    """Write and remember. The file is checked once more: it may have changed since the validation."""
    path, content = session.expanded_path(arguments["file_path"]), arguments["content"]
    if disk.exists(path):
        refuse_stale(session, path)
        before, file_format = session.content_of(path)
    else:
        before, file_format = "", Format(line_ending=session.new_file_line_ending())
    session.store(path, content, file_format)
    if not before:
        return f"File created successfully at: {arguments['file_path']}"
    return (
        f"The file {arguments['file_path']} has been updated. Here's the result of running `cat -n` on a snippet "
        f"of the edited file:\n{numbered(content, session.behaviours.line_prefix)}"
    )
