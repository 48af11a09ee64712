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
    """The properties of one kind of event that changes the workspace without a tool, such as `rename`."""

    form: Literal["path", "each", "command"]
    """The form in a scenario file: a single path, a mapping of paths to their changes, or a command."""
    effect: Literal["entry", "moved", "mode", "none", "unknown"]
    """`entry`: the path is created, replaced or deleted. `mode`: only the mode changes. `none`: no content changes."""
    fields: tuple[Literal["entry", "to", "mode", "mtime"], ...] = ()
    """The fields of WorldEvent that an export contains, in addition to the path."""
    must_exist: bool = False
    """Whether the path must exist before the event."""


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
    """The properties of one kind of event that changes the conversation, such as `resume`."""

    words: str
    """A description of the event for reports."""
    needs: str = ""
    """The capability that the adapter must have, or empty."""
    end: Literal["end", "back", ""] = ""
    """The kind of the event that ends the steps of a second agent."""
    actor: str = ""
    """A description of the second agent."""
    written: bool = True
    """Whether a scenario file may contain the event. The loader adds events that end steps."""


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
    """One way to interrupt a call, such as `killed`."""

    words: str
    """A description for reports."""
    needs: str
    """The capability that an adapter needs."""
    signal: str | None = None
    """The signal that is sent to the program. None without a signal."""
    waits: bool = False
    """Whether the call is interrupted after its validation and before it writes."""
    is_raced: bool = False
    """Whether the call is interrupted while it writes, so that the result may differ between runs."""


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
    """A change to the workspace without a tool, such as another program that modifies a file."""

    kind: WorldEventName
    path: str
    """The path relative to the workspace, or for the kind `git` a command such as `checkout main`."""
    entry: Entry | None = None
    """The new state of the path (`modify`, `symlink`, `mkdir`), or the unsaved text in the user's editor (`buffer`)."""
    to: str | None = None
    """The new name (`rename`)."""
    mode: int | None = None
    """The new mode (`chmod`)."""
    mtime: Seconds | None = None
    """Number of seconds to add to the time of the file. None means that the time does not change."""
    position: Position | None = None


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """A change of the conversation without a tool, such as a resumed conversation or the start of a sub-agent."""

    kind: SessionEventName
    """The kinds:

    - `resume`: the conversation ends and continues later.
    - `compact`: a summary replaces the conversation.
    - `rewind`: the files return to their state at the user's last message. These changes are expected at the next call.
    - `mention`: the user mentions the file `path`, relative to the workspace.
    - `agent`: the calls up to the event `end` belong to a sub-agent. The conversation waits for the sub-agent.
    - `background`: the calls up to the event `back` belong to the sub-agent named `path`, which works in parallel.
    - `other`: the calls up to the event `back` belong to a second session in the workspace.
    """
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
