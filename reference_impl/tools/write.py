"""Write: the rules in the order in which they apply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from readfirst.reference_impl.files import disk
from readfirst.reference_impl.refusal import MODIFIED, Refusal
from readfirst.reference_impl.session.freshness import is_changed, refuse_stale, refuse_unread
from readfirst.reference_impl.session.memory import Record
from readfirst.reference_impl.session.paths import refuse_null
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.text.blanks import are_blanks_cut, without_trailing_blanks
from readfirst.reference_impl.text.content import Format
from readfirst.reference_impl.text.encodings import refuse_unwritable
from readfirst.reference_impl.text.escapes import without_escapes
from readfirst.reference_impl.tools import answers
from readfirst.reference_impl.tools import edit as edit_tool

__all__ = ["execute", "permit", "prepare", "prepare_corrected", "validate"]


def prepare(session: Session, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments that all rules see: blanks at the ends of lines are gone."""
    arguments = prepare_corrected(session, arguments)
    if not are_blanks_cut(session.behaviours, arguments["file_path"]):
        return arguments
    return {**arguments, "content": without_trailing_blanks(arguments["content"])}


def prepare_corrected(session: Session, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments that all rules see where others were given: blanks stay."""
    if not session.behaviours.escapes_are_decoded:
        return arguments
    return {**arguments, "content": without_escapes(arguments["content"], session.behaviours)}


def validate(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse what is wrong before anything is done. Only the time tells whether the file was changed."""
    how = session.behaviours.null_in_path
    if session.behaviours.write_sees_null and how == "unseen":
        how = "seen"
    refuse_null(arguments["file_path"], tool="Write", how=how)
    path = session.expanded_path(arguments["file_path"])
    session.deny("Edit", path, code=1, done="written")
    if session.behaviours.write_looks_first:
        session.refuse_unclear(path, tool="Write")
    if session.behaviours.write_names_directories:
        refuse_directory(path, arguments["file_path"])
    if not disk.exists(path):
        return
    record = refuse_unread(session, path, needs_read=needs_read(session, path), code=2)
    if record is not None:
        refuse_modified(session, path, record)


def needs_read(session: Session, path: str) -> bool:
    """Tell whether a file must have been read; a notebook always must."""
    return session.behaviours.write_needs_read or path.endswith(".ipynb")


def refuse_modified(session: Session, path: str, record: Record) -> None:
    """Refuse a file that changed after it was remembered."""
    newer = session.modified_at(path, exact=session.behaviours.write_times_are_exact) > record.timestamp
    if newer and (not session.behaviours.write_compares_contents or is_changed(session, path, record)):
        raise Refusal("modified_since_read", MODIFIED, code=3)


def refuse_directory(path: str, given: str) -> None:
    """Refuse a directory."""
    if disk.is_directory(path):
        raise Refusal(
            "is_directory",
            f"{given} is a directory, not a file. To create a file inside it, include the file name in file_path.",
        )


def permit(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse what Edit may not change."""
    edit_tool.permit(session, arguments)


def execute(session: Session, arguments: Mapping[str, Any]) -> str:
    """Write and remember. The file is checked once more: it may have changed since the validation."""
    path, content = session.written_path(arguments["file_path"]), arguments["content"]
    if session.behaviours.writing_looks_first:
        session.refuse_unclear(path)
    if session.behaviours.links_are_refused_first:
        session.refuse_links(path)
    if disk.exists(path):
        if session.behaviours.write_opens_first:
            session.content_of(path)
        refuse_stale(session, path, needs_read=needs_read(session, path))
        if session.behaviours.unwritable_files_are_refused:
            refuse_unwritable(disk.read(path))
        before, file_format = session.content_of(path)
    else:
        before, file_format = "", Format(line_ending=session.new_file_line_ending())
    if not session.behaviours.write_keeps_line_endings:
        file_format = replace(file_format, line_ending="\n")
    if not session.behaviours.write_keeps_the_mark:
        file_format = replace(file_format, mark=False)
    session.store(
        path,
        content,
        file_format,
        unified=session.behaviours.own_line_endings_are_unified,
        given=arguments["file_path"],
    )
    if not before:
        return answers.created(session.behaviours, arguments["file_path"])
    return answers.overwritten(session.behaviours, arguments["file_path"], content)
