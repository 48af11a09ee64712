"""Events: reads changes that no tool makes, and steps about the conversation itself, as scenario files write them."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast, get_args

from readfirst.harness.suite.file_content import mode_of, modified_entry, shift_of
from readfirst.harness.suite.file_entry import Directory, RegularFile, Symlink, TextContent
from readfirst.harness.suite.path_rules import is_safe
from readfirst.harness.suite.scenario import EventKind, SessionEvent, SessionEventKind, Step, WorldEvent
from readfirst.harness.yaml_io.finding import Position
from readfirst.harness.yaml_io.yaml_validation import Node

GIT_COMMANDS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "commit": (("add", "--all"), ("commit", "--quiet", "--allow-empty", "--message", "x")),
    "branch": (("checkout", "--quiet", "-b", "NAME"),),
    "checkout": (("checkout", "--quiet", "NAME"),),
    "rebase": (("rebase", "--quiet", "NAME"),),
    "stash": (("stash", "push", "--quiet", "--include-untracked"),),
    "stash pop": (("stash", "pop", "--quiet"),),
    "reset": (("reset", "--quiet", "--hard"),),
}
"""`branch`, `checkout` and `rebase` are followed by the name of a branch, the others by nothing."""

_NAMED = re.compile(r"(branch|checkout|rebase) [a-z]{1,40}")


def git_lines(command: str) -> list[list[str]]:
    """Return the words after `git`, line by line, of a command that a scenario may say."""
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


def read_event(node: Node, kind: str) -> list[WorldEvent]:
    """Read the event `kind` of a step; several paths in it make several events, in their order."""
    stated, position = node.below(kind), node.position
    value = stated.value
    events: list[WorldEvent] = []
    if kind == "git":
        if not isinstance(value, str) or not is_git_command(value):
            fix = f"Write one of {', '.join(sorted(GIT_COMMANDS))}; three of them name a branch."
            stated.note(f"{value!r} is no command of git here", fix)
            return []
        return [WorldEvent("git", value, position=position)]
    if kind in ("delete", "mkdir", "mount", "unmount") or (kind == "touch" and isinstance(value, str)):
        if is_safe(stated, value):
            entry = Directory() if kind == "mkdir" else None
            shift = _SHIFT if kind == "touch" else None
            events.append(WorldEvent(cast(EventKind, kind), value, entry, mtime=shift, position=position))
    else:
        if value == {}:
            stated.note(f"{kind} names no path", "Write at least one path.", key=True)
        for path, what in stated.fields():
            safe = is_safe(what, path, key=True)
            event = _event(what, kind, path, position)
            if safe and event is not None:
                events.append(event)
    return events


def _event(node: Node, kind: str, path: str, position: Position) -> WorldEvent | None:
    match kind:
        case "buffer":
            text = node.called("the text of a buffer").string(empty=True)
            entry = None if text is None else RegularFile(TextContent(text))
            return None if entry is None else WorldEvent("buffer", path, entry, position=position)
        case "modify":
            entry, shift = modified_entry(node)
            return (
                None if entry is None else WorldEvent("modify", path, entry, mtime=shift, position=position)
            )
        case "touch":
            shift = node.called("touch").fields(("mtime",), required=("mtime",)).read("mtime", shift_of)
            return None if shift is None else WorldEvent("touch", path, mtime=shift, position=position)
        case "rename":
            to = node.value
            if not is_safe(node, to):
                return None
            if to == path or to.startswith(path + "/"):
                message = f"{path!r} cannot be renamed to {to!r}"
                node.note(message, "Name another place.", rule="path-conflict")
            return WorldEvent("rename", path, to=to, position=position)
        case "chmod":
            mode = mode_of(node)
            return None if mode is None else WorldEvent("chmod", path, mode=mode, position=position)
        case _:
            target = node.called("the target of a link").string()
            if target is None:
                return None
            if "\0" in target:
                node.note("the target of a link contains a NUL character", "No file name can contain it.")
                return None
            return WorldEvent("symlink", path, Symlink(target), position=position)


_INNER: Mapping[str, tuple[SessionEventKind, str]] = {
    "agent": ("end", "a sub-agent"),
    "other": ("back", "another session"),
    "background": ("back", "a sub-agent in the background"),
}
"""What has steps of its own, with the event that ends them and what messages call it."""
WITH_STEPS = frozenset(_INNER)
SESSION_EVENTS = ("resume", "compact", "rewind", "mention", *_INNER)


def read_session_event(node: Node, kind: str, read_step: Callable[[Node], Sequence[Step]]) -> Sequence[Step]:
    """Read the event `kind` of a step.

    The steps of sub-agents or another session, read by `read_step`, are between two.
    """
    stated, begin, position = node.below(kind), cast(SessionEventKind, kind), node.position
    if kind == "mention":
        if not is_safe(stated, stated.value):
            return ()
        return (SessionEvent(begin, position, stated.value),)
    if kind not in _INNER:
        if stated.value != {}:
            stated.note(f"{kind} has no arguments", f"Write `{kind}: {{}}`.")
        return (SessionEvent(begin, position),)
    end, who = _INNER[kind]
    keys = ("agent", "steps") if kind == "background" else ("steps",)
    fields = stated.called(who).fields(keys, required=keys)
    name = fields.text("agent")
    steps: list[Step] = []
    for each in fields.items("steps", empty=False):
        found = each.value if isinstance(each.value, dict) else ()
        if inner := next((key for key in found if key in SESSION_EVENTS), ""):
            fix = "Write it after these steps."
            each.below(inner).note(f"{inner} is no step of {who}", fix, rule="unknown-event", key=True)
        else:
            steps += read_step(each)
    return (SessionEvent(begin, position, name), *steps, SessionEvent(end, position))


def inner_steps(step: Any) -> tuple[str, list[Any]]:
    """Return the key of a step of a file that has steps of its own, and these; whatever has another form has none."""
    key = next((key for key in _INNER if isinstance(step, dict) and key in step), "")
    inner = step[key] if key else None
    steps = inner.get("steps") if isinstance(inner, dict) else None
    return key, steps if isinstance(steps, list) else []
