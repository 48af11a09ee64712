"""The short forms `shown` (the usual result of a Read) and `done` (of an Edit, Write or NotebookEdit) in scenario
files. They can be used for text files if the given files and the steps of the scenario determine the content.
"""

import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from readfirst.harness.suite.event_kinds import apply_event
from readfirst.harness.suite.file_entry import Entry, FileDigest, RegularFile, TextContent, resolved_links
from readfirst.harness.suite.scenario import Clause, ParallelCalls, Step, TextDigest, ToolCall, WorldEvent

SHOWN, DONE = "shown", "done"
_ROOT = "$WS/"
_MAX_TEXT_LENGTH = 4096
"""Maximum length of a text (in characters) or a file (in bytes) in an expectation. A digest replaces longer ones."""
_MAX_READ_LINES = 2000
"""Maximum number of lines that a Read without `limit` shows. Used to compute the answer for `shown`."""
_CONTEXT_LINES = 4
"""Number of unchanged lines that the answer of an Edit shows before and after the replaced text."""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def clause_from_shorthand(
    shorthand: str,
    tool: str,
    arguments: Mapping[str, Any],
    files: Mapping[str, Entry | None],
    changes: Mapping[str, Entry | None],
) -> Clause | None:
    """Return the expected result for the short form `shown` or `done` in a scenario file. None if the call does not
    support this short form. `files` are the known files before the call (None: a missing path). `changes` are the file
    changes that the scenario states. Without them, the changes are computed from the arguments.
    """
    if changes:
        return (
            _clause_of_change(tool, arguments.get("file_path"), files, changes) if shorthand == DONE else None
        )
    match shorthand, tool, arguments:
        case "shown", "Read", {"file_path": str(path), **lines} if _is_line_range(lines):
            return _clause_of_read(path, files, **lines)
        case "done", "Write", {"file_path": str(path), "content": str(content), **others} if not others:
            return _clause_of_write(path, content, files)
        case "done", "Edit", {
            "file_path": str(path),
            "old_string": str(old),
            "new_string": str(new),
            **others,
        }:
            replace_all = others.pop("replace_all", False) is True
            return None if others else _clause_of_edit(path, old, new, files, replace_all=replace_all)
        case "done", "NotebookEdit", {
            "notebook_path": str(path),
            "cell_id": str(cell),
            "new_source": str(new),
            **others,
        }:
            return None if others else _clause_of_notebook_edit(path, cell, new, files)
    return None


def error_message(template: str, arguments: Mapping[str, Any]) -> str | TextDigest | None:
    """Replace placeholders such as `{old_string}` by the call's arguments. None if the call lacks such an argument."""
    if not all(isinstance(arguments.get(name), str) for name in _PLACEHOLDER.findall(template)):
        return None
    return _text_or_digest(_PLACEHOLDER.sub(lambda match: arguments[match[1]], template))


def _is_line_range(arguments: Mapping[str, object]) -> bool:
    """Whether a Read has no arguments except `offset` and `limit`, and both are positive integers."""
    positive = all(type(value) is int and value > 0 for value in arguments.values())
    return positive and arguments.keys() <= {"offset", "limit"}


def _clause_of_read(
    path: str, files: Mapping[str, Entry | None], offset: int = 1, limit: int = _MAX_READ_LINES
) -> Clause | None:
    text = (_read_text(path, files) or "").replace("\r\n", "\n")
    lines = text.split("\n", min(offset - 1 + limit, len(text)))[offset - 1 :][:limit]
    if not text or "\r" in text or not lines:
        return None
    return Clause(text=_text_or_digest(_number_lines(lines, offset)))


def _number_lines(lines: Sequence[str], first: int = 1) -> str:
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, first))


def _text_or_digest(text: str) -> str | TextDigest:
    return text if len(text) <= _MAX_TEXT_LENGTH else TextDigest.of(text)


def _clause_of_write(path: str, content: str, files: Mapping[str, Entry | None]) -> Clause | None:
    name = _path_in_workspace(path, files)
    if name is None or "\r" in content or "\ufeff" in content:
        return None
    if files.get(name) is None:
        return _clause_with_change(name, f"File created successfully at: {path}", content)
    before = _read_text(path, files)
    if not before or "\r" in before or "\ufeff" in before:
        return None
    return _clause_with_change(name, _snippet(path, content.split("\n")), content)


def _clause_of_edit(
    path: str, old: str, new: str, files: Mapping[str, Entry | None], *, replace_all: bool
) -> Clause | None:
    """Return the expected result of an Edit (empty `old`: of a new file). None if `old` is missing or ambiguous."""
    name = _path_in_workspace(path, files)
    if name is None or "\r" in old + new:
        return None
    if not old and files.get(name) is None:
        return _clause_with_change(name, _snippet(path, new.split("\n")), new)
    text = _read_text(path, files) or ""
    ends = "\r\n" if "\r\n" in text else "\n"
    plain = text.replace(ends, "\n")
    count = plain.count(old) if old else 0
    if "\r" in plain or text != plain.replace("\n", ends) or not (count == 1 or (count and replace_all)):
        return None
    changed = plain.replace(old, new)
    if replace_all:
        replaced = f"All occurrences of '{old}' were successfully replaced with '{new}'."
        answer = f"The file {path} has been updated. {replaced}"
        return _clause_with_change(name, answer, changed.replace("\n", ends))
    line = plain.partition(old)[0].count("\n")
    first, end = max(0, line - _CONTEXT_LINES), line + new.count("\n") + 1 + _CONTEXT_LINES
    answer = _snippet(path, changed.split("\n")[first:end], first + 1)
    return _clause_with_change(name, answer, changed.replace("\n", ends))


def _clause_of_notebook_edit(
    path: str, cell_id: str, source: str, files: Mapping[str, Entry | None]
) -> Clause | None:
    """Return the expected result of a NotebookEdit that replaces a cell. None if the notebook lacks the cell."""
    name = _path_in_workspace(path, files)
    text = _read_text(path, files)
    if name is None or not text:
        return None
    try:
        notebook = json.loads(text)
        cell = next(each for each in notebook["cells"] if each["id"] == cell_id)
        cell["source"] = source
    except (ValueError, LookupError, TypeError, StopIteration, RecursionError):
        return None
    if cell.get("cell_type") == "code":
        cell |= {"execution_count": None, "outputs": []}
    answer = f"Updated cell {cell_id} with {source}"
    return _clause_with_change(name, answer, json.dumps(notebook, indent=1, ensure_ascii=False))


def _clause_of_change(
    tool: str, path: object, files: Mapping[str, Entry | None], changes: Mapping[str, Entry | None]
) -> Clause | None:
    """Return the expected result of an Edit or Write, computed from the only file in `changes`. Otherwise None."""
    name, changed = next(iter(changes.items()))
    if tool not in ("Edit", "Write") or not isinstance(path, str) or len(changes) > 1:
        return None
    before, lines = _lines_of(files.get(name)), _lines_of(changed)
    if lines is None:
        return None
    if tool == "Write":
        answer = _snippet(path, lines) if before else f"File created successfully at: {path}"
    else:
        before = before or []
        same = _count_equal_lines(before, lines)
        rest = _count_equal_lines(before[same:][::-1], lines[same:][::-1])
        first, end = max(0, same - _CONTEXT_LINES), len(lines) - rest + _CONTEXT_LINES
        answer = _snippet(path, lines[first:end], first + 1)
    return Clause(text=_text_or_digest(answer), files=changes)


def _count_equal_lines(before: Sequence[str], after: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))


def _lines_of(file: Entry | None) -> list[str] | None:
    """Return the lines of a regular file, decoded as UTF-8. None if `file` is not a regular file."""
    if not isinstance(file, RegularFile):
        return None
    return file.data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")


def _snippet(path: str, lines: Sequence[str], first: int = 1) -> str:
    intro = "Here's the result of running `cat -n` on a snippet of the edited file:"
    return f"The file {path} has been updated. {intro}\n{_number_lines(lines, first)}"


def _clause_with_change(name: str, text: str, content: str) -> Clause:
    data = content.encode("utf-8", "surrogatepass")
    is_long = len(data) > _MAX_TEXT_LENGTH
    entry = FileDigest.of(data) if is_long else RegularFile(TextContent(content))
    return Clause(text=_text_or_digest(text), files={name: entry})


def _path_in_workspace(path: str, files: Mapping[str, Entry | None]) -> str | None:
    """Return the path in a call's arguments, relative to the workspace. None if the path is outside the workspace."""
    if not path.startswith(_ROOT):
        return None
    name = resolved_links(posixpath.normpath(path.removeprefix(_ROOT)), files)
    return None if name is None or name.split("/")[0] in (".", "..", "") else name


def _read_text(path: str, files: Mapping[str, Entry | None]) -> str | None:
    """Return the text of the file that a call's argument `path` names. None if it is not a regular file in UTF-8."""
    name = _path_in_workspace(path, files)
    file = None if name is None else files.get(name)
    try:
        return file.data.decode() if isinstance(file, RegularFile) else None
    except UnicodeDecodeError:
        return None


def apply_step(step: Step, files: dict[str, Entry | None]) -> None:
    """Update `files`, the known files of the workspace, with the changes of an event or the expected changes of calls.
    After an event with unknown changes, such as a git command, `files` is empty.
    """
    match step:
        case WorldEvent():
            if not apply_event(step, files):
                files.clear()
        case ToolCall() | ParallelCalls():
            for event in step.during if isinstance(step, ToolCall) else ():
                apply_step(event, files)
            if step.expect.recorded is not None:
                files.update(step.expect.recorded.files)
