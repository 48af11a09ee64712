"""Cache of the last file that was read: scenarios and contracts often need one file several times in a row."""

import os
import time
from pathlib import Path

from readfirst.harness.yaml_io import strict_yaml

_CLOCK_TICK_NS = 100_000_000
"""Minimum age of a file for caching it, in nanoseconds. It is much longer than the resolution of file system clocks."""


class LastFileCache:
    """Reads files of a suite. The last file that was read is cached until it changes."""

    def __init__(self, suite: Path, max_bytes: int = strict_yaml.MAX_BYTES) -> None:
        self._suite = suite
        self._max_bytes = max_bytes
        self._last: tuple[tuple[object, ...], bytes] = (), b""

    def read(self, path: Path) -> bytes | None:
        """Return a file's bytes, or None (missing). Raises SuiteError for a link, and as `strict_yaml.read`."""
        try:
            status = os.lstat(path)  # a link has another inode than the file that was read
        except (OSError, ValueError):
            strict_yaml.refuse_links(path, self._suite)
            return None
        state = (path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if self._last[0] != state:
            strict_yaml.refuse_links(path, self._suite)
            # A second change within a tick of the clock is not visible, so a new file is not cached.
            is_settled = time.time_ns() - status.st_ctime_ns > _CLOCK_TICK_NS
            self._last = state if is_settled else (), strict_yaml.read(path, most=self._max_bytes)
        return self._last[1]
