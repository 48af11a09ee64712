"""Text: what Edit finds, what is inserted in its place, and how text becomes bytes."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.behaviours.history import since

__all__ = ["TextBehaviours"]


@dataclass(frozen=True, kw_only=True)
class TextBehaviours:
    """What becomes of quotes, escapes, blanks, line ends and encodings."""

    quotes_are_folded: bool = since(False, {"1.0.45": True}, shown_by=("quotes/straight-finds-curly-double",))
    """Edit finds curly quotes by straight ones, and the other way round."""
    quotes_are_taken_over: bool = since(
        False, {"2.1.47": True}, shown_by=("quotes/straight-quotes-inserted-where-curly-matched",)
    )
    """Where folded quotes matched, straight quotes of the new text become curly if those in the file are."""
    escapes_are_swapped: bool = since(
        False,
        {"2.1.118": True},
        shown_by=("literal-text/character-for-escape", "literal-text/composed-and-decomposed"),
    )
    """Edit finds `\\uXXXX` by its character, and the other way round; it says so if neither is there."""
    escapes_are_decoded: bool = since(
        False, {"2.1.116": True}, shown_by=("literal-text/unicode-escape", "literal-text/write-special-text")
    )
    """`\\uXXXX` in what Edit and Write are given becomes the character before any rule is applied."""
    control_escapes_are_kept: bool = since(
        False, {"2.1.277": True}, shown_by=("literal-text/unicode-escapes-of-every-kind",)
    )
    """An escape of a control character stays."""
    windows_paths_are_spared: bool = since(False, {"2.1.218": True}, shown_by=("literal-text/windows-path",))
    """A text with a path of Windows in it keeps its escapes."""
    trailing_blanks_are_cut: bool = since(
        False,
        {"1.0.113": True},
        documented=False,
        shown_by=("whitespace/trailing-blanks-are-the-whole-change",),
    )
    """Edit (of a file that exists) and Write cut the blanks before each line's end of what they insert."""
    markdown_keeps_blanks: bool = since(
        False,
        {"2.1.89": True},
        shown_by=("whitespace/trailing-blanks-in-markdown", "write/trailing-blanks-markdown"),
    )
    """No blanks are cut in what is inserted into a Markdown file."""
    carriage_returns_are_doubled: bool = since(
        True,
        {"2.1.89": False},
        shown_by=("line-endings/crlf-in-new-string-of-crlf-file", "line-endings/double-cr"),
    )
    """In a file with `\\r\\n` a `\\r\\n` of the text gets a second `\\r`."""
    write_keeps_line_endings: bool = since(
        True,
        {"2.1.77": False},
        shown_by=("line-endings/write-lf-over-crlf", "line-endings/write-new-beside-four-crlf-files"),
    )
    """Write takes over the line endings of the old file, or of the files around a new one."""
    own_line_endings_are_unified: bool = since(
        False, {"2.1.216": True}, shown_by=("staleness/touch-of-own-crlf-write",)
    )
    """What Write wrote is remembered with `\\n` line ends; otherwise as it was given."""
    final_carriage_return_is_lost: bool = since(
        False, {"2.1.41": True}, shown_by=("line-endings/read-cr-at-the-end", "line-endings/lone-cr-file")
    )
    """Read does not see a `\\r` at the very end of a file."""
    line_endings_of_utf_16_are_seen: bool = since(
        False, {"2.1.72": True}, documented=True, shown_by=("encodings/utf-16-crlf",)
    )
    """The line endings of a UTF-16 file are found in its text; otherwise in its bytes, where there are none."""
    utf_16_is_shown: bool = since(
        False, {"2.1.299": True}, shown_by=("encodings/utf-16-read", "encodings/utf-16-odd-length")
    )
    """Read decodes a file that begins with a UTF-16 little-endian byte order mark; otherwise all is UTF-8."""
    byte_order_marks_are_hidden: bool = since(
        False, {"2.1.41": True}, shown_by=("encodings/bom-shown", "encodings/bom-alone")
    )
    """Read does not show a byte order mark at the beginning of a file."""
    byte_order_mark_is_format: bool = since(False, {"2.1.216": True}, shown_by=("encodings/bom-in-old-string",))
    """A byte order mark belongs to the format of a file, not to its text, so Edit does not see it."""
    write_keeps_byte_order_mark: bool = since(False, {"2.1.299": True}, shown_by=("write/over-byte-order-mark",))
    """Write over a file with a byte order mark writes one; otherwise it drops it."""
    unwritable_files_are_told: bool = since(
        False, {"2.1.299": True}, shown_by=("encodings/nul-read", "encodings/latin-1-read")
    )
    """Read tells of a file of lines that Edit and Write could not write back as it was."""
    unwritable_files_are_refused: bool = since(
        False, {"2.1.299": True}, shown_by=("encodings/nul-elsewhere", "encodings/latin-1-write")
    )
    """Edit and Write refuse a file that they could not write back as it was."""
