"""Read state: what the session knows of each file, and since when."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ReadState", "Record"]


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of a file: its time of modification in nanoseconds, and its content with `\\n` line ends.

    The content is that of the whole file and may stand in for the time when both are compared; None if it may not.
    `own`: an Edit, Write or NotebookEdit made it. `seen`: the model knows every line of it, having read or written it.
    `asked`: offset and limit of the Read of lines that made it, in the message of that number. `writes`: how often the
    session had written files by then.
    """

    content: str | None
    timestamp: int
    own: bool = False
    seen: bool = False
    asked: tuple[float, float | None] | None = None
    message: int = 0
    writes: int = 0


class ReadState:
    """The records of one session by absolute path.

    With a `capacity`, the record used longest ago gives way to a new one.
    """

    def __init__(self, capacity: int | None = None) -> None:
        self._capacity = capacity
        self._records: dict[str, Record] = {}

    def get(self, path: str) -> Record | None:
        """Return the record of a path, None if the session does not know the file. This counts as a use."""
        record = self._records.pop(path, None)
        if record is not None:
            self._records[path] = record
        return record

    def put(self, path: str, record: Record) -> None:
        """Remember what was just read or written."""
        self._records.pop(path, None)
        self._records[path] = record
        if self._capacity is not None and len(self._records) > self._capacity:
            del self._records[next(iter(self._records))]

    def newest_first(self) -> list[str]:
        """Return the known paths, the one used last first."""
        return list(reversed(self._records))
