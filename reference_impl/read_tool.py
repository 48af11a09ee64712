"""Read: the rules in the order in which they apply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reference_impl import disk, media, notebook
from reference_impl.links import refuse_to_read
from reference_impl.numbering import lines_of, numbered
from reference_impl.numbers import shown
from reference_impl.paths import refuse_null, similar_name
from reference_impl.refusal import Refusal
from reference_impl.session import Session
from reference_impl.sizes import refuse_too_large, refuse_too_long
from reference_impl.text_file import decode, unify

__all__ = ["execute", "permit", "refuse_missing", "validate"]


def validate(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse what can be refused without reading."""
    refuse_null(arguments["file_path"], tool="Read", by_itself=session.behaviours.null_is_looked_for)
    path = path_of(session, arguments)
    session.deny("Read", path)
    refuse_missing(session, path)
    if not disk.exists(path):
        return
    media.refuse_binary(path)
    media.refuse_empty_image(path)
    refuse_large_file(path, arguments)


def permit(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse a path, or a link to a file, that a deny rule covers."""
    if not session.behaviours.links_are_written_through:
        refuse_to_read(path_of(session, arguments))
    session.deny_target("Read", arguments["file_path"])


def execute(session: Session, arguments: Mapping[str, Any]) -> str:
    """Return the numbered lines, or the cells, or what stands for an image or document."""
    given = arguments["file_path"]
    path = path_of(session, arguments)
    if session.behaviours.directories_are_told:
        refuse_directory(session, path, given)
    if notebook.is_notebook(path):
        answer = notebook.shown_cells(decode(disk.read(path)), given)
        session.remember(path, None)
        return answer
    if media.is_pdf(path) or media.is_image(path):
        answer = media.pdf_text(path, given) if media.is_pdf(path) else media.image_text(disk.read(path))
        if session.behaviours.media_are_remembered:
            session.remember(path, None)
        return answer
    content = decode(disk.read(path))
    lines = lines_of(content)
    offset, limit = arguments.get("offset", 1), arguments.get("limit", session.behaviours.default_line_limit)
    text = "\n".join(selection(lines, offset, limit))
    refuse_too_large(len(text.encode("utf-16-le")) // 2)
    refuse_too_long(text)
    whole = session.behaviours.whole_reads_are_compared and (
        not {"offset", "limit"} & arguments.keys()
        or (session.behaviours.every_line_is_a_whole_read and text == "\n".join(lines))
    )
    session.remember(path, unify(content) if whole else None)
    answer = numbered(cut(text, session.behaviours.line_width_limit), session.behaviours.line_prefix, offset)
    return answer or nothing_to_show(offset, len(lines))


def path_of(session: Session, arguments: Mapping[str, Any]) -> str:
    """Return the absolute path to read: a final slash may count or not."""
    path = session.path(arguments["file_path"])
    return path.rstrip("/") or "/" if session.behaviours.final_slashes_are_dropped else path


def refuse_directory(session: Session, path: str, given: str) -> None:
    """Refuse a directory, by its name; a final slash is doubled."""
    if disk.is_directory(path):
        name = session.path(given)
        name += "/" if name.endswith("/") else ""
        raise Refusal("is_directory", f"EISDIR: illegal operation on a directory, read '{name}'")


def refuse_missing(session: Session, path: str, *, code: int | None = None) -> None:
    """Refuse a path that leads to nothing; name the file that was probably meant."""
    if is_missing(session, path):
        where = (
            f" Note: your current working directory is {session.root}."
            if session.behaviours.working_directory_is_named
            else ""
        )
        similar = similar_name(path)
        suggestion = f" Did you mean {similar}?" if similar else ""
        raise Refusal("file_not_found", f"File does not exist.{where}{suggestion}", code=code)


def is_missing(session: Session, path: str) -> bool:
    """Tell whether a path leads to nothing; what the system does not tell may count as nothing."""
    try:
        return not disk.look(path)
    except OSError:
        return not session.behaviours.unclear_paths_are_refused


def refuse_large_file(path: str, arguments: Mapping[str, Any]) -> None:
    """Refuse a large file of lines, unless offset or limit ask for a part."""
    part = arguments.get("offset") or arguments.get("limit")
    special = media.is_image(path) or media.is_pdf(path) or notebook.is_notebook(path)
    if not part and not special:
        refuse_too_large(disk.size(path))


def selection(lines: list[str], offset: float, limit: float | None) -> list[str]:
    """Return `limit` lines from line `offset`; fractions are cut off, negative numbers count from the end."""
    start = 0 if offset == 0 else offset - 1
    end = None if limit is None else int(start + limit)
    return lines[int(start) : end]


def cut(text: str, width: int | None) -> str:
    """Return the text with each line cut at `width` characters; None: as it is."""
    return "\n".join(line[:width] for line in text.split("\n"))


def nothing_to_show(offset: float, count: int) -> str:
    """Return the warning that stands in for an empty answer."""
    return (
        "<system-reminder>Warning: the file exists but is shorter than the provided offset "
        f"({shown(offset)}). The file has {count} lines.</system-reminder>"
    )
