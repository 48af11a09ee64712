"""Text: what Edit finds, what is inserted in its place, and how text becomes bytes."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.behaviours.history import behaviour

__all__ = ["TextBehaviours"]


@dataclass(frozen=True, kw_only=True)
class TextBehaviours:
    """What becomes of quotes, escapes, blanks, line ends and encodings."""

    quotes_are_folded: bool = behaviour(
        False,
        {"1.0.45": True},
        meaning="Edit finds curly quotes by straight ones, and the other way round.",
        source="2.1.7-read-before-edit.txt, String Matching Algorithm",
        shown_by=("quotes/straight-finds-curly-double",),
    )
    quotes_are_taken_over: bool = behaviour(
        False,
        {"2.1.47": True},
        meaning="Where Edit found curly quotes by straight ones, straight quotes of the new text become "
        "curly as well.",
        shown_by=("quotes/straight-quotes-inserted-where-curly-matched",),
    )
    escapes_are_swapped: bool = behaviour(
        False,
        {"2.1.118": True},
        meaning="Edit finds `\\uXXXX` by its character, and the other way round, and says so if neither "
        "is in the file.",
        shown_by=("literal-text/character-for-escape", "literal-text/composed-and-decomposed"),
    )
    escapes_are_decoded: bool = behaviour(
        False,
        {"2.1.116": True},
        meaning="`\\uXXXX` in what Edit and Write are given becomes the character before any rule is "
        "applied.",
        shown_by=("literal-text/unicode-escape", "literal-text/write-special-text"),
    )
    control_escapes_are_kept: bool = behaviour(
        False,
        {"2.1.277": True},
        meaning="The escape of a control character stays an escape.",
        shown_by=("literal-text/unicode-escapes-of-every-kind",),
    )
    windows_paths_are_spared: bool = behaviour(
        False,
        {"2.1.218": True},
        meaning="A text with a path of Windows in it keeps its escapes.",
        shown_by=("literal-text/windows-path",),
    )
    trailing_blanks_are_cut: bool = behaviour(
        False,
        {"1.0.113": True},
        documented=False,
        meaning="Edit of a file that exists and Write cut the blanks before each line's end of what they "
        "insert.",
        source="2.1.7-read-before-edit.txt, Core Replacement",
        shown_by=("whitespace/trailing-blanks-are-the-whole-change",),
    )
    markdown_keeps_blanks: bool = behaviour(
        False,
        {"2.1.89": True},
        meaning="No blanks are cut in what is inserted into a Markdown file.",
        shown_by=("whitespace/trailing-blanks-in-markdown", "write/trailing-blanks-markdown"),
    )
    carriage_returns_are_doubled: bool = behaviour(
        True,
        {"2.1.89": False},
        meaning="In a file with `\\r\\n`, a `\\r\\n` of the new text gets a second `\\r`.",
        shown_by=("line-endings/crlf-in-new-string-of-crlf-file", "line-endings/double-cr"),
    )
    write_keeps_line_endings: bool = behaviour(
        True,
        {"2.1.77": False},
        documented=False,
        meaning="Write takes over the line endings of the old file, or of the files around a new one.",
        source="behaviour-spec.txt, Session State Model",
        shown_by=("line-endings/write-lf-over-crlf", "line-endings/write-new-beside-four-crlf-files"),
    )
    own_line_endings_are_unified: bool = behaviour(
        False,
        {"2.1.216": True},
        meaning="The session remembers a text that Write wrote with `\\n` line ends; otherwise as it was "
        "given.",
        shown_by=("staleness/touch-of-own-crlf-write",),
    )
    final_carriage_return_is_lost: bool = behaviour(
        False,
        {"2.1.41": True},
        meaning="Read does not see a `\\r` at the very end of a file.",
        shown_by=("line-endings/read-cr-at-the-end", "line-endings/lone-cr-file"),
    )
    carriage_return_of_last_line_is_lost: bool = behaviour(
        False,
        {"2.1.108": True},
        meaning="Read does not show a `\\r` at the very end of the lines that it shows.",
        shown_by=("line-endings/read-crs-at-the-end",),
    )
    line_endings_of_utf_16_are_seen: bool = behaviour(
        False,
        {"2.1.72": True},
        documented=True,
        meaning="The line endings of a UTF-16 file are found in its text; otherwise in its bytes, where "
        "there are none.",
        source="later-edit-flow.txt, Steps",
        shown_by=("encodings/utf-16-crlf",),
    )
    utf_16_is_shown: bool = behaviour(
        False,
        {"2.1.299": True},
        meaning="Read decodes a file that begins with a UTF-16 little-endian byte order mark; otherwise "
        "Read takes every file for UTF-8.",
        shown_by=("encodings/utf-16-read", "encodings/utf-16-odd-length"),
    )
    empty_files_are_latin_1: bool = behaviour(
        True,
        {"2.0.67": False},
        meaning="Edit and Write fill an empty file with Latin-1: of each UTF-16 code unit the lower byte.",
        shown_by=("encodings/non-ascii-into-empty",),
    )
    byte_order_marks_are_hidden: bool = behaviour(
        False,
        {"2.1.41": True},
        meaning="Read does not show a byte order mark at the beginning of a file.",
        shown_by=("encodings/bom-shown", "encodings/bom-alone"),
    )
    byte_order_mark_is_format: bool = behaviour(
        False,
        {"2.1.216": True},
        meaning="A byte order mark belongs to the format of a file, not to its text, so that Edit does "
        "not see it.",
        shown_by=("encodings/bom-in-old-string",),
    )
    write_keeps_byte_order_mark: bool = behaviour(
        False,
        {"2.1.299": True},
        meaning="Write over a file with a byte order mark writes the mark again; otherwise Write drops it.",
        shown_by=("write/over-byte-order-mark",),
    )
    unwritable_files_are_told: bool = behaviour(
        False,
        {"2.1.299": True},
        meaning="Read says of a file of lines that Edit and Write would refuse it, if they could not "
        "write it back as it was.",
        shown_by=("encodings/nul-read", "encodings/latin-1-read"),
    )
    unwritable_files_are_refused: bool = behaviour(
        False,
        {"2.1.299": True},
        meaning="Edit and Write refuse a file that they could not write back as it was.",
        shown_by=("encodings/nul-elsewhere", "encodings/latin-1-write"),
    )
