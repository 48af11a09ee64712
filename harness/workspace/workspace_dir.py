"""Workspace directories: create the given files, take snapshots, clear them afterwards."""

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
from readfirst.harness.processes.safe_open import opened
from readfirst.harness.processes.temp_dirs import Scratch
from readfirst.harness.suite.file_entry import Entry, RegularFile
from readfirst.harness.suite.hooks import hooks_of
from readfirst.harness.suite.repeated_text import with_texts
from readfirst.harness.suite.scenario import BUFFERS, Scenario, WorldEvent
from readfirst.harness.suite.unwrap_host_text import normalize_text
from readfirst.harness.workspace.contained_file import ScriptedEditor
from readfirst.harness.workspace.git import Repository
from readfirst.harness.workspace.guarded_directory import Folder, SpoiltError, spoiling
from readfirst.harness.workspace.mounts import Mounts
from readfirst.harness.workspace.snapshot import scan, snapshot
from readfirst.harness.workspace.world_events import WorldEventError, lay_out, make_true, perform

HOME = "$HOME/"
"""Prefix of paths in the session's home in a snapshot. A directory in the workspace may be named `~`."""

TEMPORARY = "$TMPDIR/"
"""Prefix of paths in the temporary directory of a confined session in a snapshot."""

_OWN_STATE = re.compile(r"\.claude.*|\.npm|\.cache|\.config|\.local", re.DOTALL)
"""Ignored names in the home, where programs store their state: the product, npm, and the XDG directories."""

_AROUND, _HOME, _TMPDIR, _ROOT = "s", "h", "t", "w"
_OF_A_BASE = re.compile(r"[0-9]+|\.lock|[ht]")
"""Names in a base directory: workspaces, a lock, and home and temporary directories of a shared server."""

_CONVERSATIONS = re.compile(r"readfirst-conversations-[0-9]+")
"""Name of the temporary directory where a served reference stores conversations that outlive its process."""


@dataclass(frozen=True, slots=True)
class WritableDirs:
    """The writable directories of a confined program: its workspace, home and temporary directory."""

    folder: Path
    home: Path
    temporary: Path

    @classmethod
    def of(cls, root: Path) -> WritableDirs:
        """Return the writable directories of a session in `root`, or of a server above all workspaces."""
        folder = root.parents[1] if root.parent.name == _AROUND else root
        return cls(folder, folder / _HOME, folder / _TMPDIR)

    def make(self) -> None:
        """Create missing directories."""
        for path in (self.home, self.temporary):
            path.mkdir(exist_ok=True)


class WorkspaceDir:
    """The directory of one scenario. It contains the workspace (`root`) and the home directory of the session
    (`home`).

    With `confined`, it also contains the temporary files of the session's programs. With `alone_in_base`, only the
    harness creates entries next to it.
    """

    def __init__(
        self,
        directory: str,
        *,
        confined: bool = False,
        alone_in_base: bool = False,
    ) -> None:
        self.directory = directory
        self.confined = confined
        self.around = f"{directory}/{_AROUND}"
        self.home = f"{directory}/{_HOME}"
        self.root = f"{self.around}/{_ROOT}"
        for made in (directory, self.around, self.home, self.root):
            _make(made)
        self.editor = ScriptedEditor(lambda: self.root)
        self.repository = Repository()
        self._mounts: Mounts | None = None
        base = os.path.dirname(directory)
        above = Folder(
            directory,
            "../../",
            {_AROUND, _HOME, _TMPDIR if confined else _HOME}.__contains__,
            role="the directory two levels above its workspace",
        )
        around = Folder(
            self.around,
            "../",
            lambda name: name == os.path.basename(self.root),
            role="the directory above its workspace",
        )
        self._own = [above, around, Folder(self.home, HOME, role="its home")]
        self._shared = [Folder(base, "../../../", _OF_A_BASE.fullmatch)] if alone_in_base else []
        servers: list[Folder] = []
        if confined:
            _make(f"{directory}/{_TMPDIR}")
            self._own.append(Folder(f"{directory}/{_TMPDIR}", TEMPORARY, _CONVERSATIONS.fullmatch))
            servers = [
                Folder(f"{base}/{_TMPDIR}", TEMPORARY, _CONVERSATIONS.fullmatch),
                Folder(f"{base}/{_HOME}", HOME),
            ]
        self._watched = (*self._own, *self._shared, *servers)

    def rename(self, name: str) -> None:
        """Rename the workspace, inside the same directory."""
        renamed = f"{self.around}/{name}"
        if renamed != self.root:
            with opened(self.around) as around:
                os.rename(os.path.basename(self.root), name, src_dir_fd=around, dst_dir_fd=around)
            self.root = renamed

    def check(self) -> None:
        """Raise SpoiltError if a directory above the workspace, or its home, was replaced."""
        for folder in self._own:
            folder.check()

    def workspace(self, scenario: Scenario) -> Workspace:
        """Return the Workspace for the adapter: the directories, and the rules and hooks of the scenario."""
        return Workspace(
            root=Path(self.root),
            home=Path(self.home),
            deny=self._place_rules(scenario.given.deny),
            needs=scenario.needs,
            relative=scenario.relative,
            hooks=hooks_of(scenario, self.root),
            permissions=self._permissions(scenario),
            editor=self.editor if BUFFERS in scenario.needs else None,
        )

    def _permissions(self, scenario: Scenario) -> Permissions | None:
        given = scenario.given.permissions
        if given is None:
            return None
        root = Path(self.root)
        further = tuple(root / folder for folder in given.additional_directories)
        return Permissions(
            given.mode, root / given.working_directory, self._place_rules(given.allow), further
        )

    def _place_rules(self, rules: Iterable[str]) -> tuple[str, ...]:
        return tuple(rule.replace("$WS", self.root) for rule in rules)

    def lay_out(self, files: Mapping[str, Entry]) -> None:
        """Create the given files below the root, which must be empty."""
        lay_out(files, self.root)

    def perform(self, event: WorldEvent) -> None:
        """Perform a world event. Raises WorldEventError, SpoiltError."""
        self.check()
        if event.kind == "git":
            changed = self.repository.changed_by(event.path, self.snapshot())
            make_true(changed, self.root, self.repository.time)
        elif event.kind in ("mount", "unmount"):
            self._mount(event)
        elif event.kind == "buffer" and isinstance(event.entry, RegularFile):
            self.editor.hold(event.path, event.entry)
        else:
            perform(event, self.root)

    @contextmanager
    def mounting(self) -> Iterator[None]:
        """Allow events to mount file systems below the workspace. Raises UnsupportedCall if the system cannot."""
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
        """Return the state of the workspace, of entries next to or above it (`../name`) and at home
        (`$HOME/name`).

        For a confined session also of its temporary files (`$TMPDIR/name`). Raises SpoiltError, and OSError if
        the system lacks a resource.
        """
        with spoiling("read the workspace"):
            added = [(folder, names) for folder in self._watched if (names := folder.added())]
            entries = snapshot(self.root)
            for folder, names in added:
                own = filter(_OWN_STATE.fullmatch, names) if folder.prefix == HOME else ()
                scan(folder.path, folder.prefix, entries, self.root, names=names.difference(own))
            return self.editor.seen(self._without_place(entries))

    def _without_place(self, entries: dict[str, Entry]) -> dict[str, Entry]:
        """Return the entries with `$WS` instead of the absolute path of the workspace inside their paths. Such paths
        are created if an implementation does not recognise an absolute path, for example after a space.
        """
        base = os.path.dirname(self.directory)
        if base not in "\n".join(entries):
            return entries
        above = (self.root, self.around, self.directory, base)
        for number, folder in enumerate(above):
            name = "/$WS" + "/.." * number
            entries = {path.replace(folder, name): entry for path, entry in entries.items()}
        return entries

    def substituted(self, value: Any) -> Any:
        """Return a JSON value with `$WS` in all nested strings replaced by the root's absolute path."""
        return with_texts(value, lambda text: text.replace("$WS", self.root))

    def normalised(self, text: str) -> str:
        """Return the text with replacements for parts that depend on the machine, such as the path of the workspace."""
        return normalize_text(text, self.root, self.home)

    def clear(self) -> None:
        """Make the workspace and its directories empty again, for the next scenario. Raises OSError."""
        self.editor.clear()
        self.repository.close()
        for folder in self._shared:
            for name in folder.added():
                destroy(f"{folder.path}/{name}")
        for folder in self._own:
            if not folder.is_untouched():
                empty(folder.path, folder.added())
        try:
            empty(self.root)
        except OSError:  # another entry is in its place, or none
            empty(self.around)
            _make(self.root)


def _make(folder: str) -> None:
    above, name = os.path.split(folder)
    with opened(above) as parent:
        os.mkdir(name, 0o755, dir_fd=parent)


class WorkspacePool:
    """Lends workspace directories, which are all in one base directory. After a scenario its workspace directory is
    cleared and used again.

    The base is a new temporary directory, unless `base` is given. Its path contains no symbolic links. If a workspace
    cannot be cleared, a new base replaces the former one. With `memory`, a new base is in memory if possible.
    `confined` applies to all workspaces. `keep` is called with the scenario's id and its workspace after the last step.
    """

    def __init__(
        self,
        base: Path | None = None,
        *,
        confined: bool = False,
        memory: bool = False,
    ) -> None:
        self.keep: Callable[[str, WorkspaceDir], None] | None = None
        self._confined = confined
        self._memory = memory
        self.base = ""
        self._named = base is not None
        self._scratch: list[Scratch] = []
        self._free: list[WorkspaceDir] = []
        self._made = 0
        self._lent = 0
        self._closed = False
        if base is None:
            self._move()
        else:
            base.mkdir(parents=True, exist_ok=True)
            self.base = os.path.realpath(base)

    @contextmanager
    def site(self, *, unique: bool = False) -> Iterator[WorkspaceDir]:
        """Lend an empty workspace. With `unique` its root has a path that is never reused.

        Raises SpoiltError at the end if the workspace could not be cleared; the next one is new.
        """
        with spoiling("prepare a workspace"):
            site = self._free.pop() if self._free else self._new()
            self._lent += 1
            site.rename(str(self._lent) if unique else _ROOT)
        try:
            yield site
        except BaseException:
            with suppress(SpoiltError, OSError):
                self._take_back(site)
            raise
        self._take_back(site)

    def close(self) -> None:
        """Remove every workspace. The base is also removed if this pool created it."""
        for site in self._free:
            if self._named:
                destroy(site.directory)
        self._free.clear()
        while self._scratch:
            self._scratch.pop().close()
        self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take_back(self, site: WorkspaceDir) -> None:
        if self._closed or os.path.dirname(site.directory) != self.base:
            return  # it is removed with its base
        try:
            site.check()
            with spoiling("clear the workspace"):
                site.clear()
        except (SpoiltError, OSError):
            with suppress(OSError):
                destroy(site.directory)
            self._move()
            raise
        self._free.append(site)

    def _move(self) -> None:
        """Create a new base for later workspaces, unless the base was given by its path."""
        if not self._named:
            self._free.clear()
            self._scratch.append(Scratch(memory=self._memory))
            self.base = str(self._scratch[-1].path)

    def _new(self) -> WorkspaceDir:
        moved = False
        while True:
            self._made += 1
            try:
                return WorkspaceDir(
                    f"{self.base}/{self._made}",
                    confined=self._confined,
                    alone_in_base=not self._named,
                )
            except FileExistsError:
                continue
            except OSError:
                if moved:
                    raise
                self._move()
                moved = True
