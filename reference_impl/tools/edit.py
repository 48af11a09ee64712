"""The tool Edit: the functions that prepare, validate and execute a call."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from readfirst.reference_impl.argument_validation import FILE_PATH, Parameter, Schema, ignored_arguments
from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.refusal import MODIFIED, Refusal
from readfirst.reference_impl.session.access import (
    refuse_long_argument,
    refuse_nul_argument,
    refuse_special_file,
)
from readfirst.reference_impl.session.guarded_paths import refuse_guarded, refuse_suspicious
from readfirst.reference_impl.session.read_state import Record, is_changed, refuse_stale, refuse_unread
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.session.storage import refuse_unwritable
from readfirst.reference_impl.settings.file import SETTINGS_FILES, refuse_invalid_settings
from readfirst.reference_impl.text.content import (
    WHITESPACE,
    Format,
    Match,
    can_be_spelled_differently,
    decode_escapes,
    encode,
    find_match,
    replace_surrogates,
    replace_text,
    snippet_around,
    storable_text,
    strips_whitespace,
    without_trailing_whitespace,
)
from readfirst.reference_impl.text.js_number import number_text

__all__ = [
    "SNIPPET_HEADING",
    "check_permissions",
    "current_state_remark",
    "execute",
    "prepare",
    "refuse_forbidden_change",
    "refuse_unchanged",
    "schema",
    "validate",
]

_ESCAPES_TRIED_NOTE = (
    "\n(note: Edit also tried swapping \\uXXXX escapes and their characters; neither form matched, so the mismatch is "
    "likely elsewhere in old_string. Re-read the file and copy the exact surrounding text.)"
)
_CHANGED_FILE_REMARK = (
    " (note: the file had been modified on disk since you last read it — the edit applied cleanly, but the file "
    "contains other changes not in your context. Read it before edits that depend on surrounding content.)"
)
SNIPPET_HEADING = "Here's the result of running `cat -n` on a snippet of the edited file:\n"
"""Line before the numbered lines in an answer of Edit or Write, in versions whose answers show lines of the file."""
_CURRENT_STATE_REMARK = " (file state is current in your context — no need to Read it back)"
_REPLACE_ALL = Parameter(
    "replace_all", description="Replace every occurrence instead of the only one", type="boolean"
)
_EXPECTED_REPLACEMENTS = Parameter(
    "expected_replacements", description="How often the text occurs (default: 1)", type="number"
)
_REDUNDANT_NAMES = {"old_str": "old_string", "new_str": "new_string"}
_ALIASES = {"path": "file_path", "old_str": "old_string", "new_str": "new_string"}


def schema(behaviours: Behaviours) -> Schema:
    """Return the schema of Edit."""
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
        aliases=_ALIASES if behaviours.arguments.edit_accepts_aliases else {},
    )


class Attempt:
    """One comparison of an Edit with the content of its file: during the validation, or during the execution."""

    def __init__(
        self, session: Session, path: str, arguments: Mapping[str, Any], *, during_execution: bool = False
    ) -> None:
        self.file = session.storage.find_file(path)
        self.arguments = arguments
        self._behaviours = session.behaviours
        self._during_execution = during_execution

    @property
    def text(self) -> str:
        """The text of the file. It includes a byte order mark only during the execution, if a second mark follows."""
        return f"\ufeff{self.file.text}" if self._mark_is_text else self.file.text

    @property
    def format(self) -> Format:
        """The format of the file to write: without byte order mark if `text` contains the mark."""
        return replace(self.file.format, byte_order_mark=False) if self._mark_is_text else self.file.format

    @property
    def _mark_is_text(self) -> bool:
        return self._during_execution and self.file.format.byte_order_mark and "\ufeff" in self.file.text

    @cached_property
    def match(self) -> Match | None:
        """The part of the text that `old_string` matches. None if the text does not contain `old_string`."""
        return find_match(self.text, self.arguments, self._behaviours)

    @cached_property
    def count(self) -> int:
        """The number of occurrences of `old_string` in the text. 0 if `old_string` is empty."""
        return self.match.count(self.text) if self.match and self.match.old else 0

    @property
    def is_clear(self) -> bool:
        """Whether `old_string` occurs exactly once in the text, or with `replace_all` at least once."""
        return self.count == 1 or (self.count > 1 and bool(self.arguments.get("replace_all")))


def prepare(
    session: Session,
    arguments: Mapping[str, Any],
    *,
    corrected: bool,  # noqa: ARG001 - one of several
) -> Mapping[str, Any]:
    """Return the prepared arguments. Some versions replace escapes such as `\\u00e9`, and strip trailing whitespace."""
    if session.behaviours.preparation.unicode_escapes_are_decoded:
        strings = {
            name: decode_escapes(arguments[name], session.behaviours) for name in ("old_string", "new_string")
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
    """Raise Refusal for an invalid call before any change, with the first error in the order of the error codes."""
    old, new = arguments["old_string"], arguments["new_string"]
    refuse_long_argument(arguments["file_path"], tool="Edit", behaviours=session.behaviours)
    refuse_no_changes(old, new)
    refuse_nul_argument(arguments["file_path"], tool="Edit", treatment=session.behaviours.paths.nul_in_path)
    path = session.paths.to_edit(arguments["file_path"])
    session.permissions.refuse_denied("Edit", path, code=2, change="edited")
    if session.behaviours.lookup.edit_stats_before_open:
        session.paths.refuse_inaccessible(path, tool="Edit")
    refuse_special_file(path, "Edit", session.behaviours)
    attempt = Attempt(session, path, arguments)
    if session.behaviours.lookup.edit_opens_before_gate:
        with contextlib.suppress(FileNotFoundError):
            attempt.file.read()
    if old == "":
        refuse_existing_content(attempt, code=3)
        return
    session.paths.refuse_missing(path, code=4)
    refuse_notebook(path)
    record = refuse_unread(session.memory, path, needs_read=needs_read(session, path), code=6)
    if record is not None:
        refuse_modified(session, attempt, record)
    if session.behaviours.encoding.changes_refuse_unwritable_files:
        refuse_unwritable(attempt.file.data)
    match = require_match(session, attempt)
    refuse_ambiguous_match(session, attempt, code=9)
    if path.lower().endswith(SETTINGS_FILES):
        refuse_invalid_settings(session.behaviours, path, attempt.file.text, match.old, new)


def needs_read(session: Session, path: str) -> bool:
    """Whether an Edit of a file is refused unless the session has read the file."""
    return session.behaviours.freshness.edit_needs_read or not session.permissions.may_change_unread(path)


def may_recover(session: Session, path: str) -> bool:
    """Whether an Edit of a file that changed since the Read succeeds if `old_string` still occurs exactly once."""
    recovers = session.behaviours.freshness.edit_of_changed_file_recovers
    return recovers and session.permissions.may_change_unread(path)


def check_permissions(session: Session, arguments: Mapping[str, Any]) -> None:
    """Raise Refusal if a deny rule covers the path, or if the change needs a permission."""
    refuse_forbidden_change(session, arguments, tool="Edit")


def refuse_forbidden_change(session: Session, arguments: Mapping[str, Any], *, tool: str) -> None:
    """Raise Refusal if a deny rule covers the path or the target of a link, or if the change needs a permission."""
    raw_path = arguments["file_path"]
    unfolded = session.paths.unresolved_path(raw_path)
    path = session.paths.expand_argument(raw_path)
    session.permissions.refuse_denied_target("Edit", path, raw_path, unresolved=unfolded)
    if session.behaviours.permissions.links_refused_at_permission:
        session.storage.refuse_link(session.paths.to_write(raw_path), path)
    refuse_suspicious(path, raw_path, session.behaviours)
    refuse_guarded(session.behaviours, path, raw_path, session.paths.root)
    session.permissions.require_write_permission(tool, path)


def execute(session: Session, arguments: Mapping[str, Any]) -> str:
    """Check the file again, as it may have changed. Replace the text, record the write, and return the answer."""
    path = session.paths.to_write(arguments["file_path"])
    old = arguments["old_string"]
    everywhere = bool(arguments.get("replace_all"))
    several = everywhere or "expected_replacements" in arguments
    if session.behaviours.writing.execution_stats_path_first:
        session.paths.refuse_inaccessible(path)
    if session.behaviours.writing.links_refused_before_recheck:
        session.storage.refuse_links(path)
    attempt = Attempt(session, path, arguments, during_execution=True)
    remark = current_state_remark(session.behaviours)
    if attempt.file.exists:
        attempt.file.read()
        remark = recheck_file(session, attempt)
    elif old != "":
        session.storage.prepare_directory(path)
    content, file_format = attempt.text, attempt.format
    match = attempt.match or Match(old, arguments["new_string"])
    updated = match.new if old == "" else replace_text(content, match.old, match.new, everywhere=several)
    refuse_unchanged(content, updated)
    if old == "" and not session.behaviours.encoding.write_keeps_byte_order_mark:
        file_format = replace(file_format, byte_order_mark=False)
    session.storage.write(path, encode(updated, file_format))
    seen = remark == current_state_remark(session.behaviours)
    written = storable_text(updated, file_format)
    session.memory.record_write(path, written, is_seen=seen, raw_path=arguments["file_path"], edited=True)
    return edit_answer(
        session.behaviours, arguments["file_path"], content, match, everywhere=everywhere, remark=remark
    )


def recheck_file(session: Session, attempt: Attempt) -> str:
    """Raise Refusal if the file changed before the write. Return the last sentence of the answer (may be empty)."""
    behaviours = session.behaviours
    record = session.memory.records.get(attempt.file.path)
    recovers = may_recover(session, attempt.file.path)
    if (
        record is not None
        and recovers
        and is_changed(session.memory, attempt.file, record)
        and attempt.is_clear
    ):
        return _CHANGED_FILE_REMARK
    needed = needs_read(session, attempt.file.path)
    record = refuse_stale(session.memory, attempt.file, needs_read=needed)
    if behaviours.matching.execution_rechecks_matches:
        refuse_existing_content(attempt, code=None)
        refuse_ambiguous_match(session, attempt, code=None)
    seen = (
        record is not None
        and record.is_seen
        and (record.content == attempt.file.text or not behaviours.answers.current_state_only_if_unchanged)
    )
    return (
        current_state_remark(behaviours) if seen or not behaviours.answers.current_state_only_if_seen else ""
    )


def refuse_no_changes(old: str, new: str) -> None:
    """Raise Refusal if the old and the new text of an Edit are equal."""
    if old == new:
        raise Refusal(
            "no_changes", "No changes to make: old_string and new_string are exactly the same.", code=1
        )


def refuse_existing_content(attempt: Attempt, *, code: int | None) -> None:
    """Raise Refusal if the old text of an Edit is empty, but the file contains more than whitespace."""
    if attempt.arguments["old_string"] == "" and attempt.file.text.strip(WHITESPACE):
        raise Refusal("file_exists", "Cannot create new file - file already exists.", code=code)


def refuse_notebook(path: str) -> None:
    """Raise Refusal if the path is that of a notebook, because NotebookEdit must be used to edit notebooks."""
    if path.endswith(".ipynb"):
        raise Refusal(
            "is_notebook", "File is a Jupyter Notebook. Use the NotebookEdit to edit this file.", code=5
        )


def refuse_modified(session: Session, attempt: Attempt, record: Record) -> None:
    """Raise Refusal if a file changed since the Read. Some versions allow the Edit if `old_string` occurs once."""
    if not is_changed(session.memory, attempt.file, record):
        return
    if not may_recover(session, attempt.file.path) or not attempt.is_clear:
        raise Refusal("modified_since_read", MODIFIED, code=7)


def require_match(session: Session, attempt: Attempt) -> Match:
    """Return the match of the old text. Raise Refusal if the file does not contain the old text."""
    if attempt.match is None:
        old = attempt.arguments["old_string"]
        swapped = session.behaviours.matching.unicode_escapes_match_characters and can_be_spelled_differently(
            old
        )
        note = _ESCAPES_TRIED_NOTE if swapped else ""
        old = (
            old if session.behaviours.matching.missing_texts_keep_half_characters else replace_surrogates(old)
        )
        raise Refusal(
            "string_not_found", f"String to replace not found in file.\nString: {old}{note}", code=8
        )
    return attempt.match


def refuse_ambiguous_match(session: Session, attempt: Attempt, *, code: int | None) -> None:
    """Raise Refusal if the old text occurs more often than the call allows."""
    arguments, count = attempt.arguments, attempt.count
    if session.behaviours.arguments.edit_accepts_expected_replacements:
        refuse_unexpected_count(count, arguments, code=code)
    elif count > 1 and not arguments.get("replace_all"):
        message = (
            f"Found {count} matches of the string to replace, but replace_all is false. To replace all "
            "occurrences, set replace_all to true. To replace only one occurrence, please provide more context "
            f"to uniquely identify the instance.\nString: {arguments['old_string']}"
        )
        # Refusals at execution are shown without whitespace at the end.
        raise Refusal("multiple_matches", message if code else message.rstrip(WHITESPACE), code=code)


def refuse_unexpected_count(count: int, arguments: Mapping[str, Any], *, code: int | None) -> None:
    """Raise Refusal unless the old text occurs `expected_replacements` times (default: once)."""
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
    """Raise Refusal if a replacement does not change the content."""
    if updated == content:
        raise Refusal("edit_not_applied", "String not found in file. Failed to apply edit.")


def current_state_remark(behaviours: Behaviours) -> str:
    """Return the sentence in an answer that the model knows the whole current file. Empty in some versions."""
    return _CURRENT_STATE_REMARK if behaviours.answers.answers_say_state_is_current else ""


def edit_answer(
    behaviours: Behaviours, raw_path: str, content: str, match: Match, *, everywhere: bool, remark: str
) -> str:
    """Return the answer to an Edit. `content` is the text before the Edit. `everywhere`: all matches were replaced.
    `remark` is the last sentence of answers without a snippet, or empty.
    """
    if everywhere and not behaviours.answers.replace_all_answer_shows_snippet:
        of, by = (
            (f" of '{match.old}'", f" with '{match.new}'")
            if behaviours.answers.replace_all_answer_quotes_strings
            else ("", "")
        )
        return f"The file {raw_path} has been updated. All occurrences{of} were successfully replaced{by}.{remark}"
    if behaviours.answers.edit_answer_shows_snippet:
        lines = snippet_around(
            content,
            match.old,
            match.new,
            behaviours.reading.line_number_format,
            everywhere=behaviours.matching.counted_matches_are_all_replaced,
        )
        return f"The file {raw_path} has been updated. {SNIPPET_HEADING}{lines}"
    return f"The file {raw_path} has been updated successfully.{remark}"
