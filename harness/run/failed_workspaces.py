"""Copy the workspaces of failing scenarios to a directory before they are cleared. Used for the option `--keep`."""

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
_MARK_FILE = ".readfirst-kept"
"""File that marks the directory of `--keep` as created by a run, so that the next run may replace its content."""


def prepare_directory(directory: Path) -> None:
    """Create or reuse the directory of `--keep`. Raises OutputError if it has files, but no run created it."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if any(directory.iterdir()) and not (directory / _MARK_FILE).is_file():
            raise OutputError(f"{directory} contains other files. Name a new or empty directory with --keep.")
        (directory / _MARK_FILE).touch()
    except OSError as error:
        raise OutputError(f"{directory} cannot be used by --keep: {error.strerror}.") from error


class FailedWorkspaces:
    """Keeps copies of workspaces of failed scenarios: `FAMILY/SLUG/workspace` and, if not empty, `FAMILY/SLUG/home`."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def copy(self, scenario_id: str, site: WorkspaceDir) -> None:
        """Copy a workspace after its replay, without setuid and setgid bits. A failure is logged as a warning."""
        target = self._directory / scenario_id
        with suppress(OSError):
            destroy(os.fspath(target))
        for source, name in ((site.root, "workspace"), (site.home, "home")):
            try:
                if name == "home" and not any(Path(source).glob("*")):
                    continue
                _copy_snapshot(source, target / name)
            except (OSError, RecursionError, TooLargeError) as error:
                _LOG.warning("%s: not all of the %s could be kept: %s", scenario_id, name, error)

    def remove(self, scenario_id: str) -> None:
        """Remove the copy of a scenario, because the scenario did not fail."""
        target = self._directory / scenario_id
        with suppress(OSError):
            destroy(os.fspath(target))
            target.parent.rmdir()  # the directory of the family, if it is empty


def _copy_snapshot(source: str, target: Path) -> None:
    """Copy a snapshot of a directory with times and modes, but without setuid and setgid. Links are not followed."""
    target.mkdir(parents=True)
    root = os.path.realpath(target)
    entries = sorted(snapshot(source).items())
    for path, entry in entries:
        match entry:
            case RegularFile(mode=mode, stamp=stamp):
                copied = RegularFile(entry.content, (mode or 0) & 0o777)
                create(root, path, copied, time=None if stamp is None else stamp.mtime_ns)
            case Symlink() | Directory():
                create(root, path, entry if isinstance(entry, Symlink) else Directory())
    for path, entry in reversed(entries):
        if isinstance(entry, Directory) and entry.mode is not None:
            (target / path).chmod(entry.mode & 0o777)
