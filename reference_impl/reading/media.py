"""Create the answers of Read for images and PDF documents, and refuse other binary files."""

from __future__ import annotations

import base64
import posixpath

from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.files import disk
from readfirst.reference_impl.reading.images import (
    is_whole,
    media_type,
    refuse_other_content,
    refuse_without_size,
)
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.text.js_number import size_text

__all__ = ["image_text", "is_image", "is_pdf", "pdf_blocks", "refuse_binary", "refuse_empty_image"]

# fmt: off
_BINARY_EXTENSIONS = frozenset({
    ".3ds", ".7z", ".aac", ".ai", ".aiff", ".app", ".avi", ".bin", ".blend", ".bz2", ".class", ".dat", ".db",
    ".deb", ".dll", ".doc", ".docx", ".dylib", ".eot", ".eps", ".exe", ".fig", ".fla", ".flac", ".flv", ".gz",
    ".idx", ".iso", ".jar", ".m4a", ".m4v", ".mdb", ".mkv", ".mov", ".mp3", ".mp4", ".mpeg", ".mpg", ".msi",
    ".obj", ".odp", ".ods", ".odt", ".ogg", ".opus", ".otf", ".ppt", ".pptx", ".psd", ".pyc", ".pyo", ".rar",
    ".rlib", ".rpm", ".sketch", ".so", ".sqlite", ".sqlite3", ".swf", ".tar", ".tgz", ".ttf", ".war", ".wav",
    ".webm", ".wma", ".wmv", ".woff", ".woff2", ".xls", ".xlsx", ".xz", ".z", ".zip",
})
_FURTHER_BINARY_EXTENSIONS = frozenset({
    ".a", ".bmp", ".ear", ".ico", ".lib", ".lockb", ".node", ".o", ".tif", ".tiff", ".wasm",
})
_NEWER_BINARY_EXTENSIONS = frozenset({
    ".apk", ".avif", ".dmg", ".docm", ".epub", ".feather", ".heic", ".heif", ".lz4", ".npy", ".npz", ".numbers",
    ".parquet", ".pickle", ".pptm", ".whl", ".xlsb", ".xlsm", ".zst",
})
# fmt: on
_IMAGE_EXTENSIONS = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp"})
_BINARY_ADVICE = {
    "tools": "Please use appropriate tools for binary file analysis.",
    "skill": "Use a skill for this file type if one is available, or a shell command or script that can read the "
    "format.",
}
_TYPE_BY_EXTENSION = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
}
_MAX_PDF_BYTES = 20 * 1024 * 1024


def _file_extension(path: str) -> str:
    """Return the extension of a file name, such as `.png`. Empty if the name has no dot except at its start."""
    stem, dot, extension = posixpath.basename(path.rstrip("/")).rpartition(".")
    return dot + extension.lower() if stem else ""


def is_image(path: str, behaviours: Behaviours) -> bool:
    """Whether Read treats a file as an image, by its extension or (some versions) its first bytes. Raises OSError."""
    extension = _file_extension(path)
    if extension or not behaviours.media.images_without_extension_are_shown:
        return extension in _IMAGE_EXTENSIONS or (
            behaviours.media.bmp_files_are_images and extension == ".bmp"
        )
    return disk.is_file(path) and media_type(disk.read(path)) is not None


def is_pdf(path: str, behaviours: Behaviours) -> bool:
    """Whether Read treats a file as a PDF document. Only the name of the file matters."""
    return behaviours.media.read_shows_pdfs and _file_extension(path) == ".pdf"


def refuse_binary(path: str, behaviours: Behaviours) -> None:
    """Raise Refusal if the extension of a file is that of a binary format. The content of the file is not read."""
    extension = _file_extension(path)
    refused = (
        extension in _BINARY_EXTENSIONS
        or (behaviours.media.more_extensions_are_binary and extension in _FURTHER_BINARY_EXTENSIONS)
        or (behaviours.media.newer_formats_are_binary and extension in _NEWER_BINARY_EXTENSIONS)
        or (not behaviours.media.read_shows_pdfs and extension == ".pdf")
    )
    if refused:
        raise Refusal(
            "unsupported_file",
            f"This tool cannot read binary files. The file appears to be a binary {extension} file. "
            f"{_BINARY_ADVICE[behaviours.media.binary_refusal_advice]}",
        )


def refuse_empty_image(path: str, behaviours: Behaviours) -> None:
    """Raise Refusal for an empty image during the validation, in versions that do not refuse the image later."""
    if (
        not behaviours.media.empty_image_refusal_names_file
        and is_image(path, behaviours)
        and disk.file_size(path) == 0
    ):
        raise Refusal("unsupported_file", "Empty image files cannot be processed.")


def image_text(path: str, raw_path: str, behaviours: Behaviours) -> str:
    """Return the text that represents an image in an answer: kind, media type, and number of base64 characters, such as
    `[image image/png 70]`. Raises Refusal for an empty file and, in some versions, for other content.
    """
    data = disk.read(path)
    if not data:
        raise Refusal("unsupported_file", f"Image file is empty: {raw_path}")
    if behaviours.media.read_refuses_text_named_like_image:
        refuse_other_content(data, raw_path)
    if behaviours.media.read_refuses_images_without_size:
        refuse_without_size(data)
    by_name = behaviours.media.broken_image_type_from_name and not is_whole(data)
    found = _type_by_name(path, behaviours) if by_name else media_type(data) or "image/png"
    return _block_summary("image", found, data)


def _type_by_name(path: str, behaviours: Behaviours) -> str:
    extension = _file_extension(path)
    if behaviours.media.image_type_is_extension:
        return f"image/{extension.removeprefix('.')}"
    return _TYPE_BY_EXTENSION.get(extension, "image/png")


def _block_summary(kind: str, media: str, data: bytes) -> str:
    return f"[{kind} {media} {len(base64.b64encode(data))}]"


def pdf_blocks(path: str, raw_path: str, behaviours: Behaviours) -> tuple[str, ...]:
    """Return the answer to a Read of a PDF. Raises Refusal if empty or, in some versions, too large or not a PDF."""
    size = disk.file_size(path)
    if size == 0:
        raise Refusal("unsupported_file", f"PDF file is empty: {raw_path}")
    if behaviours.media.read_refuses_large_pdfs and size > _MAX_PDF_BYTES:
        raise Refusal("too_large", f"PDF file exceeds maximum allowed size of {size_text(_MAX_PDF_BYTES)}.")
    summary = f"PDF file read: {raw_path} ({size_text(size)})"
    data = disk.read(path)
    if behaviours.media.read_refuses_pdfs_without_header and not data.startswith(b"%PDF-"):
        raise Refusal("unsupported_file", f"File is not a valid PDF (missing %PDF- header): {raw_path}")
    return (
        (summary, _block_summary("document", "application/pdf", data))
        if behaviours.media.pdf_document_is_in_answer
        else (summary,)
    )
