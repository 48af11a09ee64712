"""Sketch: what a workspace probably holds while a scenario is generated, so that calls can be about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from readfirst.harness.suite.file_entry import Directory, Entry, HardLink, RegularFile, Seconds, Symlink
from readfirst.harness.suite.scenario import ToolCall, WorldEvent

_STALE = frozenset(
    f"{what}, newer{much}" for what in ("content", "time") for much in ("", " by less than a second")
)


@lru_cache(maxsize=8)
def _shown(data: bytes) -> str:
    encoding = "utf-16-le" if data.startswith(b"\xff\xfe") else "utf-8"
    return data.decode(encoding, "replace").replace("\r\n", "\n")


@dataclass
class WorkspaceModel:
    """Follows the steps roughly: no rule is judged here, a wrong guess only makes later steps less telling.

    `files` maps the path of each regular file to its bytes; `links` each symbolic link to its target in the
    workspace; `modes` holds the modes that are stated, `hard` what has several names. `known` maps what was read or
    written to how (`whole`, `part`, `own`), `changed` to what happened to it since; `refused` holds what the last
    call about was probably refused.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    directories: set[str] = field(default_factory=set)
    modes: dict[str, int] = field(default_factory=dict)
    hard: set[str] = field(default_factory=set)
    known: dict[str, str] = field(default_factory=dict)
    changed: dict[str, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    sure: set[str] = field(default_factory=set)

    def give(self, files: Mapping[str, Entry]) -> None:
        """Take the given files over."""
        self.sure |= {path for path, entry in files.items() if not isinstance(entry, Directory)}
        for path, entry in files.items():
            match entry:
                case RegularFile():
                    self.files[path] = entry.data
                    if entry.mode is not None:
                        self.modes[path] = entry.mode
                case HardLink(to):
                    self.files[path] = self.files.get(to, b"")
                    self.hard |= {path, to}
                case Symlink(target):
                    self.links[path] = target.removeprefix("$WS/")
                case Directory():
                    self.directories.add(path)
                case _:
                    pass

    def exists(self, path: str) -> bool:
        """Tell whether the path itself is there."""
        return path in self.files or path in self.links or path in self.directories

    def has_folder(self, path: str) -> bool:
        """Tell whether the folder of a path is there."""
        folder = path.rpartition("/")[0]
        return (
            not folder
            or folder in self.directories
            or any(each.startswith(f"{folder}/") for each in self.sure)
        )

    def is_fresh(self, path: str) -> bool:
        """Tell whether the file is known as it is, so that it may be changed; so is one that is not there."""
        if path not in self.files:
            return True
        return path in self.known and self.changed.get(path) not in _STALE

    def text(self, path: str) -> str:
        """Return what a model sees of a file, with `\\n` line ends; empty where there is none."""
        return _shown(self.files.get(self.links.get(path, path), b""))

    def call(self, call: ToolCall, path: str) -> None:
        """Follow a call about `path`."""
        key = path
        path = self.links.get(path, path)
        arguments = call.arguments
        fits = key in self.known and self.changed.get(key) not in _STALE
        self.refused.discard(key)
        match call.tool:
            case "Read" if path in self.files:
                self.known[key] = "part" if {"offset", "limit"} & arguments.keys() else "whole"
                self.changed.pop(key, None)
            case "Write" if isinstance(arguments.get("content"), str) and (path not in self.files or fits):
                self._write(path, key, arguments["content"])
            case "Edit" if isinstance(arguments.get("old_string"), str) and isinstance(
                arguments.get("new_string"), str
            ):
                old, new = arguments["old_string"], arguments["new_string"]
                before = self.text(path)
                if old == "" and not before:
                    self._write(path, key, new)
                elif old and fits and old in before:
                    self._write(
                        path, key, before.replace(old, new, -1 if arguments.get("replace_all") else 1)
                    )
                else:
                    self.refused.add(key)
                    if self.changed.get(key) in _STALE:
                        del self.changed[key]
            case _:
                self.refused.add(key)

    def event(self, event: WorldEvent) -> None:
        """Follow a world event."""
        path = self.links.get(event.path, event.path)
        match event.kind:
            case "modify" if isinstance(event.entry, RegularFile):
                self.sure.add(event.path)
                self.files[path] = event.entry.data
                if event.entry.mode is not None:
                    self.modes[path] = event.entry.mode
                if event.path in self.known:
                    self.changed[event.path] = _change("content", event.mtime)
            case "touch" if event.path in self.known:
                self.changed[event.path] = _change("time", event.mtime)
            case "chmod" if event.mode is not None:
                self.modes[path] = event.mode
            case "delete":
                self.sure.discard(event.path)
                self.files.pop(event.path, None)
                self.links.pop(event.path, None)
                self.directories.discard(event.path)
            case "rename" if event.to is not None:
                self.sure = {*self.sure - {event.path}, event.to}
                if event.path in self.files:
                    self.files[event.to] = self.files.pop(event.path)
                elif event.path in self.links:
                    self.links[event.to] = self.links.pop(event.path)
            case "symlink" if isinstance(event.entry, Symlink):
                self.links[event.path] = event.entry.target.removeprefix("$WS/")
            case "mkdir":
                self.directories.add(event.path)
            case "modify" | "touch" | "chmod" | "rename" | "symlink":
                pass
            case _:
                raise ValueError(f"a generated session has no event {event.kind!r}")

    def _write(self, path: str, key: str, text: str) -> None:
        before = self.files.get(path, b"")
        encoding = "utf-16-le" if before.startswith(b"\xff\xfe") else "utf-8"
        if before.count(b"\r\n") * 2 > before.count(b"\n"):
            text = text.replace("\n", "\r\n")
        self.files[path] = text.encode(encoding, "replace")
        self.known[key] = "own"
        self.changed.pop(key, None)


def _change(what: str, mtime: Seconds | None) -> str:
    if not mtime:
        return f"{what}, same time"
    if mtime < 0:
        return f"{what}, older"
    return f"{what}, newer" if mtime >= 1 else f"{what}, newer by less than a second"
