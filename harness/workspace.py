"""Workspace directories: lay out what a scenario gives, watch what becomes of it, clear up afterwards."""

# Plain `os` calls on strings: they run once per path and step, and pathlib takes several times as long.
# ruff: noqa: PTH101, PTH102, PTH103, PTH104, PTH106, PTH108, PTH119, PTH208

from __future__ import annotations

import os
import re
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from harness.entry import OLD_TIME, Directory, Entry, HardLink, RegularFile
from harness.scenario import Scenario, WorldEvent
from harness.session import Workspace
from harness.snapshot import changes, scan, snapshot
from harness.world import WorldEventError, create, perform

__all__ = ["HOME", "Place", "Site", "WorldEventError", "changes", "lay_out", "snapshot"]

HOME = "$HOME/"
"""What paths in the session's home begin with in a snapshot; `~` may be the name of a directory."""

_OF_THE_PRODUCT = tuple(f"{HOME}{name}" for name in (".claude", ".npm", ".cache", ".config", ".local"))
"""Where some versions, and programs that they start, keep their own state; it is no effect of a call."""

_TEMPORARY = re.compile(r"\.tmp\.[0-9]+\.[0-9a-f]{6,}")
"""The end of a temporary file's name: a process id and random digits."""

_AROUND, _HOME, _ROOT = "s", "h", "w"


def lay_out(files: Mapping[str, Entry], root: str | os.PathLike[str]) -> None:
    """Create the given files below `root`, an empty directory: exact bytes, modes, links and times.

    Every file and directory gets the fixed old time unless its own is stated. Hard links come after the files
    they name, and directories get mode and time last, so that none is spoilt by what is put into it.
    """
    top = os.fspath(root)
    later = []
    directories = {""}
    for path, entry in files.items():
        parent = path.rpartition("/")[0]
        while parent not in directories:
            directories.add(parent)
            os.makedirs(f"{top}/{parent}", exist_ok=True)
            parent = parent.rpartition("/")[0]
        if isinstance(entry, Directory):
            directories.add(path)
            os.makedirs(f"{top}/{path}", exist_ok=True)
        elif isinstance(entry, HardLink):
            later.append((path, entry))
        else:
            create(top, path, entry)
            time = OLD_TIME
            if isinstance(entry, RegularFile) and entry.mtime is not None:
                time = entry.mtime
            os.utime(f"{top}/{path}", (time, time), follow_symlinks=False)
    for path, entry in later:
        create(top, path, entry)
    for path in sorted(directories, reverse=True):
        target = f"{top}/{path}" if path else top
        given = files.get(path)
        mode = given.mode if isinstance(given, Directory) else None
        os.utime(target, (OLD_TIME, OLD_TIME))
        os.chmod(target, 0o755 if mode is None else mode)


class Site:
    """The directory of one scenario: a workspace `root`, alone in its folder, and the session's `home`."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.around = f"{directory}/{_AROUND}"
        self.home = f"{directory}/{_HOME}"
        self.root = f"{self.around}/{_ROOT}"
        for made in (directory, self.around, self.home, self.root):
            os.mkdir(made, 0o755)

    def rename(self, name: str) -> None:
        """Give the root another path, in the same folder."""
        renamed = f"{self.around}/{name}"
        os.rename(self.root, renamed)
        self.root = renamed

    def workspace(self, scenario: Scenario) -> Workspace:
        """Return what the adapter is told of this site and the scenario."""
        return Workspace(
            root=Path(self.root),
            home=Path(self.home),
            deny=tuple(rule.replace("$WS", self.root) for rule in scenario.given.deny),
            needs=scenario.needs,
            isolated=scenario.isolated,
            relative=scenario.relative,
        )

    def lay_out(self, files: Mapping[str, Entry]) -> None:
        """Create the given files below the root, which must be empty."""
        lay_out(files, self.root)

    def perform(self, event: WorldEvent) -> None:
        """Perform a world event. Raises WorldEventError."""
        perform(event, self.root)

    def snapshot(self) -> dict[str, Entry]:
        """Return the state of the workspace, of what lies beside it (`../name`) and at home (`$HOME/name`)."""
        entries = snapshot(self.root)
        if len(os.listdir(self.around)) > 1:
            strays: dict[str, Entry] = {}
            scan(self.around, "../", strays, self.root)
            own = "../" + os.path.basename(self.root)
            for path, entry in strays.items():
                if path != own and not path.startswith(own + "/"):
                    entries[path] = entry
        if os.listdir(self.home):
            below: dict[str, Entry] = {}
            scan(self.home, HOME, below, self.root)
            entries.update(
                (path, entry) for path, entry in below.items() if not path.startswith(_OF_THE_PRODUCT)
            )
        return entries

    def substituted(self, value: Any) -> Any:
        """Return a JSON value with the root's absolute path for `$WS` in all nested strings."""
        match value:
            case str():
                return value.replace("$WS", self.root)
            case list():
                return [self.substituted(item) for item in value]
            case Mapping():
                return {key: self.substituted(item) for key, item in value.items()}
            case _:
                return value

    def normalised(self, text: str) -> str:
        """Return the text with `$WS` for the root's absolute path, and one name for every temporary file."""
        return _TEMPORARY.sub(".tmp.N", text.replace(self.root, "$WS"))

    def clear(self) -> None:
        """Make the site as new, whatever was done to it. Raises OSError when something cannot be removed."""
        _empty(self.directory, keep=frozenset((_AROUND, _HOME)))
        for directory in (self.around, self.home):
            try:
                os.mkdir(directory, 0o755)
            except FileExistsError:
                _empty(directory, keep=frozenset((os.path.basename(self.root),)))
        try:
            os.mkdir(self.root, 0o755)
        except FileExistsError:
            _empty(self.root)


class Place:
    """A base directory below which every scenario gets a site of its own; sites are cleared and used again.

    The base is a fresh directory for temporary files unless one is named. Its path holds no symbolic links.
    """

    def __init__(self, base: Path | None = None) -> None:
        if base is not None:
            base.mkdir(parents=True, exist_ok=True)
        self.base = os.path.realpath(base if base is not None else tempfile.mkdtemp(prefix="readfirst-"))
        self._owns_base = base is None
        self._free: list[Site] = []
        self._made = 0
        self._lent = 0

    @contextmanager
    def site(self, *, unique: bool = False) -> Iterator[Site]:
        """Lend an empty site. `unique`: its root has a path that no other has; otherwise paths repeat."""
        site = self._free.pop() if self._free else self._new()
        self._lent += 1
        site.rename(str(self._lent) if unique else _ROOT)
        try:
            yield site
        finally:
            self._take_back(site)

    def close(self) -> None:
        """Remove every site, and the base if it was made here."""
        for site in self._free:
            _remove(site.directory)
        self._free.clear()
        if self._owns_base:
            os.rmdir(self.base)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take_back(self, site: Site) -> None:
        try:
            site.clear()
        except (OSError, RecursionError):
            _destroy(site.directory)
        else:
            self._free.append(site)

    def _new(self) -> Site:
        while True:
            self._made += 1
            try:
                return Site(f"{self.base}/{self._made}")
            except FileExistsError:
                continue


def _destroy(directory: str) -> None:
    """Remove what is nested too deeply for our own means."""
    subprocess.run(["chmod", "-R", "u+rwX", directory], stderr=subprocess.DEVNULL, check=False)
    subprocess.run(["rm", "-rf", directory], check=True)


def _remove(directory: str) -> None:
    _empty(directory)
    os.rmdir(directory)


def _empty(directory: str, keep: frozenset[str] = frozenset()) -> None:
    """Remove what is in a directory; a directory without permissions is given them first."""
    status = os.lstat(directory)
    if stat.S_IMODE(status.st_mode) & 0o700 != 0o700:
        os.chmod(directory, 0o755)
    with os.scandir(directory) as listing:
        found = list(listing)
    for entry in found:
        if not entry.is_dir(follow_symlinks=False):
            os.unlink(entry.path)
        elif entry.name not in keep:
            _empty(entry.path)
            os.rmdir(entry.path)
