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
        meaning="The number of lines that Read returns if `limit` is not given; without a value, Read returns every "
        "line.",
        source="behaviour-spec.txt, Default Limits",
        shown_by=("sizes/2001-lines",),
    )
    ranges_filter_by_index: bool = behaviour(
        False,
        {"2.1.41": True},
        meaning="Read selects lines by comparing each line number with the range, instead of slicing the list of "
        "lines.",
        shown_by=("read-output/offset-negative", "read-output/fractional-offset"),
    )
    line_width_limit: int | None = behaviour(
        None,
        documented=2000,
        meaning="The maximum number of characters of each line in the answer of Read; without a value, Read returns "
        "whole lines.",
        source="behaviour-spec.txt, Default Limits",
        shown_by=("sizes/2001-characters",),
    )
    line_number_format: str = behaviour(
        "{:>6}\t",
        {"1.0.21": "{:>6}→", "2.1.86": "{}\t"},
        meaning="The prefix of each line in the answer of Read, as a format of the line number.",
        source="behaviour-spec.txt, Output Format",
        shown_by=("read-output/numbered-lines", "read-output/offset-alone"),
    )
    blank_line_ranges_are_shown: bool = behaviour(
        False,
        {"2.1.208": True},
        meaning="A Read of one empty line shows the line with its number, instead of a warning that the file ends "
        "before `offset`.",
        shown_by=("read-output/blank-line-by-range", "read-output/offset-after-a-final-newline"),
    )
    empty_file_warning: str = behaviour(
        "for no text",
        {"1.0.53": "never", "2.1.208": "for empty files"},
        documented="for empty files",
        meaning="The condition for the answer that the file is empty, if a Read has no line to show. Otherwise the "
        "answer warns that the file ends before `offset`. Values: `for no text`, `never`, or `for empty files`.",
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
        meaning="The answer to a repeated Read of an unchanged file; if empty, Read shows the file again.",
        shown_by=("read-output/read-twice", "read-output/read-after-refused-edit"),
    )
    repeated_notebook_reads_ignore_range: bool = behaviour(
        False,
        {"2.1.212": True},
        meaning="A second Read of a notebook counts as a repeated Read even if its range of lines is different.",
        shown_by=("crossed/notebooks-93", "notebooks/read-again"),
    )
    size_refusals_use_kilobytes: bool = behaviour(
        True,
        {"1.0.23": False},
        meaning="Refusals state the sizes of text files in whole kilobytes.",
        shown_by=("sizes/one-megabyte", "sizes/large-file-edited-after-refused-read"),
    )
    size_refusal_advice: str = behaviour(
        "GrepTool",
        {"2.1.71": "search"},
        meaning="The search that the refusal of a file that is too large to show recommends: by `GrepTool`, or by any "
        "`search`.",
        shown_by=("sizes/one-line-of-many-tokens", "notebooks/read-large-content"),
    )
    size_refusal_offers_allow_large: bool = behaviour(
        False,
        {"2.1.296": True},
        meaning="The refusal of a text file that is too large to show offers `allow_large: true`, so that Read shows "
        "the file anyway.",
        shown_by=("sizes/one-line-of-many-tokens",),
    )
    offset_alone_bypasses_size_limit: bool = behaviour(
        True,
        {"2.1.41": False},
        meaning="Read shows a part of a large file if `offset` is given, not only if `limit` is given.",
        shown_by=("sizes/large-file-with-offset",),
    )
    size_limit_applies_to_parts: bool = behaviour(
        True,
        {"2.1.41": False},
        meaning="The size limit for files also applies to a part of a file.",
        shown_by=("sizes/range-over-the-limit-of-bytes",),
    )
    read_truncates_at_token_limit: bool = behaviour(
        False,
        {"2.1.145": True},
        meaning="If a file has more tokens than allowed, a Read without `limit` shows its first lines instead of "
        "being refused.",
        shown_by=("sizes/more-than-25000-tokens", "sizes/token-cap-before-line-cap"),
    )
    truncation_notice_comes_first: bool = behaviour(
        True,
        {"2.1.205": False},
        meaning="If Read shows only the first lines of a file, the notice about the other lines stands before the "
        "shown lines, instead of in a reminder after them.",
        shown_by=("sizes/more-than-25000-tokens", "sizes/262144-bytes"),
    )
