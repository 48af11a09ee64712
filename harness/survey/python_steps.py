"""Python steps: what a scenario is given, and what others do to its files meanwhile, as lines of a Python program.

The program has `workspace`, the path of the current directory, and imports `base64`, `os` and `Path`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from readfirst.harness.suite.entry import (
    Directory,
    Entry,
    HardLink,
    RegularFile,
    Symlink,
    TextContent,
)
from readfirst.harness.suite.scenario import Given, WorldEvent
from readfirst.harness.suite.shift import Seconds

__all__ = ["SAVE", "event_lines", "given_lines", "in_python", "shown_lines"]

SAVE = '''\
def save(path, data, seconds):
    """Save a file as somebody else does, and leave it so many seconds newer than it was."""
    was = os.stat(path).st_mtime_ns if os.path.exists(path) else None
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(data)
    if was is not None:
        os.utime(path, ns=(was + int(seconds * 1_000_000_000),) * 2)
'''
"""A function that steps with `save(` need."""

_LONG = 2000
"""Bytes of a file above which only its end is shown."""


def given_lines(given: Given) -> Iterator[str]:
    """Yield statements that make the given files in the current directory, which is empty."""
    files = given.files.items()
    made = {""}
    for path, entry in sorted(files, key=lambda item: isinstance(item[1], HardLink)):
        folder = path.rpartition("/")[0]
        if folder not in made:
            made.add(folder)
            yield f"os.makedirs({folder!r}, exist_ok=True)"
        yield from _made(path, entry)
    for path, entry in files:
        if isinstance(entry, Directory) and entry.mode is not None:
            yield f"os.chmod({path!r}, 0o{entry.mode:o})"


def event_lines(event: WorldEvent) -> Iterator[str]:
    """Yield statements that do what somebody else does meanwhile."""
    path = repr(event.path)
    match event.kind:
        case "modify" if isinstance(event.entry, RegularFile):
            yield f"save({path}, {_data(event.entry)}, seconds={_number(event.mtime or 0)})"
            if event.entry.mode is not None:
                yield f"os.chmod({path}, 0o{event.entry.mode:o})"
        case "touch":
            yield f"save({path}, Path({path}).read_bytes(), seconds={_number(event.mtime or 0)})"
        case "delete":
            yield f"(shutil.rmtree if Path({path}).is_dir() else os.unlink)({path})"
        case "rename":
            yield f"os.rename({path}, {event.to!r})"
        case "chmod":
            yield f"os.chmod({path}, 0o{event.mode or 0:o})"
        case _:
            yield f"Path({path}).unlink(missing_ok=True)"
            yield from _made(event.path, event.entry or Directory())
            if isinstance(event.entry, Directory) and event.entry.mode is not None:
                yield f"os.chmod({path}, 0o{event.entry.mode:o})"


def shown_lines(paths: Mapping[str, int]) -> Iterator[str]:
    """Yield statements that show every byte, or the last ones, and the mode of what is at the paths.

    The number is that of the bytes that are expected there.
    """
    for path, size in paths.items():
        end = f"[-{_LONG // 10}:]" if size > _LONG else ""
        name = repr(path)
        yield f"print({name}, oct(os.stat({name}).st_mode & 0o777) if os.path.exists({name}) else 'is missing')"
        yield f"print(Path({name}).read_bytes(){end} if os.path.isfile({name}) else '')"


def in_python(value: Any) -> str:
    """Return an expression for a value in JSON types, in which `$WS` stands for the workspace."""
    match value:
        case str() if "$WS" in value:
            parts = [f"{part!r}" if part else "" for part in value.split("$WS")]
            return _joined(parts)
        case list():
            return f"[{', '.join(map(in_python, value))}]"
        case Mapping():
            return "{" + ", ".join(f"{key!r}: {in_python(item)}" for key, item in value.items()) + "}"
        case _:
            return repr(value)


def _joined(parts: Iterable[str]) -> str:
    words: list[str] = []
    for number, part in enumerate(parts):
        if number:
            words.append("workspace")
        if part:
            words.append(part)
    return " + ".join(words)


def _made(path: str, entry: Entry) -> Iterator[str]:
    name = repr(path)
    match entry:
        case RegularFile(mode=mode):
            yield f"Path({name}).write_bytes({_data(entry)})"
            if mode is not None:
                yield f"os.chmod({name}, 0o{mode:o})"
            if entry.mtime is not None:
                yield f"os.utime({name}, ({float(entry.mtime)!r},) * 2)"
        case Symlink(target):
            yield f"os.symlink({in_python(target)}, {name})"
        case HardLink(to):
            yield f"os.link({to!r}, {name})"
        case Directory():
            yield f"os.makedirs({name}, exist_ok=True)"
        case _:
            raise ValueError(f"{path}: a scenario does not hold such a thing")


def _data(entry: RegularFile) -> str:
    """Return an expression for the bytes of a file."""
    match entry.content:
        case TextContent(text=text, times=int() as times, encoding="utf-8", bom=False, eol="lf"):
            return f'"".join({text!r}.replace("{{n}}", str(n)) for n in range(1, {times + 1})).encode()'
        case TextContent(text=text, times=None, encoding="utf-8", bom=False, eol="lf") if not text.isascii():
            return f"{text!r}.encode()"
        case _:
            return repr(entry.data)


def _number(seconds: Seconds) -> str:
    return str(seconds) if not isinstance(seconds, Fraction) else repr(float(seconds))
