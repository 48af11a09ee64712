"""Write a call as text, for targets whose edits are not calls with old and new text.

`apply_patch` is the patch of Codex, `search_replace` the blocks of aider, `conflict_markers` the patch of gptme, and
`shell` commands for agents that only have a shell. A call that a format cannot express raises Unexpressed, so that no
part of a call is judged.
"""

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any, Literal

EditFormat = Literal["apply_patch", "search_replace", "conflict_markers", "shell"]


class Unexpressed(ValueError):  # noqa: N818 - it says what the format lacks
    """The format has no words for a call; the message completes `an edit of ...`."""


class Knowledge:
    """A model's knowledge of files in one session; it can quote only these.

    `there` returns the current content of a path as UTF-8, with invalid bytes replaced. None if the file does not
    exist.
    """

    def __init__(self, there: Callable[[str], str | None] = lambda _path: None) -> None:
        self.there = there
        self._seen: dict[str, str] = {}

    def of(self, path: str) -> str | None:
        """Return the text of a file that the model has seen or written. None if it has never seen the file."""
        return self._seen.get(path)

    def learn(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Record the text that an answered call showed to the model."""
        path = arguments.get("file_path")
        if not isinstance(path, str):
            return
        match tool:
            case "Read":
                text = self.there(path)
                if text is not None:
                    self._seen[path] = _quoted_numbers(text, arguments)
            case "Write":
                self._seen[path] = str(arguments.get("content", ""))
            case "Edit" if path in self._seen or not arguments.get("old_string"):
                old, new = str(arguments.get("old_string", "")), str(arguments.get("new_string", ""))
                known = self._seen.get(path, "")
                self._seen[path] = known.replace(old, new, 1) if old else new


def _quoted_numbers(text: str, arguments: Mapping[str, Any]) -> str:
    offset, limit = arguments.get("offset"), arguments.get("limit")
    lines = text.splitlines(keepends=True) if "\n" not in text else re.findall(r"[^\n]*\n|[^\n]+", text)
    start = offset - 1 if type(offset) is int and offset > 0 else 0
    return "".join(lines[start : start + limit] if type(limit) is int else lines[start:])


def write_call(form: EditFormat, tool: str, arguments: Mapping[str, Any], path: str, known: Knowledge) -> str:
    """Return the text that says a call in a format; `path` is the file's as the target wants it. Raises Unexpressed."""
    if not isinstance(arguments.get("file_path"), str) or len(path.splitlines()) != 1:
        raise Unexpressed("a file without a name in one line")
    return FORMATS[form](tool, arguments, path, known)


def _patch(tool: str, arguments: Mapping[str, Any], path: str, known: Knowledge) -> str:
    """Write a patch. https://developers.openai.com/api/docs/guides/tools-apply-patch describes the allowed lines."""
    old, new = _strings(tool, arguments)
    if not old:
        added = _complete_lines(new, "a new file")
        if not added:
            raise Unexpressed("an empty new file")
        lines = [f"*** Add File: {path}", *(f"+{line}" for line in added)]
    else:
        removed, added = _lines(old, new, arguments, known)
        lines = [f"*** Update File: {path}", "@@"]
        lines += [*(f"-{line}" for line in removed), *(f"+{line}" for line in added)]
    # A reader that ends lines at more characters than \n finds lines without a + or - in front.
    if any(_HUNK.match(piece) for line in lines for piece in line.splitlines()[1:]):
        raise Unexpressed(_A_MARK)
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


_HUNK = re.compile(r"\s*\*\*\*")
_MARKER = re.compile(r"\s*(?:<{5,9} SEARCH|={5,9}\s*$|>{5,9} REPLACE|```)")
"""Texts that no line of a file may begin with, also after spaces. The fence encloses several blocks."""
_A_MARK = "a line that is a mark of the format"
_DROPPED = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
"""Characters that a shell, or a terminal before it, may remove from a text."""


def _block(tool: str, arguments: Mapping[str, Any], path: str, known: Knowledge) -> str:  # noqa: ARG001 - as the others
    """Write one block, without fence and file name: https://aider.chat/docs/more/edit-formats.html, `diff`."""
    old, new = _strings(tool, arguments)
    removed, added = _lines(old, new, arguments, known) if old else ([], _complete_lines(new, "a new file"))
    for line in (*removed, *added):
        if any(map(_MARKER.match, line.splitlines())):
            raise Unexpressed(_A_MARK)
    return "\n".join(["<<<<<<< SEARCH", *removed, "=======", *added, ">>>>>>> REPLACE", ""])


_CONFLICT = re.compile(r"<{7} ORIGINAL|^={7}(?!=)|>{7} UPDATED", re.MULTILINE)
"""Texts that neither side of a patch with conflict markers may contain."""


def _conflict(tool: str, arguments: Mapping[str, Any], path: str, known: Knowledge) -> str:  # noqa: ARG001 - as the others
    """Write a patch of gptme, of any two texts: https://gptme.org/docs/tools.html, `patch`."""
    old, new = _strings(tool, arguments)
    if _CONFLICT.search(old) or _CONFLICT.search(new):
        raise Unexpressed(_A_MARK)
    return "\n".join(["<<<<<<< ORIGINAL", old, "=======", new, ">>>>>>> UPDATED"])


def _command(tool: str, arguments: Mapping[str, Any], path: str, known: Knowledge) -> str:  # noqa: ARG001 - as the others
    """Write the command of a POSIX shell with GNU sed that an agent's instructions would have a model write."""
    file = shlex.quote(path if not path.startswith("-") else f"./{path}")
    if tool == "Read":
        return _reading(arguments, file)
    old, new = _strings(tool, arguments)
    if not old:
        lines = _complete_lines(new, "a new file")
        if "EOF" in _DROPPED.sub("", new).splitlines():
            raise Unexpressed(_A_MARK)
        return "\n".join([f"cat > {file} <<'EOF'", *lines, "EOF"])
    if "\n" in old:
        raise Unexpressed("several lines by one substitution")
    wanted = re.sub(r"([\\/.*\[\]^$])", r"\\\1", old)
    instead = re.sub(r"([\\/&])", r"\\\1", new).replace("\n", "\\n")
    every = "g" if arguments.get("replace_all") else ""
    return f"sed -i {shlex.quote(f's/{wanted}/{instead}/{every}')} {file}"


def _reading(arguments: Mapping[str, Any], file: str) -> str:
    offset, limit = arguments.get("offset"), arguments.get("limit")
    if offset is None and limit is None:
        return f"cat {file}"
    start = 1 if offset is None else offset
    if type(start) is not int or start < 1 or (limit is not None and (type(limit) is not int or limit < 1)):
        raise Unexpressed("lines that have no such number")
    end = "$" if limit is None else start + limit - 1
    return f"sed -n '{start},{end}p' {file}"


FORMATS: Mapping[str, Callable[[str, Mapping[str, Any], str, Knowledge], str]] = {
    "apply_patch": _patch,
    "search_replace": _block,
    "conflict_markers": _conflict,
    "shell": _command,
}
"""The formats by the names that mappings call them."""


def _strings(tool: str, arguments: Mapping[str, Any]) -> tuple[str, str]:
    """Return old and new text of an Edit; a Write is an edit of nothing."""
    names = ("content",) if tool == "Write" else ("old_string", "new_string")
    values = [arguments.get(name) for name in names]
    if not all(isinstance(value, str) for value in values) or set(arguments) - {
        "file_path",
        "replace_all",
        *names,
    }:
        raise Unexpressed("arguments of another form")
    return ("", str(values[0])) if tool == "Write" else (str(values[0]), str(values[1]))


def _complete_lines(text: str, what: str) -> list[str]:
    """Return the lines of a text that ends its last line."""
    if text and not text.endswith("\n"):
        raise Unexpressed(f"{what} that does not end with a newline")
    return text.split("\n")[:-1]


def _lines(old: str, new: str, arguments: Mapping[str, Any], known: Knowledge) -> tuple[list[str], list[str]]:
    """Return the complete lines that an edit removes, and the lines that replace them.

    A model quotes lines from its knowledge. If it has never seen the file, or the old text is not in its knowledge,
    `old` must consist of complete lines, or be missing in the file: then the target should detect that.
    """
    seen = _plain(known.of(arguments["file_path"]), old)
    if seen is not None and old in seen:
        return _around(seen, old, new)
    there = _plain(known.there(arguments["file_path"]), old)
    if there is not None and old in there and not _is_whole(there, old):
        raise Unexpressed("a part of a line that was not read")
    if not old.endswith("\n"):
        return old.split("\n"), new.split("\n")
    return old.split("\n")[:-1], _complete_lines(
        new, "lines that are joined with a line that was not read and"
    )


def _plain(text: str | None, old: str) -> str | None:
    """Return a text as a model quotes it: no byte order mark, and no carriage returns unless `old` has some."""
    if text is None:
        return None
    text = text.removeprefix("\ufeff")
    return text if "\r" in old else text.replace("\r\n", "\n")


def _around(text: str, old: str, new: str) -> tuple[list[str], list[str]]:
    """Return the lines around `old` in a text before and after the edit."""
    regions = _regions(text, old)
    if len({text[start:end] for start, end in regions}) > 1 or len(set(regions)) < len(regions):
        raise Unexpressed("a text that is in several lines")
    start, end = regions[0]
    at = text.index(old)
    while True:
        after = text[start:at] + new + text[at + len(old) : end]
        if end == len(text) or not after or after.endswith("\n"):
            break
        end = _line_end(text, end + 1)  # the edit joins its last line with the next one
    before = text[start:end]
    if after and before.endswith("\n") != after.endswith("\n"):
        raise Unexpressed("the newline at the end of a file")
    return before.removesuffix("\n").split("\n"), after.removesuffix("\n").split("\n") if after else []


def _regions(text: str, old: str) -> list[tuple[int, int]]:
    """Return the beginning and the end of the complete lines around each place of `old`."""
    found = [match.start() for match in re.finditer(re.escape(old), text)]
    return [(text.rfind("\n", 0, at) + 1, _line_end(text, at + len(old))) for at in found]


def _line_end(text: str, at: int) -> int:
    """Return the end of the line that the character before `at` is in."""
    end = text.find("\n", at - 1)
    return len(text) if end < 0 else end + 1


def _is_whole(text: str, old: str) -> bool:
    """Whether every match of `old` in a text consists of complete lines."""
    return all(
        text[start:end].removesuffix("\n") == old.removesuffix("\n") for start, end in _regions(text, old)
    )
