"""Store which files a session knows, and refuse to change unknown or changed files."""

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
from readfirst.reference_impl.text.content import unify_line_ends, without_byte_order_mark

__all__ = [
    "Memory",
    "ReadState",
    "Record",
    "WriteOrder",
    "is_changed",
    "modified_at",
    "refuse_stale",
    "refuse_unread",
]

_NS_PER_SECOND = 1_000_000_000
_NS_PER_MS = 1_000_000
_TICK_NS = 10 * _NS_PER_MS
"""Maximum time between two ticks of a file system's clock. Writes in this time may have the same modification time."""


@dataclass(frozen=True, slots=True)
class Record:
    """The session's knowledge of one file, from the latest Read or write. Contents have `\\n` line ends."""

    # the whole content, to compare if the time is newer; None: a newer time is a change
    content: str | None
    # modification time, in nanoseconds
    timestamp: int
    # an Edit, Write or NotebookEdit made the record
    is_own: bool = False
    # the model has read or written every line
    is_seen: bool = False
    # offset and limit of the Read
    requested_lines: tuple[float, float | None] | None = None
    # number of earlier writes by the session and its sub-agents
    write_count: int = 0
    # time of the record, in nanoseconds
    recorded_at: int = field(default_factory=time.time_ns)
    # an Edit made the record
    edited: bool = False
    # the content, to show later changes; None: they are not shown
    text: str | None = None
    # of an Edit: the content when the model last read or wrote the whole file
    last_seen: str | None = None
    # the session wrote the file, and never read it
    never_read: bool = False


class ReadState:
    """Records of the files that a session knows, by absolute path. A record beyond `capacity` replaces the least
    recently used record. `key_of_path` returns the key of a path's record: a link shares the record of its target.
    """

    def __init__(self, capacity: int | None = None, key_of_path: Callable[[str], str] = str) -> None:
        self._capacity = capacity
        self._key_of_path = key_of_path
        self._records: dict[str, Record] = {}

    def get(self, path: str) -> Record | None:
        """Return the record of a path, which then counts as just used. None if the session does not know the file."""
        path = self._key_of_path(path)
        record = self._records.pop(path, None)
        if record is not None:
            self._records[path] = record
        return record

    def peek(self, path: str) -> Record | None:
        """Return the record of a path, without counting this as a use. None if the session does not know the file."""
        return self._records.get(self._key_of_path(path))

    def forget(self, path: str) -> None:
        """Delete the record of a path."""
        self._records.pop(self._key_of_path(path), None)

    def put(self, path: str, record: Record) -> None:
        """Store the record of a path as the most recently used record."""
        path = self._key_of_path(path)
        self._records.pop(path, None)
        self._records[path] = record
        if self._capacity is not None and len(self._records) > self._capacity:
            del self._records[next(iter(self._records))]

    def newest_first(self) -> list[str]:
        """Return the paths of all records, the most recently used first."""
        return list(reversed(self._records))

    def with_records(self, records: Iterable[tuple[str, Record]]) -> ReadState:
        """Return a copy that contains only these records. The last of them counts as the most recently used."""
        state = ReadState(self._capacity, self._key_of_path)
        for path, record in records:
            state.put(path, record)
        return state


class WriteOrder:
    """The order of the writes of a session and its sub-agents, as several writes may have the same time."""

    def __init__(self) -> None:
        self.count = 0
        self._last: dict[str, int] = {}

    def add(self, path: str) -> None:
        """Add a write of a file after all earlier writes."""
        self.count += 1
        self._last[disk.resolve_links(path)] = self.count

    def has_newer_write(self, path: str, count: int) -> bool:
        """Whether a file was written again after the first `count` writes of the session and its sub-agents."""
        return self.count > count and self._last.get(disk.resolve_links(path), 0) > count


@dataclass(slots=True)
class Memory:
    """The files that a session knows, to decide whether a file may be changed. `root` is the session's first directory.
    A session and its sub-agents share `write_order`, but no other attribute.
    """

    root: str
    behaviours: Behaviours
    records: ReadState
    write_order: WriteOrder = field(default_factory=WriteOrder)
    unreported_writes: dict[str, Record | None] = field(default_factory=dict)
    """Records that a write replaced, by path, if the model saw no answer. A later Read or write removes them."""
    before_parallel_reads: dict[str, Record | None] = field(default_factory=dict)
    """Records that existed before the parallel Reads of the current message, by path."""
    truncated_reads: set[str] = field(default_factory=set)
    """Paths of files whose latest Read had a truncated answer."""
    mentioned: set[str] = field(default_factory=set)
    """Paths of files that no call has read. A mention, or the Read of another file, showed them to the model."""
    named_reads: dict[str, str | None] = field(default_factory=dict)
    """For each path that a Read named in a session with hooks: the path that was read. None if a hook blocked the Read.
    """

    def record_read(
        self,
        path: str,
        content: str | None,
        requested_lines: tuple[float, float | None] | None = None,
        *,
        is_seen: bool = False,
        is_own: bool = False,
        raw_path: str = "",
        text: str | None = None,
    ) -> None:
        """Record that a file was read. `content`: the whole content; None if a newer modification time means a change.
        `is_seen`: the model knows the whole content. `is_own`: the session has just written the file. `text`: the
        content of the file, to show later changes.
        """
        self._forget_exceptions(path)
        self.before_parallel_reads.setdefault(path, self.records.peek(path))
        self.records.put(
            self._record_key(path, raw_path),
            Record(
                content,
                self._read_time(path),
                is_own=is_own,
                is_seen=is_seen,
                requested_lines=requested_lines,
                write_count=self.write_order.count,
                text=text,
            ),
        )

    def record_write(
        self,
        path: str,
        content: str,
        *,
        is_seen: bool = True,
        unified: bool = False,
        raw_path: str = "",
        edited: bool = False,
    ) -> None:
        """Record that a call wrote a file with this whole `content`. `is_seen`: the model knows the content. `unified`:
        record the content with `\\n` line ends. `edited`: an Edit wrote the file.
        """
        if self.behaviours.encoding.edit_hides_byte_order_mark:
            content = without_byte_order_mark(content)
        if unified:
            content = unify_line_ends(content)
        self.write_order.add(path)
        self._forget_exceptions(path)
        previous = self.records.peek(path)
        previous_text = None if previous is None else previous.last_seen if previous.edited else previous.text
        record = Record(
            content if self.behaviours.freshness.touched_own_write_may_be_edited else None,
            modified_at(path, exact=self.behaviours.freshness.write_compares_sub_milliseconds),
            is_own=True,
            is_seen=is_seen,
            write_count=self.write_order.count,
            edited=edited,
            text=unify_line_ends(content),
            last_seen=previous_text if edited else None,
            never_read=not edited and (previous is None or previous.never_read),
        )
        self.records.put(self._record_key(path, raw_path), record)

    def _forget_exceptions(self, path: str) -> None:
        self.unreported_writes.pop(path, None)
        self.truncated_reads.discard(path)
        self.mentioned.discard(path)

    def forget_truncated_read(self, path: str) -> None:
        """Forget a file because the answer of its Read was truncated, and shows fewer lines than the call requested."""
        self.records.forget(path)
        self.truncated_reads.add(path)

    def forget_mentions(self) -> None:
        """Forget the files that the session knows only from a mention, because no call has read or written them."""
        for path in self.mentioned:
            self.records.forget(path)
        self.mentioned.clear()

    def outdated_paths(self, *, everything: bool = False) -> list[str]:
        """Return the paths of files that are newer than their records. Checks the files that the session wrote (in some
        versions, also files that it read) or, with `everything`, all known files. Each check counts as a use.
        """
        newer = []
        for path in self.records.newest_first():
            record = self.records.get(path)
            if record is None or not (
                everything or record.is_own or self.behaviours.memory.changed_reads_are_reread
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
        """Return the known files after a restart of the program, which reconstructs them from the conversation. The
        time of a record then counts as the file's modification time. Some versions forget partly read files.
        """
        behaviours = self.behaviours
        restored_records = []
        self.follow_named_paths()
        for path in (
            reversed(self.records.newest_first()) if behaviours.sessions.resume_keeps_known_files else ()
        ):
            record = self.records.get(path)
            record = self.unreported_writes.get(path, record)
            if (
                record is not None
                and (self._is_whole(record) or behaviours.sessions.resume_keeps_partial_reads)
                and (behaviours.sessions.resume_keeps_own_writes or not record.never_read)
                and (record.is_own or not path.endswith(".ipynb"))
            ):
                watched = behaviours.sessions.resume_takes_over_changes
                seen = record.is_seen and (
                    behaviours.sessions.resume_counts_edits_as_seen or not record.edited
                )
                noticed = (
                    behaviours.sessions.resume_reports_own_edits
                    and record.edited
                    and record.last_seen is not None
                )
                restored = replace(
                    record,
                    timestamp=0 if path in self.unreported_writes else record.recorded_at,
                    is_own=watched or (record.is_own and not record.edited),
                    requested_lines=None,
                    is_seen=seen,
                    write_count=0 if noticed else self.write_order.count,
                    text=record.last_seen if noticed else record.text,
                )
                restored_records.append((path, restored))
        return self._with_records(restored_records)

    def follow_named_paths(self) -> None:
        """Move the record of each Read that a hook redirected to the path that the model named, as a restart does. In
        some versions, a Read that a hook blocked gets a record, too.
        """
        read = {named: path for named, path in self.named_reads.items() if path is not None}
        records = {named: self.records.peek(path) for named, path in read.items()}
        for path in read.values():
            if (record := self.records.peek(path)) is not None and not record.is_own:
                self.records.forget(path)
        if self.behaviours.sessions.resume_counts_blocked_reads:
            blocked = self.named_reads.keys() - read.keys()
            records |= {
                named: Record(None, time.time_ns()) for named in blocked if self.records.peek(named) is None
            }
        for named, record in records.items():
            if record is not None and not record.is_own:
                self.records.put(named, record)
        self.named_reads.clear()

    def _is_whole(self, record: Record) -> bool:
        return record.requested_lines in (None, (1, self.behaviours.reading.default_line_limit))

    def without_files(self) -> Memory:
        """Return a copy that knows no files."""
        return self._with_records(())

    def _with_records(self, records: Iterable[tuple[str, Record]]) -> Memory:
        state = self.records.with_records(records)
        return Memory(self.root, self.behaviours, state, write_order=self.write_order)

    def latest_changed(self, count: int) -> list[str]:
        """Return the `count` known files with the latest recorded times, the latest (or most recently used) first."""

        def timestamp(path: str) -> int:
            record = self.records.peek(path)
            return 0 if record is None else record.timestamp

        return sorted(self.records.newest_first(), key=timestamp, reverse=True)[:count]

    def is_newer(self, path: str, record: Record) -> bool:
        """Whether a file was modified, or written by the session, after its record was made. Raises OSError."""
        return modified_at(path) > record.timestamp or self.write_order.has_newer_write(
            path, record.write_count
        )

    def has_later_time(self, path: str, record: Record, *, exact: bool = False) -> bool:
        """Whether a file's modification time is later than the recorded time, in whole milliseconds (`exact`:
        nanoseconds), or equal, but the session wrote the file again. Raises OSError for a missing file.
        """
        modified = modified_at(path, exact=exact)
        at_once = modified == record.timestamp and self.write_order.has_newer_write(path, record.write_count)
        return modified > record.timestamp or at_once

    def _record_key(self, path: str, raw_path: str) -> str:
        """Return the key of a file's record. In some versions, the key keeps the slash at the end of `raw_path`."""
        return (
            f"{path}/"
            if raw_path.endswith("/") and self.behaviours.memory.final_slash_is_part_of_the_key
            else path
        )

    def _read_time(self, path: str) -> int:
        """Return the time to record for a Read, in nanoseconds. A modification after this time counts as a change."""
        modified = modified_at(path, exact=self.behaviours.freshness.write_compares_sub_milliseconds)
        if not self.behaviours.freshness.staleness_uses_read_time:
            return modified
        # File times advance in ticks; a change within the same tick counts as later than the Read. A time less
        # than a tick from now has passed before the product, which is slower, checks the file.
        now = time.time_ns()
        return modified if now - _TICK_NS < modified < now + _TICK_NS else now - _TICK_NS


def modified_at(path: str, *, exact: bool = False) -> int:
    """Return the modification time of a file in nanoseconds, as whole milliseconds unless `exact`. Raises OSError."""
    seconds, nanoseconds = divmod(disk.modified_at(path), _NS_PER_SECOND)
    # The product stores times as doubles of milliseconds, which lose the last nanoseconds.
    milliseconds = seconds * 1000 + nanoseconds / _NS_PER_MS
    return int(Fraction(milliseconds) * _NS_PER_MS) if exact else math.floor(milliseconds) * _NS_PER_MS


def refuse_unread(memory: Memory, path: str, *, needs_read: bool, code: int) -> Record | None:
    """Return the record of a file. Without a record, raise Refusal if `needs_read`, otherwise return None."""
    record = memory.records.get(path)
    if record is None and needs_read:
        raise Refusal("not_read", NOT_READ, code=code)
    return record


def is_changed(memory: Memory, file: Snapshot, record: Record) -> bool:
    """Whether a file is newer than `record`, and its content differs from the recorded content (if recorded)."""
    exact = memory.behaviours.freshness.edit_compares_sub_milliseconds
    if not memory.has_later_time(file.path, record, exact=exact):
        return False
    return record.content is None or file.text != record.content


def refuse_stale(memory: Memory, file: Snapshot, *, needs_read: bool) -> Record | None:
    """Return the record of a file. Raises Refusal if the file has changed or, with `needs_read`, has no record."""
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
