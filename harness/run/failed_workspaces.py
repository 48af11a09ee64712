"""Kept workspaces: those of failing scenarios, copied to a folder before they are cleared, to be looked into."""

import logging
import os
from contextlib import suppress
from pathlib import Path

from readfirst.harness.processes.rmtree import destroy
from readfirst.harness.report import OutputError
from readfirst.harness.suite.file_entry import Directory, RegularFile, Symlink
from readfirst.harness.workspace.guarded_directory import TooLargeError
from readfirst.harness.workspace.snapshot import snapshot
from readfirst.harness.workspace.workspace_dir import WorkspaceDir
from readfirst.harness.workspace.world_events import create

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

    def copy(self, scenario_id: str, site: WorkspaceDir) -> None:
        """Copy a workspace as it is after the last step; links stay links, and no file lends rights.

        What cannot be copied is logged."""
        target = self._folder / scenario_id
        with suppress(OSError):
            destroy(os.fspath(target))
        for source, name in ((site.root, "workspace"), (site.home, "home")):
            try:
                if name == "home" and not any(Path(source).glob("*")):
                    continue
                _copy(source, target / name)
            except (OSError, RecursionError, TooLargeError) as error:
                _LOG.warning("%s: not all of the %s could be kept: %s", scenario_id, name, error)

    def drop(self, scenario_id: str) -> None:
        """Remove what `copy` copied."""
        target = self._folder / scenario_id
        with suppress(OSError):
            destroy(os.fspath(target))
            target.parent.rmdir()  # the family, if it is empty


def _copy(source: str, target: Path) -> None:
    """Copy what a snapshot sees: past no link that somebody still puts there, and nothing that waits for ever.

    Files keep their times and modes, but not the bits that lend their owner's rights to whoever runs them.
    """
    target.mkdir(parents=True)
    root = os.path.realpath(target)
    found = sorted(snapshot(source).items())
    for path, entry in found:
        match entry:
            case RegularFile(mode=mode, stamp=stamp):
                plain = RegularFile(entry.content, (mode or 0) & 0o777)
                create(root, path, plain, time=None if stamp is None else stamp.mtime_ns)
            case Symlink() | Directory():
                create(root, path, entry if isinstance(entry, Symlink) else Directory())
    for path, entry in reversed(found):
        if isinstance(entry, Directory) and entry.mode is not None:
            (target / path).chmod(entry.mode & 0o777)
