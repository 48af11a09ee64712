"""Inside: a regular file of a workspace, opened so that no link that somebody put there leads elsewhere."""

from __future__ import annotations

import os
import stat

from readfirst.harness.processes.footing import opened
from readfirst.harness.workspace.snapshot import MAXIMUM_FILE_SIZE


def name_inside(root: str, path: str) -> str:
    """Return a path, behind all links, relative to the workspace. Raises ValueError for one that leads elsewhere."""
    real = os.path.realpath(os.path.join(root, path))  # noqa: PTH118 - as it is given, then followed
    if not real.startswith(root + "/"):
        raise ValueError(f"{path} is not in the folder that is open")
    return real[len(root) + 1 :]


def open_inside(root: str, name: str, how: int) -> int:
    """Open a regular file by what `name_inside` said. Raises OSError, ValueError if something else stands there now."""
    folder, _, last = f"{root}/{name}".rpartition("/")
    with opened(folder, make=bool(how & os.O_CREAT)) as at:
        descriptor = os.open(last, how | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644, dir_fd=at)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise ValueError(f"{name} is no regular file")


def read_inside(root: str, path: str) -> bytes:
    """Return what a file holds. Raises OSError, ValueError, also for one that is too large to be looked at."""
    root = os.path.realpath(root)
    with os.fdopen(open_inside(root, name_inside(root, path), os.O_RDONLY), "rb") as file:
        data = file.read(MAXIMUM_FILE_SIZE + 1)
    if len(data) > MAXIMUM_FILE_SIZE:
        raise ValueError(f"{path} has more than {MAXIMUM_FILE_SIZE} bytes")
    return data
