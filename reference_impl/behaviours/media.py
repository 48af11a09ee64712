"""Media: images, PDF documents and other files that are not lines."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.behaviours.history import behaviour

__all__ = ["MediaBehaviours"]


@dataclass(frozen=True, kw_only=True)
class MediaBehaviours:
    """What Read makes of files that are not lines."""

    more_files_are_binary: bool = behaviour(
        False,
        {"2.1.64": True},
        meaning="Read refuses `.bmp`, `.o` and `.wasm` files as binary too.",
        shown_by=("media/bmp", "media/object-file", "media/wasm"),
    )
    binary_advice: str = behaviour(
        "tools",
        {"2.1.290": "skill"},
        meaning="The value says what the refusal of a binary file advises: appropriate `tools`, or a "
        "`skill`, a shell command or a script.",
        shown_by=("media/zip", "media/executable"),
    )
    bitmaps_are_images: bool = behaviour(
        True, {"1.0.111": False}, meaning="Read shows `.bmp` files as images.", shown_by=("media/bmp",)
    )
    broken_images_are_named_by_name: bool = behaviour(
        True,
        {"2.0.65": False},
        meaning="The type of an image that is not whole is the one that its name says; otherwise its "
        "first bytes tell the type.",
        shown_by=("media/riff-that-is-no-webp",),
    )
    image_types_are_extensions: bool = behaviour(
        True,
        {"1.0.21": False},
        meaning="The type of an image that is told by its name is the extension itself, as in "
        "`image/jpg`; otherwise the registered type, as in `image/jpeg`.",
        shown_by=("media/frames-of-jpeg-images",),
    )
    empty_images_are_named: bool = behaviour(
        False,
        {"2.1.41": True},
        meaning="The refusal of an empty image names the file.",
        shown_by=("media/empty-png",),
    )
    image_contents_matter: bool = behaviour(
        False,
        {"2.1.144": True},
        meaning="Read refuses a file that has the name of an image and does not hold one.",
        shown_by=("media/text-named-png", "media/riff-that-is-no-webp"),
    )
    image_sizes_matter: bool = behaviour(
        False,
        {"2.1.146": True},
        meaning="Read refuses an image whose bytes do not tell its size.",
        shown_by=("media/images-that-end-before-their-size", "media/frames-of-jpeg-images"),
    )
    images_need_no_extension: bool = behaviour(
        False,
        {"2.1.187": True},
        meaning="Read shows an image whose name has no extension.",
        shown_by=("media/png-without-extension",),
    )
    pdfs_are_shown: bool = behaviour(
        False,
        {"1.0.58": True},
        meaning="Read shows PDF documents; otherwise Read refuses them as binary.",
        shown_by=("media/pdf", "media/text-named-pdf"),
    )
    pdf_size_is_limited: bool = behaviour(
        False,
        {"2.1.7": True},
        meaning="Read refuses a PDF of more than 20 MB.",
        shown_by=("media/pdf-too-large",),
    )
    pdf_headers_matter: bool = behaviour(
        False,
        {"2.1.45": True},
        meaning="Read refuses a PDF that does not begin with `%PDF-`.",
        shown_by=("media/text-named-pdf", "media/pdf-sizes"),
    )
    documents_stand_in_answers: bool = behaviour(
        False,
        {"2.1.242": True},
        meaning="The document of a PDF stands in the answer itself; otherwise it follows in a message of "
        "its own.",
        shown_by=("media/pdf",),
    )
    media_are_remembered: bool = behaviour(
        True,
        {"2.0.67": False},
        documented=True,
        meaning="A Read of an image counts as a Read, so that the image may be changed afterwards.",
        source="2.1.7-read-before-edit.txt, Read Tool Recording File State",
        shown_by=("gate/image-read-then-write", "staleness/change-in-an-image"),
    )
    pdfs_are_remembered: bool = behaviour(
        False,
        documented=True,
        meaning="A Read of a PDF counts as a Read, so that the PDF may be changed afterwards.",
        source="2.1.7-read-before-edit.txt, Read Tool Recording File State",
        shown_by=("media/edit-pdf",),
    )
