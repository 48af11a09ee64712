"""Implementations that forget a setting, or begin to spoil a property of files, after an event."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from altered import Agent, Altered, Arguments, BackgroundAgent

from readfirst.harness.adapter_api import ToolResult
from readfirst.reference_impl import FileTools


def begins_after(method: str, *events: str) -> Callable[..., Any]:
    """Return the correct method. If the class's event is in `events`, the mistake begins after this call."""

    def called(self: AfterAnEvent, *given: Any) -> Any:
        result = getattr(Altered, method)(self, *given)
        if self.event in events:
            self.start_mistake()
        return result

    return called


class AfterAnEvent(Altered):
    """Like the reference until `event`, which calls `begin`; from then on `spoil` follows each change of a file."""

    event = ""
    has_begun = False

    @staticmethod
    def begin(tools: FileTools) -> None:
        """Make the tools forget a setting. By default, nothing is forgotten."""

    @staticmethod
    def spoil(path: Path, before: tuple[bytes, int, bool]) -> None:
        """Spoil a changed file, given its bytes, its mode and whether it is a link before the change."""

    def start_mistake(self) -> None:
        self.has_begun = True
        type(self).begin(self.tools)

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        before = state_of(self.path(arguments))
        if self.event in ("during", "hook") or (self.event == "repository" and self._is_on_another_branch()):
            self.has_begun = True
        result = self.reference(tool, arguments, interfere)
        self.spoil_after(tool, arguments, before, result)
        if self.event == "command" and tool == "Bash":
            self.start_mistake()
        return result

    def _is_on_another_branch(self) -> bool:
        head = self.workspace.root / ".git" / "HEAD"
        return head.is_file() and "main" not in head.read_text()

    def spoil_after(
        self, tool: str, arguments: Arguments, before: tuple[bytes, int, bool] | None, result: ToolResult
    ) -> None:
        """Call `spoil` after a successful change of an existing file, if the mistake has begun."""
        path = self.path(arguments)
        changes = self.has_begun and tool in ("Edit", "Write", "NotebookEdit") and not result.is_error
        if changes and before is not None and os.path.lexists(path):
            time = path.stat().st_mtime_ns
            type(self).spoil(path, before)
            os.utime(path, ns=(time, time))

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        if self.event != "group":
            return super().call_parallel(calls)
        self.start_mistake()
        before = [state_of(self.path(arguments)) for _, arguments in calls]
        results = super().call_parallel(calls)
        for (tool, arguments), state, result in zip(calls, before, results, strict=True):
            self.spoil_after(tool, arguments, state, result)
        return results

    resume = begins_after("resume", "resume")
    compact = begins_after("compact", "compaction")
    rewind = begins_after("rewind", "rewind")
    mention = begins_after("mention", "mention", "mentioned")
    give_up = begins_after("give_up", "interruption")
    stop = begins_after("stop", "stop")

    def sub_agent(self) -> Altered:
        if self.event != "agent":
            return super().sub_agent()
        agent = WrongAgent(self)
        agent.start_mistake()
        return agent

    def background_agent(self) -> Altered:
        if self.event != "background":
            return super().background_agent()
        agent = WrongBackgroundAgent(self)
        agent.start_mistake()
        return agent


class WrongAgent(Agent, AfterAnEvent):
    """A sub-agent that makes the same mistake as its session."""

    def __init__(self, session: AfterAnEvent) -> None:
        super().__init__(session)
        self.session = session

    def start_mistake(self) -> None:
        self.has_begun = True
        type(self.session).begin(self.tools)

    def spoil_after(
        self, tool: str, arguments: Arguments, before: tuple[bytes, int, bool] | None, result: ToolResult
    ) -> None:
        self.session.has_begun = True
        self.session.spoil_after(tool, arguments, before, result)
        self.session.has_begun = False


class WrongBackgroundAgent(BackgroundAgent, WrongAgent):
    """A sub-agent in the background that makes the same mistake as its session."""

    def __init__(self, session: AfterAnEvent) -> None:
        BackgroundAgent.__init__(self, session)
        self.session = session


class SecondSession(AfterAnEvent):
    """Makes the mistake in every session of a workspace except the first one."""

    sessions: dict[Path, int] = {}  # noqa: RUF012 - one for all sessions

    def __init__(self, workspace: Any) -> None:
        super().__init__(workspace)
        open_now = self.sessions.get(workspace.root, 0)
        self.sessions[workspace.root] = open_now + 1
        if open_now:
            self.start_mistake()

    def close(self) -> None:
        self.sessions[self.workspace.root] -= 1


def state_of(path: Path) -> tuple[bytes, int, bool] | None:
    """Return the bytes and the mode of a file, and whether its path is a symbolic link. None if it does not exist."""
    try:
        return path.read_bytes(), path.stat().st_mode, path.is_symlink()
    except (OSError, ValueError):
        return None


def forget_rules(tools: FileTools) -> None:
    session = tools._session
    rules = type(session.permissions.rules)(
        (), root=session.paths.root, home=session.paths.home, grammar=None
    )
    session.permissions = replace(session.permissions, rules=rules)


def forget_mode(tools: FileTools) -> None:
    tools._session.permissions = replace(tools._session.permissions, grants=None)


def forget_hooks(tools: FileTools) -> None:
    tools._session.hooks = None


def _write(path: Path, data: bytes) -> None:
    """Write a file without changing its mode, even if the mode forbids writing."""
    mode = path.stat().st_mode
    path.chmod(mode | 0o200)
    path.write_bytes(data)
    path.chmod(mode)


def convert_line_ends(path: Path, before: tuple[bytes, int, bool]) -> None:
    if b"\r\n" in before[0]:
        _write(path, path.read_bytes().replace(b"\r\n", b"\n"))


def drop_mark(path: Path, before: tuple[bytes, int, bool]) -> None:
    if before[0].startswith(b"\xef\xbb\xbf"):
        _write(path, path.read_bytes().removeprefix(b"\xef\xbb\xbf"))


def convert_to_utf_8(path: Path, before: tuple[bytes, int, bool]) -> None:
    if before[0].startswith(b"\xff\xfe"):
        _write(path, path.read_bytes().decode("utf-16").encode())


def reset_mode(path: Path, before: tuple[bytes, int, bool]) -> None:
    path.chmod(0o644)


def replace_link(path: Path, before: tuple[bytes, int, bool]) -> None:
    if before[2]:
        data = path.read_bytes()
        path.unlink()
        path.write_bytes(data)


def drop_metadata(path: Path, before: tuple[bytes, int, bool]) -> None:
    if path.suffix == ".ipynb":
        book = json.loads(path.read_bytes())
        _write(path, json.dumps({**book, "metadata": {}}).encode())


def escape_characters(path: Path, before: tuple[bytes, int, bool]) -> None:
    if path.suffix == ".ipynb":
        _write(path, json.dumps(json.loads(path.read_bytes()), indent=1).encode())


def drop_outputs(path: Path, before: tuple[bytes, int, bool]) -> None:
    _change_cells(path, lambda cell: {**cell, "outputs": []} if "outputs" in cell else cell)


def drop_attachments(path: Path, before: tuple[bytes, int, bool]) -> None:
    _change_cells(path, lambda cell: {key: value for key, value in cell.items() if key != "attachments"})


def _change_cells(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Replace each cell of a notebook by the result of `change`."""
    if path.suffix == ".ipynb":
        book = json.loads(path.read_bytes())
        _write(path, json.dumps({**book, "cells": [*map(change, book["cells"])]}, indent=1).encode())


EVENTS = (
    "resume",
    "compaction",
    "rewind",
    "mention",
    "interruption",
    "agent",
    "background",
    "session",
    "group",
    "command",
)
FORGETTING: Mapping[str, tuple[Callable[[FileTools], None], Sequence[str]]] = {
    "deny": (forget_rules, ()),
    "default-mode": (forget_mode, ()),
    "plan-mode": (forget_mode, ("mention", "command")),
    "directories": (forget_mode, ("rewind", "command")),
    "hooks": (forget_hooks, ("interruption",)),
    "three-hooks": (forget_hooks, tuple({*EVENTS} - {"interruption"})),
    "hooks-of-notebooks": (
        forget_hooks,
        ("compaction", "mention", "agent", "background", "session", "command"),
    ),
}
"""By name in scenario ids: how the tools forget it, and the events without a scenario."""

_ENCODED = {"compaction": "encodings", "command": "encodings-and-modes", "git": "encodings-and-modes"}
_MODES = {"compaction": "modes-and-names", "command": "encodings-and-modes", "git": "encodings-and-modes"}

SPOILING: Mapping[str, tuple[Callable[[Path, tuple[bytes, int, bool]], None], Mapping[str, str], str]] = {
    "line-ends": (convert_line_ends, _ENCODED, "files"),
    "marks": (drop_mark, _ENCODED, "files"),
    "utf-16": (convert_to_utf_8, _ENCODED, "files"),
    "modes": (reset_mode, _MODES, "files"),
    "links": (replace_link, {"compaction": "modes-and-names"}, "files"),
    "metadata": (drop_metadata, {}, "notebooks-and-settings"),
    "characters": (escape_characters, {}, "notebook-characters"),
    "outputs": (drop_outputs, {}, "notebooks-and-settings"),
    "attachments": (drop_attachments, {}, "notebooks-and-settings"),
}
"""How a file is spoiled, the property's name in scenario ids by event, and its name for all other events."""

WITHOUT_SCENARIO = {
    ("links", "command"),
    *((name, "group") for name in ("metadata", "outputs", "attachments")),
    ("marks", "group"),
    *(("characters", event) for event in ("mention", "interruption", "group", "command", "during", "hook")),
    ("characters", "mentioned"),
    ("characters", "repository"),
}
"""Pairs without a scenario, for example where the product itself loses the property."""

MORE_EVENTS = {
    "deny": ("stop", "mentioned"),
    "default-mode": ("mentioned",),
    "plan-mode": ("mentioned",),
    "hooks": ("mentioned",),
}
"""Events that are combined only with these settings."""


def _base_class(event: str) -> type[AfterAnEvent]:
    return SecondSession if event == "session" else AfterAnEvent


def implementations_by_name() -> dict[str, tuple[type[Altered], str]]:
    found: dict[str, tuple[type[Altered], str]] = {}
    for subject, (begin, without) in FORGETTING.items():
        for event in (*EVENTS, *MORE_EVENTS.get(subject, ())):
            if event not in without:
                made = type("Forgets", (_base_class(event),), {"event": event, "begin": staticmethod(begin)})
                found[f"{begin.__name__} of {subject}, {event}"] = (made, f"{subject}-{event}")
    for name, (spoil, subjects, usual) in SPOILING.items():
        for event in (*EVENTS, "during", "hook", "mentioned", "repository"):
            subject = subjects.get(event, usual)
            if (name, event) in WITHOUT_SCENARIO:
                continue
            made = type("Spoils", (_base_class(event),), {"event": event, "spoil": staticmethod(spoil)})
            found[f"spoils {name}, {event}"] = (made, f"{subject}-{event}")
    return found
