"""Read events from scenario files: changes that other programs make, and steps that change the conversation."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from readfirst.harness.suite.event_kinds import SESSION_EVENTS, WORLD_EVENTS, SessionEventName, WorldEventName
from readfirst.harness.suite.file_content import (
    LINK_TARGET_PATTERN,
    read_mode,
    read_modified_entry,
    read_shift,
)
from readfirst.harness.suite.file_entry import Directory, RegularFile, Symlink, TextContent
from readfirst.harness.suite.path_rules import is_safe, safe_paths
from readfirst.harness.suite.scenario import SessionEvent, Step, WorldEvent
from readfirst.harness.yaml_io.finding import Position
from readfirst.harness.yaml_io.yaml_validation import FormError, Node

GIT_COMMANDS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "commit": (("add", "--all"), ("commit", "--quiet", "--allow-empty", "--message", "x")),
    "branch": (("checkout", "--quiet", "-b", "NAME"),),
    "checkout": (("checkout", "--quiet", "NAME"),),
    "rebase": (("rebase", "--quiet", "NAME"),),
    "stash": (("stash", "push", "--quiet", "--include-untracked"),),
    "stash pop": (("stash", "pop", "--quiet"),),
    "reset": (("reset", "--quiet", "--hard"),),
}
"""The git commands of each kind of `git` event. `NAME` stands for the branch, as in `checkout main`."""

_BRANCH_COMMAND_PATTERN = re.compile(r"(branch|checkout|rebase) [a-z]{1,40}")


def git_lines(command: str) -> list[list[str]]:
    """Return the arguments of each git command that is executed for a `git` event, such as `checkout main`."""
    keyword, _, name = command.partition(" ")
    lines = GIT_COMMANDS[command if command in GIT_COMMANDS else keyword]
    return [[part.replace("NAME", name) for part in line] for line in lines]


def is_git_command(text: str) -> bool:
    """Whether a text in a scenario file is a valid `git` event, such as `checkout main`."""
    keywords = GIT_COMMANDS.keys() - {"branch", "checkout", "rebase"}
    return text in keywords or _BRANCH_COMMAND_PATTERN.fullmatch(text) is not None


_ANY_TEXT_PATTERN = re.compile(r"(?s).*")
_DEFAULT_SHIFT_S = 2
"""Default number of seconds that a `touch` event adds to the time of a file."""


def read_event(node: Node, kind: str) -> list[WorldEvent]:
    """Read an event that changes the workspace. Return one event per path, in the file's order. Raises FormError."""
    stated, position = node.mapping((kind,))[kind], node.position
    value = stated.value
    form = WORLD_EVENTS[kind].form
    if form == "command":
        if type(value) is not str or not is_git_command(value):
            raise FormError(stated)
        return [WorldEvent(cast(WorldEventName, kind), value, position=position)]
    if form == "path" or (kind == "touch" and type(value) is str):
        entry = Directory() if kind == "mkdir" else None
        shift = _DEFAULT_SHIFT_S if kind == "touch" else None
        event = WorldEvent(cast(WorldEventName, kind), value, entry, mtime=shift, position=position)
        return [event] if is_safe(stated, value) else []
    return [
        _event(change, kind, path, position)
        for path, change in safe_paths(stated)
        if kind != "rename" or is_safe(change, change.value)
    ]


def _event(node: Node, kind: str, path: str, position: Position) -> WorldEvent:
    match kind:
        case "buffer":
            entry = RegularFile(TextContent(node.matching(_ANY_TEXT_PATTERN)))
            return WorldEvent("buffer", path, entry, position=position)
        case "modify":
            entry, shift = read_modified_entry(node)
            return WorldEvent("modify", path, entry, mtime=shift, position=position)
        case "touch":
            shift = read_shift(node.mapping(("mtime",), required=("mtime",))["mtime"])
            return WorldEvent("touch", path, mtime=shift, position=position)
        case "rename":
            to = node.value
            if to == path or to.startswith(path + "/"):
                message = f"{path!r} cannot be renamed to {to!r}"
                node.note(message, "Use a different path.", rule="path-conflict")
            return WorldEvent("rename", path, to=to, position=position)
        case "chmod":
            return WorldEvent("chmod", path, mode=read_mode(node), position=position)
        case _:
            return WorldEvent("symlink", path, Symlink(node.matching(LINK_TARGET_PATTERN)), position=position)


EVENTS_WITH_STEPS = tuple(name for name, kind in SESSION_EVENTS.items() if kind.end)
"""The kinds of session events that contain steps of another agent."""
WRITTEN_SESSION_EVENTS = tuple(name for name, kind in SESSION_EVENTS.items() if kind.written)
"""The kinds of session events that a scenario file may contain."""


def read_session_event(node: Node, kind: str, read_step: Callable[[Node], Sequence[Step]]) -> Sequence[Step]:
    """Read an event that changes the conversation. Return the event, and for a sub-agent or a second session also its
    steps (which `read_step` reads), and an event that ends them.
    """
    stated, position, known = node.below(kind), node.position, SESSION_EVENTS[kind]
    begin = cast(SessionEventName, kind)
    if kind == "mention":
        if not is_safe(stated, stated.value):
            return ()
        return (SessionEvent(begin, position, stated.value),)
    if not known.end:
        stated.mapping(())
        return (SessionEvent(begin, position),)
    keys = ("agent", "steps") if kind == "background" else ("steps",)
    fields = stated.mapping(keys, required=keys)
    name = fields["agent"].matching() if "agent" in fields else ""
    steps: list[Step] = []
    for each in fields["steps"].listed(empty=False):
        step = each.value if isinstance(each.value, dict) else {}
        if inner := next((key for key in step if key in WRITTEN_SESSION_EVENTS), ""):
            message = f"{inner} is not a step of {known.actor}"
            each.below(inner).note(message, "Write it after these steps.", rule="unknown-event", key=True)
        else:
            steps += read_step(each)
    return (SessionEvent(begin, position, name), *steps, SessionEvent(known.end, position))


def inner_steps(step: Any) -> tuple[str, list[Any]]:
    """Return the key and the inner steps of a step that contains steps of another agent. Both are empty otherwise."""
    key = next((key for key in EVENTS_WITH_STEPS if isinstance(step, dict) and key in step), "")
    inner = step[key] if key else None
    steps = inner.get("steps") if isinstance(inner, dict) else None
    return key, steps if isinstance(steps, list) else []
