"""Encodings: what shows in the bytes of a file that Edit and Write could not write it back as it was."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.refusal import Refusal

__all__ = ["refuse_unwritable", "told_at_the_end"]

_SAMPLE = 8192


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
    if b"\0" in data[:_SAMPLE]:
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
