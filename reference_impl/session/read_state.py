"""The session's knowledge of each file, and whether it suffices to change the file."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.files import disk
from readfirst.reference_impl.refusal import NOT_READ, Refusal
from readfirst.reference_impl.session.storage import Snapshot
from readfirst.reference_impl.text.content import unify_line_ends, without_mark

__all__ = [
    "Memory",
    "ReadState",
    "Record",
    "Writes",
    "is_changed",
    "modified_at",
    "refuse_stale",
    "refuse_unread",
]

_SECOND = 1_000_000_000
_MILLISECOND = 1_000_000
_TICK = 10 * _MILLISECOND
"""Longest tick of a file system's clock, in nanoseconds."""


@dataclass(frozen=True, slots=True)
class Record:
    """Knowledge of a file: its modification time in nanoseconds, and its content with `\\n` line ends.

    `content` is the content of the whole file, which is compared if the modification time is newer; None if only
    the time is compared. `own`: an Edit, Write or NotebookEdit made the record. `seen`: the model has read or
    written every line. `asked`: offset and limit of the Read that made the record. `writes`: number of writes
    before the record. `made`: time of the record in nanoseconds. `edited`: an Edit made the record. `text` is the
    content when the record was made, with `\\n` line ends, to show later changes; None if later changes are not
    shown. `shown`, for a record of an Edit, is the content when the model last read or wrote the whole file.
    `unread`: the session wrote the file and never read it.
    """

    content: str | None
    timestamp: int
    own: bool = False
    seen: bool = False
    asked: tuple[float, float | None] | None = None
    writes: int = 0
    made: int = field(default_factory=time.time_ns)
    edited: bool = False
    text: str | None = None
    shown: str | None = None
    unread: bool = False


class ReadState:
    """The records of one session by absolute path.

    `capacity` is the maximum number of records: a new record replaces the least recently used record. `leads_to`
    converts a path to the key of its record, so that a link can share the record of its target.
    """

    def __init__(self, capacity: int | None = None, leads_to: Callable[[str], str] = str) -> None:
        self._capacity = capacity
        self._leads_to = leads_to
        self._records: dict[str, Record] = {}

    def get(self, path: str) -> Record | None:
        """Return the record of a path. None if the session does not know the file. Counts as a use."""
        path = self._leads_to(path)
        record = self._records.pop(path, None)
        if record is not None:
            self._records[path] = record
        return record

    def peek(self, path: str) -> Record | None:
        """Return the record of a path without using it."""
        return self._records.get(self._leads_to(path))

    def forget(self, path: str) -> None:
        """Delete the record of a path."""
        self._records.pop(self._leads_to(path), None)

    def put(self, path: str, record: Record) -> None:
        """Store the record of a file that was just read or written."""
        path = self._leads_to(path)
        self._records.pop(path, None)
        self._records[path] = record
        if self._capacity is not None and len(self._records) > self._capacity:
            del self._records[next(iter(self._records))]

    def newest_first(self) -> list[str]:
        """Return the known paths, the most recently used first."""
        return list(reversed(self._records))

    def replaced_by(self, records: Iterable[tuple[str, Record]]) -> ReadState:
        """Return a state with only these records, the most recently used last."""
        state = ReadState(self._capacity, self._leads_to)
        for path, record in records:
            state.put(path, record)
        return state


class Writes:
    """The order of writes by a session and its sub-agents; the clock may not advance between two of them."""

    def __init__(self) -> None:
        self.count = 0
        self._last: dict[str, int] = {}

    def add(self, path: str) -> None:
        """Record a write of a file."""
        self.count += 1
        self._last[disk.leads_to(path)] = self.count

    def are_newer(self, path: str, count: int) -> bool:
        """Whether a file was written after this number of writes."""
        return self.count > count and self._last.get(disk.leads_to(path), 0) > count


@dataclass(slots=True)
class Memory:
    """The session's knowledge of files. `root` is an absolute path.

    Sub-agents share `writes`, but nothing else.
    """

    root: str
    behaviours: Behaviours
    records: ReadState
    writes: Writes = field(default_factory=Writes)
    unreported: dict[str, Record | None] = field(default_factory=dict)
    """Previous records of files that were written by a call without an answer, until they are read or written
    again.
    """
    read_over: dict[str, Record | None] = field(default_factory=dict)
    """Previous records of files that parallel Reads are reading."""
    cut: set[str] = field(default_factory=set)
    """Paths of files whose latest Read showed only the beginning, although the call requested more."""
    mentioned: set[str] = field(default_factory=set)
    """Paths of files that are known only because a mention or another Read showed them."""

    def remember(
        self,
        path: str,
        content: str | None,
        asked: tuple[float, float | None] | None = None,
        *,
        seen: bool = False,
        own: bool = False,
        given: str = "",
        text: str | None = None,
    ) -> None:
        """Record a Read. `content` is the whole content of the file, or None if only times are to be compared;
        `asked` is offset and limit of the Read.

        `seen`: the model knows the whole content. `own`: the session has just written the file. `given` is the
        path as written in the call. `text` is the content of the file, to show later changes.
        """
        self.unreported.pop(path, None)
        self.cut.discard(path)
        self.mentioned.discard(path)
        self.read_over.setdefault(path, self.records.peek(path))
        self.records.put(
            self._known_as(path, given),
            Record(
                content,
                self._read_at(path),
                own=own,
                seen=seen,
                asked=asked,
                writes=self.writes.count,
                text=text,
            ),
        )

    def wrote(
        self,
        path: str,
        content: str,
        *,
        seen: bool = True,
        unified: bool = False,
        given: str = "",
        edited: bool = False,
    ) -> None:
        """Record a write of the session, which knows the whole file.

        `seen`: the model knows the whole content. `edited`: the write was an Edit, which contains only a part of
        the content. `unified`: the content is stored with `\\n` line ends. `given` is the path as written in the
        call.
        """
        if self.behaviours.encoding.edit_hides_byte_order_mark:
            content = without_mark(content)
        if unified:
            content = unify_line_ends(content)
        known = content if self.behaviours.freshness.touched_own_write_may_be_edited else None
        self.writes.add(path)
        self.unreported.pop(path, None)
        self.cut.discard(path)
        self.mentioned.discard(path)
        modified = modified_at(path, exact=self.behaviours.freshness.write_compares_sub_milliseconds)
        text = unify_line_ends(content)
        former = self.records.peek(path)
        known_text = None if former is None else former.shown if former.edited else former.text
        record = Record(
            known,
            modified,
            own=True,
            seen=seen,
            writes=self.writes.count,
            edited=edited,
            text=text,
            shown=known_text if edited else None,
            unread=not edited and (former is None or former.unread),
        )
        self.records.put(self._known_as(path, given), record)

    def knows_only_the_beginning(self, path: str) -> None:
        """Forget a file, because the answer of its Read showed fewer lines than requested."""
        self.records.forget(path)
        self.cut.add(path)

    def forget_mentions(self) -> None:
        """Forget files that no call of the session has read or written."""
        for path in self.mentioned:
            self.records.forget(path)
        self.mentioned.clear()

    def outdated_paths(self, *, everything: bool = False) -> list[str]:
        """Return the watched paths, or all paths, that are newer on disk than their record.

        All records are checked, from the most to the least recently used. Each check counts as a use, so the
        order of use is reversed. In some versions, missing files are forgotten.
        """
        newer = []
        for path in self.records.newest_first():
            record = self.records.get(path)
            if record is None or not (
                everything or record.own or self.behaviours.memory.changed_reads_are_reread
            ):
                continue
            try:
                if self.is_newer(path, record):
                    newer.append(path)
            except FileNotFoundError:
                if self.behaviours.memory.missing_files_are_forgotten:
                    self.records.forget(path)
            except OSError:
                continue
        return newer

    def after_restart(self) -> Memory:
        """Return the knowledge that a new start of the program derives from the conversation.

        After the restart, a known file counts as known with any modification time, unless the model saw no answer
        of the call. In some versions, files that were read only in part are forgotten.
        """
        behaviours = self.behaviours
        known = []
        for path in (
            reversed(self.records.newest_first()) if behaviours.sessions.resume_keeps_known_files else ()
        ):
            record = self.records.get(path)
            record = self.unreported.get(path, record)
            if (
                record is not None
                and (self._is_whole(record) or behaviours.sessions.resume_keeps_partial_reads)
                and (behaviours.sessions.resume_keeps_own_writes or not record.unread)
                and (record.own or not path.endswith(".ipynb"))
            ):
                watched = behaviours.sessions.resume_takes_over_changes
                seen = record.seen and (behaviours.sessions.resume_counts_edits_as_seen or not record.edited)
                noticed = (
                    behaviours.sessions.resume_reports_own_edits
                    and record.edited
                    and record.shown is not None
                )
                restored = replace(
                    record,
                    timestamp=0 if path in self.unreported else record.made,
                    own=watched or (record.own and not record.edited),
                    asked=None,
                    seen=seen,
                    writes=0 if noticed else self.writes.count,
                    text=record.shown if noticed else record.text,
                )
                known.append((path, restored))
        return self._with_records(known)

    def _is_whole(self, record: Record) -> bool:
        return record.asked in (None, (1, self.behaviours.reading.default_line_limit))

    def without_files(self) -> Memory:
        """Return a memory without any known file, in the same directory."""
        return self._with_records(())

    def _with_records(self, records: Iterable[tuple[str, Record]]) -> Memory:
        state = self.records.replaced_by(records)
        return Memory(self.root, self.behaviours, state, writes=self.writes)

    def latest(self, count: int) -> list[str]:
        """Return the known paths that changed last, the newest first; for equal times, the most recently used."""

        def age(path: str) -> int:
            record = self.records.get(path)
            return 0 if record is None else -record.timestamp

        return sorted(self.records.newest_first(), key=age)[:count]

    def is_newer(self, path: str, record: Record) -> bool:
        """Whether a file was modified after its record. Raises OSError for a missing file.

        The order of writes is compared, too, because the session may write a file twice before the clock
        advances, under two names or through a sub-agent.
        """
        return modified_at(path) > record.timestamp or self.writes.are_newer(path, record.writes)

    def has_later_time(self, path: str, record: Record, *, exact: bool = False) -> bool:
        """Whether a file's time is later than that of a record, in whole milliseconds unless `exact`.

        The order of writes does not matter here, because the product is never fast enough to write a file twice at the
        same time. Raises OSError for a missing file.
        """
        modified = modified_at(path, exact=exact)
        at_once = modified == record.timestamp and self.writes.are_newer(path, record.writes)
        return modified > record.timestamp or at_once

    def _known_as(self, path: str, given: str) -> str:
        """Return the key of a file's record. In some versions, it contains the final slash of the call."""
        return (
            f"{path}/"
            if given.endswith("/") and self.behaviours.memory.final_slash_is_part_of_the_key
            else path
        )

    def _read_at(self, path: str) -> int:
        """Return the time that a change must exceed to count as later than this Read."""
        modified = modified_at(path, exact=self.behaviours.freshness.write_compares_sub_milliseconds)
        if not self.behaviours.freshness.staleness_uses_read_time:
            return modified
        # File times advance in ticks; a change within the same tick counts as later than the Read. A time less
        # than a tick from now has passed before the product, which is slower, checks the file.
        now = time.time_ns()
        return modified if now - _TICK < modified < now + _TICK else now - _TICK


def modified_at(path: str, *, exact: bool = False) -> int:
    """Return the time of the last modification in nanoseconds, of whole milliseconds unless `exact`.

    Raises OSError for a missing file.
    """
    seconds, nanoseconds = divmod(disk.modified_at(path), _SECOND)
    # The product stores times as doubles of milliseconds, which lose the last nanoseconds.
    milliseconds = seconds * 1000 + nanoseconds / _MILLISECOND
    return int(Fraction(milliseconds) * _MILLISECOND) if exact else math.floor(milliseconds) * _MILLISECOND


def refuse_unread(memory: Memory, path: str, *, needs_read: bool, code: int) -> Record | None:
    """Return the record of a file. A file without a record is refused if `needs_read`; otherwise return None."""
    record = memory.records.get(path)
    if record is None and needs_read:
        raise Refusal("not_read", NOT_READ, code=code)
    return record


def is_changed(memory: Memory, file: Snapshot, record: Record) -> bool:
    """Whether a file changed after its record: its time is newer, and its content is not known to be equal."""
    exact = memory.behaviours.freshness.edit_compares_sub_milliseconds
    if not memory.has_later_time(file.path, record, exact=exact):
        return False
    return record.content is None or file.text != record.content


def refuse_stale(memory: Memory, file: Snapshot, *, needs_read: bool) -> Record | None:
    """Return the record of a file right before writing. Refuse an existing file that changed, or that is unknown."""
    record = memory.records.get(file.path)
    if not memory.behaviours.freshness.execution_rechecks_freshness:
        return record
    if record is None and not needs_read:
        return None
    if record is None and memory.behaviours.freshness.execution_refuses_unread:
        raise Refusal("not_read", NOT_READ)
    if record is None or is_changed(memory, file, record):
        raise Refusal("unexpectedly_modified", memory.behaviours.freshness.execution_stale_refusal)
    return record
