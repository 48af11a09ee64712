"""Plain answers: what a call gives where nothing is in its way, for which there is a word: `shown` and `done`.

Only of a text file whose content the scenario states, as given or as its steps have left it; `done` only of one with
LF line ends and without a byte order mark.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from readfirst.harness.suite.entry import Entry, RegularFile, TextContent
from readfirst.harness.suite.scenario import Clause, ParallelCalls, Step, ToolCall, WorldEvent

SHOWN, DONE = "shown", "done"
_ROOT = "$WS/"
_LONG = 4096
"""Characters: what is longer is stated by a digest."""
_AROUND = 4
"""Lines before and after an edit that its answer shows."""
_KEEP_CONTENT = ("touch", "chmod", "buffer")


def plain_answer(
    word: str, tool: str, arguments: Mapping[str, Any], given: Mapping[str, Entry], steps: Sequence[Step]
) -> Clause | None:
    """Return what a word says of a call after these steps; None where it says nothing of such a call."""
    path = arguments.get("file_path")
    if not isinstance(path, str) or not path.startswith(_ROOT) or not all(map(_is_plain, arguments.values())):
        return None
    files: dict[str, Entry | None] = {**given}
    for step in steps:
        _make(step, files)
    name = path.removeprefix(_ROOT)
    text = _text(files.get(name))
    match word, tool, sorted(arguments):
        case "shown", "Read", ["file_path"] if text:
            return _shown(text)
        case "done", "Write", ["content", "file_path"] if name not in files or (text and _is_plain(text)):
            return _written(path, arguments["content"], is_new=name not in files)
        case "done", "Edit", ["file_path", "new_string", "old_string"] if text and _is_plain(text):
            return _edited(path, text, arguments["old_string"], arguments["new_string"])
    return None


def _is_plain(value: object) -> bool:
    return isinstance(value, str) and "\r" not in value and "\ufeff" not in value


def _text(file: Entry | None) -> str | None:
    try:
        text = file.data.decode() if isinstance(file, RegularFile) else ""
    except UnicodeDecodeError:
        return None
    return text if len(text) <= _LONG else None


def _shown(text: str) -> Clause | None:
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n")
    return None if "\r" in lines or not lines else Clause(text=_numbered(lines.split("\n")))


def _numbered(lines: Sequence[str], first: int = 1) -> str:
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, first))


def _written(path: str, content: str, *, is_new: bool) -> Clause | None:
    text = f"File created successfully at: {path}" if is_new else _snippet(path, content.split("\n"))
    return _changed(path, text, content)


def _edited(path: str, text: str, old: str, new: str) -> Clause | None:
    """Return what an Edit of a text gives that is there once; None of another, as each such case is one of its own."""
    before, found, after = text.partition(old) if old else ("", "", "")
    if not found or text.count(old) > 1:
        return None
    changed = before + new + after
    line = before.count("\n")
    first, end = max(0, line - _AROUND), line + new.count("\n") + 1 + _AROUND
    return _changed(path, _snippet(path, changed.split("\n")[first:end], first + 1), changed)


def _snippet(path: str, lines: Sequence[str], first: int = 1) -> str:
    said = "Here's the result of running `cat -n` on a snippet of the edited file:"
    return f"The file {path} has been updated. {said}\n{_numbered(lines, first)}"


def _changed(path: str, text: str, content: str) -> Clause | None:
    files = {path.removeprefix(_ROOT): RegularFile(TextContent(content))}
    return Clause(text=text, files=files) if len(text) <= _LONG else None


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
