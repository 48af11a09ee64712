"""The tool Read: the functions that validate and execute a call."""

from __future__ import annotations

import math
import os
import posixpath
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from readfirst.reference_impl.argument_validation import FILE_PATH, Parameter, Schema, ignored_arguments
from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.files import disk
from readfirst.reference_impl.reading import media, notebook
from readfirst.reference_impl.reading.read_limits import (
    advice_on_lines,
    first_page,
    is_too_long,
    refuse_too_large,
    refuse_too_long,
)
from readfirst.reference_impl.refusal import Refusal, refusal_of_os_error
from readfirst.reference_impl.session.access import refuse_long_argument, refuse_nul_argument
from readfirst.reference_impl.session.read_state import modified_at
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.session.storage import unwritable_note
from readfirst.reference_impl.text.content import (
    WHITESPACE,
    decode,
    numbered_lines,
    split_lines,
    text_for_read,
    unify_line_ends,
    utf16_length,
)
from readfirst.reference_impl.text.js_number import number_text
from readfirst.reference_impl.tools.tool import keep_arguments as prepare

__all__ = ["MEMORY_FILE", "check_permissions", "execute", "prepare", "schema", "validate"]

MEMORY_FILE = "CLAUDE.md"
"""The name of files with instructions for models. A Read of a file in the same directory or below also shows them."""

_MAX_PAGES = 20
_OPEN_FILE_PATTERN = re.compile(
    r"//?(?:dev/(?:std(?:in|out|err)|fd/\d+)|proc/(?:self|thread-self|\d+)/(?:task/\d+/)?fd/\d+)"
)
_PAGES_PATTERN = re.compile(r"(?P<first>\d+)(?:\s*-\s*(?P<end>\d*))?")
_LENIENT_PAGES_PATTERN = re.compile(r"(?P<first>\d+)[^-]*(?:-(?:\s*(?P<end>\d+).*|$))?", re.DOTALL)

_MAX_BYTES_SEEN_WITH_LIMIT = 4096
"""Since 2.1.328, a Read with `limit` makes a file completely known only if the file has at most this many bytes."""


def schema(behaviours: Behaviours) -> Schema:
    """Return the schema of Read."""
    least = (0, 1) if behaviours.arguments.accepted_line_numbers != "any" else (None, None)
    lenient = behaviours.arguments.accepted_line_numbers == "lenient"
    pages = Parameter("pages", description="Pages of a PDF to return, for example `1-5`")
    return Schema(
        "Read",
        description="Read a file. Lines are numbered. Edit and Write refuse existing files that were not read before.",
        behaviours=behaviours,
        parameters=(
            FILE_PATH,
            Parameter(
                "offset",
                description="Number of the first line to return; lines count from 1",
                type="number",
                minimum=least[0],
                ignores_lower=lenient,
            ),
            Parameter(
                "limit",
                description="How many lines to return",
                type="number",
                minimum=least[1],
                ignores_lower=lenient,
            ),
            *([pages] if behaviours.arguments.read_accepts_pages else []),
        ),
        aliases={"length": "limit"} if behaviours.arguments.read_accepts_length else {},
        ignored_names=ignored_arguments(behaviours)
        | frozenset({"description"} if behaviours.arguments.read_accepts_description else ()),
    )


def validate(session: Session, arguments: Mapping[str, Any]) -> None:
    """Raise Refusal for invalid calls, and for files that can be refused without reading their content."""
    if "pages" in arguments:
        refuse_pages(arguments["pages"], session.behaviours)
    refuse_long_argument(arguments["file_path"], tool="Read", behaviours=session.behaviours)
    refuse_nul_argument(arguments["file_path"], tool="Read", treatment=session.behaviours.paths.nul_in_path)
    path = session.paths.to_read(arguments["file_path"])
    session.permissions.refuse_denied("Read", path)
    if not session.behaviours.lookup.read_checks_existence_at_execution:
        session.paths.refuse_missing(path)
    media.refuse_binary(path, session.behaviours)
    if not disk.exists(path):
        return
    if session.behaviours.notebooks.read_refuses_notebooks and path.endswith(".ipynb"):
        raise Refusal("is_notebook", "File is a Jupyter Notebook. Use the NotebookRead to read this file.")
    media.refuse_empty_image(path, session.behaviours)
    refuse_device(path, arguments["file_path"])
    refuse_large_file(session, path, arguments)


def check_permissions(session: Session, arguments: Mapping[str, Any]) -> None:
    """Raise Refusal if a deny rule covers the path or the target of a link, or if reading it needs a permission."""
    if session.behaviours.lookup.read_refuses_link_loops:
        refuse_link_loop(session.paths.to_read(arguments["file_path"]))
    raw_path = arguments["file_path"]
    session.permissions.refuse_denied_target("Read", session.paths.expand_argument(raw_path), raw_path)
    session.permissions.require_read_permission(session.paths.expand_argument(raw_path))


def execute(session: Session, arguments: Mapping[str, Any]) -> str | tuple[str, ...]:
    """Return numbered lines, blocks for the cells of a notebook, or a text that represents an image or a PDF."""
    raw_path = arguments["file_path"]
    path = path_to_open(session, session.paths.to_read(arguments["file_path"]))
    session.paths.refuse_too_long(path)
    if session.behaviours.lookup.read_checks_existence_at_execution:
        session.paths.refuse_missing(
            path, inaccessible_is_missing=False, suggest_near=session.paths.argument_path(raw_path)
        )
    if session.behaviours.lookup.read_stats_before_open:
        refuse_without_size(session, path)
    if session.behaviours.lookup.read_refusal_names_directory and not has_no_lines(path, session.behaviours):
        refuse_directory(session, path, raw_path)
    if notebook.is_notebook(path, session.behaviours):
        ranged = not session.behaviours.reading.repeated_notebook_reads_ignore_range
        asked = requested_lines(session, arguments if ranged else {})
        if (repeated := session.behaviours.reading.repeated_read_answer) and is_unchanged(
            session, path, asked
        ):
            return repeated
        content = decode(disk.read(path))
        if session.behaviours.notebooks.notebook_read_accepts_byte_order_mark:
            content = content.removeprefix("\ufeff")
        answer = notebook.read_blocks(content, raw_path, session.behaviours)
        session.memory.record_read(path, None, asked, is_seen=True)
        return answer
    if media.is_pdf(path, session.behaviours):
        answer, counts = (
            media.pdf_blocks(path, raw_path, session.behaviours),
            session.behaviours.memory.pdf_reads_are_remembered,
        )
    elif media.is_image(path, session.behaviours):
        answer = (media.image_text(path, raw_path, session.behaviours),)
        counts = session.behaviours.memory.image_reads_are_remembered
    elif repeated := repeated_answer(session, path, requested_lines(session, arguments)):
        return repeated
    else:
        return read_lines(session, path, arguments)
    if counts:
        session.memory.record_read(path, None)
    return answer


def read_lines(session: Session, path: str, arguments: Mapping[str, Any]) -> str:
    """Return the numbered lines of a file, and record the Read unless the answer is truncated."""
    behaviours = session.behaviours
    data = disk.read(path)
    content = unify_line_ends(
        text_for_read(
            data,
            utf_16=behaviours.encoding.read_decodes_utf_16,
            byte_order_mark=not behaviours.encoding.read_hides_byte_order_mark,
        )
    )
    if behaviours.encoding.read_drops_final_cr:
        content = content.removesuffix("\r")
    lines = content.split("\n")
    offset, limit = requested_lines(session, arguments)
    selected = select_lines(lines, offset, limit, one_by_one=behaviours.reading.ranges_filter_by_index)
    text = known_text = "\n".join(selected)
    if behaviours.reading.size_limit_applies_to_parts:
        refuse_too_large(utf16_length(text), behaviours)
    prefix = ""
    is_cut = (
        is_too_long(text) and behaviours.reading.read_truncates_at_token_limit and "limit" not in arguments
    )
    if is_cut:
        session.memory.forget_truncated_read(path)
        text, notice = first_page(text, behaviours.reading.line_number_format)
        if behaviours.reading.truncation_notice_comes_first:
            prefix = f"<system-reminder>{notice}</system-reminder>\n\n"
    else:
        refuse_too_long(text, advice_on_lines(behaviours))
        # If exactly the requested number of lines is shown, there may be more.
        ended = "limit" not in arguments or arguments["limit"] > len(lines)
        keeps = behaviours.freshness.touched_whole_read_may_be_edited and is_whole(
            session, arguments, all_shown=ended and text == content != ""
        )
        seen = keeps and ended and ("limit" not in arguments or len(data) <= _MAX_BYTES_SEEN_WITH_LIMIT)
        known = content if keeps else None
        session.memory.record_read(
            path, known, (offset, limit), is_seen=seen, raw_path=arguments["file_path"], text=known_text
        )
    note = unwritable_note(data) if behaviours.encoding.read_notes_unwritable_files else ""
    if not text and not (content and selected and behaviours.reading.blank_line_ranges_are_shown):
        return empty_answer(content, offset, empty_when=behaviours.reading.empty_file_warning) + note
    if behaviours.encoding.read_drops_cr_of_last_shown_line:
        text = text.removesuffix("\r")
    shown_lines = [line[: behaviours.reading.line_width_limit] for line in split_lines(text)]
    numbered = numbered_lines(shown_lines, behaviours.reading.line_number_format, offset)
    if (
        is_cut
        and behaviours.reminders.reminders_strip_answer_end
        and not behaviours.reading.truncation_notice_comes_first
    ):
        numbered = numbered.rstrip(WHITESPACE)  # before the reminder
    return prefix + numbered + note


def requested_lines(session: Session, arguments: Mapping[str, Any]) -> tuple[float, float | None]:
    """Return the number of the first requested line (the first is 1), and the number of lines (None: all lines)."""
    return arguments.get("offset", 1), arguments.get("limit", session.behaviours.reading.default_line_limit)


def is_unchanged(session: Session, path: str, asked: tuple[float, float | None]) -> bool:
    """Whether the latest Read in an earlier message requested the same lines (`asked`), and the file is unchanged."""
    record = session.memory.records.get(path)
    record = session.memory.before_parallel_reads.get(path, record)
    return record is not None and record.requested_lines == asked and record.timestamp == modified_at(path)


def repeated_answer(session: Session, path: str, asked: tuple[float, float | None]) -> str:
    """Return the short answer to a repeated Read of the lines `asked`. Empty if Read must show the lines."""
    if not is_unchanged(session, path, asked):
        return ""
    is_memory_file = os.path.basename(path) == MEMORY_FILE  # noqa: PTH119 - paths are strings here
    if is_memory_file and path in session.memory.mentioned:
        return session.behaviours.reading.shown_memory_file_answer.format(path=path)
    return session.behaviours.reading.repeated_read_answer


def is_whole(session: Session, arguments: Mapping[str, Any], *, all_shown: bool) -> bool:
    """Whether a Read counts as a Read of the whole file in this version. `all_shown`: the answer shows every line."""
    if all_shown and session.behaviours.freshness.showing_every_line_is_whole_read:
        return True
    from_the_first = session.behaviours.freshness.offset_1_is_whole_read and arguments.get("offset") in (0, 1)
    return "limit" not in arguments and ("offset" not in arguments or from_the_first)


def refuse_without_size(session: Session, path: str) -> None:
    """Raise Refusal if the system cannot determine the size of the file at a path."""
    try:
        disk.file_size(path)
    except OSError as error:
        raise refusal_of_os_error(
            error, f"{session.behaviours.lookup.stat_call_in_refusals} '{path}'"
        ) from None


def path_to_open(session: Session, path: str) -> str:
    """Return the path that Read opens. Some versions use slashes instead of backslashes if only this path exists."""
    found = path.replace("\\", "/")
    if not session.behaviours.paths.read_backslashes or disk.exists(path) or not disk.exists(found):
        return path
    if session.behaviours.paths.read_backslashes == "refused":
        refuse_changed_link(path)
    return found


def refuse_directory(session: Session, path: str, raw_path: str) -> None:
    """Raise Refusal if a path is a directory. Some versions repeat a part of the path in the message: `/a/b//`."""
    if disk.is_directory(path):
        name = session.paths.argument_path(raw_path)
        if session.behaviours.lookup.directory_refusal_puts_name_for_real_path:
            name = name.replace(disk.resolve_links(path), name)
        raise Refusal("is_directory", f"EISDIR: illegal operation on a directory, read '{name}'")


def refuse_large_file(session: Session, path: str, arguments: Mapping[str, Any]) -> None:
    """Raise Refusal if a text file is too large. A call that requests only some of its lines is not refused."""
    offset = session.behaviours.reading.offset_alone_bypasses_size_limit and arguments.get("offset")
    part = arguments.get("limit") or offset
    if not part and not has_no_lines(path, session.behaviours):
        refuse_too_large(disk.file_size(path), session.behaviours)


def has_no_lines(path: str, behaviours: Behaviours) -> bool:
    """Whether Read shows a file not as lines, but as an image, a PDF or the cells of a notebook."""
    return (
        media.is_image(path, behaviours)
        or media.is_pdf(path, behaviours)
        or notebook.is_notebook(path, behaviours)
    )


def select_lines(lines: list[str], offset: float, limit: float | None, *, one_by_one: bool) -> list[str]:
    """Return `limit` lines from line `offset` on. Fractions are truncated; negative numbers count from the end.
    `one_by_one`: compare the index of each line with the range, instead of slicing the list.
    """
    start = 0 if offset == 0 else offset - 1
    if one_by_one:
        end_of_range = len(lines) if limit is None else start + limit
        return [line for index, line in enumerate(lines) if start <= index < end_of_range]
    end = None if limit is None else int(start + limit)
    return lines[int(start) : end]


def empty_answer(content: str, offset: float, *, empty_when: str) -> str:
    """Return the warning if no line is shown, because the file is empty or shorter than `offset`. `empty_when` is a
    value of the behaviour `empty_file_warning`, which selects the warning.
    """
    if empty_when == "for no text" or (empty_when == "for empty files" and not content and offset <= 1):
        return "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>"
    return (
        "<system-reminder>Warning: the file exists but is shorter than the provided offset "
        f"({number_text(offset)}). The file has {len(split_lines(content))} lines.</system-reminder>"
    )


def refuse_pages(pages: str, behaviours: Behaviours) -> None:
    """Raise Refusal if the argument `pages` is invalid or requests too many pages, for any kind of file."""
    if not pages and behaviours.arguments.pages_check == "strict or empty":
        return
    strict = behaviours.arguments.pages_check != "lenient"
    match = (_PAGES_PATTERN if strict else _LENIENT_PAGES_PATTERN).fullmatch(pages.strip(WHITESPACE))
    first = int(match["first"]) if match else 0
    open_ended = match is not None and match[0].endswith("-")
    last = math.inf if open_ended else int(match["end"] or first) if match else 0
    if not 1 <= first <= last:
        form = (
            'Give one page ("3") or one range ("1-5"), not a list. To read several pages or ranges, read each one '
            "separately."
            if strict
            else 'Use formats like "1-5", "3", or "10-20".'
        )
        raise Refusal("invalid_arguments", f'Invalid pages parameter: "{pages}". {form} Pages are 1-indexed.')
    if last - first >= _MAX_PAGES:
        raise Refusal(
            "invalid_arguments",
            f'Page range "{pages}" exceeds maximum of {_MAX_PAGES} pages per request. Please use a smaller range.',
        )


def refuse_device(path: str, raw_path: str) -> None:
    """Raise Refusal for a device (except the null device), a pipe, a socket, and names such as `/dev/stdin`."""
    if disk.is_socket(path):
        raise Refusal("os_error", f"ENXIO: no such device or address, open '{path}'")
    is_open = _OPEN_FILE_PATTERN.fullmatch(posixpath.normpath(path)) is not None
    if is_open or (disk.is_special(path) and disk.resolve_links(path) != os.devnull):
        raise Refusal(
            "special_file",
            f"Cannot read '{raw_path}': this path names a device or process file that this tool does not read.",
        )


def refuse_link_loop(path: str) -> None:
    """Raise Refusal if the symbolic links in a path form a loop."""
    if disk.has_link_loop(path):
        raise Refusal(
            "is_link",
            f"Refusing to read {path}: where it leads on disk could not be determined (a link on the way could not be "
            "examined, or the links do not resolve).",
        )


def refuse_changed_link(path: str) -> NoReturn:
    """Raise Refusal, because a path no longer leads to the file that passed the permission checks."""
    raise Refusal(
        "is_link",
        f"Refusing to read {path}: its symlink resolution changed after permission was checked (it now resolves to a "
        "path the check did not see). If a link in the working directory is being rewritten concurrently, stop that "
        "and retry.",
    )
