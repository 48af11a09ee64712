"""Read: the rules in the order in which they apply."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping
from typing import Any

from reference_impl.numbering import Number, lines_of, numbered, shown
from reference_impl.paths import similar_name
from reference_impl.refusal import Refusal, of_os_error
from reference_impl.session import Session
from reference_impl.text_file import decode, read_bytes

__all__ = ["execute", "permit", "validate"]

_MAX_BYTES = 262_144
_BINARY = frozenset(
    "exe zip so pyc tar gz 7z mp3 mp4 wav doc docx xls class jar bin dat dll ttf woff woff2 db sqlite psd iso dylib "
    "bz2 xz rar avi mov flac obj eot otf mdb ai eps swf fla ppt odt deb rpm".split()
)
_IMAGES = frozenset({"png", "jpg", "jpeg", "gif", "webp"})


def validate(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse what can be refused without reading."""
    path = session.path(arguments["file_path"])
    session.deny("Read", path)
    refuse_missing(path)
    refuse_binary(path)
    refuse_empty_image(path)
    refuse_too_large(path, arguments)


def permit(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse a link that leads to a denied file."""
    session.deny_target("Read", arguments["file_path"], session.path(arguments["file_path"]))


def execute(session: Session, arguments: Mapping[str, Any]) -> str:
    """Read, remember, and return the numbered lines."""
    path = session.path(arguments["file_path"])
    try:
        data = read_bytes(path)
    except IsADirectoryError as error:
        raise of_os_error(error, "read") from None
    except OSError as error:
        raise of_os_error(error, f"open '{path}'") from None
    offset: Number = arguments.get("offset", 1)
    limit: Number | None = arguments.get("limit", session.behaviours.default_line_limit)
    lines = lines_of(decode(data, "utf-8"))
    selected = selection(lines, offset, limit)
    whole = "offset" not in arguments and "limit" not in arguments and session.behaviours.whole_reads_are_compared
    session.remember(path, "\n".join(selected), whole=whole)
    width = session.behaviours.line_width_limit
    answer = numbered([line[:width] for line in selected], offset)
    return answer or nothing_to_show(offset, len(lines))


def refuse_missing(path: str, *, code: int | None = None) -> None:
    """Refuse a path that leads to nothing; name the file that was probably meant."""
    if not os.path.exists(path):
        similar = similar_name(path)
        suggestion = f" Did you mean {similar}?" if similar else ""
        raise Refusal("file_not_found", f"File does not exist.{suggestion}", code=code)


def refuse_binary(path: str) -> None:
    """Refuse by the name's extension; the content is not looked at."""
    extension = posixpath.splitext(path)[1].lower()
    if extension[1:] in _BINARY:
        raise Refusal(
            "unsupported_file",
            f"This tool cannot read binary files. The file appears to be a binary {extension} file. "
            "Please use appropriate tools for binary file analysis.",
        )


def refuse_empty_image(path: str) -> None:
    """Refuse an image file without a byte."""
    if posixpath.splitext(path)[1].lower()[1:] in _IMAGES and os.path.getsize(path) == 0:
        raise Refusal("unsupported_file", "Empty image files cannot be processed.")


def refuse_too_large(path: str, arguments: Mapping[str, Any]) -> None:
    """Refuse more than 262,144 bytes, unless a part is asked for."""


def selection(lines: list[str], offset: Number, limit: Number | None) -> list[str]:
    """Return `limit` lines from line `offset`; fractions are cut off, negative numbers count from the end."""
    start = 0 if offset == 0 else offset - 1
    end = None if limit is None else int(start + limit)
    return lines[int(start) : end]


def nothing_to_show(offset: Number, count: int) -> str:
    """Return the warning that stands in for an empty answer."""
    return (
        "<system-reminder>Warning: the file exists but is shorter than the provided offset "
        f"({shown(offset)}). The file has {count} lines.</system-reminder>"
    )
