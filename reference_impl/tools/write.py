"""The tool Write: the functions that prepare, validate and execute a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from readfirst.reference_impl.argument_validation import (
    FILE_PATH,
    Corrections,
    Parameter,
    Schema,
    ignored_arguments,
)
from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.files import disk
from readfirst.reference_impl.refusal import MODIFIED, Refusal
from readfirst.reference_impl.session.access import (
    refuse_long_argument,
    refuse_nul_argument,
    refuse_special_file,
)
from readfirst.reference_impl.session.read_state import Record, refuse_stale, refuse_unread
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.session.storage import refuse_unwritable
from readfirst.reference_impl.text.content import (
    Format,
    decode_escapes,
    encode,
    numbered_lines,
    split_lines,
    storable_text,
    strips_whitespace,
    text_for_read,
    unify_line_ends,
    without_trailing_whitespace,
)
from readfirst.reference_impl.tools import edit as edit_tool

__all__ = ["check_permissions", "execute", "prepare", "schema", "validate"]

_MAX_ANSWER_LINES = 16_000
"""Maximum number of lines that the answer shows after a Write over an existing file."""
_TRUNCATION_NOTE = (
    "<response clipped><NOTE>To save on context only part of this file has been shown to you. You should retry this "
    "tool after you have searched inside the file with Grep in order to find the line numbers of what you are "
    "looking for.</NOTE>"
)
_ALIASES = {"path": "file_path", "file_text": "content"}


def schema(behaviours: Behaviours) -> Schema:
    """Return the schema of Write."""
    return Schema(
        "Write",
        description="Write a whole file. An existing file must have been read before.",
        behaviours=behaviours,
        parameters=(FILE_PATH, Parameter("content", description="The content of the file", required=True)),
        ignored_names=ignored_arguments(behaviours),
        corrections=corrections_of_write(behaviours),
    )


def corrections_of_write(behaviours: Behaviours) -> Corrections:
    """Return the corrections of arguments that Write makes in this version."""
    if not behaviours.arguments.write_accepts_aliases:
        return Corrections()
    ignored = {"description": None} | (
        {"command": "create"} if behaviours.arguments.write_accepts_command_create else {}
    )
    allows_equal_alias = behaviours.arguments.write_accepts_repeated_aliases
    return Corrections(_ALIASES, ignored, allows_equal_alias)


def prepare(session: Session, arguments: Mapping[str, Any], *, corrected: bool) -> Mapping[str, Any]:
    """Return the arguments. Some versions strip trailing whitespace in `content`, unless names were `corrected`."""
    content = arguments["content"]
    if session.behaviours.preparation.unicode_escapes_are_decoded:
        content = decode_escapes(content, session.behaviours)
    if not corrected and strips_whitespace(session.behaviours, arguments["file_path"]):
        content = without_trailing_whitespace(content)
    return {**arguments, "content": content}


def validate(session: Session, arguments: Mapping[str, Any]) -> None:
    """Raise Refusal for an invalid call, or if the file changed since the session read or wrote it."""
    refuse_long_argument(arguments["file_path"], tool="Write", behaviours=session.behaviours)
    how = session.behaviours.paths.nul_in_path
    if session.behaviours.paths.write_refuses_nul and how == "unseen":
        how = "seen"
    refuse_nul_argument(arguments["file_path"], tool="Write", treatment=how)
    path = session.paths.expand_argument(arguments["file_path"])
    session.permissions.refuse_denied("Edit", path, code=1, change="written")
    if session.behaviours.lookup.write_stats_before_gate:
        session.paths.refuse_inaccessible(path, tool="Write")
    if session.behaviours.lookup.write_refusal_names_directory:
        refuse_directory(path, arguments["file_path"])
    refuse_special_file(path, "Write", session.behaviours)
    path = session.paths.to_write(arguments["file_path"])
    if not disk.exists(path):
        return
    record = refuse_unread(session.memory, path, needs_read=needs_read(session, path), code=2)
    if record is not None:
        refuse_modified(session, path, record)


def needs_read(session: Session, path: str) -> bool:
    """Whether a Write of a file requires an earlier Read. Always for notebooks, and after a truncated answer."""
    if (
        session.behaviours.freshness.write_needs_read
        or path.endswith(".ipynb")
        or path in session.memory.truncated_reads
    ):
        return True
    return not session.permissions.may_change_unread(path)


def refuse_modified(session: Session, path: str, record: Record) -> None:
    """Raise Refusal if a file changed after the session made its record of the file."""
    behaviours = session.behaviours
    newer = session.memory.has_later_time(
        path, record, exact=behaviours.freshness.write_compares_sub_milliseconds
    )
    if newer and behaviours.freshness.write_compares_content_of_touched:
        # Here UTF-16 is treated as in Read; right before writing it is decoded.
        mark = not behaviours.encoding.edit_hides_byte_order_mark
        read = unify_line_ends(
            text_for_read(
                disk.read(path), utf_16=behaviours.encoding.read_decodes_utf_16, byte_order_mark=mark
            )
        )
        newer = record.content != read
    if newer:
        raise Refusal("modified_since_read", MODIFIED, code=3)


def refuse_directory(path: str, raw_path: str) -> None:
    """Raise Refusal if a path is a directory. `raw_path` is the path as written in the call."""
    if disk.is_directory(path):
        raise Refusal(
            "is_directory",
            f"{raw_path} is a directory, not a file. To create a file inside it, include the file name in file_path.",
        )


def check_permissions(session: Session, arguments: Mapping[str, Any]) -> None:
    """Raise Refusal if a deny rule covers the path, or if the change needs a permission."""
    edit_tool.refuse_forbidden_change(session, arguments, tool="Write")


def execute(session: Session, arguments: Mapping[str, Any]) -> str:
    """Check the file again, as it may have changed. Write the file, record the write, and return the answer."""
    path, content = session.paths.to_write(arguments["file_path"]), arguments["content"]
    if session.behaviours.writing.execution_stats_path_first:
        session.paths.refuse_inaccessible(path)
    if session.behaviours.writing.links_refused_before_recheck:
        session.storage.refuse_links(path)
    file = session.storage.find_file(path)
    if file.exists:
        if disk.is_special(path):
            raise Refusal("special_file", "Not a regular file (device, FIFO, or socket)")
        if session.behaviours.writing.write_opens_before_recheck:
            file.read()
        refuse_stale(session.memory, file, needs_read=needs_read(session, path))
        if session.behaviours.encoding.changes_refuse_unwritable_files:
            refuse_unwritable(file.data)
        before, file_format = file.text, file.format
    else:
        before, file_format = "", Format(line_ending=session.storage.new_file_line_ending())
    had_content = before != "" or file_format.byte_order_mark
    if not session.behaviours.encoding.write_keeps_line_endings:
        file_format = replace(file_format, line_ending="\n")
    if not session.behaviours.encoding.write_keeps_byte_order_mark or content == "":
        file_format = replace(file_format, byte_order_mark=False)
    session.storage.write(path, encode(content, file_format))
    unified = session.behaviours.memory.own_writes_are_remembered_with_lf
    known = storable_text(content, file_format)
    session.memory.record_write(path, known, unified=unified, raw_path=arguments["file_path"])
    if not had_content:
        return created_answer(session.behaviours, arguments["file_path"])
    return overwritten_answer(session.behaviours, arguments["file_path"], content)


def created_answer(behaviours: Behaviours, raw_path: str) -> str:
    """Return the answer to a Write of a new or empty file. `raw_path` is the path as written in the call."""
    return f"File created successfully at: {raw_path}{edit_tool.current_state_remark(behaviours)}"


def overwritten_answer(behaviours: Behaviours, raw_path: str, content: str) -> str:
    """Return the answer to a Write over a file with content. `raw_path` is the path as written in the call."""
    if behaviours.answers.write_answer_shows_content:
        lines = split_lines(content) if content else []
        shown = numbered_lines(lines[:_MAX_ANSWER_LINES], behaviours.reading.line_number_format, 1)
        rest = _TRUNCATION_NOTE if len(lines) > _MAX_ANSWER_LINES else ""
        return f"The file {raw_path} has been updated. {edit_tool.SNIPPET_HEADING}{shown}{rest}"
    return f"The file {raw_path} has been updated successfully.{edit_tool.current_state_remark(behaviours)}"
