"""Edit: the rules in the order in which they apply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reference_impl import disk
from reference_impl.blanks import BLANKS, without_trailing_blanks
from reference_impl.paths import refuse_null
from reference_impl.read_state import Record
from reference_impl.read_tool import refuse_missing
from reference_impl.refusal import MODIFIED, UNEXPECTEDLY_MODIFIED, Refusal
from reference_impl.replacement import actual_text, applied, snippet
from reference_impl.session import Session
from reference_impl.settings_file import refuse_invalid_settings
from reference_impl.text_file import Format

__all__ = ["execute", "permit", "prepare", "refuse_stale", "validate"]


def prepare(session: Session, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments that all rules see.

    If the file exists, blanks at the ends of the new lines are gone.
    """
    if not session.behaviours.trailing_blanks_are_cut:
        return arguments
    try:
        session.content_of(session.expanded_path(arguments["file_path"]))
    except (Refusal, OSError, ValueError):  # the last is for a NUL character
        return arguments
    return {**arguments, "new_string": without_trailing_blanks(arguments["new_string"])}


def validate(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse what is wrong before anything is done, in the order of the documents' table."""
    old, new = arguments["old_string"], arguments["new_string"]
    refuse_no_changes(old, new)
    refuse_null(arguments["file_path"], tool="Edit")
    path = session.expanded_path(arguments["file_path"])
    session.deny("Edit", path, code=2)
    if old == "":
        refuse_existing(session, path)
        return
    refuse_missing(session, path, code=4)
    refuse_notebook(path)
    record = session.state.get(path)
    if record is None:
        raise Refusal("not_read", "File has not been read yet. Read it first before writing to it.", code=6)
    refuse_modified(session, path, record)
    content, _ = session.content_of(path)
    found = refuse_not_found(content, old)
    refuse_several(content, found, arguments)
    refuse_invalid_settings(path, content, found, new)


def permit(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse a path, or a link to a file, that a deny rule covers."""
    session.deny_target("Edit", arguments["file_path"])


def execute(session: Session, arguments: Mapping[str, Any]) -> str:
    """Replace and remember. The file is checked once more: it may have changed since the validation."""
    path = session.expanded_path(arguments["file_path"])
    old, new = arguments["old_string"], arguments["new_string"]
    everywhere = bool(arguments.get("replace_all"))
    content, file_format = session.content_of(path) if disk.exists(path) else ("", Format())
    if disk.exists(path):
        refuse_stale(session, path)
    found = actual_text(content, old) or old
    updated = new if old == "" else applied(content, found, new, everywhere=everywhere)
    refuse_unchanged(content, updated)
    session.store(path, updated, file_format)
    if everywhere:
        return (
            f"The file {arguments['file_path']} has been updated. "
            f"All occurrences of '{found}' were successfully replaced with '{new}'."
        )
    return (
        f"The file {arguments['file_path']} has been updated. Here's the result of running `cat -n` on a snippet "
        f"of the edited file:\n{snippet(content, found, new, session.behaviours.line_prefix)}"
    )


def refuse_no_changes(old: str, new: str) -> None:
    """Refuse to replace a text by itself."""
    if old == new:
        raise Refusal(
            "no_changes", "No changes to make: old_string and new_string are exactly the same.", code=1
        )


def refuse_existing(session: Session, path: str) -> None:
    """Refuse to create a file that exists, unless there are only blanks in it."""
    if not disk.exists(path):
        return
    content, _ = session.content_of(path)
    if content.strip(BLANKS):
        raise Refusal("file_exists", "Cannot create new file - file already exists.", code=3)


def refuse_notebook(path: str) -> None:
    """Refuse a notebook; it has a tool of its own."""
    if path.endswith(".ipynb"):
        raise Refusal(
            "is_notebook", "File is a Jupyter Notebook. Use the NotebookEdit to edit this file.", code=5
        )


def refuse_modified(session: Session, path: str, record: Record) -> None:
    """Refuse a file that changed after it was remembered."""
    if is_changed(session, path, record):
        raise Refusal("modified_since_read", MODIFIED, code=7)


def is_changed(session: Session, path: str, record: Record) -> bool:
    """Tell whether a file is newer than its record, unless all of it is known and it reads the same."""
    if disk.modified_at(path) <= record.timestamp:
        return False
    return record.content is None or session.content_of(path)[0] != record.content


def refuse_not_found(content: str, old: str) -> str:
    """Return the file's spelling of `old`; refuse if it is not in the file."""
    found = actual_text(content, old)
    if found is None:
        raise Refusal("string_not_found", f"String to replace not found in file.\nString: {old}", code=8)
    return found


def refuse_several(content: str, found: str, arguments: Mapping[str, Any]) -> None:
    """Refuse an ambiguous text unless all occurrences are meant; occurrences do not overlap."""
    count = content.count(found)
    if count > 1 and not arguments.get("replace_all"):
        raise Refusal(
            "multiple_matches",
            f"Found {count} matches of the string to replace, but replace_all is false. To replace all "
            "occurrences, set replace_all to true. To replace only one occurrence, please provide more context "
            f"to uniquely identify the instance.\nString: {arguments['old_string']}",
            code=9,
        )


def refuse_stale(session: Session, path: str) -> None:
    """Refuse, right before writing, an existing file that is not known as it is now."""
    record = session.state.get(path)
    if record is None or is_changed(session, path, record):
        raise Refusal("unexpectedly_modified", UNEXPECTEDLY_MODIFIED)


def refuse_unchanged(content: str, updated: str) -> None:
    """Refuse a replacement that did not replace anything, or replaced a text by itself."""
    if updated == content:
        raise Refusal("edit_not_applied", "String not found in file. Failed to apply edit.")
