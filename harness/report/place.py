"""Place: where something stands, as a path that the reader can use from where they are."""

from __future__ import annotations

import os
from pathlib import Path

from readfirst.harness.source.finding import Position


def short_path(path: Path) -> str:
    """Return the path relative to the current directory, or absolute where that is shorter."""
    try:
        absolute = os.path.abspath(path)  # noqa: PTH100 - links stay as they were written
        relative = os.path.relpath(absolute)
    except (OSError, ValueError):  # the current directory is gone, or on another drive
        return str(path)
    return relative if len(relative) < len(absolute) else absolute


def short_place(position: Position) -> str:
    """Return `file:line:column`, the file as `short_path` has it."""
    return f"{short_path(position.file)}:{position.line}:{position.column}"
