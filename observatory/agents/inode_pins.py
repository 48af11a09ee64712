"""Keep the files of past scenarios open, so that an agent cannot confuse later files with them."""

import contextlib
import os
import resource
from pathlib import Path

_FLAGS = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST = 4096


class HeldFiles:
    """Keeps the files of earlier scenarios open while an agent runs, so that new files do not reuse their inodes. Some
    agents recognise a file by its inode.
    """

    def __init__(self) -> None:
        self._held: dict[tuple[int, int], int] = {}
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = _MOST if hard == resource.RLIM_INFINITY else min(_MOST, hard)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))

    def __len__(self) -> int:
        return len(self._held)

    def hold(self, root: Path) -> None:
        """Open every regular file below `root` that is not open yet. Files that cannot be opened are skipped."""
        # An agent may have put a link in the place of the folder itself: `os.walk` would follow it.
        with contextlib.suppress(OSError):
            for _, _, names, folder in os.fwalk(root):
                for name in names:
                    with contextlib.suppress(OSError):
                        status = os.lstat(name, dir_fd=folder)
                        key = (status.st_dev, status.st_ino)
                        if key not in self._held:
                            self._held[key] = os.open(name, _FLAGS, dir_fd=folder)

    def release(self) -> None:
        """Close all files that `hold` opened, so that the system may reuse their inodes."""
        while self._held:
            os.close(self._held.popitem()[1])
