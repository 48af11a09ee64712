"""The kinds of events in scenarios: changes by other programs or of the conversation, early ends of calls."""

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from readfirst.harness.suite.file_entry import Directory, Entry, RegularFile, Seconds
from readfirst.harness.yaml_io.finding import Position

WorldEventName = Literal[
    "modify", "touch", "delete", "rename", "chmod", "symlink", "mkdir", "buffer", "git", "mount", "unmount"
]
SessionEventName = Literal[
    "resume", "compact", "rewind", "agent", "end", "mention", "other", "background", "back"
]


@dataclass(frozen=True, slots=True)
class WorldEventKind:
    """The properties of one kind of event that changes the workspace without a tool, such as `rename`.

    `form` is the form in a scenario file: `path` (a single path), `command` (a command), or `each` (a mapping of paths
    to their changes). `fields` are the fields of WorldEvent that an export contains, in addition to the path.
    `must_exist`: the path must exist before the event. `effect` is the effect on the path: `entry` (created, replaced
    or deleted), `moved`, `mode` (changed mode), `none` (unchanged content), or `unknown`.
    """

    form: Literal["path", "each", "command"]
    effect: Literal["entry", "moved", "mode", "none", "unknown"]
    fields: tuple[Literal["entry", "to", "mode", "mtime"], ...] = ()
    must_exist: bool = False


WORLD_EVENTS: Mapping[str, WorldEventKind] = {
    "modify": WorldEventKind("each", "entry", ("entry", "mtime")),
    "touch": WorldEventKind("each", "none", ("mtime",), must_exist=True),
    "delete": WorldEventKind("path", "entry", must_exist=True),
    "rename": WorldEventKind("each", "moved", ("to",), must_exist=True),
    "chmod": WorldEventKind("each", "mode", ("mode",), must_exist=True),
    "symlink": WorldEventKind("each", "entry", ("entry",)),
    "mkdir": WorldEventKind("path", "entry", ("entry",)),
    "buffer": WorldEventKind("each", "none"),
    "git": WorldEventKind("command", "unknown"),
    "mount": WorldEventKind("path", "unknown"),
    "unmount": WorldEventKind("path", "unknown"),
}


@dataclass(frozen=True, slots=True)
class SessionEventKind:
    """The properties of one kind of event that changes the conversation, such as `resume`. `words` describe the event
    in reports. `needs` is the capability that the adapter must have, or empty. If an event contains steps of a second
    agent, `actor` describes this agent, and `end` is the kind of the event after these steps. `written` means that a
    scenario file may contain the event.
    """

    words: str
    needs: str = ""
    end: Literal["end", "back", ""] = ""
    actor: str = ""
    written: bool = True


SESSION_EVENTS: Mapping[str, SessionEventKind] = {
    "resume": SessionEventKind("the session ends and is resumed", "resume"),
    "compact": SessionEventKind("a summary takes the conversation's place", "compact"),
    "rewind": SessionEventKind(
        "the files are brought back to what they were when the user last said something", "rewind"
    ),
    "mention": SessionEventKind("the user mentions", "mentions"),
    "agent": SessionEventKind("a sub-agent begins", "agents", "end", "a sub-agent"),
    "end": SessionEventKind("the sub-agent ends", "agents", written=False),
    "other": SessionEventKind("another session acts", "sessions", "back", "another session"),
    "background": SessionEventKind(
        "in the background works the sub-agent", "background", "back", "a sub-agent in the background"
    ),
    "back": SessionEventKind("the first session goes on", written=False),
}


Interruption = Literal[
    "cancelled",
    "stopped",
    "killed",
    "killed-writing",
    "sigint",
    "sigint-writing",
    "sigterm",
    "sigterm-writing",
    "cut",
    "limit",
]


@dataclass(frozen=True, slots=True)
class InterruptionKind:
    """One way to interrupt a call, such as `killed`. `words` describe it in reports. `needs` is the capability that an
    adapter needs. `waits`: the call is interrupted after its validation and before it writes. `is_raced`: the call is
    interrupted while it writes, so the result may differ between runs.
    """

    words: str
    needs: str
    signal: str | None = None
    waits: bool = False
    is_raced: bool = False


_SIGNALS = (
    ("killed", "SIGKILL", "is killed"),
    ("sigint", "SIGINT", "gets SIGINT"),
    ("sigterm", "SIGTERM", "gets SIGTERM"),
)
_MIDDLE = "in the middle of the last argument"
INTERRUPTIONS: Mapping[str, InterruptionKind] = {
    "cancelled": InterruptionKind("given up by the user before it is executed", "cancel", waits=True),
    "stopped": InterruptionKind("given up by the user when it has begun to write", "stop", is_raced=True),
    **{
        name + suffix: InterruptionKind(
            f"and the program {verb} {moment}", "kill", signal, not suffix, bool(suffix)
        )
        for name, signal, verb in _SIGNALS
        for suffix, moment in (("", "before it is executed"), ("-writing", "when it begins to write"))
    },
    "cut": InterruptionKind(f"and the connection ends {_MIDDLE}", "cut"),
    "limit": InterruptionKind(f"and the model's message ends {_MIDDLE}", "cut"),
}


@dataclass(frozen=True, slots=True)
class WorldEvent:
    """A change to the workspace without a tool, such as another program that modifies a file.

    `path` is relative to the workspace; for the kind `git` it is a command, such as `checkout main`. `entry` is the new
    state of the path (`modify`, `symlink`, `mkdir`), or the unsaved text in the user's editor (`buffer`). `to` is the
    new name (`rename`), `mode` the new mode (`chmod`). `mtime` is the number of seconds to add to the time of the file.
    None means that the time does not change.
    """

    kind: WorldEventName
    path: str
    entry: Entry | None = None
    to: str | None = None
    mode: int | None = None
    mtime: Seconds | None = None
    position: Position | None = None


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """A change of the conversation without a tool. `kind` is one of:

    - `resume`: the conversation ends and continues later.
    - `compact`: a summary replaces the conversation.
    - `rewind`: the files return to their state at the user's last message. These changes are expected at the next call.
    - `mention`: the user mentions the file `path`, relative to the workspace.
    - `agent`: the calls up to the event `end` belong to a sub-agent. The conversation waits for the sub-agent.
    - `background`: the calls up to the event `back` belong to the sub-agent named `path`, which works in parallel.
    - `other`: the calls up to the event `back` belong to a second session in the workspace.
    """

    kind: SessionEventName
    position: Position | None = None
    path: str = ""

    @property
    def needs(self) -> str:
        """The capability that an adapter needs to perform this event. Empty for `back`."""
        return SESSION_EVENTS[self.kind].needs


T = TypeVar("T")


def apply_event(event: WorldEvent, files: MutableMapping[str, Entry | T | None]) -> bool:
    """Update `files` with the changes of an event. A deleted path gets the value None. Return False if the changes of
    the event cannot be known, as for a git command.
    """
    path = event.path
    below = [name for name in files if name.startswith(f"{path}/")]
    match WORLD_EVENTS[event.kind].effect:
        case "entry":
            before = files.get(path)
            files.update(dict.fromkeys(below if event.entry is None else ()))
            files[path] = with_known_mode(event.entry, before)
        case "moved":
            for name in (path, *below):
                if name in files:
                    files[f"{event.to}{name[len(path) :]}"] = files.pop(name)
        case "mode":
            entry = files.get(path)
            if isinstance(entry, RegularFile | Directory):
                files[path] = replace(entry, mode=event.mode)
        case "none":
            pass
        case "unknown":
            return False
    return True


def with_known_mode(entry: Entry | None, before: Entry | T | None) -> Entry | None:
    """Return `entry` with a mode: the mode of `entry`, else of `before`, else the default mode."""
    if not isinstance(entry, RegularFile | Directory) or entry.mode is not None:
        return entry
    if isinstance(before, type(entry)) and before.mode is not None:
        return replace(entry, mode=before.mode)
    return replace(entry, mode=0o755 if isinstance(entry, Directory) else 0o644)
