"""Behaviours of images, PDF documents and other files without lines."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import behaviour

__all__ = ["MediaBehaviours"]


class MediaBehaviours(Group):
    """How Read shows files without lines."""

    more_extensions_are_binary: bool = behaviour(
        False,
        {"2.1.64": True},
        meaning="Read refuses eleven further extensions as binary, such as `.bmp`, `.ico`, `.o` and `.wasm`.",
        shown_by=("media/bmp", "media/object-file", "media/wasm"),
    )
    newer_formats_are_binary: bool = behaviour(
        False,
        {"2.1.301": True},
        meaning="Read refuses the extensions of nineteen newer formats as binary, such as `.avif`, `.epub` and "
        "`.parquet`.",
        shown_by=("media/every-binary-extension",),
    )
    binary_refusal_advice: str = behaviour(
        "tools",
        {"2.1.290": "skill"},
        meaning="The means that the refusal of a binary file recommends: appropriate `tools`, or (`skill`) a skill, a "
        "shell command or a script.",
        shown_by=("media/zip", "media/executable"),
    )
    bmp_files_are_images: bool = behaviour(
        True, {"1.0.111": False}, meaning="Read shows `.bmp` files as images.", shown_by=("media/bmp",)
    )
    broken_image_type_from_name: bool = behaviour(
        True,
        {"2.0.65": False},
        meaning="The type of an incomplete image is derived from the file name instead of from the first bytes (or "
        "PNG if these bytes are unknown).",
        shown_by=("media/riff-that-is-no-webp",),
    )
    image_type_is_extension: bool = behaviour(
        True,
        {"1.0.21": False},
        meaning="An image type that is derived from a file name is the extension itself, as in `image/jpg`, instead "
        "of the registered type, as in `image/jpeg`.",
        shown_by=("media/frames-of-jpeg-images",),
    )
    empty_image_refusal_names_file: bool = behaviour(
        False,
        {"2.1.41": True},
        meaning="The refusal of an empty image names the file.",
        shown_by=("media/empty-png",),
    )
    read_refuses_text_named_like_image: bool = behaviour(
        False,
        {"2.1.144": True},
        meaning="Read refuses a file that has the name of an image but other content.",
        shown_by=("media/text-named-png", "media/riff-that-is-no-webp"),
    )
    read_refuses_images_without_size: bool = behaviour(
        False,
        {"2.1.146": True},
        meaning="Read refuses an image whose bytes do not contain its size.",
        shown_by=("media/images-that-end-before-their-size", "media/frames-of-jpeg-images"),
    )
    images_without_extension_are_shown: bool = behaviour(
        False,
        {"2.1.187": True},
        meaning="Read shows an image whose name has no extension.",
        shown_by=("media/png-without-extension",),
    )
    read_shows_pdfs: bool = behaviour(
        False,
        {"1.0.58": True},
        meaning="Read shows PDF documents instead of refusing them as binary.",
        shown_by=("media/pdf", "media/text-named-pdf"),
    )
    read_refuses_large_pdfs: bool = behaviour(
        False,
        {"2.1.7": True},
        meaning="Read refuses a PDF of more than 20 MB.",
        shown_by=("media/pdf-too-large",),
    )
    read_refuses_pdfs_without_header: bool = behaviour(
        False,
        {"2.1.45": True},
        meaning="Read refuses a PDF that does not begin with `%PDF-`.",
        shown_by=("media/text-named-pdf", "media/pdf-sizes"),
    )
    pdf_document_is_in_answer: bool = behaviour(
        False,
        {"2.1.242": True},
        meaning="The answer of Read contains the PDF document itself, instead of a separate message after the answer.",
        shown_by=("media/pdf",),
    )
