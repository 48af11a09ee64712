"""Shell steps: what a scenario is given, and what others do to its files meanwhile, as lines for a POSIX shell."""

import shlex
import unicodedata
from collections.abc import Iterator, Mapping

from readfirst.harness.suite.entry import (
    Directory,
    Entry,
    HardLink,
    RegularFile,
    Seconds,
    Symlink,
    TextContent,
)
from readfirst.harness.suite.events import git_lines
from readfirst.harness.suite.ownership import OWN
from readfirst.harness.suite.scenario import Given, WorldEvent

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", "%": "%%"}
_DEFAULT_SHIFT = 2
_LONG = 2000
"""Bytes of a file above which only its end is shown."""


def given_lines(given: Given) -> Iterator[str]:
    """Yield commands that make the given files in the current directory, which is empty. `$WS` is its path."""
    files = given.files.items()
    made = {""}
    for path, entry in sorted(files, key=lambda item: isinstance(item[1], HardLink)):
        folder = path.rpartition("/")[0]
        if folder not in made:
            made.add(folder)
            yield f"mkdir -p {_word(folder)}"
        yield from _made(path, entry)
    for path, entry in files:
        if isinstance(entry, Directory) and entry.mode is not None:
            yield f"chmod {entry.mode:o} {_word(path)}"


def event_lines(event: WorldEvent) -> Iterator[str]:
    """Yield commands that do in the workspace, the current directory, what somebody else does meanwhile."""
    path = _word(event.path)
    match event.kind:
        case "modify":
            yield from _modified(event, path)
        case "touch":
            yield f'touch -d "$(stat -c %y {path}) {_shift(event.mtime or 0)} seconds" {path}'
        case "delete":
            yield f"rm -rf {path}"
        case "rename":
            yield f"mv -T {path} {_word(event.to or '')}"
        case "chmod":
            yield f"chmod {event.mode or 0:o} {path}"
        case "git":
            yield "[ -e .git ] || git init --quiet --initial-branch main"
            for words in git_lines(event.path):
                yield shlex.join(["git", "-c", "user.name=x", "-c", "user.email=x", *words])
        case "buffer":
            yield f"# somebody types into {path}, in an editor, and does not save it"
        case "symlink" | "mkdir":
            yield f"rm -f {path}"
            yield from _made(event.path, event.entry or Directory())
            if isinstance(event.entry, Directory) and event.entry.mode is not None:
                yield f"chmod {event.entry.mode:o} {path}"


def shown_lines(paths: Mapping[str, int]) -> Iterator[str]:
    """Yield commands that show every byte, or the last ones, and the mode of what is at the paths.

    The number is that of the bytes that are expected there.
    """
    for path, size in paths.items():
        end = " | tail -n 20" if size > _LONG else ""
        yield f"ls -ld {_word(path)}; od -c {_word(path)}{end}"


def _modified(event: WorldEvent, path: str) -> Iterator[str]:
    if not isinstance(event.entry, RegularFile):
        yield f"rm -rf {path}"
        if event.entry is not None:
            yield from _made(event.path, event.entry)
        return
    keeps = event.mtime != _DEFAULT_SHIFT
    if keeps:
        yield f"time=$(stat -c %y {path} 2>/dev/null || date -R)"
    folder = event.path.rpartition("/")[0]
    if folder:
        yield f"mkdir -p {_word(folder)}"
    yield from _made(event.path, event.entry)
    if keeps:
        later = "" if event.mtime is None else f" {_shift(event.mtime)} seconds"
        yield f'touch -d "$time{later}" {path}'


def _shift(seconds: Seconds) -> str:
    return f"{float(seconds):+f}".rstrip("0").rstrip(".")


def _made(path: str, entry: Entry) -> Iterator[str]:
    name = _word(path)
    match entry:
        case RegularFile(mode=mode):
            yield f"{_output(entry)} > {name}"
            owner, group, attributes = entry.ownership or OWN
            if (owner, group) != (None, None):
                yield f"chown {'' if owner is None else owner}{'' if group is None else f':{group}'} {name}"
            for attribute, value in attributes:
                yield f"setfattr -n {attribute} -v 0x{value.hex()} {name}"
            if mode is not None:
                yield f"chmod {mode:o} {name}"
            if entry.mtime is not None:
                yield f"touch -d @{float(entry.mtime):f} {name}"
        case Symlink(target):
            parts = (_seen(part) if part else "" for part in target.split("$WS"))
            shown = '"$WS"'.join(parts) or "''"
            yield f"ln -s {shown} {name}"
        case HardLink(to):
            yield f"ln {_word(to)} {name}"
        case Directory():
            yield f"mkdir -p {name}"
        case _:
            raise ValueError(f"{path}: a scenario does not hold such a thing")


def _output(entry: RegularFile) -> str:
    """Return a command that prints the bytes of a file."""
    match entry.content:
        case TextContent(text=text, times=int() as times, encoding="utf-8", bom=False, eol="lf"):
            pieces = [_format(piece.encode()) for piece in text.split("{n}")]
            numbers = ' "$n"' * (len(pieces) - 1)
            # printf takes a format again for what is left over, so there is one place for each number.
            return f"for n in $(seq {times}); do printf {_quoted('%s'.join(pieces))}{numbers}; done"
        case _:
            return f"printf {_quoted(_format(entry.data))}"


def _format(data: bytes) -> str:
    """Return a format of printf that gives exactly these bytes."""
    text = data.decode("utf-8", "surrogateescape")
    return "".join(map(_escaped, text))


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character == " " or unicodedata.category(character)[0] not in "CZ":
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))


def _quoted(text: str) -> str:
    """Return a format in quotes; one that begins with a hyphen is not taken for an option."""
    if text.startswith("-"):
        text = f"\\055{text[1:]}"
    return "'" + text.replace("'", "\\047") + "'"


def _word(path: str) -> str:
    """Return a relative path as a shell word that no command takes for an option."""
    return _seen(f"./{path}" if path.startswith("-") else path)


def _seen(text: str) -> str:
    """Return a shell word in which every character is seen: what a reader, or Markdown, would take for a line end."""
    if text.isprintable():
        return shlex.quote(text)
    return f'"$(printf {_quoted(_format(text.encode("utf-8", "surrogateescape")))})"'
