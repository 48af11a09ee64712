"""Text and bytes: the encoding and the line ending of a file, and back again."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Format", "decode", "encode", "format_of", "unify", "well_formed"]

_SAMPLE = 4096


@dataclass(frozen=True, slots=True)
class Format:
    """How text becomes bytes: a Python codec and the bytes of a line's end (`\\n` or `\\r\\n`)."""

    encoding: str = "utf-8"
    line_ending: str = "\n"


def format_of(data: bytes, *, decoded: bool = False) -> Format:
    """Return the format of a file, seen from its beginning.

    A UTF-16 little-endian byte order mark means that encoding, anything else UTF-8. The line ending is the one
    that most line ends in the first 4,096 bytes have, read as UTF-8 in any case; on a tie it is `\\n`.
    """
    encoding = "utf-16-le" if data.startswith(b"\xff\xfe") else "utf-8"
    sample = decode(data[:_SAMPLE], encoding if decoded else "utf-8")
    crlf = sample.count("\r\n")
    return Format(encoding, "\r\n" if crlf > sample.count("\n") - crlf else "\n")


def decode(data: bytes, encoding: str) -> str:
    """Return the text. Bytes that are no text become U+FFFD; a byte order mark stays, as U+FEFF.

    An odd last byte of UTF-16 is lost.
    """
    if encoding == "utf-16-le":
        data = data[: len(data) // 2 * 2]
    return data.decode(encoding, errors="replace")


def unify(text: str) -> str:
    """Return the text with `\\n` for every `\\r\\n`; a lone `\\r` stays."""
    return text.replace("\r\n", "\n")


def well_formed(text: str) -> str:
    """Return the text with U+FFFD for every half of a surrogate pair."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def encode(text: str, file_format: Format) -> bytes:
    """Return the bytes. Every `\\n` becomes the line ending, also one that follows a `\\r`.

    Half of a surrogate pair becomes U+FFFD.
    """
    whole = well_formed(text)
    if file_format.line_ending != "\n":
        whole = whole.replace("\n", file_format.line_ending)
    return whole.encode(file_format.encoding)
