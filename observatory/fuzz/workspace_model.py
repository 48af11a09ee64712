"""Estimate the state of a workspace during a generated scenario. Used to generate calls about existing files."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from readfirst.harness.suite.event_kinds import apply_event
from readfirst.harness.suite.file_entry import (
    Directory,
    Entry,
    HardLink,
    RegularFile,
    Seconds,
    data_of,
    resolved_links,
)
from readfirst.harness.suite.scenario import ToolCall, WorldEvent

_STALE = frozenset(
    f"{what}, newer{much}" for what in ("content", "time") for much in ("", " by less than a second")
)


@lru_cache(maxsize=8)
def _decode_text(data: bytes) -> str:
    encoding = "utf-16-le" if data.startswith(b"\xff\xfe") else "utf-8"
    return data.decode(encoding, "replace").replace("\r\n", "\n")


@dataclass
class WorkspaceModel:
    """Estimates the files of a workspace after each step, without executing the steps."""

    entries: dict[str, Entry | None] = field(default_factory=dict)  # None: removed
    hard: set[str] = field(default_factory=set)  # files with several names (hard links)
    # known files: read as a `whole` or in `part`, or written by the session (`own`)
    known: dict[str, str] = field(default_factory=dict)
    # the last change of a known file by another program
    changed: dict[str, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)  # paths whose last call was probably refused
    sure: set[str] = field(default_factory=set)  # paths that certainly exist

    def add_files(self, files: Mapping[str, Entry]) -> None:
        """Add files that the workspace contains at the start of the scenario."""
        for path, entry in files.items():
            if not isinstance(entry, Directory):
                self.sure.add(path)
            if isinstance(entry, HardLink):
                self.hard |= {path, entry.to}
                entry = files.get(entry.to, RegularFile(b""))
            if isinstance(entry, RegularFile):
                entry = RegularFile(entry.data, entry.mode)  # a long text is repeated once
            self.entries[path] = entry

    def is_a(self, path: str, kind: type[Entry]) -> bool:
        """Whether the entry at the path is of the class `kind`. Links are not followed."""
        return isinstance(self.entries.get(path), kind)

    def exists(self, path: str) -> bool:
        """Whether an entry exists at the path. Links are not followed."""
        return self.entries.get(path) is not None

    def has_folder(self, path: str) -> bool:
        """Whether the directory that contains the path exists."""
        folder = path.rpartition("/")[0]
        return (
            not folder
            or self.is_a(folder, Directory)
            or any(each.startswith(f"{folder}/") for each in self.sure)
        )

    def resolved(self, path: str) -> str:
        """Follow the symbolic links in a path, and return the resulting path."""
        return resolved_links(path, self.entries) or path

    def is_fresh(self, path: str) -> bool:
        """Whether an Edit is probably allowed: the session knows the current content, or the file is missing."""
        return not self.is_a(path, RegularFile) or self._knows_current_content(path)

    def text(self, path: str) -> str:
        """Return the text of a file as a model sees it, with `\\n` line ends. Empty for a missing file."""
        return _decode_text(data_of(self.entries.get(self.resolved(path))) or b"")

    def call(self, call: ToolCall, path: str) -> None:
        """Update the estimated state as a call about `path` would change it."""
        key, path = path, self.resolved(path)
        arguments, before = call.arguments, self.text(key)
        exists = self.is_a(path, RegularFile)
        old, new = arguments.get("old_string"), arguments.get("new_string")
        self.refused.discard(key)
        match call.tool:
            case "Read" if exists:
                self.known[key] = "part" if {"offset", "limit"} & arguments.keys() else "whole"
                self.changed.pop(key, None)
            case "Write" if isinstance(arguments.get("content"), str) and (
                not exists or self._knows_current_content(key)
            ):
                self._set_content(path, key, arguments["content"])
            case "Edit" if isinstance(old, str) and isinstance(new, str):
                if not old and not before:
                    self._set_content(path, key, new)
                elif old and self._knows_current_content(key) and old in before:
                    count = -1 if arguments.get("replace_all") else 1
                    self._set_content(path, key, before.replace(old, new, count))
                else:
                    self.refused.add(key)
                    if self.changed.get(key) in _STALE:
                        del self.changed[key]
            case _:
                self.refused.add(key)

    def event(self, event: WorldEvent) -> None:
        """Update the estimated state as a change by another program would change it."""
        follows_links = event.kind in ("modify", "touch", "chmod")
        apply_event(replace(event, path=self.resolved(event.path)) if follows_links else event, self.entries)
        match event.kind:
            case "modify":
                self.sure.add(event.path)
            case "delete":
                self.sure.discard(event.path)
            case "rename":
                self.sure = {*self.sure - {event.path}, event.to or ""}
        changed = {"modify": "content", "touch": "time"}.get(event.kind)
        if changed and event.path in self.known:
            self.changed[event.path] = _change_condition(changed, event.mtime)

    def _knows_current_content(self, key: str) -> bool:
        return key in self.known and self.changed.get(key) not in _STALE

    def _set_content(self, path: str, key: str, text: str) -> None:
        former = self.entries.get(path)
        before = data_of(former) or b""
        encoding = "utf-16-le" if before.startswith(b"\xff\xfe") else "utf-8"
        if before.count(b"\r\n") * 2 > before.count(b"\n"):
            text = text.replace("\n", "\r\n")
        mode = former.mode if isinstance(former, RegularFile) else None
        self.entries[path] = RegularFile(text.encode(encoding, "replace"), mode)
        self.known[key] = "own"
        self.changed.pop(key, None)


def _change_condition(what: str, mtime: Seconds | None) -> str:
    if not mtime:
        return f"{what}, same time"
    if mtime < 0:
        return f"{what}, older"
    return f"{what}, newer" if mtime >= 1 else f"{what}, newer by less than a second"
