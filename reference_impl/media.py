"""Media: files that Read does not show as lines - images and PDF documents."""

from __future__ import annotations

import base64
import posixpath

from reference_impl import disk
from reference_impl.refusal import Refusal
from reference_impl.sizes import rounded

__all__ = ["image_text", "is_image", "is_pdf", "pdf_text", "refuse_binary", "refuse_empty_image"]

# fmt: off
_BINARY = frozenset({
    ".7z", ".ai", ".avi", ".bin", ".bz2", ".class", ".dat", ".db", ".deb", ".dll", ".doc", ".docx", ".dylib",
    ".eot", ".eps", ".exe", ".fla", ".flac", ".gz", ".iso", ".jar", ".mdb", ".mov", ".mp3", ".mp4", ".obj", ".odt",
    ".otf", ".ppt", ".psd", ".pyc", ".rar", ".rpm", ".so", ".sqlite", ".swf", ".tar", ".ttf", ".wav", ".woff",
    ".woff2", ".xls", ".xz", ".zip",
})
# fmt: on
_IMAGES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp"})
_MAX_PDF_BYTES = 20 * 1024 * 1024


def _extension(path: str) -> str:
    return posixpath.splitext(path)[1].lower()


def is_image(path: str) -> bool:
    """Tell whether Read takes the file for an image; its name decides."""
    return _extension(path) in _IMAGES


def is_pdf(path: str) -> bool:
    """Tell whether Read takes the file for a PDF document; its name decides."""
    return _extension(path) == ".pdf"


def refuse_binary(path: str) -> None:
    """Refuse what cannot be shown at all; the name decides, the content is not looked at."""
    if (extension := _extension(path)) in _BINARY:
        raise Refusal(
            "unsupported_file",
            f"This tool cannot read binary files. The file appears to be a binary {extension} file. "
            "Please use appropriate tools for binary file analysis.",
        )


def refuse_empty_image(path: str) -> None:
    """Refuse an image file without a byte."""
    if is_image(path) and disk.size(path) == 0:
        raise Refusal("unsupported_file", "Empty image files cannot be processed.")


def image_text(data: bytes) -> str:
    """Return what stands for an image in a text: kind, type by the first bytes, number of base64 characters."""
    return f"[image {_media_type(data)} {len(base64.b64encode(data))}]"


def _media_type(data: bytes) -> str:
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith(b"GIF"):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return "image/png"


def pdf_text(path: str, given: str) -> str:
    """Return the answer to a Read of a PDF. Refusal: it is empty, or larger than 20 MB."""
    size = disk.size(path)
    if size == 0:
        raise Refusal("unsupported_file", f"PDF file is empty: {given}")
    if size > _MAX_PDF_BYTES:
        raise Refusal("too_large", f"PDF file exceeds maximum allowed size of {rounded(_MAX_PDF_BYTES)}.")
    return f"PDF file read: {given} ({rounded(size)})"
