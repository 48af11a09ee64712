"""Edit: its rules in the order of their application."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from readfirst.reference_impl.argument_validation import FILE_PATH, Parameter, Schema, ignored_arguments
from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.refusal import MODIFIED, Refusal
from readfirst.reference_impl.session.access import refuse_long, refuse_null, refuse_special_file
from readfirst.reference_impl.session.guarded_paths import refuse_guarded, refuse_suspicious
from readfirst.reference_impl.session.read_state import Record, is_changed, refuse_stale, refuse_unread
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.session.storage import refuse_unwritable
from readfirst.reference_impl.settings.file import SETTINGS_FILES, refuse_invalid_settings
from readfirst.reference_impl.text.content import (
    WHITESPACE,
    Format,
    Match,
    encode,
    find_match,
    has_two_spellings,
    replace_text,
    snippet_around,
    storable_text,
    strips_whitespace,
    well_formed,
    without_escapes,
    without_trailing_whitespace,
)
from readfirst.reference_impl.text.js_number import number_text

__all__ = [
    "SHOWN",
    "check_permissions",
    "execute",
    "known_remark",
    "permit_change",
    "prepare",
    "refuse_unchanged",
    "schema",
    "validate",
]

_SWAPPED = (
    "\n(note: Edit also tried swapping \\uXXXX escapes and their characters; neither form matched, so the mismatch is "
    "likely elsewhere in old_string. Re-read the file and copy the exact surrounding text.)"
)
_CHANGED_ELSEWHERE = (
    " (note: the file had been modified on disk since you last read it — the edit applied cleanly, but the file "
    "contains other changes not in your context. Read it before edits that depend on surrounding content.)"
)
SHOWN = "Here's the result of running `cat -n` on a snippet of the edited file:\n"
"""The line that precedes the numbered lines in an answer."""
_KNOWN = " (file state is current in your context — no need to Read it back)"
_REPLACE_ALL = Parameter(
    "replace_all", description="Replace every occurrence instead of the only one", type="boolean"
)
_EXPECTED_REPLACEMENTS = Parameter(
    "expected_replacements", description="How often the text occurs (default: 1)", type="number"
)
_REDUNDANT_NAMES = {"old_str": "old_string", "new_str": "new_string"}
_NAMES_OF_EDIT = {"path": "file_path", "old_str": "old_string", "new_str": "new_string"}


def schema(behaviours: Behaviours) -> Schema:
    """Return the parameters of Edit."""
    return Schema(
        "Edit",
        description="Replace a string in a file that was read before. An empty old_string creates a file.",
        behaviours=behaviours,
        parameters=(
            FILE_PATH,
            Parameter("old_string", description="The text to replace", required=True),
            Parameter("new_string", description="The text to put in its place", required=True),
            _EXPECTED_REPLACEMENTS
            if behaviours.arguments.edit_accepts_expected_replacements
            else _REPLACE_ALL,
        ),
        ignored_names=ignored_arguments(behaviours),
        redundant_names=_REDUNDANT_NAMES if behaviours.arguments.edit_overlooks_repeated_strings else {},
        aliases=_NAMES_OF_EDIT if behaviours.arguments.edit_accepts_aliases else {},
    )


class Attempt:
    """One Edit of a file at one moment. Matches are searched once."""

    def __init__(
        self, session: Session, path: str, arguments: Mapping[str, Any], *, executed: bool = False
    ) -> None:
        self.file = session.storage.find_file(path)
        self.arguments = arguments
        self._behaviours = session.behaviours
        self._executed = executed

    @property
    def text(self) -> str:
        """The text of the file without its byte order mark. During the execution, the mark belongs to the text if
        the text contains another mark.
        """
        return f"\ufeff{self.file.text}" if self._shows_marks else self.file.text

    @property
    def format(self) -> Format:
        """The encoding, line endings and byte order mark to write the text back with. No mark if `text` contains it."""
        return replace(self.file.format, mark=False) if self._shows_marks else self.file.format

    @property
    def _shows_marks(self) -> bool:
        return self._executed and self.file.format.mark and "\ufeff" in self.file.text

    @cached_property
    def match(self) -> Match | None:
        """The text to replace. None if the file does not contain it."""
        return find_match(self.text, self.arguments, self._behaviours)

    @cached_property
    def count(self) -> int:
        """Number of occurrences. An empty text never occurs."""
        return self.match.count(self.text) if self.match and self.match.old else 0

    @property
    def is_clear(self) -> bool:
        """Whether the text occurs as often as the call requests."""
        return self.count == 1 or (self.count > 1 and bool(self.arguments.get("replace_all")))


def prepare(
    session: Session,
    arguments: Mapping[str, Any],
    *,
    corrected: bool,  # noqa: ARG001 - one of several
) -> Mapping[str, Any]:
    """Return the arguments that `validate`, `check_permissions` and `execute` receive.

    If the file exists, trailing whitespace is stripped from the new text.
    """
    if session.behaviours.preparation.unicode_escapes_are_decoded:
        strings = {
            name: without_escapes(arguments[name], session.behaviours)
            for name in ("old_string", "new_string")
        }
        arguments = {**arguments, **strings}
    if not strips_whitespace(session.behaviours, arguments["file_path"]):
        return arguments
    try:
        session.storage.find_file(session.paths.expand_argument(arguments["file_path"])).read()
    except (Refusal, OSError, ValueError):  # the last is for a NUL character
        return arguments
    return {**arguments, "new_string": without_trailing_whitespace(arguments["new_string"])}


def validate(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse invalid calls before any change, in the order of the documents' table."""
    old, new = arguments["old_string"], arguments["new_string"]
    refuse_long(arguments["file_path"], tool="Edit", behaviours=session.behaviours)
    refuse_no_changes(old, new)
    refuse_null(arguments["file_path"], tool="Edit", how=session.behaviours.paths.nul_in_path)
    path = session.paths.to_edit(arguments["file_path"])
    session.permissions.deny("Edit", path, code=2, done="edited")
    if session.behaviours.lookup.edit_stats_before_open:
        session.paths.refuse_unclear(path, tool="Edit")
    refuse_special_file(path, "Edit", session.behaviours)
    attempt = Attempt(session, path, arguments)
    if session.behaviours.lookup.edit_opens_before_gate:
        with contextlib.suppress(FileNotFoundError):
            attempt.file.read()
    if old == "":
        refuse_existing(attempt, code=3)
        return
    session.paths.refuse_missing(path, code=4)
    refuse_notebook(path)
    record = refuse_unread(session.memory, path, needs_read=needs_read(session, path), code=6)
    if record is not None:
        refuse_modified(session, attempt, record)
    if session.behaviours.encoding.changes_refuse_unwritable_files:
        refuse_unwritable(attempt.file.data)
    match = refuse_not_found(session, attempt)
    refuse_several(session, attempt, code=9)
    if path.lower().endswith(SETTINGS_FILES):
        refuse_invalid_settings(session.behaviours, path, attempt.file.text, match.old, new)


def needs_read(session: Session, path: str) -> bool:
    """Whether the file must have been read."""
    return session.behaviours.freshness.edit_needs_read or not session.permissions.may_be_unread(path)


def may_recover(session: Session, path: str) -> bool:
    """Whether version and path allow an Edit of a changed file whose old text occurs as often as requested."""
    recovers = session.behaviours.freshness.edit_of_changed_file_recovers
    return recovers and session.permissions.may_be_unread(path)


def check_permissions(session: Session, arguments: Mapping[str, Any]) -> None:
    """Check the permissions of Edit."""
    permit_change(session, arguments, tool="Edit")


def permit_change(session: Session, arguments: Mapping[str, Any], *, tool: str) -> None:
    """Refuse a path, or a link to a file, that a deny rule covers, or that needs a permission."""
    given = arguments["file_path"]
    unfolded = session.paths.unresolved_path(given)
    path = session.paths.expand_argument(given)
    session.permissions.deny_target("Edit", path, given, unfolded=unfolded)
    if session.behaviours.permissions.links_refused_at_permission:
        session.storage.refuse_link(session.paths.to_write(given), path)
    refuse_suspicious(path, given, session.behaviours)
    refuse_guarded(session.behaviours, path, given, session.paths.root)
    session.permissions.ask_to_write(tool, path)


def execute(session: Session, arguments: Mapping[str, Any]) -> str:
    """Check the file again, because it may have changed after the validation. Replace the text, remember the
    file, and return the answer.
    """
    path = session.paths.to_write(arguments["file_path"])
    old = arguments["old_string"]
    everywhere = bool(arguments.get("replace_all"))
    several = everywhere or "expected_replacements" in arguments
    if session.behaviours.writing.execution_stats_path_first:
        session.paths.refuse_unclear(path)
    if session.behaviours.writing.links_refused_before_recheck:
        session.storage.refuse_links(path)
    attempt = Attempt(session, path, arguments, executed=True)
    remark = known_remark(session.behaviours)
    if attempt.file.exists:
        attempt.file.read()
        remark = checked_again(session, attempt)
    elif old != "":
        session.storage.prepare_directory(path)
    content, file_format = attempt.text, attempt.format
    match = attempt.match or Match(old, arguments["new_string"])
    updated = match.new if old == "" else replace_text(content, match.old, match.new, everywhere=several)
    refuse_unchanged(content, updated)
    if old == "" and not session.behaviours.encoding.write_keeps_byte_order_mark:
        file_format = replace(file_format, mark=False)
    session.storage.write(path, encode(updated, file_format))
    seen = remark == known_remark(session.behaviours)
    written = storable_text(updated, file_format)
    session.memory.wrote(path, written, seen=seen, given=arguments["file_path"], edited=True)
    return edit_answer(
        session.behaviours, arguments["file_path"], content, match, everywhere=everywhere, remark=remark
    )


def checked_again(session: Session, attempt: Attempt) -> str:
    """Right before writing, check the file again. Return the remark of the answer about the state of the file.
    Raises Refusal if the file changed.
    """
    behaviours = session.behaviours
    record = session.memory.records.get(attempt.file.path)
    recovers = may_recover(session, attempt.file.path)
    if (
        record is not None
        and recovers
        and is_changed(session.memory, attempt.file, record)
        and attempt.is_clear
    ):
        return _CHANGED_ELSEWHERE
    needed = needs_read(session, attempt.file.path)
    record = refuse_stale(session.memory, attempt.file, needs_read=needed)
    if behaviours.matching.execution_rechecks_matches:
        refuse_existing(attempt, code=None)
        refuse_several(session, attempt, code=None)
    seen = (
        record is not None
        and record.seen
        and (record.content == attempt.file.text or not behaviours.answers.current_state_only_if_unchanged)
    )
    return known_remark(behaviours) if seen or not behaviours.answers.current_state_only_if_seen else ""


def refuse_no_changes(old: str, new: str) -> None:
    """Refuse to replace a text by itself."""
    if old == new:
        raise Refusal(
            "no_changes", "No changes to make: old_string and new_string are exactly the same.", code=1
        )


def refuse_existing(attempt: Attempt, *, code: int | None) -> None:
    """Refuse to create a file that exists, unless it contains only whitespace."""
    if attempt.arguments["old_string"] == "" and attempt.file.text.strip(WHITESPACE):
        raise Refusal("file_exists", "Cannot create new file - file already exists.", code=code)


def refuse_notebook(path: str) -> None:
    """Refuse a notebook, which has a separate tool."""
    if path.endswith(".ipynb"):
        raise Refusal(
            "is_notebook", "File is a Jupyter Notebook. Use the NotebookEdit to edit this file.", code=5
        )


def refuse_modified(session: Session, attempt: Attempt, record: Record) -> None:
    """Refuse a file that changed since its record, unless the replacement is still unambiguous."""
    if not is_changed(session.memory, attempt.file, record):
        return
    if not may_recover(session, attempt.file.path) or not attempt.is_clear:
        raise Refusal("modified_since_read", MODIFIED, code=7)


def refuse_not_found(session: Session, attempt: Attempt) -> Match:
    """Return the match; refuse a text that is not in the file."""
    if attempt.match is None:
        old = attempt.arguments["old_string"]
        swapped = session.behaviours.matching.unicode_escapes_match_characters and has_two_spellings(old)
        note = _SWAPPED if swapped else ""
        old = old if session.behaviours.matching.missing_texts_keep_half_characters else well_formed(old)
        raise Refusal(
            "string_not_found", f"String to replace not found in file.\nString: {old}{note}", code=8
        )
    return attempt.match


def refuse_several(session: Session, attempt: Attempt, *, code: int | None) -> None:
    """Refuse an ambiguous text unless all occurrences are requested. Occurrences do not overlap."""
    arguments, count = attempt.arguments, attempt.count
    if session.behaviours.arguments.edit_accepts_expected_replacements:
        refuse_other_count(count, arguments, code=code)
    elif count > 1 and not arguments.get("replace_all"):
        message = (
            f"Found {count} matches of the string to replace, but replace_all is false. To replace all "
            "occurrences, set replace_all to true. To replace only one occurrence, please provide more context "
            f"to uniquely identify the instance.\nString: {arguments['old_string']}"
        )
        # Refusals at execution are shown without whitespace at the end.
        raise Refusal("multiple_matches", message if code else message.rstrip(WHITESPACE), code=code)


def refuse_other_count(count: int, arguments: Mapping[str, Any], *, code: int | None) -> None:
    """Refuse a text whose number of occurrences differs from the expected one."""
    expected = arguments.get("expected_replacements", 1)
    if count and count != expected:
        raise Refusal(
            "multiple_matches" if expected == 1 else "wrong_count",
            f"Found {count} matches of the string to replace, but expected {number_text(expected)}. The number of "
            "actual matches must equal the expected replacements. Please adjust your string to match or update the "
            f"expected count.\nString: {arguments['old_string']}",
            code=code,
        )


def refuse_unchanged(content: str, updated: str) -> None:
    """Refuse a replacement without effect."""
    if updated == content:
        raise Refusal("edit_not_applied", "String not found in file. Failed to apply edit.")


def known_remark(behaviours: Behaviours) -> str:
    """Return the remark that the model knows the whole file now."""
    return _KNOWN if behaviours.answers.answers_say_state_is_current else ""


def edit_answer(
    behaviours: Behaviours, given: str, content: str, match: Match, *, everywhere: bool, remark: str
) -> str:
    """Return the answer to an Edit of the path `given`.

    `content` is the file's text before the Edit. `everywhere` means that all matches were replaced. `remark` is a
    sentence about the state of the file, or empty; it is appended unless the answer shows a snippet.
    """
    if everywhere and not behaviours.answers.replace_all_answer_shows_snippet:
        of, by = (
            (f" of '{match.old}'", f" with '{match.new}'")
            if behaviours.answers.replace_all_answer_quotes_strings
            else ("", "")
        )
        return (
            f"The file {given} has been updated. All occurrences{of} were successfully replaced{by}.{remark}"
        )
    if behaviours.answers.edit_answer_shows_snippet:
        lines = snippet_around(
            content,
            match.old,
            match.new,
            behaviours.reading.line_number_format,
            everywhere=behaviours.matching.counted_matches_are_all_replaced,
        )
        return f"The file {given} has been updated. {SHOWN}{lines}"
    return f"The file {given} has been updated successfully.{remark}"
