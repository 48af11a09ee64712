"""Kept workspaces: those of failing scenarios, copied to a folder before they are cleared, to be looked into."""

from __future__ import annotations

import logging
import os
import shutil
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from readfirst.harness.processes.removal import destroy
from readfirst.harness.report import OutputError
from readfirst.harness.workspace.site import Site

__all__ = ["KeptWorkspaces", "open_folder"]

_LOG = logging.getLogger("readfirst")
_MARK = ".readfirst-kept"
"""The file that tells that what is in a folder is a run's, which the next run may replace."""


def open_folder(folder: Path) -> None:
    """Make the folder for what is kept. Raises OutputError for one that holds something else."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()) and not (folder / _MARK).is_file():
            raise OutputError(f"{folder} contains files of yours. Name a new or empty folder with --keep.")
        (folder / _MARK).touch()
    except OSError as error:
        raise OutputError(f"{folder} cannot be used by --keep: {error.strerror}.") from error


class KeptWorkspaces:
    """What is kept of a run, below `folder`: `FAMILY/SLUG/workspace`, and `home` beside it, if anything is there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def copy(self, scenario_id: str, site: Site) -> None:
        """Copy a workspace as it is after the last step; links stay links, and no file lends rights.

        What cannot be copied is logged."""
        target = self._folder / scenario_id
        with suppress(OSError):
            destroy(os.fspath(target))
        for source, name in ((site.root, "workspace"), (site.home, "home")):
            if name == "home" and not _has_something(source):
                continue
            try:
                shutil.copytree(
                    source, target / name, symlinks=True, ignore=_no_files, copy_function=_copy_file
                )
            except OSError as error:  # also shutil.Error, of several files
                _LOG.warning("%s: not all of the %s could be kept: %s", scenario_id, name, error)

    def drop(self, scenario_id: str) -> None:
        """Remove what `copy` copied."""
        target = self._folder / scenario_id
        with suppress(OSError):
            destroy(os.fspath(target))
            target.parent.rmdir()  # the family, if it is empty


def _copy_file(source: str, target: str) -> str:
    """Copy a file with its time and mode, but without the bits that lend its owner's rights to whoever runs it."""
    shutil.copyfile(source, target)
    status = os.stat(source)  # noqa: PTH116 - paths are strings here
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
    os.chmod(target, stat.S_IMODE(status.st_mode) & 0o777)  # noqa: PTH101
    return target


def _has_something(folder: str) -> bool:
    with suppress(OSError):
        return bool(os.listdir(folder))  # noqa: PTH208 - one plain look at many folders
    return False


def _no_files(folder: str, names: Sequence[str]) -> list[str]:
    """Return what is neither a file nor a directory nor a link: opening it could wait for ever."""
    kinds = {name: os.lstat(f"{folder}/{name}").st_mode for name in names}
    usual = (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK)
    return [name for name, mode in kinds.items() if not any(each(mode) for each in usual)]
