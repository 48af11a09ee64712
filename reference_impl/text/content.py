"""Content: a file's bytes as text and back again, its lines with their numbers, and what cannot be written back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from readfirst.reference_impl.refusal import Refusal

__all__ = [
    "Format",
    "decode",
    "encode",
    "format_of",
    "line_ending_of",
    "lines_of",
    "numbered",
    "numbered_lines",
    "readable",
    "refuse_unwritable",
    "shown",
    "told_at_the_end",
    "unify",
    "well_formed",
    "without_mark",
]

_UTF_8 = "utf-8"
_UTF_16 = "utf-16-le"
_LATIN_1 = "latin-1"
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


def format_of(data: bytes, *, decoded: bool, empty_is_latin_1: bool) -> Format:
    """Return the format of a file, seen from its beginning.

    A UTF-16 little-endian byte order mark means that encoding, anything else UTF-8, but nothing at all Latin-1 if
    `empty_is_latin_1`. `decoded`: the line ends are looked for in the text, otherwise in the bytes as if they were
    UTF-8.
    """
    encoding = _UTF_16 if data.startswith(b"\xff\xfe") else _UTF_8
    if empty_is_latin_1 and not data:
        encoding = _LATIN_1
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

    Half of a surrogate pair becomes U+FFFD. As Latin-1 every UTF-16 code unit loses its upper byte.
    """
    text = well_formed(text)
    if file_format.line_ending != "\n":
        text = (text if file_format.doubled else unify(text)).replace("\n", file_format.line_ending)
    if file_format.mark:
        text = f"\ufeff{without_mark(text)}"
    if file_format.encoding == _LATIN_1:
        return text.encode(_UTF_16)[::2]
    return text.encode(file_format.encoding)


_LOOKED_AT = 8192


@dataclass(frozen=True, slots=True)
class _Obstacle:
    """Why a file cannot be written back, and what Read says of the text that it shows nevertheless."""

    reason: str
    shown: str = ""


_BIG_ENDIAN = _Obstacle("is UTF-16 big-endian (it starts FE FF), which these tools cannot write.")
_NUL = _Obstacle(
    "has NUL bytes in its first 8 KB: binary data, UTF-16/UTF-32 without a byte-order mark, or text with embedded NULs."
)
_NO_UTF_8 = _Obstacle(
    "is not valid UTF-8: it uses a legacy encoding such as Windows-1252, Shift-JIS or GBK, or it is binary.",
    " Its undecodable bytes show above as U+FFFD.",
)


def _obstacle(data: bytes) -> _Obstacle | None:
    if data.startswith(b"\xff\xfe"):
        return None
    if data.startswith(b"\xfe\xff"):
        return _BIG_ENDIAN
    if b"\0" in data[:_LOOKED_AT]:
        return _NUL
    try:
        data.decode()
    except UnicodeDecodeError:
        return _NO_UTF_8
    return None


def told_at_the_end(data: bytes) -> str:
    """Return what Read adds to the lines of a file that cannot be written back; nothing for any other file."""
    obstacle = _obstacle(data)
    if obstacle is None:
        return ""
    return (
        f"\n\n[This file {obstacle.reason}{obstacle.shown} Edit and Write will refuse it: change it with a shell "
        "command that keeps its encoding, or ask the user whether to convert it to UTF-8.]"
    )


def refuse_unwritable(data: bytes) -> None:
    """Refuse to change a file that cannot be written back."""
    if obstacle := _obstacle(data):
        raise Refusal(
            "unsupported_encoding",
            f"File {obstacle.reason} These tools write UTF-8 (or UTF-16LE behind its byte-order mark) and "
            "never convert a file's encoding on their own, so nothing was written. If the file is text, "
            "make the change with a shell command that reads and writes it in its own encoding (iconv, or "
            "PowerShell Get-Content/Set-Content -Encoding), or ask the user whether to convert it to UTF-8 "
            "first. To replace the whole file with new UTF-8 text anyway, delete it first, then Write it.",
        )


def lines_of(text: str) -> list[str]:
    """Split at `\\n` and `\\r\\n`; a final line end makes a last, empty line. A lone `\\r` does not split."""
    return text.replace("\r\n", "\n").split("\n")


def numbered(text: str, prefix: str, first: float = 1) -> str:
    """Return the text's lines with their numbers, counted from `first`; nothing for an empty text."""
    return numbered_lines(lines_of(text), prefix, first) if text else ""


def numbered_lines(lines: Sequence[str], prefix: str, first: float) -> str:
    """Return lines with their numbers; `prefix` is the format of what stands before each, for example `{:>6}→`."""
    number = str if isinstance(first, int) else shown
    return "\n".join(prefix.format(number(first + n)) + line for n, line in enumerate(lines))


_LARGEST_PLAIN = 21
_SMALLEST_PLAIN = -6


def shown(number: float) -> str:
    """Return a number as text: `2`, `1.5`, `-3`, `1e+21`, `1e-7`. More digits than a double holds are lost."""
    value = float(number)
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    point = len(text) + exponent
    if not _SMALLEST_PLAIN < point <= _LARGEST_PLAIN:
        fraction = f".{text[1:]}" if len(text) > 1 else ""
        text = f"{text[0]}{fraction}e{point - 1:+d}"
    elif point > 0:
        fraction = f".{text[point:]}" if len(text) > point else ""
        text = text[:point].ljust(point, "0") + fraction
    else:
        text = f"0.{'0' * -point}{text}"
    return f"-{text}" if sign else text
