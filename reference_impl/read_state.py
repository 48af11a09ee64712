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
    """The records of one session by absolute path."""

    def __init__(self) -> None:
        self._records: dict[str, Record] = {}

    def get(self, path: str) -> Record | None:
        """Return the record of a path, None if it was neither read nor written in this session."""
        return self._records.get(path)

    def put(self, path: str, record: Record) -> None:
        """Remember what was just read or written."""
        self._records[path] = record

    def items(self) -> list[tuple[str, Record]]:
        """Return all records; the list may be kept while records change."""
        return list(self._records.items())
