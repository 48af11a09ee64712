"""Write files all or nothing: a reader, and an interrupted writer, see the old bytes or the new."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

__all__ = ["write_all"]


def write_all(files: Mapping[Path, bytes]) -> None:
    """Replace every file's content, or none.

    All new contents are on disk before the first file is replaced; an interrupt (Ctrl-C) that comes while they
    are being replaced is kept until the last one is. Raises OSError.
    """
    staged: dict[Path, Path] = {}
    try:
        for path, data in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
            staged[path] = Path(name)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            staged[path].chmod(path.stat().st_mode & 0o7777 if path.exists() else 0o644)
        with _interrupts_kept():
            for path, temporary in staged.items():
                temporary.replace(path)
    finally:
        for temporary in staged.values():
            temporary.unlink(missing_ok=True)


@contextmanager
def _interrupts_kept() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kept: list[tuple[int, FrameType | None]] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: kept.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if kept and callable(before):
            before(*kept[0])
