"""Behaviours of Read for files with lines."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.base import Group
from readfirst.reference_impl.behaviours.versioned import behaviour

__all__ = ["ReadingBehaviours"]


class ReadingBehaviours(Group):
    """Answers of Read for files with lines."""

    default_line_limit: int | None = behaviour(
        None,
        documented=2000,
        meaning="The value is how many lines Read returns when `limit` is not given; without a value Read"
        " returns every line.",
        source="behaviour-spec.txt, Default Limits",
        shown_by=("sizes/2001-lines",),
    )
    ranges_filter_by_index: bool = behaviour(
        False,
        {"2.1.41": True},
        meaning="Read goes through the lines and takes those within the range; otherwise Read cuts the "
        "range out of the list of lines.",
        shown_by=("read-output/offset-negative", "read-output/fractional-offset"),
    )
    line_width_limit: int | None = behaviour(
        None,
        documented=2000,
        meaning="The value is how many characters of each line Read returns; without a value Read returns"
        " every character.",
        source="behaviour-spec.txt, Default Limits",
        shown_by=("sizes/2001-characters",),
    )
    line_number_format: str = behaviour(
        "{:>6}\t",
        {"1.0.21": "{:>6}→", "2.1.86": "{}\t"},
        meaning="The value is the prefix of each line that Read shows, as a format of the line's number.",
        source="behaviour-spec.txt, Output Format",
        shown_by=("read-output/numbered-lines", "read-output/offset-alone"),
    )
    blank_line_ranges_are_shown: bool = behaviour(
        False,
        {"2.1.208": True},
        meaning="A Read of one empty line shows the line with its number; otherwise a Read of one empty "
        "line warns of the file's end.",
        shown_by=("read-output/blank-line-by-range", "read-output/offset-after-a-final-newline"),
    )
    empty_file_warning: str = behaviour(
        "for no text",
        {"1.0.53": "never", "2.1.208": "for empty files"},
        documented="for empty files",
        meaning="The value says when Read, having no line to show, says that the file is empty instead of"
        " warning of the file's end: `for no text`, `never`, or `for empty files`.",
        source="behaviour-spec.txt, Special File Handling",
        shown_by=("read-output/empty-file",),
    )
    repeated_read_answer: str = behaviour(
        "",
        {
            "2.1.86": "File unchanged since last read. The content from the earlier Read tool_result in this "
            "conversation is still current — refer to that instead of re-reading.",
            "2.1.128": "Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead.",
            "2.1.317": "",
        },
        meaning="The value is the answer to the same Read of a file that has not changed since; with an "
        "empty value the file is shown again.",
        shown_by=("read-output/read-twice", "read-output/read-after-refused-edit"),
    )
    repeated_notebook_reads_ignore_range: bool = behaviour(
        False,
        {"2.1.212": True},
        meaning="A second Read of a notebook is answered as if it asked for the same lines, whatever its range.",
        shown_by=("crossed/notebooks-93", "notebooks/read-again"),
    )
    size_refusals_use_kilobytes: bool = behaviour(
        True,
        {"1.0.23": False},
        meaning="Refusals give the sizes of files of lines in whole kilobytes.",
        shown_by=("sizes/one-megabyte", "sizes/large-file-edited-after-refused-read"),
    )
    size_refusal_advice: str = behaviour(
        "GrepTool",
        {"2.1.71": "search"},
        meaning="The value says how the refusal of a file that is too large to show advises to search it: by "
        "`GrepTool`, or by any `search`.",
        shown_by=("sizes/one-line-of-many-tokens", "notebooks/read-large-content"),
    )
    size_refusal_offers_allow_large: bool = behaviour(
        False,
        {"2.1.296": True},
        meaning="The refusal of a file of lines that is too large to show says how to read it anyway.",
        shown_by=("sizes/one-line-of-many-tokens",),
    )
    offset_alone_bypasses_size_limit: bool = behaviour(
        True,
        {"2.1.41": False},
        meaning="An `offset` lets Read show a part of a large file, as `limit` does.",
        shown_by=("sizes/large-file-with-offset",),
    )
    size_limit_applies_to_parts: bool = behaviour(
        True,
        {"2.1.41": False},
        meaning="A part of a file must not be larger than a file may be.",
        shown_by=("sizes/range-over-the-limit-of-bytes",),
    )
    read_truncates_at_token_limit: bool = behaviour(
        False,
        {"2.1.145": True},
        meaning="A Read without a `limit` shows the first lines of a file that has more tokens than allowed; otherwise "
        "a Read of more tokens than allowed is refused.",
        shown_by=("sizes/more-than-25000-tokens", "sizes/token-cap-before-line-cap"),
    )
    truncation_notice_comes_first: bool = behaviour(
        True,
        {"2.1.205": False},
        meaning="The notice that only the first lines are shown comes before them; otherwise the notice is in a "
        "reminder after the first lines.",
        shown_by=("sizes/more-than-25000-tokens", "sizes/262144-bytes"),
    )
