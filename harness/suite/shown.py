"""Shown: what a Read gives of a file whose content the scenario states, for which `expect: shown` stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from readfirst.harness.suite.entry import Entry, RegularFile
from readfirst.harness.suite.scenario import ParallelCalls, SessionEvent, Step, ToolCall, WorldEvent

__all__ = ["SHOWN", "ShownFiles"]

SHOWN = "shown"
_ROOT = "$WS/"
_LONG = 4096
"""Characters: what is longer is stated by a digest."""
_KEEP_CONTENT = ("touch", "chmod", "mkdir", "symlink", "buffer")


class ShownFiles:
    """The contents of the plain files of a scenario at each of its steps, as far as it states them."""

    def __init__(self) -> None:
        self._files: dict[str, RegularFile] = {}

    def put(self, files: Mapping[str, Entry | None]) -> None:
        """Take note of what paths hold now; None: nothing is there."""
        for path, entry in files.items():
            self._files.pop(path, None)
            if isinstance(entry, RegularFile):
                self._files[path] = entry

    def after(self, step: Step) -> None:
        """Take note of what a step changes: an event by itself, a call as it is expected to."""
        match step:
            case WorldEvent(kind, path, entry=entry, to=to):
                if kind in ("modify", "delete", "symlink", "mkdir"):
                    self.put({path: entry})
                elif kind == "rename" and to is not None and path in self._files:
                    self._files[to] = self._files.pop(path)
                elif kind not in _KEEP_CONTENT:
                    self._files.clear()
            case ToolCall() | ParallelCalls():
                for event in step.during if isinstance(step, ToolCall) else ():
                    self.after(event)
                if step.expect.recorded is not None:
                    self.put(step.expect.recorded.files)
            case SessionEvent():
                pass

    def text(self, arguments: Mapping[str, Any]) -> str | None:
        """Return the file's lines, each behind its number; None where that is not all that a Read of it gives."""
        path = arguments.get("file_path")
        if len(arguments) != 1 or not isinstance(path, str) or not path.startswith(_ROOT):
            return None
        file = self._files.get(path.removeprefix(_ROOT))
        try:
            text = "" if file is None else file.data.decode()
        except UnicodeDecodeError:
            return None
        text = text.removeprefix("\ufeff").replace("\r\n", "\n")
        if not text or len(text) > _LONG or "\r" in text:
            return None
        return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(text.split("\n"), 1))
