"""Read: the rules in the order in which they apply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from readfirst.reference_impl.arguments import FILE_PATH, Parameter, Schema
from readfirst.reference_impl.contract import Behaviours
from readfirst.reference_impl.files import disk
from readfirst.reference_impl.reading import media, notebook
from readfirst.reference_impl.reading.sizes import (
    advice_on_lines,
    first_page,
    is_too_long,
    refuse_too_large,
    refuse_too_long,
)
from readfirst.reference_impl.refusal import Refusal, of_os_error
from readfirst.reference_impl.session.memory import modified_at
from readfirst.reference_impl.session.paths import refuse_null
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.text.content import (
    decode,
    lines_of,
    numbered_lines,
    readable,
    shown,
    told_at_the_end,
    unify,
)
from readfirst.reference_impl.text.insertion import BLANKS

__all__ = ["execute", "permit", "schema", "validate"]


def schema(behaviours: Behaviours) -> Schema:
    """Return what Read takes."""
    least = (0, 1) if behaviours.line_numbers != "any" else (None, None)
    lenient = behaviours.line_numbers == "lenient"
    pages = Parameter("pages", description="Pages of a PDF to return, for example `1-5`")
    return Schema(
        "Read",
        description="Read a file. Lines are numbered. Edit and Write refuse existing files that were not read before.",
        parameters=(
            FILE_PATH,
            Parameter(
                "offset",
                description="Number of the first line to return; lines count from 1",
                type="number",
                least=least[0],
                lenient=lenient,
            ),
            Parameter(
                "limit",
                description="How many lines to return",
                type="number",
                least=least[1],
                lenient=lenient,
            ),
            *([pages] if behaviours.pages_can_be_asked_for else []),
        ),
        number_form=behaviours.text_stands_for_numbers,
        overlooked=frozenset({"description"} if behaviours.read_overlooks_descriptions else ()),
        drops_exponents=behaviours.exponents_are_dropped,
        includes=behaviours.largest_number_is_included,
        explains=behaviours.refusals_explain,
        marks_names=behaviours.odd_names_are_marked,
    )


def validate(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse what can be refused without reading."""
    refuse_null(arguments["file_path"], tool="Read", how=session.behaviours.null_in_path)
    path = session.paths.to_read(arguments["file_path"])
    session.permissions.deny("Read", path)
    if not session.behaviours.read_finds_missing_files_late:
        session.paths.refuse_missing(path)
    media.refuse_binary(path, session.behaviours)
    if not disk.exists(path):
        return
    if session.behaviours.notebooks_need_notebook_read and path.endswith(".ipynb"):
        raise Refusal("is_notebook", "File is a Jupyter Notebook. Use the NotebookRead to read this file.")
    media.refuse_empty_image(path, session.behaviours)
    refuse_large_file(session, path, arguments)


def permit(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse a path, or a link to a file, that a deny rule covers."""
    if session.behaviours.link_loops_are_refused:
        refuse_circle(session.paths.to_read(arguments["file_path"]))
    given = arguments["file_path"]
    session.permissions.deny_target("Read", session.paths.expanded(given), given)
    session.permissions.ask_to_read(session.paths.expanded(given))


def execute(session: Session, arguments: Mapping[str, Any]) -> str | tuple[str, ...]:
    """Return the numbered lines, or blocks of cells, or what stands for an image or document."""
    given = arguments["file_path"]
    path = opened_path(session, session.paths.to_read(arguments["file_path"]))
    if session.behaviours.read_finds_missing_files_late:
        session.paths.refuse_missing(path, unclear=False)
    if session.behaviours.reading_measures_first:
        refuse_unmeasured(session, path)
    if session.behaviours.read_names_directories and not notebook.is_notebook(path, session.behaviours):
        refuse_directory(session, path, given)
    if notebook.is_notebook(path, session.behaviours):
        ranged = not session.behaviours.ranges_of_notebooks_are_ignored
        asked = lines_asked(session, arguments if ranged else {})
        if (told := session.behaviours.repeated_read_answer) and is_unchanged(session, path, asked):
            return told
        content = decode(disk.read(path))
        if session.behaviours.read_overlooks_marks_of_notebooks:
            content = content.removeprefix("\ufeff")
        answer = notebook.shown_cells(content, given, session.behaviours)
        session.memory.remember(path, None, asked, seen=True)
        return answer
    if media.is_pdf(path, session.behaviours):
        answer, counts = (
            media.pdf_blocks(path, given, session.behaviours),
            session.behaviours.pdfs_are_remembered,
        )
    elif media.is_image(path, session.behaviours):
        answer = (media.image_text(path, given, session.behaviours),)
        counts = session.behaviours.media_are_remembered
    elif (told := session.behaviours.repeated_read_answer) and is_unchanged(
        session, path, lines_asked(session, arguments)
    ):
        return told
    else:
        return lines_of_file(session, path, arguments)
    if counts:
        session.memory.remember(path, None)
    return answer


def lines_of_file(session: Session, path: str, arguments: Mapping[str, Any]) -> str:
    """Return the numbered lines, and remember the file unless they are only the first of those asked for."""
    behaviours = session.behaviours
    data = disk.read(path)
    content = unify(
        readable(data, utf_16=behaviours.utf_16_is_shown, mark=not behaviours.byte_order_marks_are_hidden)
    )
    if behaviours.final_carriage_return_is_lost:
        content = content.removesuffix("\r")
    lines = content.split("\n")
    offset, limit = lines_asked(session, arguments)
    selected = selection(lines, offset, limit, one_by_one=behaviours.range_is_filtered_by_index)
    text = known_text = "\n".join(selected)
    if behaviours.part_size_is_limited:
        refuse_too_large(len(text.encode("utf-16-le")) // 2, behaviours)
    told_first = ""
    is_cut = is_too_long(text) and behaviours.long_files_are_truncated and "limit" not in arguments
    if is_cut:
        text, told = first_page(text, behaviours.line_prefix)
        if behaviours.truncation_notice_comes_first:
            told_first = f"<system-reminder>{told}</system-reminder>\n\n"
    else:
        refuse_too_long(text, advice_on_lines(behaviours))
        # As many lines as were asked for may not be all; only fewer tell that there are no more.
        ended = "limit" not in arguments or arguments["limit"] > len(lines)
        whole = behaviours.whole_reads_are_compared and is_whole(
            session, arguments, all_shown=ended and text == content != ""
        )
        seen = whole and ended
        known = content if whole else None
        session.memory.remember(
            path, known, (offset, limit), seen=seen, given=arguments["file_path"], text=known_text
        )
    note = told_at_the_end(data) if behaviours.unwritable_files_are_told else ""
    if not text and not (content and selected and behaviours.blank_ranges_are_shown):
        return nothing_to_show(content, offset, told=behaviours.empty_file_warning) + note
    if behaviours.carriage_return_of_last_line_is_lost:
        text = text.removesuffix("\r")
    shown_lines = [line[: behaviours.line_width_limit] for line in lines_of(text)]
    numbered = numbered_lines(shown_lines, behaviours.line_prefix, offset)
    if is_cut and behaviours.reminders_cut_blanks and not behaviours.truncation_notice_comes_first:
        numbered = numbered.rstrip(BLANKS)  # where the reminder follows
    return told_first + numbered + note


def lines_asked(session: Session, arguments: Mapping[str, Any]) -> tuple[float, float | None]:
    """Return the first line that is asked for, from 1, and how many; None: all."""
    return arguments.get("offset", 1), arguments.get("limit", session.behaviours.default_line_limit)


def is_unchanged(session: Session, path: str, asked: tuple[float, float | None]) -> bool:
    """Tell whether an earlier message read the same lines, or the cells, of a file that has not changed since."""
    record = session.memory.records.get(path)
    return (
        record is not None
        and record.asked == asked
        and record.message < session.memory.message
        and record.timestamp == modified_at(path)
    )


def is_whole(session: Session, arguments: Mapping[str, Any], *, all_shown: bool) -> bool:
    """Tell whether a Read counts as one of the whole file."""
    if all_shown and session.behaviours.every_line_is_a_whole_read:
        return True
    from_the_first = session.behaviours.offset_1_is_whole_read and arguments.get("offset") in (0, 1)
    return "limit" not in arguments and ("offset" not in arguments or from_the_first)


def refuse_unmeasured(session: Session, path: str) -> None:
    """Refuse a path of which the system does not tell the size."""
    try:
        disk.size(path)
    except OSError as error:
        raise of_os_error(error, f"{session.behaviours.stat_call} '{path}'") from None


def opened_path(session: Session, path: str) -> str:
    """Return the path that the system is asked for: a backslash may stand between names where there is no such name."""
    found = path.replace("\\", "/")
    if not session.behaviours.backslashes_separate or disk.exists(path) or not disk.exists(found):
        return path
    if session.behaviours.backslashes_separate == "refused":
        refuse_changed_link(path)
    return found


def refuse_directory(session: Session, path: str, given: str) -> None:
    """Refuse a directory, by its name; a final slash may come back doubled."""
    if disk.is_directory(path):
        name = session.paths.named(given)
        if name.endswith("/") and session.behaviours.final_slash_is_doubled:
            name += "/"
        raise Refusal("is_directory", f"EISDIR: illegal operation on a directory, read '{name}'")


def refuse_large_file(session: Session, path: str, arguments: Mapping[str, Any]) -> None:
    """Refuse a large file of lines, unless a part is asked for."""
    part = arguments.get("limit") or (session.behaviours.offsets_ask_for_parts and arguments.get("offset"))
    special = (
        media.is_image(path, session.behaviours)
        or media.is_pdf(path, session.behaviours)
        or notebook.is_notebook(path, session.behaviours)
    )
    if not part and not special:
        refuse_too_large(disk.size(path), session.behaviours)


def selection(lines: list[str], offset: float, limit: float | None, *, one_by_one: bool) -> list[str]:
    """Return `limit` lines from line `offset`; fractions are cut off, negative numbers count from the end.

    `one_by_one`: a line belongs to them if its index lies between.
    """
    start = 0 if offset == 0 else offset - 1
    if one_by_one:
        end_of_range = len(lines) if limit is None else start + limit
        return [line for index, line in enumerate(lines) if start <= index < end_of_range]
    end = None if limit is None else int(start + limit)
    return lines[int(start) : end]


def nothing_to_show(content: str, offset: float, *, told: str) -> str:
    """Return the warning that stands in for an empty answer. `told`: when it calls the file empty."""
    if told == "for no text" or (told == "for empty files" and not content and offset <= 1):
        return "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>"
    return (
        "<system-reminder>Warning: the file exists but is shorter than the provided offset "
        f"({shown(offset)}). The file has {len(lines_of(content))} lines.</system-reminder>"
    )


def refuse_circle(path: str) -> None:
    """Refuse to read a path whose links go round in a circle."""
    if disk.is_circular(path):
        raise Refusal(
            "is_link",
            f"Refusing to read {path}: where it leads on disk could not be determined (a link on the way could not be "
            "examined, or the links do not resolve).",
        )


def refuse_changed_link(path: str) -> NoReturn:
    """Refuse to read a path that leads elsewhere than where it was permitted to."""
    raise Refusal(
        "is_link",
        f"Refusing to read {path}: its symlink resolution changed after permission was checked (it now resolves to a "
        "path the check did not see). If a link in the working directory is being rewritten concurrently, stop that "
        "and retry.",
    )
