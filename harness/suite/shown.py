"""Shown: what a Read gives of a file whose content the scenario states, for which `expect: shown` stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from readfirst.harness.suite.entry import Entry, RegularFile
from readfirst.harness.suite.scenario import ParallelCalls, Step, ToolCall, WorldEvent

SHOWN = "shown"
_ROOT = "$WS/"
_LONG = 4096
"""Characters: what is longer is stated by a digest."""
_KEEP_CONTENT = ("touch", "chmod", "buffer")


def shown_text(given: Mapping[str, Entry], steps: Sequence[Step], arguments: Mapping[str, Any]) -> str | None:
    """Return the lines of the file that a Read names after these steps, each behind its number.

    None where the scenario does not state the file, or where that is not all that a Read of it gives.
    """
    path = arguments.get("file_path")
    if len(arguments) != 1 or not isinstance(path, str) or not path.startswith(_ROOT):
        return None
    files: dict[str, Entry | None] = {**given}
    for step in steps:
        _make(step, files)
    file = files.get(path.removeprefix(_ROOT))
    try:
        text = file.data.decode() if isinstance(file, RegularFile) else ""
    except UnicodeDecodeError:
        return None
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if not text or len(text) > _LONG or "\r" in text:
        return None
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(text.split("\n"), 1))


def _make(step: Step, files: dict[str, Entry | None]) -> None:
    """Make the changes of a step: an event's own, and those that are expected of calls."""
    match step:
        case WorldEvent(kind, path, entry=entry, to=to):
            if kind in ("modify", "delete", "symlink", "mkdir"):
                files[path] = entry
            elif kind == "rename" and to is not None:
                files[to] = files.pop(path, None)
            elif kind not in _KEEP_CONTENT:
                files.clear()
        case ToolCall() | ParallelCalls():
            for event in step.during if isinstance(step, ToolCall) else ():
                _make(event, files)
            if step.expect.recorded is not None:
                files.update(step.expect.recorded.files)
