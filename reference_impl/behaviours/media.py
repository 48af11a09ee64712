"""Media: images, PDF documents and other files that are not lines."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.behaviours.history import since

__all__ = ["MediaBehaviours"]


@dataclass(frozen=True, kw_only=True)
class MediaBehaviours:
    """What Read makes of files that are not lines."""

    more_files_are_binary: bool = since(
        False, {"2.1.64": True}, shown_by=("media/bmp", "media/object-file", "media/wasm")
    )
    """Read refuses `.bmp`, `.o` and `.wasm` files as binary too."""
    binary_advice: str = since("tools", {"2.1.290": "skill"}, shown_by=("media/zip", "media/executable"))
    """Which advice stands in the refusal of a binary file."""
    bitmaps_are_images: bool = since(True, {"1.0.111": False}, shown_by=("media/bmp",))
    """Read shows `.bmp` files as images."""
    broken_images_are_named_by_name: bool = since(
        True, {"2.0.65": False}, shown_by=("media/riff-that-is-no-webp",)
    )
    """The type of an image that is not whole is that of its name; otherwise its first bytes tell the type."""
    image_types_are_extensions: bool = since(
        True, {"1.0.21": False}, shown_by=("media/frames-of-jpeg-images",)
    )
    """The type of an image that is told by its name is its extension; otherwise that of such images."""
    empty_images_are_named: bool = since(False, {"2.1.41": True}, shown_by=("media/empty-png",))
    """The refusal of an empty image names the file."""
    image_contents_matter: bool = since(
        False, {"2.1.144": True}, shown_by=("media/text-named-png", "media/riff-that-is-no-webp")
    )
    """Read refuses a file with the name of an image whose bytes are none."""
    image_sizes_matter: bool = since(
        False,
        {"2.1.146": True},
        shown_by=("media/images-that-end-before-their-size", "media/frames-of-jpeg-images"),
    )
    """Read refuses an image whose bytes do not tell its size."""
    images_need_no_extension: bool = since(
        False, {"2.1.187": True}, shown_by=("media/png-without-extension",)
    )
    """Read shows an image whose name has no extension."""
    pdfs_are_shown: bool = since(False, {"1.0.58": True}, shown_by=("media/pdf", "media/text-named-pdf"))
    """Read shows PDF documents; otherwise it refuses them as binary."""
    pdf_size_is_limited: bool = since(False, {"2.1.7": True}, shown_by=("media/pdf-too-large",))
    """Read refuses a PDF of more than 20 MB."""
    pdf_headers_matter: bool = since(
        False, {"2.1.45": True}, shown_by=("media/text-named-pdf", "media/pdf-sizes")
    )
    """Read refuses a PDF that does not begin as one."""
    documents_stand_in_answers: bool = since(False, {"2.1.242": True}, shown_by=("media/pdf",))
    """The document of a PDF stands in the answer itself; otherwise it follows in a message of its own."""
    media_are_remembered: bool = since(
        True,
        {"2.0.67": False},
        documented=True,
        shown_by=("gate/image-read-then-write", "staleness/change-in-an-image"),
    )
    """A Read of an image counts as a Read."""
    pdfs_are_remembered: bool = since(False, documented=True, shown_by=("media/edit-pdf",))
    """A Read of a PDF counts as a Read."""
