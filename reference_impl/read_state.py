"""Read state: what the session knows of each file, and since when."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ReadState", "Record"]


@dataclass(frozen=True, slots=True)
class Record:
    """What was seen of a file: its content with `\\n` line ends, and its time of modification in milliseconds.

    `whole` tells that the content is the complete file and may stand in for the time when both are compared.
    """

    content: str
    timestamp: int
    whole: bool


class ReadState:
    """The records of one session by absolute path.

    With a `capacity`, the record used longest ago gives way to a new one. The order of use turns round at the
    end of each message, so it is usually the newest record that gives way to that of the next message.
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

    def replace(self, path: str, record: Record) -> None:
        """Remember a known file anew. This does not count as a use."""
        self._records[path] = record

    def items(self) -> list[tuple[str, Record]]:
        """Return all records; the list may be kept while records change."""
        return list(self._records.items())

    def end_message(self) -> None:
        """Turn the order of use round."""
        if self._capacity is not None:
            self._records = dict(reversed(self._records.items()))
