"""Detect the type of an image from its bytes, and refuse invalid images."""

from __future__ import annotations

from readfirst.reference_impl.refusal import Refusal

__all__ = ["is_whole", "media_type", "refuse_other_content", "refuse_without_size"]

_SHOWN_BYTES = 8
_HTML_BEGINNINGS = (b"<html", b"<!doctype html")
_FRAME_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Numbers that mark the start of a frame header in a JPEG image. A frame header contains the size of the image."""


def media_type(data: bytes) -> str | None:
    """Return the media type of an image, detected from its first bytes. None if Read does not support the format."""
    if data.startswith(b"\x89PNG"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith(b"GIF"):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def is_whole(data: bytes) -> bool:
    """Whether an image is complete: a PNG image contains pixels; any other image ends as its format requires."""
    match media_type(data):
        case "image/png":
            return b"IDAT" in data
        case "image/jpeg":
            return data.endswith(b"\xff\xd9")
        case "image/gif":
            return data.endswith(b";")
        case "image/webp":
            return len(data) == 8 + int.from_bytes(data[4:8], "little")
    return False


def refuse_other_content(data: bytes, raw_path: str) -> None:
    """Raise Refusal if a file has the name of an image, but its content is not an image."""
    if media_type(data) is None:
        raise Refusal(
            "unsupported_file",
            "File has an image extension but its content is not a valid PNG/JPEG/GIF/WebP. "
            f"Detected: {_detect_format(data)}. This usually means a download saved an error/login page instead of the "
            f'image. Use `file "{raw_path}"` to confirm, or read it as text with Bash (e.g. `head -c 500`).',
        )


def _detect_format(data: bytes) -> str:
    if any(mark in data.lower() for mark in _HTML_BEGINNINGS):
        text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in data)
        return f'HTML document (starts with "{text}")'
    return f"unrecognized bytes (hex: {data[:_SHOWN_BYTES].hex(' ')})"


def refuse_without_size(data: bytes) -> None:
    """Raise Refusal if the bytes of an image do not contain its width and height."""
    needed = {"image/png": 24, "image/gif": 10, "image/webp": _size_of_webp(data)}.get(media_type(data) or "")
    if len(data) < needed if needed else not _has_frame(data):
        raise Refusal(
            "unsupported_file",
            "Unable to resize image — image processing is unavailable and dimensions could not be read from the file "
            "header. Please convert the image to PNG, JPEG, GIF, or WebP.",
        )


def _size_of_webp(data: bytes) -> int:
    return 25 if data[12:16] == b"VP8L" else 30


def _has_frame(data: bytes) -> bool:
    """Whether a JPEG image contains a frame header, which states the size of the image."""
    at = 2
    while at + 9 < len(data):
        if data[at] != 0xFF:
            at += 1
        elif data[at + 1] in _FRAME_MARKERS:
            return True
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4])
    return False
