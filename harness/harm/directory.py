"""Track the working directory of a session, because shell commands with `cd` change the meaning of relative paths."""

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
from readfirst.harness.workspace.snapshot import apply_changes

_COMMAND_WORD_PATTERN = re.compile(r"""(?:[^\s;&|"']|"[^"]*"|'[^']*')+|[;&|\n]+""")
"""Pattern of a word in a shell command, with its quotes, or of an operator between commands."""


@dataclass
class WorkingDirectory:
    """The current and the initial working directory of a session or sub-agent, relative to the workspace."""

    start: str
    current: str
    is_fixed: bool = False
    """Whether commands cannot change the directory, as in sub-agents: each of their calls starts in the same one."""
    may_be_reset: bool = False
    """Whether the directory may be `start` again, because the user has sent a message."""

    def for_sub_agent(self) -> WorkingDirectory:
        """Return the working directory of a new sub-agent, which starts in the current directory of the session."""
        return WorkingDirectory(self.start, self.current, is_fixed=True)

    def resolve_paths(
        self, calls: Sequence[ToolCall], outcome: StepOutcome, before: dict[str, Entry]
    ) -> list[ToolCall]:
        """Return the calls with absolute paths. After a `cd` command, relative paths start at the new directory."""
        after = apply_changes(before, outcome.changes) if any(call.tool == BASH for call in calls) else {}
        resolved = []
        for call, result in zip_longest(calls, outcome.results[: len(calls)]):
            if self.may_be_reset and _begins_at(call, self.start, outcome.changes):
                self.current = self.start
            resolved.append(_with_absolute_path(call, self.current))
            if result is not None and not self.is_fixed:
                self.current = _directory_after(call, result, self.current, self.start, after)
            self.may_be_reset = self.may_be_reset or call.interrupted in ("cancelled", "stopped")
        return resolved


def _with_absolute_path(call: ToolCall, directory: str) -> ToolCall:
    """Return a call with an absolute path, which starts with `$WS/`, instead of a path relative to `directory`."""
    path = call.path
    if not directory or not path or path.startswith(("/", "$", "~")):
        return call
    key = "file_path" if call.arguments.get("file_path") == path else "notebook_path"
    return replace(call, arguments={**call.arguments, key: f"$WS/{directory}/{path}"})


def _begins_at(call: ToolCall, directory: str, changes: Mapping[str, object]) -> bool:
    """Whether a call's path, relative to `directory`, is the path of a changed file."""
    return bool(call.path) and posixpath.normpath(posixpath.join(directory, call.path)) in changes


def _directory_after(
    call: ToolCall, result: ToolResult, directory: str, start: str, after: Mapping[str, Entry]
) -> str:
    """Return the working directory of a session after a call. Only an answered command with `cd` changes it. If `cd`
    leads outside the workspace and home, the session returns to `start`.
    """
    if call.tool != BASH or result.is_error:
        return directory
    for target in _iter_cd_targets(str(call.arguments.get("command", ""))):
        if target.startswith("$WS"):
            path = target.removeprefix("$WS").lstrip("/")
        elif target.startswith(("/", "~", "$")) or not target:
            directory = start
            continue
        else:
            path = posixpath.join(directory, target)
        path = posixpath.normpath(path or ".")
        if path.startswith(".."):
            directory = start
        elif path == ".":
            directory = ""
        else:
            resolved_path = resolved_links(path, after)
            if resolved_path is not None and isinstance(after.get(resolved_path), Directory):
                directory = resolved_path
    return directory


def _iter_cd_targets(command: str) -> Iterator[str]:
    """Yield the argument of each `cd` in a command that changes the session's directory, so not of one in `( )`."""
    words = _COMMAND_WORD_PATTERN.findall(command)
    operators = set(";&|\n")
    for index, word in enumerate(words):
        is_first = index == 0 or set(words[index - 1]) <= operators
        is_in_subshell = (index > 0 and words[index - 1] == "|") or bool(
            {"|", "&"} & {*words[index + 2 : index + 3]}
        )
        if word == "cd" and is_first and not is_in_subshell:
            target = "".join(words[index + 1 : index + 2])
            yield "" if set(target) <= operators else target.replace('"', "").replace("'", "")
