"""Reading: which lines of a file Read shows, how it shows them, and when there are too many."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.behaviours.history import since

__all__ = ["ReadBehaviours"]


@dataclass(frozen=True, kw_only=True)
class ReadBehaviours:
    """What Read answers for a file of lines."""

    reading_measures_first: bool = since(
        False,
        {"2.1.40": True, "2.1.251": False},
        shown_by=("race/read-deleted-during-call", "paths/parent-is-file-read", "links-and-modes/loop-read"),
    )
    """Before it reads, Read asks the system for the size of the file."""
    read_finds_missing_files_late: bool = since(
        False, {"2.1.41": True}, shown_by=("race/read-created-during-call", "race/read-deleted-during-call")
    )
    """Read finds out that a file is missing when it reads, not when it is validated."""
    default_line_limit: int | None = since(None, documented=2000, shown_by=("sizes/2001-lines",))
    """Lines that Read returns when `limit` is not given."""
    line_width_limit: int | None = since(None, documented=2000, shown_by=("sizes/2001-characters",))
    """Characters of each line that Read returns."""
    line_prefix: str = since(
        "{:>6}\t",
        {"1.0.21": "{:>6}→", "2.1.86": "{}\t"},
        shown_by=("read-output/numbered-lines", "read-output/offset-alone"),
    )
    """What stands before a numbered line, as a format of its number."""
    range_is_filtered_by_index: bool = since(
        False, {"2.1.41": True}, shown_by=("read-output/offset-negative", "read-output/fractional-offset")
    )
    """Read goes through the lines and takes those within the range; otherwise it cuts the range out of their list."""
    blank_ranges_are_shown: bool = since(
        False,
        {"2.1.208": True},
        shown_by=("read-output/blank-line-by-range", "read-output/offset-behind-a-final-newline"),
    )
    """A Read of one empty line shows it with its number; otherwise it warns of the file's end."""
    empty_file_warning: str = since(
        "for no text",
        {"1.0.53": "never", "2.1.208": "for empty files"},
        shown_by=("read-output/empty-file",),
    )
    """When Read, having no line to show, says that the file is empty; otherwise it warns of the file's end."""
    repeated_read_answer: str = since(
        "",
        {
            "2.1.86": "File unchanged since last read. The content from the earlier Read tool_result in this "
            "conversation is still current — refer to that instead of re-reading.",
            "2.1.128": "Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead.",
            "2.1.317": "",
        },
        shown_by=("read-output/read-twice", "read-output/read-after-refused-edit"),
    )
    """What answers the same Read of a file that has not changed since; nothing: it is shown again."""
    answers_end_without_blanks: bool = since(
        False, {"2.1.233": True}, shown_by=("read-output/final-newline", "read-output/trailing-blanks")
    )
    """An answer loses the blanks at its end, unless it consists of blocks as of a notebook."""
    media_keep_final_blanks: bool = since(
        True, {"2.1.268": False}, shown_by=("read-output/final-newline-after-an-image",)
    )
    """But none does any more once Read has shown an image or a document."""
    empty_answers_are_told: bool = since(False, {"2.1.73": True}, shown_by=("notebooks/read-empty-notebook",))
    """An answer without a character says so."""
    sizes_are_whole_kilobytes: bool = since(
        True, {"1.0.23": False}, shown_by=("sizes/one-megabyte", "sizes/large-file-edited-after-refused-read")
    )
    """Sizes of files of lines are told in whole kilobytes."""
    size_advice: str = since(
        "GrepTool",
        {"2.1.71": "search"},
        shown_by=("sizes/one-line-of-many-tokens", "notebooks/read-large-content"),
    )
    """Which advice stands in the refusal of what is too much to show."""
    size_refusal_offers_allow_large: bool = since(
        False, {"2.1.296": True}, shown_by=("sizes/one-line-of-many-tokens",)
    )
    """The refusal of a file of lines that is too much to show tells how to read it nevertheless."""
    offsets_ask_for_parts: bool = since(True, {"2.1.41": False}, shown_by=("sizes/large-file-with-offset",))
    """An offset lets Read show a part of a large file, as a limit does."""
    part_size_is_limited: bool = since(
        True, {"2.1.41": False}, shown_by=("sizes/range-over-the-limit-of-bytes",)
    )
    """A part of a file must not be larger than a file may be."""
    long_files_are_truncated: bool = since(
        False, {"2.1.145": True}, shown_by=("sizes/more-than-25000-tokens", "sizes/token-cap-before-line-cap")
    )
    """A Read of more tokens than allowed shows the first lines; it is refused where a limit was given."""
    truncation_notice_comes_first: bool = since(
        True, {"2.1.205": False}, shown_by=("sizes/more-than-25000-tokens", "sizes/262144-bytes")
    )
    """What tells that only the first lines are shown stands before them; otherwise in a reminder after them."""
