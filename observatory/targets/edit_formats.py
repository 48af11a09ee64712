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


class Unexpressed(ValueError):  # noqa: N818 - the name is the missing feature
    """A call cannot be written in the format. The message completes the words `an edit of ...`."""


class Knowledge:
    """The content of files that a model has seen or written in one session. A model can quote only this content.

    `there` returns the current content of the file at a path as UTF-8, with invalid bytes replaced. None if the file
    does not exist.
    """

    def __init__(self, there: Callable[[str], str | None] = lambda _path: None) -> None:
        self.there = there
        self._seen: dict[str, str] = {}

    def of(self, path: str) -> str | None:
        """Return the content of a file that the model knows. None if it has neither read nor written the file."""
        return self._seen.get(path)

    def learn(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Update the known content after a successful call."""
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
    """Return a call as a text in a format. `path` is the file's path in the target's form. Raises Unexpressed."""
    if not isinstance(arguments.get("file_path"), str) or len(path.splitlines()) != 1:
        raise Unexpressed("a file without a name in one line")
    return FORMATS[form](tool, arguments, path, known)


def _patch(tool: str, arguments: Mapping[str, Any], path: str, known: Knowledge) -> str:
    """Return a call as a patch. https://developers.openai.com/api/docs/guides/tools-apply-patch describes the
    format.
    """
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
"""Matches lines that a block may not contain, because they are marks of the format."""
_A_MARK = "a line that is a mark of the format"
_DROPPED = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
"""Matches control characters that a shell or a terminal may remove from a text."""


def _block(tool: str, arguments: Mapping[str, Any], path: str, known: Knowledge) -> str:  # noqa: ARG001 - as the others
    """Return a call as one search-and-replace block, without the fence and the file name around it.
    https://aider.chat/docs/more/edit-formats.html describes the format (`diff`).
    """
    old, new = _strings(tool, arguments)
    removed, added = _lines(old, new, arguments, known) if old else ([], _complete_lines(new, "a new file"))
    for line in (*removed, *added):
        if any(map(_MARKER.match, line.splitlines())):
            raise Unexpressed(_A_MARK)
    return "\n".join(["<<<<<<< SEARCH", *removed, "=======", *added, ">>>>>>> REPLACE", ""])


_CONFLICT = re.compile(r"<{7} ORIGINAL|^={7}(?!=)|>{7} UPDATED", re.MULTILINE)
"""Matches texts that a patch with conflict markers cannot contain."""


def _conflict(tool: str, arguments: Mapping[str, Any], path: str, known: Knowledge) -> str:  # noqa: ARG001 - as the others
    """Return an edit as a patch with conflict markers, between any two texts. https://gptme.org/docs/tools.html
    describes the format (`patch`).
    """
    old, new = _strings(tool, arguments)
    if _CONFLICT.search(old) or _CONFLICT.search(new):
        raise Unexpressed(_A_MARK)
    return "\n".join(["<<<<<<< ORIGINAL", old, "=======", new, ">>>>>>> UPDATED"])


def _command(tool: str, arguments: Mapping[str, Any], path: str, known: Knowledge) -> str:  # noqa: ARG001 - as the others
    """Return a call as a command for a POSIX shell with GNU sed, as an agent instructs its model."""
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
"""The function that writes a call in each format, by the name of the format in mappings."""


def _strings(tool: str, arguments: Mapping[str, Any]) -> tuple[str, str]:
    """Return the old (Write: empty) and the new text of a call. Raises Unexpressed for other arguments."""
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
    """Return the lines of a text. Raises Unexpressed if the text does not end with a newline; `what` describes the text
    for the message.
    """
    if text and not text.endswith("\n"):
        raise Unexpressed(f"{what} that does not end with a newline")
    return text.split("\n")[:-1]


def _lines(old: str, new: str, arguments: Mapping[str, Any], known: Knowledge) -> tuple[list[str], list[str]]:
    """Return the complete lines that an edit removes, and the lines that replace them. Raises Unexpressed.

    A model quotes complete lines from the content that it knows. If `old` is not in this content, `old` must consist of
    complete lines, or must not occur in the file: the target should then detect the error.
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
    """Return a text as a model quotes it: without a byte order mark, or carriage returns unless `old` has one."""
    if text is None:
        return None
    text = text.removeprefix("\ufeff")
    return text if "\r" in old else text.replace("\r\n", "\n")


def _around(text: str, old: str, new: str) -> tuple[list[str], list[str]]:
    """Return the complete lines around `old` before the edit, and the same lines after the edit. Raises Unexpressed."""
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
    """Return the start and the end of the complete lines around each occurrence of `old`."""
    found = [match.start() for match in re.finditer(re.escape(old), text)]
    return [(text.rfind("\n", 0, at) + 1, _line_end(text, at + len(old))) for at in found]


def _line_end(text: str, at: int) -> int:
    """Return the position after the line that contains the character before `at`."""
    end = text.find("\n", at - 1)
    return len(text) if end < 0 else end + 1


def _is_whole(text: str, old: str) -> bool:
    """Whether each occurrence of `old` in a text consists of complete lines."""
    return all(
        text[start:end].removesuffix("\n") == old.removesuffix("\n") for start, end in _regions(text, old)
    )
