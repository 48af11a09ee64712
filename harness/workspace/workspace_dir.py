"""Create directories for scenarios, take snapshots of the directories, and clear them afterwards."""

# Plain `os` calls on strings: they run once per path and step, and pathlib is several times slower.
# ruff: noqa: PTH119, PTH120

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from readfirst.harness.adapter_api import Permissions, Workspace
from readfirst.harness.processes.rmtree import destroy, empty
from readfirst.harness.processes.safe_open import open_directory
from readfirst.harness.processes.temp_dirs import Scratch
from readfirst.harness.suite.file_entry import Entry, RegularFile
from readfirst.harness.suite.hooks import hooks_for_scenario
from readfirst.harness.suite.repeated_text import map_texts
from readfirst.harness.suite.scenario import BUFFERS, Scenario, WorldEvent
from readfirst.harness.suite.unwrap_host_text import normalize_text
from readfirst.harness.workspace.contained_file import ScriptedEditor
from readfirst.harness.workspace.git import Repository
from readfirst.harness.workspace.guarded_directory import GuardedDirectory, SpoiltError, errors_as_spoilt
from readfirst.harness.workspace.mounts import Mounts
from readfirst.harness.workspace.snapshot import scan, snapshot
from readfirst.harness.workspace.world_events import WorldEventError, apply_git_changes, lay_out, perform

HOME = "$HOME/"
"""Prefix of paths in the session's home in snapshots. Not `~`, because a workspace may contain such a directory."""

TEMPORARY = "$TMPDIR/"
"""Prefix of the paths that a snapshot uses for files in the temporary directory of a session in a sandbox."""

_PROGRAM_STATE_PATTERN = re.compile(r"\.claude.*|\.npm|\.cache|\.config|\.local", re.DOTALL)
"""Names in the home directory that snapshots ignore, because programs such as npm store their state there."""

_AROUND_NAME, _HOME_NAME, _TMPDIR_NAME, _ROOT_NAME = "s", "h", "t", "w"
_BASE_ENTRY_PATTERN = re.compile(r"[0-9]+|\.lock|[ht]")
"""Names in a base directory that belong to the harness: workspaces, a lock, a shared server's directories."""

_CONVERSATIONS_PATTERN = re.compile(r"readfirst-conversations-[0-9]+")
"""Pattern of the reference's temporary directories for conversations, which a new process can resume."""


@dataclass(frozen=True, slots=True)
class WritableDirs:
    """The directories that a program in a sandbox may write to: its workspaces, its home, and its temporary files."""

    folder: Path
    home: Path
    temporary: Path

    @classmethod
    def of(cls, root: Path) -> WritableDirs:
        """Return the writable directories of a session in `root`, or of a server whose sessions are all in `root`."""
        folder = root.parents[1] if root.parent.name == _AROUND_NAME else root
        return cls(folder, folder / _HOME_NAME, folder / _TMPDIR_NAME)

    def make(self) -> None:
        """Create the directories that do not exist yet."""
        for path in (self.home, self.temporary):
            path.mkdir(exist_ok=True)


class WorkspaceDir:
    """The directory of one running scenario, with the workspace (`root`) and the home of the session (`home`). If
    `confined`, it also contains the temporary files of the session's programs.
    """

    def __init__(self, directory: str, *, confined: bool = False) -> None:
        self.directory = directory
        self.confined = confined
        self.around = f"{directory}/{_AROUND_NAME}"
        self.home = f"{directory}/{_HOME_NAME}"
        self.root = f"{self.around}/{_ROOT_NAME}"
        for path in (directory, self.around, self.home, self.root):
            _make(path)
        self.editor = ScriptedEditor(lambda: self.root)
        self.repository = Repository()
        self._mounts: Mounts | None = None
        base = os.path.dirname(directory)
        above = GuardedDirectory(
            directory,
            "../../",
            {_AROUND_NAME, _HOME_NAME, _TMPDIR_NAME if confined else _HOME_NAME}.__contains__,
            role="the directory two levels above its workspace",
        )
        around = GuardedDirectory(
            self.around,
            "../",
            lambda name: name == os.path.basename(self.root),
            role="the directory above its workspace",
        )
        self._own_directories = [above, around, GuardedDirectory(self.home, HOME, role="its home")]
        self._base_directory = GuardedDirectory(base, "../../../", _BASE_ENTRY_PATTERN.fullmatch)
        servers: list[GuardedDirectory] = []
        if confined:
            _make(f"{directory}/{_TMPDIR_NAME}")
            self._own_directories.append(
                GuardedDirectory(f"{directory}/{_TMPDIR_NAME}", TEMPORARY, _CONVERSATIONS_PATTERN.fullmatch)
            )
            servers = [
                GuardedDirectory(f"{base}/{_TMPDIR_NAME}", TEMPORARY, _CONVERSATIONS_PATTERN.fullmatch),
                GuardedDirectory(f"{base}/{_HOME_NAME}", HOME),
            ]
        self._watched_directories = (*self._own_directories, self._base_directory, *servers)

    def rename(self, name: str) -> None:
        """Rename the workspace to `name`, without moving it to a different directory."""
        renamed = f"{self.around}/{name}"
        if renamed != self.root:
            with open_directory(self.around) as around:
                os.rename(os.path.basename(self.root), name, src_dir_fd=around, dst_dir_fd=around)
            self.root = renamed

    def check(self) -> None:
        """Raise SpoiltError if an implementation replaced the home directory or a directory above the workspace."""
        for folder in self._own_directories:
            folder.check()

    def workspace(self, scenario: Scenario) -> Workspace:
        """Return the Workspace for the adapter: the directories, and the rules and hooks of the scenario."""
        return Workspace(
            root=Path(self.root),
            home=Path(self.home),
            deny=self._with_root_in_patterns(scenario.given.deny),
            needs=scenario.needs,
            relative=scenario.relative,
            hooks=hooks_for_scenario(scenario, self.root),
            permissions=self._permissions(scenario),
            editor=self.editor if BUFFERS in scenario.needs else None,
        )

    def _permissions(self, scenario: Scenario) -> Permissions | None:
        given = scenario.given.permissions
        if given is None:
            return None
        root = Path(self.root)
        additional = tuple(root / folder for folder in given.additional_directories)
        return Permissions(
            given.mode, root / given.working_directory, self._with_root_in_patterns(given.allow), additional
        )

    def _with_root_in_patterns(self, patterns: Iterable[str]) -> tuple[str, ...]:
        return tuple(pattern.replace("$WS", self.root) for pattern in patterns)

    def lay_out(self, files: Mapping[str, Entry]) -> None:
        """Create the given files of a scenario in the workspace, which must be empty."""
        lay_out(files, self.root)

    def perform(self, event: WorldEvent) -> None:
        """Change the workspace by an event, in the role of another program. Raises WorldEventError, SpoiltError."""
        self.check()
        if event.kind == "git":
            changed = self.repository.run(event.path, self.snapshot())
            apply_git_changes(changed, self.root, self.repository.time)
        elif event.kind in ("mount", "unmount"):
            self._mount(event)
        elif event.kind == "buffer" and isinstance(event.entry, RegularFile):
            self.editor.set_unsaved(event.path, event.entry)
        else:
            perform(event, self.root)

    @contextmanager
    def mounting(self) -> Iterator[None]:
        """Allow `mount` events in the `with` block. Raises UnsupportedCall if the system does not allow mounts."""
        self._mounts = Mounts()
        try:
            yield
        finally:
            self._mounts.close()
            self._mounts = None

    def _mount(self, event: WorldEvent) -> None:
        assert self._mounts is not None
        act = self._mounts.mount if event.kind == "mount" else self._mounts.unmount
        try:
            act(f"{self.root}/{event.path}")
        except OSError as error:
            raise WorldEventError(f"cannot {event.kind} {event.path}: {error.strerror}") from error

    def snapshot(self) -> dict[str, Entry]:
        """Take a snapshot of the workspace, of files next to or above it (`../name`), of the home directory
        (`$HOME/name`), and of the temporary files of a session in a sandbox (`$TMPDIR/name`). Raises SpoiltError, and
        OSError if the system lacks a resource.
        """
        with errors_as_spoilt("read the workspace"):
            added = [(folder, names) for folder in self._watched_directories if (names := folder.added())]
            entries = snapshot(self.root)
            for folder, names in added:
                program_state = (
                    filter(_PROGRAM_STATE_PATTERN.fullmatch, names) if folder.prefix == HOME else ()
                )
                scan(folder.path, folder.prefix, entries, self.root, names=names.difference(program_state))
            return self.editor.with_unsaved_texts(self._with_root_placeholder(entries))

    def _with_root_placeholder(self, entries: dict[str, Entry]) -> dict[str, Entry]:
        """Return the files of a snapshot. `$WS` replaces the workspace's absolute path inside a path of the workspace,
        which an implementation creates if it takes an absolute path for a relative path.
        """
        base = os.path.dirname(self.directory)
        if base not in "\n".join(entries):
            return entries
        above = (self.root, self.around, self.directory, base)
        for number, folder in enumerate(above):
            name = "/$WS" + "/.." * number
            entries = {path.replace(folder, name): entry for path, entry in entries.items()}
        return entries

    def with_root(self, value: Any) -> Any:
        """Return a call's arguments (JSON) with the absolute path of the workspace in place of `$WS`."""
        return map_texts(value, lambda text: text.replace("$WS", self.root))

    def with_placeholders(self, text: str) -> str:
        """Return an answer with placeholders, such as `$WS`, for values that depend on the machine."""
        return normalize_text(text, self.root, self.home)

    def clear(self) -> None:
        """Empty the workspace and its directories, so that the next scenario can use them. Raises OSError."""
        self.editor.clear()
        self.repository.close()
        for name in self._base_directory.added():
            destroy(f"{self._base_directory.path}/{name}")
        for folder in self._own_directories:
            if not folder.is_untouched():
                empty(folder.path, folder.added())
        try:
            empty(self.root)
        except OSError:  # another entry is in its place, or none
            empty(self.around)
            _make(self.root)


def _make(folder: str) -> None:
    above, name = os.path.split(folder)
    with open_directory(above) as parent:
        os.mkdir(name, 0o755, dir_fd=parent)


class WorkspacePool:
    """Creates workspaces for a run, in a new temporary directory. After a scenario, its workspace is cleared and used
    again. With `memory`, the directory is in memory if possible. `confined` means that the sessions run in a sandbox.
    """

    def __init__(self, *, confined: bool = False, memory: bool = False) -> None:
        self.keep: Callable[[str, WorkspaceDir], None] | None = None
        """Called after the last step of a scenario, with the scenario's id and its workspace."""
        self._confined = confined
        self._memory = memory
        self._scratch: list[Scratch] = []
        self._free: list[WorkspaceDir] = []
        self._created_count = 0
        self._lent_count = 0
        self._closed = False
        self._create_base()

    @contextmanager
    def site(self, *, unique: bool = False) -> Iterator[WorkspaceDir]:
        """Provide an empty workspace for one scenario. With `unique`, its path is never used again. At the end of the
        block, the workspace is cleared. Raises SpoiltError if this fails.
        """
        with errors_as_spoilt("prepare a workspace"):
            site = self._free.pop() if self._free else self._create_workspace()
            self._lent_count += 1
            site.rename(str(self._lent_count) if unique else _ROOT_NAME)
        try:
            yield site
        except BaseException:
            with suppress(SpoiltError, OSError):
                self._return(site)
            raise
        self._return(site)

    def close(self) -> None:
        """Remove all workspaces and their base directories."""
        self._free.clear()
        while self._scratch:
            self._scratch.pop().close()
        self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _return(self, site: WorkspaceDir) -> None:
        if self._closed or os.path.dirname(site.directory) != self.base:
            return  # it is removed with its base
        try:
            site.check()
            with errors_as_spoilt("clear the workspace"):
                site.clear()
        except (SpoiltError, OSError):
            with suppress(OSError):
                destroy(site.directory)
            self._create_base()
            raise
        self._free.append(site)

    def _create_base(self) -> None:
        """Create a new base directory for later workspaces."""
        self._free.clear()
        self._scratch.append(Scratch(memory=self._memory))
        self.base = str(self._scratch[-1].path)

    def _create_workspace(self) -> WorkspaceDir:
        has_new_base = False
        while True:
            self._created_count += 1
            try:
                return WorkspaceDir(f"{self.base}/{self._created_count}", confined=self._confined)
            except FileExistsError:
                continue
            except OSError:
                if has_new_base:
                    raise
                self._create_base()
                has_new_base = True
