"""Session: what the rules of all tools share - root, contract, permissions, and what was read so far."""

from __future__ import annotations

import posixpath
import time
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count

from readfirst.reference_impl.contract import Behaviours
from readfirst.reference_impl.files import disk
from readfirst.reference_impl.files.links import refuse_hanging, refuse_link
from readfirst.reference_impl.files.sampling import usual_line_ending
from readfirst.reference_impl.refusal import Refusal, of_os_error
from readfirst.reference_impl.session.memory import ReadState, Record
from readfirst.reference_impl.session.paths import expanded, refuse_null_at_last, resolved
from readfirst.reference_impl.session.permissions import Permissions
from readfirst.reference_impl.text.content import (
    Format,
    decode,
    encode,
    format_of,
    unify,
    well_formed,
    without_mark,
)

__all__ = ["Session"]

_MILLISECOND = 1_000_000
_TICK = 10 * _MILLISECOND
"""In nanoseconds; a tick is the longest time for which the clock of a file system may stand still."""


@dataclass
class Session:
    """One conversation with the tools. `root` and `home` are absolute paths.

    `has_shown_media`: a Read has shown an image or a document.
    """

    root: str
    home: str
    behaviours: Behaviours
    permissions: Permissions
    state: ReadState
    message: int = 0
    has_shown_media: bool = False
    _line_ending: str | None = None
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _writes: int = 0
    _last_write: dict[str, int] = field(default_factory=dict)

    def path(self, given: str) -> str:
        """Return the absolute path of what the model wrote. Refusal: it is no path, or relative where that is wrong."""
        if self.behaviours.read_expands_home:
            return self.expanded_path(given)
        return self._absolute(given, folds=self.behaviours.paths_fold)

    def expanded_path(self, given: str) -> str:
        """Return the absolute path for a tool that takes `~` for the home directory and cuts blanks around the path."""
        if self.behaviours.home_is_expanded:
            given = expanded(given, self.home)
        return self._absolute(given, folds=True)

    def _absolute(self, given: str, *, folds: bool) -> str:
        given = well_formed(given)
        if not given.startswith("/") and not self.behaviours.relative_paths_are_resolved:
            raise Refusal("relative_path", f"Path is relative: {given}. Give an absolute path.")
        if self.behaviours.paths_are_composed:
            given = unicodedata.normalize("NFC", given)
        return resolved(given, self.root, folds=folds)

    def looked_at_path(self, given: str) -> str:
        """Return the absolute path that Edit looks at before it edits."""
        return self.expanded_path(given) if self.behaviours.edit_looks_where_it_writes else self.path(given)

    def written_path(self, given: str) -> str:
        """Return the absolute path that is written to in the end: a final slash may count or not."""
        path = self.expanded_path(given)
        return path.rstrip("/") if self.behaviours.write_drops_final_slash else path

    def refuse_unclear(self, path: str, *, tool: str = "") -> None:
        """Refuse a path of which the system does not tell whether there is something; `tool` is validating."""
        try:
            disk.look(path)
        except OSError as error:
            prefix = f"Error calling tool ({tool}): " if tool else ""
            raise of_os_error(error, f"{self.behaviours.look_call} '{path}'", prefix=prefix) from None

    def deny(self, action: str, path: str, *, code: int | None = None, done: str = "") -> None:
        """Refuse a path that a deny rule covers; `action` is `Read` or `Edit`.

        Where a rule for Read closes a path to changes as well, `done` is what cannot be done.
        """
        if not self.behaviours.validation_asks_rules:
            return
        if self.permissions.denies(action, path):
            raise Refusal(
                "permission_denied",
                "File is in a directory that is denied by your permission settings.",
                code=code,
            )
        if done and self.behaviours.read_rules_close_to_changes and self.permissions.denies("Read", path):
            raise Refusal(
                "permission_denied",
                f"File is covered by a Read deny rule in your permission settings and cannot be {done}.",
            )

    def deny_target(self, action: str, given: str) -> None:
        """Refuse a path, or a link to a file, that a deny rule covers, right before the execution.

        Blanks around the path and `~` are taken as they are here.
        """
        path = self.expanded_path(given)
        if self.behaviours.rules_fail_at_their_base and self.permissions.is_base(action, path):
            raise Refusal("permission_denied", "Error checking permissions")
        follows = self.behaviours.rules_follow_links
        if self.permissions.denies(action, path) or (
            follows and self.permissions.denies_target(action, path)
        ):
            verb = "read" if action == "Read" else "edit"
            raise Refusal("permission_denied", f"Permission to {verb} {given} has been denied.")

    def content_of(self, path: str) -> tuple[str, Format]:
        """Return the text to edit, with `\\n` line ends, and the format to write it back in. OSError: not readable."""
        data = disk.read(path)
        found = format_of(data, decoded=self.behaviours.line_endings_of_utf_16_are_seen)
        text = unify(decode(data, found.encoding))
        mark = self.behaviours.marks_are_kept_apart and text != without_mark(text)
        file_format = replace(found, mark=mark, doubled=self.behaviours.carriage_returns_are_doubled)
        return without_mark(text) if mark else text, file_format

    def remember(
        self,
        path: str,
        content: str | None,
        asked: tuple[float, float | None] | None = None,
        *,
        seen: bool = False,
        own: bool = False,
        given: str = "",
    ) -> None:
        """Record what was read of a path; `content` is all of it, or None; `asked` offset and limit for lines.

        `seen`: the model knows that it is all of the content. `own`: the session has just written it. `given` is the
        path as the model wrote it.
        """
        self.state.put(
            self.known_as(path, given),
            Record(
                content,
                self._read_at(path),
                own=own,
                seen=seen,
                asked=asked,
                message=self.message,
                writes=self._writes,
            ),
        )

    @property
    def cuts_answers(self) -> bool:
        """Whether answers lose the blanks at their end."""
        saved = self.has_shown_media and self.behaviours.media_save_blanks
        return self.behaviours.answers_end_without_blanks and not saved

    def known_as(self, path: str, given: str) -> str:
        """Return the path under which a file is remembered: a final slash that the model wrote may belong to it."""
        return f"{path}/" if given.endswith("/") and self.behaviours.final_slash_is_remembered else path

    def modified_at(self, path: str, *, exact: bool = False) -> int:
        """Return the time of the last modification in nanoseconds, of whole milliseconds unless `exact`.

        OSError: no such file.
        """
        modified = disk.modified_at(path)
        return modified if exact else modified // _MILLISECOND * _MILLISECOND

    def _read_at(self, path: str) -> int:
        """Return the time that a change must be newer than to count as one after this Read."""
        modified = self.modified_at(path, exact=self.behaviours.write_times_are_exact)
        if not self.behaviours.times_of_reading_count:
            return modified
        # The system notes times of files by a clock that ticks; a change within the same tick is one after the Read.
        now = time.time_ns()
        return modified if now - _TICK < modified <= now else now - _TICK

    def store(
        self,
        path: str,
        content: str,
        file_format: Format,
        *,
        seen: bool = True,
        unified: bool = False,
        given: str = "",
    ) -> None:
        """Write the file in one step and remember it. Refusal: the system does not let it be written.

        `seen`: the model knows all of the content. `unified`: it is remembered with `\\n` line ends. `given` is the
        path as the model wrote it.
        """
        self.write(path, encode(content, file_format))
        if self.behaviours.marks_are_kept_apart:
            content = without_mark(content)
        if unified:
            content = unify(content)
        known = content if self.behaviours.own_content_is_compared else None
        self._writes = next(self._numbers)
        self._last_write[disk.leads_to(path)] = self._writes
        modified = self.modified_at(path, exact=self.behaviours.write_times_are_exact)
        record = Record(known, modified, own=True, seen=seen, writes=self._writes)
        self.state.put(self.known_as(path, given), record)

    def is_newer(self, path: str, record: Record) -> bool:
        """Tell whether a file was modified after a record of it. OSError: no such file.

        The session itself may write a file twice before the clock moves on, under two names.
        """
        return (
            self.modified_at(path) > record.timestamp
            or self._last_write.get(disk.leads_to(path), 0) > record.writes
        )

    def write(self, path: str, data: bytes) -> None:
        """Write the file in one step. Refusal: the system does not let it be written, or it is a link."""
        behaviours = self.behaviours
        refuse_null_at_last(path)
        self.refuse_links(path)
        try:
            self._make_parents(path)
        except OSError as error:
            raise of_os_error(error, f"mkdir '{posixpath.dirname(path)}'") from None
        self.open_directory(path)
        how = disk.Replacing(
            into_nothing=behaviours.dangling_links_are_followed,
            private=behaviours.new_files_are_private,
            beside=behaviours.temporary_names_are_longer,
        )
        try:
            if behaviours.write_opens_first:
                disk.look(
                    path
                )  # what keeps the file from being opened is told of it, not of what takes its place
        except OSError as error:
            raise of_os_error(error, f"open '{path}'") from None
        try:
            if behaviours.files_are_replaced:
                disk.replace(path, data, how)
            else:
                disk.overwrite(path, data)
        except OSError as error:
            opened = error.filename if how.beside and error.filename else path
            raise of_os_error(error, f"open '{opened}'") from None

    def refuse_links(self, path: str) -> None:
        """Refuse to write a link, or below a link to nothing."""
        if self.behaviours.hanging_paths_are_refused:
            refuse_hanging(path)
        if self.behaviours.link_refusal:
            refuse_link(path, self.behaviours.link_refusal)

    def prepare_directory(self, path: str) -> None:
        """Do with the directory of a missing file what is done before it turns out that nothing can be replaced."""
        if self.behaviours.parents_are_made_first:
            self._make_parents(path)
        self.open_directory(path)

    def _make_parents(self, path: str) -> None:
        disk.make_parents(
            path,
            overlook=self.behaviours.dangling_parents_are_overlooked,
            private=self.behaviours.new_directories_are_private,
        )

    def open_directory(self, path: str) -> None:
        """Refuse a file whose directory cannot be opened."""
        directory = posixpath.dirname(path)
        if not self.behaviours.directories_are_opened:
            return
        try:
            disk.look_into(directory)
        except OSError as error:
            raise of_os_error(error, f"open '{directory}'") from None

    def new_file_line_ending(self) -> str:
        """Return the line ending of files that Write creates; found out once per session."""
        if self._line_ending is None:
            self._line_ending = usual_line_ending(self.root)
        return self._line_ending
