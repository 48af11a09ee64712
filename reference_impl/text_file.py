"""A text file on disk: its encoding, its line endings, its time, and how it is replaced in one step."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from dataclasses import dataclass

__all__ = ["Format", "decode", "encode", "format_of", "modified_at", "read_bytes", "replace_file", "unify"]

_SAMPLE = 4096


@dataclass(frozen=True, slots=True)
class Format:
    """How text becomes bytes: a Python codec and the bytes of a line's end (`\\n` or `\\r\\n`)."""

    encoding: str = "utf-8"
    line_ending: str = "\n"


def modified_at(path: str) -> int:
    """Return the time of the last modification in whole milliseconds, rounded down. OSError: no such file."""
    return os.stat(path).st_mtime_ns // 1_000_000


def read_bytes(path: str) -> bytes:
    """Return the file's bytes. OSError: it cannot be read, or it is a directory."""
    with open(path, "rb") as file:
        return file.read()


def format_of(data: bytes) -> Format:
    """Return the format of a file, seen from its beginning.

    A UTF-16 little-endian byte order mark means that encoding, anything else UTF-8. The line ending is the one
    that most line ends among the first 4,096 characters have; on a tie it is `\\n`.
    """
    encoding = "utf-16-le" if data.startswith(b"\xff\xfe") else "utf-8"
    sample = decode(data, encoding)[:_SAMPLE]
    crlf = sample.count("\r\n")
    return Format(encoding, "\r\n" if crlf > sample.count("\n") - crlf else "\n")


def decode(data: bytes, encoding: str) -> str:
    """Return the text. Bytes that are no text become U+FFFD; a byte order mark stays, as U+FEFF."""
    return data.decode(encoding, errors="replace")


def unify(text: str) -> str:
    """Return the text with `\\n` for every `\\r\\n`; a lone `\\r` stays."""
    return text.replace("\r\n", "\n")


def encode(text: str, file_format: Format) -> bytes:
    """Return the bytes. Every `\\n` becomes the line ending, also one that follows a `\\r`.

    Half of a surrogate pair becomes U+FFFD.
    """
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if file_format.line_ending != "\n":
        whole = whole.replace("\n", file_format.line_ending)
    return whole.encode(file_format.encoding)


def replace_file(path: str, data: bytes) -> None:
    """Give the file new content in one step: at any time it has either all the old bytes or all the new ones.

    A symbolic link is written through, the mode is kept, and other hard links keep the old content.
    OSError: the old file is untouched.
    """
    target = os.path.realpath(path)
    mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else None
    if os.path.isdir(target):
        raise IsADirectoryError(21, "Is a directory", target)
    temporary = f"{target}.tmp.{os.getpid()}.{secrets.token_hex(4)}"
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            if mode is not None:
                os.fchmod(file.fileno(), mode)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
