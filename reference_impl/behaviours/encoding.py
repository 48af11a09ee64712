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
        meaning="The line endings of a UTF-16 file are looked for in its text; otherwise the line endings of a UTF-16 "
        "file are looked for in its bytes, where there are none.",
        source="later-edit-flow.txt, Steps",
        shown_by=("encodings/utf-16-crlf",),
    )
    read_decodes_utf_16: bool = behaviour(
        False,
        {"2.1.299": True},
        meaning="Read decodes a file that begins with a UTF-16 little-endian byte order mark; otherwise Read decodes "
        "every file as UTF-8.",
        shown_by=("encodings/utf-16-read", "encodings/utf-16-odd-length"),
    )
    empty_files_become_latin_1: bool = behaviour(
        True,
        {"2.0.67": False},
        meaning="Edit and Write fill an empty file with Latin-1, the lower byte of each UTF-16 code unit.",
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
        meaning="A byte order mark belongs to the format of a file, not to its text, so that Edit does "
        "not see it.",
        shown_by=("encodings/bom-in-old-string",),
    )
    write_keeps_byte_order_mark: bool = behaviour(
        False,
        {"2.1.299": True},
        meaning="Write over a file with a byte order mark keeps the mark; otherwise Write drops a byte order mark.",
        shown_by=("write/over-byte-order-mark",),
    )
    write_keeps_line_endings: bool = behaviour(
        True,
        {"2.1.77": False},
        documented=False,
        meaning="Write uses the line endings of the old file, or of the files around a new one.",
        source="behaviour-spec.txt, Session State Model",
        shown_by=("line-endings/write-lf-over-crlf", "line-endings/write-new-beside-four-crlf-files"),
    )
    crlf_in_new_text_becomes_crcrlf: bool = behaviour(
        True,
        {"2.1.89": False},
        meaning="In a file with `\\r\\n`, each `\\r\\n` of the new text gets a second `\\r`.",
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
        meaning="Read of a file of lines says so if Edit and Write would refuse it, because they could not write it "
        "back as it was.",
        shown_by=("encodings/nul-read", "encodings/latin-1-read"),
    )
    changes_refuse_unwritable_files: bool = behaviour(
        False,
        {"2.1.299": True},
        meaning="Edit and Write refuse a file that they could not write back as it was.",
        shown_by=("encodings/nul-elsewhere", "encodings/latin-1-write"),
    )
