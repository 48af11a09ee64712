"""Short forms of answers: `shown` and `done` mean the usual result of a call.

They are only for text files whose content the scenario states, as given or after its steps.
"""

import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Any

from readfirst.harness.suite.event_kinds import imagine
from readfirst.harness.suite.file_entry import Entry, FileDigest, RegularFile, TextContent, resolved_links
from readfirst.harness.suite.scenario import Clause, ParallelCalls, Step, TextDigest, ToolCall, WorldEvent

SHOWN, DONE = "shown", "done"
_ROOT = "$WS/"
_LONG = 4096
"""Longer texts (in characters) and files (in bytes) are replaced by a digest in an expectation."""
_MOST_LINES = 2000
"""Maximum number of lines that a Read without a limit shows."""
_AROUND = 4
"""Number of lines before and after an edit that its answer shows."""
_ARGUMENT = re.compile(r"\{(\w+)\}")


def plain_answer(
    word: str,
    tool: str,
    arguments: Mapping[str, Any],
    files: Mapping[str, Entry | None],
    changes: Mapping[str, Entry | None],
) -> Clause | None:
    """Return the result that a short form (`shown` or `done`) means for a call. None if the short form does not apply
    to such a call.

    `files` are the known entries of the workspace before the call; None means that a path does not exist. `changes` are
    the changes that the scenario states. If there are any, the result is the answer that reports these changes.
    """
    if changes:
        return _answer_of_change(tool, arguments.get("file_path"), files, changes) if word == DONE else None
    match word, tool, arguments:
        case "shown", "Read", {"file_path": str(path), **lines} if _are_lines(lines):
            return _answer_of_read(path, files, **lines)
        case "done", "Write", {"file_path": str(path), "content": str(content), **others} if not others:
            return _answer_of_write(path, content, files)
        case "done", "Edit", {
            "file_path": str(path),
            "old_string": str(old),
            "new_string": str(new),
            **others,
        }:
            everywhere = others.pop("replace_all", False) is True
            return None if others else _answer_of_edit(path, old, new, files, everywhere=everywhere)
        case "done", "NotebookEdit", {
            "notebook_path": str(path),
            "cell_id": str(cell),
            "new_source": str(new),
            **others,
        }:
            return None if others else _answer_of_notebook_edit(path, cell, new, files)
    return None


def in_words(words: str, arguments: Mapping[str, Any]) -> str | TextDigest | None:
    """Return the message of an error, with the arguments of a call inserted. None if the call lacks one of these."""
    named = [arguments.get(name) for name in _ARGUMENT.findall(words)]
    if not all(isinstance(each, str) for each in named):
        return None
    return _state_text(_ARGUMENT.sub(lambda found: arguments[found[1]], words))


def _are_lines(asked: Mapping[str, object]) -> bool:
    return asked.keys() <= {"offset", "limit"} and all(
        type(each) is int and each > 0 for each in asked.values()
    )


def _answer_of_read(
    path: str, files: Mapping[str, Entry | None], offset: int = 1, limit: int = _MOST_LINES
) -> Clause | None:
    text = (_text(path, files) or "").replace("\r\n", "\n")
    lines = text.split("\n", min(offset - 1 + limit, len(text)))[offset - 1 :][:limit]
    return (
        None
        if not text or "\r" in text or not lines
        else Clause(text=_state_text(_number_lines(lines, offset)))
    )


def _number_lines(lines: Sequence[str], first: int = 1) -> str:
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, first))


def _state_text(text: str) -> str | TextDigest:
    return text if len(text) <= _LONG else TextDigest.of(text)


def _answer_of_write(path: str, content: str, files: Mapping[str, Entry | None]) -> Clause | None:
    name = _name(path, files)
    if name is None or "\r" in content or "\ufeff" in content:
        return None
    if files.get(name) is None:
        return _state_change(name, f"File created successfully at: {path}", content)
    former = _text(path, files)
    if not former or "\r" in former or "\ufeff" in former:
        return None
    return _state_change(name, _snippet(path, content.split("\n")), content)


def _answer_of_edit(
    path: str, old: str, new: str, files: Mapping[str, Entry | None], *, everywhere: bool
) -> Clause | None:
    """Return an Edit's result if the text occurs once, is replaced everywhere, or the Edit makes a file; else None."""
    name = _name(path, files)
    if name is None or "\r" in old + new:
        return None
    if not old and files.get(name) is None:
        return _state_change(name, _snippet(path, new.split("\n")), new)
    text = _text(path, files) or ""
    ends = "\r\n" if "\r\n" in text else "\n"
    plain = text.replace(ends, "\n")
    count = plain.count(old) if old else 0
    if "\r" in plain or text != plain.replace("\n", ends) or not (count == 1 or (count and everywhere)):
        return None
    changed = plain.replace(old, new)
    if everywhere:
        said = f"The file {path} has been updated. All occurrences of '{old}' were successfully replaced with '{new}'."
        return _state_change(name, said, changed.replace("\n", ends))
    line = plain.partition(old)[0].count("\n")
    first, end = max(0, line - _AROUND), line + new.count("\n") + 1 + _AROUND
    said = _snippet(path, changed.split("\n")[first:end], first + 1)
    return _state_change(name, said, changed.replace("\n", ends))


def _answer_of_notebook_edit(
    path: str, cell_id: str, source: str, files: Mapping[str, Entry | None]
) -> Clause | None:
    """Return the result of replacing a cell's source; a code cell loses its outputs. None if not possible."""
    name = _name(path, files)
    text = _text(path, files)
    if name is None or not text:
        return None
    try:
        book = json.loads(text)
        cell = next(each for each in book["cells"] if each["id"] == cell_id)
        cell["source"] = source
    except (ValueError, LookupError, TypeError, StopIteration, RecursionError):
        return None
    if cell.get("cell_type") == "code":
        cell |= {"execution_count": None, "outputs": []}
    said = f"Updated cell {cell_id} with {source}"
    return _state_change(name, said, json.dumps(book, indent=1, ensure_ascii=False))


def _answer_of_change(
    tool: str, path: object, files: Mapping[str, Entry | None], changes: Mapping[str, Entry | None]
) -> Clause | None:
    """Return the answer of an Edit or Write with the one stated change: the lines that differ. None for others."""
    name, changed = next(iter(changes.items()))
    if tool not in ("Edit", "Write") or not isinstance(path, str) or len(changes) > 1:
        return None
    former, lines = _lines(files.get(name)), _lines(changed)
    if lines is None:
        return None
    if tool == "Write":
        said = _snippet(path, lines) if former else f"File created successfully at: {path}"
    else:
        same = _alike(former or [], lines)
        rest = _alike((former or [])[same:][::-1], lines[same:][::-1])
        first, end = max(0, same - _AROUND), len(lines) - rest + _AROUND
        said = _snippet(path, lines[first:end], first + 1)
    return Clause(text=_state_text(said), files=changes)


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of equal lines at the beginning of two lists of lines."""
    return next(
        (number for number, both in enumerate(zip(one, other, strict=False)) if both[0] != both[1]),
        min(len(one), len(other)),
    )


def _lines(file: Entry | None) -> list[str] | None:
    """Return the lines of a regular file, decoded as UTF-8. None for other entries."""
    if not isinstance(file, RegularFile):
        return None
    return file.data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")


def _snippet(path: str, lines: Sequence[str], first: int = 1) -> str:
    said = "Here's the result of running `cat -n` on a snippet of the edited file:"
    return f"The file {path} has been updated. {said}\n{_number_lines(lines, first)}"


def _state_change(name: str, text: str, content: str) -> Clause:
    data = content.encode("utf-8", "surrogatepass")
    entry: Entry = RegularFile(TextContent(content))
    if len(data) > _LONG:
        entry = FileDigest.of(data)
    return Clause(text=_state_text(text), files={name: entry})


def _name(path: str, files: Mapping[str, Entry | None]) -> str | None:
    """Return the file that a call names, relative to the workspace. None if the path or a link leads outside."""
    if not path.startswith(_ROOT):
        return None
    name = resolved_links(posixpath.normpath(path.removeprefix(_ROOT)), files)
    return None if name is None or name.split("/")[0] in (".", "..", "") else name


def _text(path: str, files: Mapping[str, Entry | None]) -> str | None:
    """Return the text of the file that a call names. None if the file is not a regular file in UTF-8."""
    name = _name(path, files)
    file = None if name is None else files.get(name)
    try:
        return file.data.decode() if isinstance(file, RegularFile) else None
    except UnicodeDecodeError:
        return None


def make(step: Step, files: dict[str, Entry | None]) -> None:
    """Apply the changes of an event, or the expected changes of calls, to the known entries in `files`."""
    match step:
        case WorldEvent():
            if not imagine(step, files):
                files.clear()
        case ToolCall() | ParallelCalls():
            for event in step.during if isinstance(step, ToolCall) else ():
                make(event, files)
            if step.expect.recorded is not None:
                files.update(step.expect.recorded.files)
