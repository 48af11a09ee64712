"""A writer that makes exactly the requested changes to files in memory, and wrong effects that spoil files."""

from __future__ import annotations

from collections.abc import Callable, Mapping

__all__ = ["LOSSES", "ExactWriter", "Loss", "RefusedError"]

Files = dict[str, bytes]
Mode = dict[str, int]


class RefusedError(Exception):
    """Raised if the writer refuses a call."""


class ExactWriter:
    """Edits the current file, and writes only if the file was read. Keeps line ends and byte order marks."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)
        self.known: Files = {}

    def read(self, path: str) -> str:
        """Return the content as the answer of a Read, and remember it as read."""
        self.known[path] = self.files[path]
        lines = self.files[path].decode("utf-8-sig", "replace").replace("\r\n", "\n").split("\n")
        return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, 1))

    def call(self, tool: str, arguments: Mapping[str, str]) -> bytes:
        path = arguments["file_path"].removeprefix("$WS/")
        data = self.base(path, tool)
        mark = data[:3] if data.startswith(b"\xef\xbb\xbf") else b""
        end = b"\r\n" if b"\r\n" in data else b"\n"
        if tool == "Write":
            made = mark + arguments["content"].encode().replace(b"\n", end)
        else:
            old, new = (arguments[name].encode().replace(b"\n", end) for name in ("old_string", "new_string"))
            if data.count(old) != 1:
                raise RefusedError
            made = data.replace(old, new)
        self.files[path] = self.known[path] = made
        return made

    def base(self, path: str, tool: str) -> bytes:
        """Return the bytes that a call changes. Raises RefusedError if a Write would replace unread content."""
        if tool == "Write" and self.known.get(path) != self.files[path]:
            raise RefusedError
        return self.files[path]


class OldCopy(ExactWriter):
    """Makes each call in the content of the last Read, and ignores that the file has changed."""

    def base(self, path: str, tool: str) -> bytes:
        return self.known[path]


Loss = Callable[[str, bytes, bytes, Files], Files]
"""Returns the files after a call with a wrong effect, from the path, the old and correct new bytes, and all files."""


def _with_content(change: Callable[[bytes, bytes], bytes]) -> Loss:
    """Return a wrong effect that changes only the content of the requested file."""
    return lambda path, before, made, files: {path: change(before, made)}


def _first_difference(before: bytes, made: bytes) -> int:
    same = (at for at, (one, two) in enumerate(zip(before, made, strict=False)) if one != two)
    return next(same, min(len(before), len(made)))


def _shift_insertion(before: bytes, made: bytes) -> bytes:
    at = made.rfind(b"\n", 0, _first_difference(before, made)) + 1
    lines = made[at:].splitlines(keepends=True)
    return made[:at] + b"".join((*lines[1:2], *lines[:1], *lines[2:])) if len(lines) > 2 else made


def _repeat_line(before: bytes, made: bytes) -> bytes:
    at = made.rfind(b"\n", 0, _first_difference(before, made)) + 1
    line = made[at:].splitlines(keepends=True)[:1]
    return made[:at] + b"".join(line) + made[at:]


def _change_equal_lines(before: bytes, made: bytes) -> bytes:
    ends = [each.splitlines(keepends=True) for each in (before, made)]
    for old, new in zip(*ends, strict=False):
        if old != new:
            return made.replace(old, new) if old.strip() else made
    return made


def _write_other_file(path: str, _before: bytes, made: bytes, files: Files) -> Files:
    return {next(each for each in sorted(files) if each != path): made}


LOSSES: dict[str, Loss] = {
    "cut short": _with_content(lambda _, made: made[: len(made) * 2 // 3]),
    "emptied": _with_content(lambda _, made: b""),
    "last line dropped": _with_content(lambda _, made: b"".join(made.splitlines(keepends=True)[:-1])),
    "first line dropped": _with_content(lambda _, made: b"".join(made.splitlines(keepends=True)[1:])),
    "final newline lost": _with_content(lambda _, made: made.rstrip(b"\r\n")),
    "final newline added": _with_content(lambda _, made: made if made.endswith(b"\n") else made + b"\n"),
    "CRLF lost": _with_content(lambda _, made: made.replace(b"\r\n", b"\n")),
    "CRLF everywhere": _with_content(lambda _, made: made.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")),
    "mark lost": _with_content(lambda _, made: made.removeprefix(b"\xef\xbb\xbf")),
    "mark added": _with_content(lambda _, made: made if made[:1] == b"\xef" else b"\xef\xbb\xbf" + made),
    "not ASCII lost": _with_content(lambda _, made: made.decode(errors="replace").encode("ascii", "replace")),
    "Latin-1": _with_content(lambda _, made: made.decode(errors="replace").encode("latin-1", "replace")),
    "tabs expanded": _with_content(lambda _, made: made.replace(b"\t", b"    ")),
    "blanks stripped": _with_content(lambda _, made: made.replace(b"  \n", b"\n")),
    "wrong place": _with_content(_shift_insertion),
    "twice": _with_content(_repeat_line),
    "everywhere": _with_content(_change_equal_lines),
    "another file": _write_other_file,
    "temporary file left": lambda path, _before, made, _files: {path: made, f"{path}.tmp": made},
    "neighbour changed": lambda path, _before, made, files: {
        path: made,
        **{each: files[each] + b"\n" for each in sorted(files)[:1] if each != path},
    },
    "nothing done": lambda path, before, _made, _files: {path: before},
}
