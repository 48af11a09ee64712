"""World events: reads the changes that no tool makes, as scenario files write them, into WorldEvents."""

import re
from collections.abc import Mapping
from typing import Any, cast, get_args

from readfirst.harness.source.finding import Position
from readfirst.harness.source.inspection import Inspection
from readfirst.harness.source.strict_yaml import YamlPath
from readfirst.harness.suite.confinement import is_safe
from readfirst.harness.suite.content import mode_of, modified_entry, shift_of
from readfirst.harness.suite.entry import Directory, RegularFile, Symlink, TextContent
from readfirst.harness.suite.reach import Reach
from readfirst.harness.suite.scenario import EventKind, WorldEvent

GIT_COMMANDS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "commit": (("add", "--all"), ("commit", "--quiet", "--allow-empty", "--message", "x")),
    "branch": (("checkout", "--quiet", "-b", "NAME"),),
    "checkout": (("checkout", "--quiet", "NAME"),),
    "rebase": (("rebase", "--quiet", "NAME"),),
    "stash": (("stash", "push", "--quiet", "--include-untracked"),),
    "stash pop": (("stash", "pop", "--quiet"),),
    "reset": (("reset", "--quiet", "--hard"),),
}
"""`branch`, `checkout` and `rebase` have the name of a branch behind them, the others nothing."""

_NAMED = re.compile(r"(branch|checkout|rebase) [a-z]{1,40}")


def git_lines(command: str) -> list[list[str]]:
    """Return the words behind `git`, line by line, of a command that a scenario may say."""
    word, _, name = command.partition(" ")
    lines = GIT_COMMANDS[command if command in GIT_COMMANDS else word]
    return [[part.replace("NAME", name) for part in line] for line in lines]


def is_git_command(text: str) -> bool:
    """Tell whether a scenario may say so."""
    return _NAMED.fullmatch(text) is not None or text in GIT_COMMANDS.keys() - {
        "branch",
        "checkout",
        "rebase",
    }


EVENTS: tuple[str, ...] = get_args(EventKind)

_SHIFT = 2  # seconds by which a touch moves a file's time unless it says otherwise


def read_event(look: Inspection, reach: Reach, place: YamlPath, kind: str, value: Any) -> list[WorldEvent]:
    """Read the event `kind` of the step at `place`; several paths in it make several events, in their order.

    `reach` takes note of what they do to links.
    """
    at = (*place, kind)
    position = look.document.position(place)
    events: list[WorldEvent] = []
    if kind == "git":
        if not isinstance(value, str) or not is_git_command(value):
            shown = ", ".join(sorted(GIT_COMMANDS))
            look.note(
                at,
                f"{value!r} is no command of git here",
                f"Write one of {shown}; three of them name a branch.",
            )
            return []
        reach.git(at)
        return [WorldEvent("git", value, position=position)]
    if kind in ("delete", "mkdir", "mount", "unmount") or (kind == "touch" and isinstance(value, str)):
        if is_safe(look, value, at):
            entry = Directory() if kind == "mkdir" else None
            shift = _SHIFT if kind == "touch" else None
            events.append(WorldEvent(cast(EventKind, kind), value, entry, mtime=shift, position=position))
    else:
        if value == {}:
            look.note(at, f"{kind} names no path", "Write at least one path.", key=True)
        for path, what in (look.mapping(value, at, kind) or {}).items():
            safe = is_safe(look, path, (*at, path), key=True)
            event = _event(look, (*at, path), kind, path, what, position)
            if safe and event is not None:
                events.append(event)
    for event in events:
        reach.event(event, (*at, event.path) if isinstance(value, dict) else at)
    return events


def _event(
    look: Inspection, place: YamlPath, kind: str, path: str, value: Any, position: Position
) -> WorldEvent | None:
    match kind:
        case "buffer":
            text = look.string(value, place, "the text of a buffer", empty=True)
            entry = None if text is None else RegularFile(TextContent(text))
            return None if entry is None else WorldEvent("buffer", path, entry, position=position)
        case "modify":
            entry, shift = modified_entry(look, place, value)
            if entry is None:
                return None
            return WorldEvent("modify", path, entry, mtime=shift, position=position)
        case "touch":
            fields = look.mapping(value, place, "touch", ("mtime",), required=("mtime",)) or {}
            shift = shift_of(look, (*place, "mtime"), fields["mtime"]) if "mtime" in fields else None
            return None if shift is None else WorldEvent("touch", path, mtime=shift, position=position)
        case "rename":
            if not is_safe(look, value, place):
                return None
            if value == path or value.startswith(path + "/"):
                message = f"{path!r} cannot be renamed to {value!r}"
                look.note(place, message, "Name another place.", rule="path-conflict")
            return WorldEvent("rename", path, to=value, position=position)
        case "chmod":
            mode = mode_of(look, place, value)
            return None if mode is None else WorldEvent("chmod", path, mode=mode, position=position)
        case _:
            target = look.string(value, place, "the target of a link")
            if target is None:
                return None
            if "\0" in target:
                look.note(
                    place, "the target of a link contains a NUL character", "No file name can contain it."
                )
                return None
            return WorldEvent("symlink", path, Symlink(target), position=position)
