"""Track the directory in which relative paths start, for sessions with commands that change it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from readfirst.harness.adapter_api import BASH, ToolResult
from readfirst.harness.replay.outcome import StepOutcome
from readfirst.harness.suite.file_entry import Directory, Entry, resolved_links
from readfirst.harness.suite.scenario import ToolCall
from readfirst.harness.workspace.snapshot import applied

_WORD = re.compile(r"""(?:[^\s;&|"']|"[^"]*"|'[^']*')+|[;&|\n]+""")
"""A word of a command, with its quotes, or an operator between commands."""


@dataclass
class WorkingDirectory:
    """The directory of a session or sub-agent, relative to the workspace: `current`, and at first `start`."""

    start: str
    current: str
    is_fixed: bool = False
    """Whether commands do not change it: each call of a sub-agent starts in the directory of the session."""
    may_be_left: bool = False
    """Whether the user sent a message, after which a session may be back at `start`."""

    def of_sub_agent(self) -> WorkingDirectory:
        """Return the directory of a sub-agent that the session starts now."""
        return WorkingDirectory(self.start, self.current, is_fixed=True)

    def reset(self) -> None:
        """Return to `start`, as a resumed session does."""
        self.current = self.start

    def located(
        self, calls: Sequence[ToolCall], happened: StepOutcome, before: dict[str, Entry]
    ) -> list[ToolCall]:
        """Return calls with absolute paths. Each command changes the directory of the calls after it."""
        after = applied(before, happened.changes) if any(call.tool == BASH for call in calls) else {}
        found = []
        for call, result in zip_longest(calls, happened.results[: len(calls)]):
            if self.may_be_left and _begins_at(call, self.start, happened.changes):
                self.reset()
            found.append(_with_absolute_path(call, self.current))
            if result is not None and not self.is_fixed:
                self.current = _directory_after(call, result, self.current, self.start, after)
            self.may_be_left = self.may_be_left or call.interrupted in ("cancelled", "stopped")
        return found


def _with_absolute_path(call: ToolCall, directory: str) -> ToolCall:
    """Return a call with a path from `$WS/` instead of a relative path. `directory` is relative to the
    workspace.
    """
    path = call.path
    if not directory or not path or path.startswith(("/", "$", "~")):
        return call
    key = "file_path" if call.arguments.get("file_path") == path else "notebook_path"
    return replace(call, arguments={**call.arguments, key: f"$WS/{directory}/{path}"})


def _begins_at(call: ToolCall, directory: str, changes: Mapping[str, object]) -> bool:
    """Whether the relative path of a call leads to a changed file from this directory."""
    return bool(call.path) and posixpath.normpath(posixpath.join(directory, call.path)) in changes


def _directory_after(
    call: ToolCall, result: ToolResult, directory: str, start: str, after: Mapping[str, Entry]
) -> str:
    """Return the directory of a session after a call. Only answered commands with `cd` change it.

    A directory outside the workspace, or at home, resets it to `start`. A missing directory does not change it.
    """
    if call.tool != BASH or result.is_error:
        return directory
    for target in _directories(str(call.arguments.get("command", ""))):
        if target.startswith("$WS"):
            wanted = target.removeprefix("$WS").lstrip("/")
        elif target.startswith(("/", "~", "$")) or not target:
            directory = start
            continue
        else:
            wanted = posixpath.join(directory, target)
        wanted = posixpath.normpath(wanted or ".")
        if wanted.startswith(".."):
            directory = start
        elif wanted == ".":
            directory = ""
        else:
            place = resolved_links(wanted, after)
            if place is not None and isinstance(after.get(place), Directory):
                directory = place
    return directory


def _directories(command: str) -> Iterator[str]:
    """Yield the word after each `cd` at the start of a command, but not in a pipe, parentheses or the background."""
    words = _WORD.findall(command)
    joints = set(";&|\n")
    for at, word in enumerate(words):
        first = at == 0 or set(words[at - 1]) <= joints
        is_apart = (at > 0 and words[at - 1] == "|") or bool({"|", "&"} & {*words[at + 2 : at + 3]})
        if word == "cd" and first and not is_apart:
            target = words[at + 1] if at + 1 < len(words) and not set(words[at + 1]) <= joints else ""
            yield target.replace('"', "").replace("'", "")
