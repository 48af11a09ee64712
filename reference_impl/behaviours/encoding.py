"""Behaviours of encoding and decoding."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import behaviour

__all__ = ["EncodingBehaviours"]


class EncodingBehaviours(Group):
    """Encodings, byte order marks and line ends."""

    utf_16_line_endings_are_detected: bool = behaviour(
        False,
        {"2.1.72": True},
        documented=True,
        meaning="The line endings of a UTF-16 file are detected in its decoded text, instead of in its raw bytes, in "
        "which UTF-16 never contains `\\r\\n`.",
        source="later-edit-flow.txt, Steps",
        shown_by=("encodings/utf-16-crlf",),
    )
    read_decodes_utf_16: bool = behaviour(
        False,
        {"2.1.299": True},
        meaning="Read decodes a file with a UTF-16 little-endian byte order mark as UTF-16 instead of as UTF-8.",
        shown_by=("encodings/utf-16-read", "encodings/utf-16-odd-length"),
    )
    empty_files_become_latin_1: bool = behaviour(
        True,
        {"2.0.67": False},
        meaning="Edit and Write encode the content of a previously empty file as Latin-1: the lower byte of each "
        "UTF-16 code unit.",
        shown_by=("encodings/non-ascii-into-empty",),
    )
    read_hides_byte_order_mark: bool = behaviour(
        False,
        {"2.1.41": True},
        meaning="Read does not show a byte order mark at the beginning of a file.",
        shown_by=("encodings/bom-shown", "encodings/bom-alone"),
    )
    edit_hides_byte_order_mark: bool = behaviour(
        False,
        {"2.1.216": True},
        meaning="Edit treats a byte order mark as part of the format of a file, not as part of its text.",
        shown_by=("encodings/bom-in-old-string",),
    )
    write_keeps_byte_order_mark: bool = behaviour(
        False,
        {"2.1.299": True},
        meaning="Write over a file with a byte order mark keeps the mark instead of removing it.",
        shown_by=("write/over-byte-order-mark",),
    )
    write_keeps_line_endings: bool = behaviour(
        True,
        {"2.1.77": False},
        documented=False,
        meaning="Write converts the line endings of its content to those of the old file or, for a new file, to those "
        "of the files near it.",
        source="behaviour-spec.txt, Session State Model",
        shown_by=("line-endings/write-lf-over-crlf", "line-endings/write-new-beside-four-crlf-files"),
    )
    crlf_in_new_text_becomes_crcrlf: bool = behaviour(
        True,
        {"2.1.89": False},
        meaning="In a file with `\\r\\n` line ends, each `\\r\\n` of the new text gets a second `\\r`.",
        shown_by=("line-endings/crlf-in-new-string-of-crlf-file", "line-endings/double-cr"),
    )
    read_drops_final_cr: bool = behaviour(
        False,
        {"2.1.41": True},
        meaning="Read ignores a `\\r` at the very end of a file.",
        shown_by=("line-endings/read-cr-at-the-end", "line-endings/lone-cr-file"),
    )
    read_drops_cr_of_last_shown_line: bool = behaviour(
        False,
        {"2.1.108": True},
        meaning="Read omits a `\\r` at the very end of the lines that it shows.",
        shown_by=("line-endings/read-crs-at-the-end",),
    )
    read_notes_unwritable_files: bool = behaviour(
        False,
        {"2.1.299": True},
        meaning="If Edit and Write would refuse a text file because they cannot write its text back unchanged, the "
        "answer of Read says so.",
        shown_by=("encodings/nul-read", "encodings/latin-1-read"),
    )
    changes_refuse_unwritable_files: bool = behaviour(
        False,
        {"2.1.299": True},
        meaning="Edit and Write refuse a file whose text they cannot write back unchanged.",
        shown_by=("encodings/nul-elsewhere", "encodings/latin-1-write"),
    )
