"""Declare behaviours of the answers of Edit, Write and Read."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.versioned import Group, behaviour

__all__ = ["AnswerBehaviours", "MediaBehaviours", "ReadingBehaviours"]


class AnswerBehaviours(Group):
    """The content of the answers to Edit and Write, and the maximum length of the answers of all tools."""

    edit_answer_shows_snippet: bool = behaviour(
        True,
        {"2.1.20": False},
        meaning="The answer of Edit shows the lines around the change.",
        shown_by=("results/edit-of-the-first-line",),
    )
    replace_all_answer_shows_snippet: bool = behaviour(
        False,
        documented=True,
        meaning="The answer of an Edit with `replace_all` shows only the lines around the first change, "
        "instead of stating only that all occurrences were replaced.",
        source="2.1.7-read-before-edit.txt, Snippet Generation for Result",
        shown_by=("replace-all/every-occurrence",),
    )
    replace_all_answer_quotes_strings: bool = behaviour(
        True,
        {"2.1.78": False},
        meaning="The answer of an Edit with `replace_all` quotes `old_string` and `new_string`.",
        shown_by=("replace-all/after-refusal",),
    )
    write_answer_shows_content: bool = behaviour(
        True,
        {"2.1.47": False},
        meaning="If Write replaces an existing file, its answer shows the new content.",
        shown_by=("gate/write-after-read",),
    )
    answers_say_state_is_current: bool = behaviour(
        False,
        {"2.1.128": True},
        meaning="The answers of Edit and Write say that the model knows the whole file.",
        shown_by=("gate/edit-after-read", "gate/write-after-read"),
    )
    current_state_only_if_seen: bool = behaviour(
        False,
        {"2.1.281": True},
        meaning="The answer of Edit says that the model knows the whole file only if the model has read or written "
        "the whole file, instead of after every Edit.",
        shown_by=("gate/edit-unread", "gate/partial-read-edit-inside"),
    )
    current_state_only_if_unchanged: bool = behaviour(
        False,
        {"2.1.295": True},
        meaning="The answer of Edit says that the model knows the whole file only if the model knew the content of "
        "the file right before the Edit.",
        shown_by=(
            "staleness/same-time-other-content-edit",
            "line-endings/lone-cr-file",
            "encodings/utf-16-crlf",
        ),
    )
    longest_answer: int | None = behaviour(
        None,
        {"2.1.6": 100_000, "2.1.51": 50_000},
        meaning="The maximum number of characters of an answer. If an answer is longer than the maximum, the model "
        "gets only the beginning of the answer, and the path of a file that contains the whole answer. "
        "Without `longest_answer`, answers have no maximum length.",
        shown_by=("notebooks/new-source-of-51000-characters",),
    )
    reads_may_be_longer: bool = behaviour(
        False,
        {"2.1.79": True},
        meaning="The maximum length of answers (`longest_answer`) does not apply to answers of Read.",
        shown_by=("sizes/more-characters-than-an-answer-has",),
    )
    empty_answers_say_so: bool = behaviour(
        False,
        {"2.1.73": True},
        meaning="If a tool has no output, its answer says that the tool completed with no output.",
        shown_by=("notebooks/read-empty-notebook",),
    )


class ReadingBehaviours(Group):
    """Answers of Read for text files."""

    default_line_limit: int | None = behaviour(
        None,
        documented=2000,
        meaning="The number of lines that Read returns if the call has no `limit`. Without `default_line_limit`, Read "
        "returns every line.",
        source="behaviour-spec.txt, Default Limits",
        shown_by=("sizes/2001-lines",),
    )
    ranges_filter_by_index: bool = behaviour(
        False,
        {"2.1.41": True},
        meaning="To select the requested lines, Read compares the number of each line with the requested range, "
        "instead of slicing the list of lines. Comparing and slicing give different results if `offset` or `limit` "
        "is negative or a fraction.",
        shown_by=("read-output/offset-negative", "read-output/fractional-offset"),
    )
    line_width_limit: int | None = behaviour(
        None,
        documented=2000,
        meaning="The maximum number of characters that Read shows of each line. Without `line_width_limit`, Read shows "
        "whole lines.",
        source="behaviour-spec.txt, Default Limits",
        shown_by=("sizes/2001-characters",),
    )
    line_number_format: str = behaviour(
        "{:>6}\t",
        {"1.0.21": "{:>6}→", "2.1.86": "{}\t"},
        meaning="The format of the line number before each line in the answer of Read, in the notation of Python's "
        "`str.format`.",
        source="behaviour-spec.txt, Output Format",
        shown_by=("read-output/numbered-lines", "read-output/offset-alone"),
    )
    blank_line_ranges_are_shown: bool = behaviour(
        False,
        {"2.1.208": True},
        meaning="If a Read requests one empty line, the answer shows this line with its number, instead of "
        "a warning that the file ends before `offset`.",
        shown_by=("read-output/blank-line-by-range", "read-output/offset-after-a-final-newline"),
    )
    empty_file_warning: str = behaviour(
        "for no text",
        {"1.0.53": "never", "2.1.208": "for empty files"},
        documented="for empty files",
        meaning="If a Read has no line to show, its answer warns either that the file is empty, or that the file "
        "ends before `offset`. Read uses the warning that the file is empty for every Read without a line to show "
        "(`for no text`), never (`never`), or only if the file is empty (`for empty files`).",
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
        meaning="The answer to a Read that repeats an earlier Read of an unchanged file. If `repeated_read_answer` "
        "is empty, a repeated Read shows the file again.",
        shown_by=("read-output/read-twice", "read-output/read-after-refused-edit"),
    )
    shown_memory_file_answer: str = behaviour(
        "",
        {
            "2.1.199": '<system-reminder>This file is already in your context (see "Contents of {path}" above) and has '
            "not changed on disk. Use that content instead of re-reading.</system-reminder>",
            "2.1.317": "",
        },
        meaning="The answer to a Read of a CLAUDE.md that the product has already shown after a Read of a different "
        "file. If `shown_memory_file_answer` is empty, Read shows the CLAUDE.md again.",
        shown_by=("rewind/memory-file",),
    )
    repeated_notebook_reads_ignore_range: bool = behaviour(
        False,
        {"2.1.212": True},
        meaning="A second Read of a notebook counts as a repeated Read even if it requests different lines.",
        shown_by=("crossed/notebooks-93", "notebooks/read-again"),
    )
    size_refusals_use_kilobytes: bool = behaviour(
        True,
        {"1.0.23": False},
        meaning="If Read refuses a text file that is too large, the refusal states the size in whole "
        "kilobytes.",
        shown_by=("sizes/one-megabyte", "sizes/large-file-edited-after-refused-read"),
    )
    size_refusal_advice: str = behaviour(
        "GrepTool",
        {"2.1.71": "search"},
        meaning="The advice in the refusal of a file that is too large to show: use the tool GrepTool "
        "(`GrepTool`), or use any search (`search`).",
        shown_by=("sizes/one-line-of-many-tokens", "notebooks/read-large-content"),
    )
    size_refusal_offers_allow_large: bool = behaviour(
        False,
        {"2.1.296": True},
        meaning="If Read refuses a text file that is too large to show, the refusal recommends a Read with "
        "`allow_large: true`, which shows the file anyway.",
        shown_by=("sizes/one-line-of-many-tokens",),
    )
    offset_alone_bypasses_size_limit: bool = behaviour(
        True,
        {"2.1.41": False},
        meaning="Read shows a part of a file that is too large if the call has an `offset`, instead of only "
        "if the call has a `limit`.",
        shown_by=("sizes/large-file-with-offset",),
    )
    size_limit_applies_to_parts: bool = behaviour(
        True,
        {"2.1.41": False},
        meaning="If a call requests only a part of a file, Read refuses the call if this part is larger than the "
        "maximum size of a file.",
        shown_by=("sizes/range-over-the-limit-of-bytes",),
    )
    read_truncates_at_token_limit: bool = behaviour(
        False,
        {"2.1.145": True},
        meaning="If a file has more tokens than allowed, a Read without `limit` shows the first lines of "
        "the file, instead of refusing the file.",
        shown_by=("sizes/more-than-25000-tokens", "sizes/token-cap-before-line-cap"),
    )
    truncation_notice_comes_first: bool = behaviour(
        True,
        {"2.1.205": False},
        meaning="If Read shows only the first lines of a file, a notice about the missing lines stands "
        "before the shown lines, instead of in a reminder after them.",
        shown_by=("sizes/more-than-25000-tokens", "sizes/262144-bytes"),
    )


class MediaBehaviours(Group):
    """Answers of Read for images and PDF documents, and the refusals of binary files."""

    more_extensions_are_binary: bool = behaviour(
        False,
        {"2.1.64": True},
        meaning="The extensions of binary files, which Read refuses, include `.bmp`, `.ico`, `.o`, `.wasm` and seven "
        "other extensions.",
        shown_by=("media/bmp", "media/object-file", "media/wasm"),
    )
    newer_formats_are_binary: bool = behaviour(
        False,
        {"2.1.301": True},
        meaning="The extensions of binary files, which Read refuses, include the extensions of nineteen newer "
        "formats, such as `.avif`, `.epub` and `.parquet`.",
        shown_by=("media/every-binary-extension",),
    )
    binary_refusal_advice: str = behaviour(
        "tools",
        {"2.1.290": "skill"},
        meaning="The advice in the refusal of a binary file: use appropriate tools (`tools`), or use a "
        "skill, a shell command or a script (`skill`).",
        shown_by=("media/zip", "media/executable"),
    )
    bmp_files_are_images: bool = behaviour(
        True, {"1.0.111": False}, meaning="Read shows `.bmp` files as images.", shown_by=("media/bmp",)
    )
    broken_image_type_from_name: bool = behaviour(
        True,
        {"2.0.65": False},
        meaning="Read uses the file name to determine the type of an incomplete image, instead of the first bytes "
        "(unknown first bytes mean PNG).",
        shown_by=("media/riff-that-is-no-webp",),
    )
    image_type_is_extension: bool = behaviour(
        True,
        {"1.0.21": False},
        meaning="If Read uses a file name to determine the type of an image, the type is the extension "
        "itself, as in `image/jpg`, instead of the registered type, as in `image/jpeg`.",
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
        meaning="Read refuses a file if its name is the name of an image, but its content is not an image.",
        shown_by=("media/text-named-png", "media/riff-that-is-no-webp"),
    )
    read_refuses_images_without_size: bool = behaviour(
        False,
        {"2.1.146": True},
        meaning="Read refuses an image if its bytes do not contain the width and height of the image.",
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
        meaning="The PDF document itself is in the answer of Read, instead of in a separate message after "
        "the answer.",
        shown_by=("media/pdf",),
    )
