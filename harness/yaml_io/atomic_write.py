"""Write files all or nothing: a reader, and an interrupted or killed writer, see the old bytes or the new."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType

_SUFFIX = ".unfinished"


class Staged:
    """A new file that waits beside the one that it is to replace; `stream` takes its bytes.

    It is locked: what a killed writer left waiting is removed by the next one of the same file. Raises OSError, also
    where there is something that is no file: root would put one in the place of `/dev/null`.
    """

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_file():
            raise OSError(errno.EEXIST, "what is there is no file", str(path))
        _remove_abandoned(path)
        self._target = path
        while True:
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-", suffix=_SUFFIX)
            self._path = Path(name)
            self.stream = os.fdopen(handle, "wb")
            with suppress(OSError):  # a file system without locks: nobody removes anything
                fcntl.flock(handle, fcntl.LOCK_EX)
            if self._path.exists():
                return
            self.stream.close()  # it was taken for abandoned before it could be locked

    def finish(self) -> None:
        """Write everything to the disk, with the mode of the file that is there. Raises OSError."""
        self.stream.flush()
        mode = self._target.stat().st_mode & 0o7777 if self._target.exists() else 0o644
        os.fchmod(self.stream.fileno(), mode)

    def replace(self) -> None:
        """Put it in the place of the other."""
        self._path.replace(self._target)

    def create(self) -> None:
        """Give it the other's name, which nothing has yet. Raises FileExistsError, OSError."""
        self._target.hardlink_to(self._path)  # unlike a rename it never replaces

    def __enter__(self) -> Staged:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # on a full disk closing fails, too
            self.stream.close()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def write_all(files: Mapping[Path, bytes]) -> None:
    """Replace every file's content, or none; in the order in which they are given.

    All new contents are on disk before the first file is replaced; an interrupt (Ctrl-C) that comes while they
    are being replaced is kept until the last one is. Raises OSError.
    """
    with ExitStack() as stack:
        staged = []
        for path, data in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            each = stack.enter_context(Staged(path))
            try:
                each.stream.write(data)
                each.finish()
            except OSError as error:  # of a full disk, which does not say what was to be written
                error.filename = error.filename or str(path)
                raise
            staged.append(each)
        with _interrupts_kept():
            for each in staged:
                each.replace()


def _remove_abandoned(path: Path) -> None:
    name = re.compile(re.escape(f".{path.name}-") + "[a-z0-9_]{8}" + re.escape(_SUFFIX))
    with suppress(OSError), os.scandir(path.parent) as listing:
        found = [Path(entry.path) for entry in listing if name.fullmatch(entry.name)]
        for each in found:
            with suppress(OSError), each.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its writer lives
                each.unlink()


def write_new(path: Path, data: bytes) -> None:
    """Write a file that is not there yet, whole or not at all. Raises FileExistsError, OSError."""
    with Staged(path) as staged:
        staged.stream.write(data)
        staged.finish()
        staged.create()


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
