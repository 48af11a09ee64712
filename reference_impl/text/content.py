"""Text and bytes: the encoding and the line ending of a file, and back again."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "Format",
    "decode",
    "encode",
    "format_of",
    "line_ending_of",
    "readable",
    "unify",
    "well_formed",
    "without_mark",
]

_UTF_8 = "utf-8"
_UTF_16 = "utf-16-le"
_SAMPLE = 4096


@dataclass(frozen=True, slots=True)
class Format:
    """How text becomes bytes: a Python codec, the bytes of a line's end (`\\n` or `\\r\\n`), a byte order mark or none.

    `doubled`: a `\\r` of the text stays in front of the line ending.
    """

    encoding: str = _UTF_8
    line_ending: str = "\n"
    mark: bool = False
    doubled: bool = True


def format_of(data: bytes, *, decoded: bool) -> Format:
    """Return the format of a file, seen from its beginning.

    A UTF-16 little-endian byte order mark means that encoding, anything else UTF-8. `decoded`: the line ends are looked
    for in the text, otherwise in the bytes as if they were UTF-8.
    """
    encoding = _UTF_16 if data.startswith(b"\xff\xfe") else _UTF_8
    return Format(encoding, line_ending_of(data, encoding if decoded else _UTF_8))


def line_ending_of(data: bytes, encoding: str = _UTF_8) -> str:
    """Return the line ending that most line ends in the first 4,096 bytes have; on a tie it is `\\n`."""
    sample = decode(data[:_SAMPLE], encoding)
    crlf = sample.count("\r\n")
    return "\r\n" if crlf > sample.count("\n") - crlf else "\n"


def decode(data: bytes, encoding: str = _UTF_8) -> str:
    """Return the text. Bytes that are no text become U+FFFD; a byte order mark stays, as U+FEFF.

    An odd last byte of UTF-16 is lost.
    """
    if encoding == _UTF_16:
        data = data[: len(data) // 2 * 2]
    return data.decode(encoding, errors="replace")


def readable(data: bytes, *, utf_16: bool, mark: bool) -> str:
    """Return the text as Read shows it: UTF-16 little-endian behind its mark where `utf_16`, else UTF-8.

    `mark`: a byte order mark is shown.
    """
    text = decode(data, _UTF_16 if utf_16 and data.startswith(b"\xff\xfe") else _UTF_8)
    return text if mark else without_mark(text)


def without_mark(text: str) -> str:
    """Return the text without the byte order mark at its beginning."""
    return text.removeprefix("\ufeff")


def unify(text: str) -> str:
    """Return the text with `\\n` for every `\\r\\n`; a lone `\\r` stays."""
    return text.replace("\r\n", "\n")


def well_formed(text: str) -> str:
    """Return the text with U+FFFD for every half of a surrogate pair."""
    return decode(text.encode(_UTF_16, "surrogatepass"), _UTF_16)


def encode(text: str, file_format: Format) -> bytes:
    """Return the bytes. Every `\\n` becomes the line ending, also one that follows a `\\r`.

    Half of a surrogate pair becomes U+FFFD.
    """
    text = well_formed(text)
    if file_format.line_ending != "\n":
        text = (text if file_format.doubled else unify(text)).replace("\n", file_format.line_ending)
    if file_format.mark:
        text = f"\ufeff{without_mark(text)}"
    return text.encode(file_format.encoding)
