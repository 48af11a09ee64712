"""Write files atomically: other programs read the old or the new bytes, even if the writer is interrupted or killed."""

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


class StagedFile:
    """A temporary file that will replace a file. The caller writes the new content to `stream`. Earlier temporary files
    of processes that were killed are removed. Raises OSError, also if the target exists and is not a regular file.
    """

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_file():  # root could otherwise replace /dev/null
            raise OSError(errno.EEXIST, "the path exists and is not a regular file", str(path))
        _remove_abandoned(path)
        self._target = path
        while True:
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-", suffix=_SUFFIX)
            self._path = Path(name)
            self.stream = os.fdopen(handle, "wb")
            with suppress(OSError):  # the file system does not support locks: files are not removed
                fcntl.flock(handle, fcntl.LOCK_EX)
            if self._path.exists():
                return
            self.stream.close()  # another process removed it before it could be locked

    def finish(self) -> None:
        """Write buffered content, and set the mode that the target has (0644 if it does not exist). Raises OSError."""
        self.stream.flush()
        mode = self._target.stat().st_mode & 0o7777 if self._target.exists() else 0o644
        os.fchmod(self.stream.fileno(), mode)

    def replace(self) -> None:
        """Replace the target file by the temporary file."""
        self._path.replace(self._target)

    def create(self) -> None:
        """Create the target from the temporary file. Raises FileExistsError if the target exists, and OSError."""
        self._target.hardlink_to(self._path)  # unlike a rename it never replaces

    def __enter__(self) -> StagedFile:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # on a full disk closing fails, too
            self.stream.close()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def write_all(files: Mapping[Path, bytes]) -> None:
    """Write all files in the given order. If an error occurs before the first file is replaced, no file is changed. An
    interrupt (Ctrl-C) during the replacement takes effect afterwards. Raises OSError.
    """
    with ExitStack() as stack:
        staged = []
        for path, data in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context(StagedFile(path))
            try:
                file.stream.write(data)
                file.finish()
            except OSError as error:  # for a full disk, whose error does not name the file
                error.filename = error.filename or str(path)
                raise
            staged.append(file)
        with _delay_interrupts():
            for file in staged:
                file.replace()


def _remove_abandoned(path: Path) -> None:
    """Remove the temporary files for `path` that remain from processes that were killed while they wrote it."""
    name = re.compile(re.escape(f".{path.name}-") + "[a-z0-9_]{8}" + re.escape(_SUFFIX))
    with suppress(OSError), os.scandir(path.parent) as listing:
        for file in [Path(entry.path) for entry in listing if name.fullmatch(entry.name)]:
            with suppress(OSError), file.open("rb") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its writer runs
                file.unlink()


@contextmanager
def _delay_interrupts() -> Iterator[None]:
    """Delay an interrupt (Ctrl-C) until the `with` block ends, so that all operations in the block are executed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupts: list[tuple[int, FrameType | None]] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: interrupts.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if interrupts and callable(handler):
            handler(*interrupts[0])
