"""Write a call as a text, such as a patch, for targets without a tool that replaces an old text by a new one. The
formats are `apply_patch` (patches of Codex), `search_replace` (blocks of aider), `conflict_markers` (patches of gptme),
and `shell` (commands). A format that cannot express a call completely raises InexpressibleError.
"""

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any, Literal

EditFormat = Literal["apply_patch", "search_replace", "conflict_markers", "shell"]


class InexpressibleError(ValueError):
    """A format cannot express a call. The message names the part that fails, such as `an empty new file`."""


class Knowledge:
    """The file contents that a model knows, and can quote. `read_file` returns a file's content, or None if missing."""

    def __init__(self, read_file: Callable[[str], str | None] = lambda _path: None) -> None:
        self.read_file = read_file
        self._seen: dict[str, str] = {}

    def of(self, path: str) -> str | None:
        """Return the content of a file as the model knows it. None if the model neither read nor wrote it."""
        return self._seen.get(path)

    def learn(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Update the content that the model knows after a successful call of `tool`."""
        path = arguments.get("file_path")
        if not isinstance(path, str):
            return
        match tool:
            case "Read":
                text = self.read_file(path)
                if text is not None:
                    self._seen[path] = _requested_lines(text, arguments)
            case "Write":
                self._seen[path] = str(arguments.get("content", ""))
            case "Edit" if path in self._seen or not arguments.get("old_string"):
                old, new = str(arguments.get("old_string", "")), str(arguments.get("new_string", ""))
                text = self._seen.get(path, "")
                self._seen[path] = text.replace(old, new, 1) if old else new


def _requested_lines(text: str, arguments: Mapping[str, Any]) -> str:
    """Return the part of a text that a Read with these arguments (`offset`, `limit`) returns."""
    offset, limit = arguments.get("offset"), arguments.get("limit")
    lines = text.splitlines(keepends=True) if "\n" not in text else re.findall(r"[^\n]*\n|[^\n]+", text)
    start = offset - 1 if type(offset) is int and offset > 0 else 0
    return "".join(lines[start : start + limit] if type(limit) is int else lines[start:])


def write_call(
    form: EditFormat, tool: str, arguments: Mapping[str, Any], path: str, knowledge: Knowledge
) -> str:
    """Return a call as text in the format `form`, with `path` as the path of the file. Raises InexpressibleError."""
    if not isinstance(arguments.get("file_path"), str) or len(path.splitlines()) != 1:
        raise InexpressibleError("a file whose path is not one line")
    return FORMATS[form](tool, arguments, path, knowledge)


def _write_patch(tool: str, arguments: Mapping[str, Any], path: str, knowledge: Knowledge) -> str:
    """Return a call as a patch, as https://developers.openai.com/api/docs/guides/tools-apply-patch describes it."""
    old, new = _old_and_new_text(tool, arguments)
    if not old:
        added = _complete_lines(new, "a new file")
        if not added:
            raise InexpressibleError("an empty new file")
        lines = [f"*** Add File: {path}", *(f"+{line}" for line in added)]
    else:
        removed, added = _changed_lines(old, new, arguments, knowledge)
        lines = [f"*** Update File: {path}", "@@"]
        lines += [*(f"-{line}" for line in removed), *(f"+{line}" for line in added)]
    # A reader that ends lines at more characters than \n finds lines without a + or - in front.
    if any(_PATCH_MARK.match(piece) for line in lines for piece in line.splitlines()[1:]):
        raise InexpressibleError(_LINE_IS_MARK)
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


_PATCH_MARK = re.compile(r"\s*\*\*\*")
"""Matches lines that a patch in the format `apply_patch` cannot contain, because they have a meaning in this format."""
_SEARCH_REPLACE_MARK = re.compile(r"\s*(?:<{5,9} SEARCH|={5,9}\s*$|>{5,9} REPLACE|```)")
"""Matches lines that a search-and-replace block cannot contain, because they have a meaning in this format."""
_LINE_IS_MARK = "a line that is a mark of the format"
"""The message of the InexpressibleError for a text with a line that has a meaning in the format."""
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
"""Matches characters that a shell or a terminal may remove, which could turn a line into the final `EOF`."""


def _write_search_replace(tool: str, arguments: Mapping[str, Any], path: str, knowledge: Knowledge) -> str:  # noqa: ARG001
    """Return a call as a search-and-replace block of aider (https://aider.chat/docs/more/edit-formats.html)."""
    old, new = _old_and_new_text(tool, arguments)
    removed, added = (
        _changed_lines(old, new, arguments, knowledge) if old else ([], _complete_lines(new, "a new file"))
    )
    for line in (*removed, *added):
        if any(map(_SEARCH_REPLACE_MARK.match, line.splitlines())):
            raise InexpressibleError(_LINE_IS_MARK)
    return "\n".join(["<<<<<<< SEARCH", *removed, "=======", *added, ">>>>>>> REPLACE", ""])


_CONFLICT_MARK = re.compile(r"<{7} ORIGINAL|^={7}(?!=)|>{7} UPDATED", re.MULTILINE)
"""Matches a conflict marker. A text that contains one cannot be written as a patch with conflict markers."""


def _write_conflict_markers(tool: str, arguments: Mapping[str, Any], path: str, knowledge: Knowledge) -> str:  # noqa: ARG001
    """Return an edit as a patch of gptme with conflict markers (https://gptme.org/docs/tools.html, `patch`)."""
    old, new = _old_and_new_text(tool, arguments)
    if _CONFLICT_MARK.search(old) or _CONFLICT_MARK.search(new):
        raise InexpressibleError(_LINE_IS_MARK)
    return "\n".join(["<<<<<<< ORIGINAL", old, "=======", new, ">>>>>>> UPDATED"])


def _write_shell_command(tool: str, arguments: Mapping[str, Any], path: str, knowledge: Knowledge) -> str:  # noqa: ARG001
    """Return a call as a command for a POSIX shell with GNU sed."""
    file = shlex.quote(path if not path.startswith("-") else f"./{path}")
    if tool == "Read":
        return _shell_read_command(arguments, file)
    old, new = _old_and_new_text(tool, arguments)
    if not old:
        lines = _complete_lines(new, "a new file")
        if "EOF" in _CONTROL_CHARACTERS.sub("", new).splitlines():
            raise InexpressibleError(_LINE_IS_MARK)
        return "\n".join([f"cat > {file} <<'EOF'", *lines, "EOF"])
    if "\n" in old:
        raise InexpressibleError("several lines by one substitution")
    wanted = re.sub(r"([\\/.*\[\]^$])", r"\\\1", old)
    instead = re.sub(r"([\\/&])", r"\\\1", new).replace("\n", "\\n")
    every = "g" if arguments.get("replace_all") else ""
    return f"sed -i {shlex.quote(f's/{wanted}/{instead}/{every}')} {file}"


def _shell_read_command(arguments: Mapping[str, Any], file: str) -> str:
    offset, limit = arguments.get("offset"), arguments.get("limit")
    if offset is None and limit is None:
        return f"cat {file}"
    start = 1 if offset is None else offset
    if type(start) is not int or start < 1 or (limit is not None and (type(limit) is not int or limit < 1)):
        raise InexpressibleError("lines that have no such number")
    end = "$" if limit is None else start + limit - 1
    return f"sed -n '{start},{end}p' {file}"


FORMATS: Mapping[str, Callable[[str, Mapping[str, Any], str, Knowledge], str]] = {
    "apply_patch": _write_patch,
    "search_replace": _write_search_replace,
    "conflict_markers": _write_conflict_markers,
    "shell": _write_shell_command,
}
"""The function that writes a call in a format, by the name that mapping files use for the format."""


def _old_and_new_text(tool: str, arguments: Mapping[str, Any]) -> tuple[str, str]:
    """Return the old text (empty for a Write) and the new text. Raises InexpressibleError if one is missing."""
    names = ("content",) if tool == "Write" else ("old_string", "new_string")
    texts = [value for name in names if isinstance(value := arguments.get(name), str)]
    if len(texts) < len(names) or arguments.keys() - {"file_path", "replace_all", *names}:
        raise InexpressibleError("arguments of another form")
    return ("", texts[0]) if tool == "Write" else (texts[0], texts[1])


def _complete_lines(text: str, description: str) -> list[str]:
    """Return the lines of a text. Raises InexpressibleError (about `description`) if the final newline is missing."""
    if text and not text.endswith("\n"):
        raise InexpressibleError(f"{description} that does not end with a newline")
    return text.split("\n")[:-1]


def _changed_lines(
    old: str, new: str, arguments: Mapping[str, Any], knowledge: Knowledge
) -> tuple[list[str], list[str]]:
    """Return the complete lines that an edit removes, and the lines that it adds, as a model quotes them. Raises
    InexpressibleError if `old` is a part of a line that the model has not seen.
    """
    seen = _as_quoted(knowledge.of(arguments["file_path"]), old)
    if seen is not None and old in seen:
        return _surrounding_lines(seen, old, new)
    current = _as_quoted(knowledge.read_file(arguments["file_path"]), old)
    if current is not None and old in current and not _consists_of_lines(current, old):
        raise InexpressibleError("a part of a line that was not read")
    if not old.endswith("\n"):
        return old.split("\n"), new.split("\n")
    joined = "lines that are joined with a line that was not read and"
    return old.split("\n")[:-1], _complete_lines(new, joined)


def _as_quoted(text: str | None, old: str) -> str | None:
    """Return a file's `text` as a model quotes it: without BOM and, unless `old` contains CR, without CRLF."""
    if text is None:
        return None
    text = text.removeprefix("\ufeff")
    return text if "\r" in old else text.replace("\r\n", "\n")


def _surrounding_lines(text: str, old: str, new: str) -> tuple[list[str], list[str]]:
    """Return the lines that contain `old`, before and after an edit. Raises InexpressibleError if ambiguous."""
    regions = _line_ranges(text, old)
    if len({text[start:end] for start, end in regions}) > 1 or len(set(regions)) < len(regions):
        raise InexpressibleError("a text that is in several lines")
    start, end = regions[0]
    at = text.index(old)
    while True:
        after = text[start:at] + new + text[at + len(old) : end]
        if end == len(text) or not after or after.endswith("\n"):
            break
        end = _line_end(text, end + 1)  # the edit joins its last line with the next one
    before = text[start:end]
    if after and before.endswith("\n") != after.endswith("\n"):
        raise InexpressibleError("the newline at the end of a file")
    return before.removesuffix("\n").split("\n"), after.removesuffix("\n").split("\n") if after else []


def _line_ranges(text: str, old: str) -> list[tuple[int, int]]:
    """Return the start and the end of the complete lines that contain `old`, for each occurrence of `old` in a text."""
    found = [match.start() for match in re.finditer(re.escape(old), text)]
    return [(text.rfind("\n", 0, at) + 1, _line_end(text, at + len(old))) for at in found]


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at - 1)
    return len(text) if end < 0 else end + 1


def _consists_of_lines(text: str, old: str) -> bool:
    return all(
        text[start:end].removesuffix("\n") == old.removesuffix("\n") for start, end in _line_ranges(text, old)
    )
