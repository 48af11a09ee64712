"""Track the directory in which relative paths start, for sessions with commands that change it."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from readfirst.harness.adapter_api import BASH, ToolResult
from readfirst.harness.suite.file_entry import Directory, Entry, resolved_links
from readfirst.harness.suite.scenario import ToolCall

_WORD = re.compile(r"""(?:[^\s;&|"']|"[^"]*"|'[^']*')+|[;&|\n]+""")
"""A word of a command, with its quotes, or an operator between commands."""


def with_absolute_path(call: ToolCall, directory: str) -> ToolCall:
    """Return a call with a path from `$WS/` instead of a relative path. `directory` is relative to the
    workspace.
    """
    path = call.path
    if not directory or not path or path.startswith(("/", "$", "~")):
        return call
    key = "file_path" if call.arguments.get("file_path") == path else "notebook_path"
    return replace(call, arguments={**call.arguments, key: f"$WS/{directory}/{path}"})


def begins_at(call: ToolCall, directory: str, changes: Mapping[str, object]) -> bool:
    """Whether the relative path of a call leads to a changed file from this directory."""
    return bool(call.path) and posixpath.normpath(posixpath.join(directory, call.path)) in changes


def directory_after(
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
