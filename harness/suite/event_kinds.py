"""The table of event kinds: external changes, turns of a conversation, and early ends of calls.

Each kind has its fields, its form in a file, its words in a report, and its effect on an imagined workspace. A kind
that is not in the table raises a KeyError everywhere.
"""

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
    """A kind of change to the workspace without a tool.

    `form` is the form in a scenario file: one `path`, a `command`, or a mapping of `each` path to its change. `fields`
    are the fields of WorldEvent that an export contains, in addition to the path. `effect`: the path gets the `entry`
    (None: it is deleted), is `moved`, gets a `mode`, keeps its content (`none`), or its change can only be seen on disk
    (`unknown`). `must_exist`: the path must exist before.
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
    """A kind of change to the conversation. `words` describe it, `needs` is the required capability, empty if it needs
    none.

    If steps belong to the event, `end` is the event after them, and `actor` the name of the agent that makes them;
    otherwise both are empty. `written`: a scenario file may contain the event.
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
    """A way to end a call early: its description, the required capability, and the signal that the program gets, if
    any.

    `waits`: the call ends between validation and execution. `is_raced`: the call ends while it writes, so the result
    may differ between runs.
    """

    words: str
    needs: str
    signal: str | None = None
    waits: bool = False
    is_raced: bool = False


def _signals() -> Mapping[str, InterruptionKind]:
    return {
        name + suffix: InterruptionKind(
            f"and the program {verb} {moment}", "kill", signal, not suffix, bool(suffix)
        )
        for name, signal, verb in (
            ("killed", "SIGKILL", "is killed"),
            ("sigint", "SIGINT", "gets SIGINT"),
            ("sigterm", "SIGTERM", "gets SIGTERM"),
        )
        for suffix, moment in (("", "before it is executed"), ("-writing", "when it begins to write"))
    }


_MIDDLE = "in the middle of the last argument"
INTERRUPTIONS: Mapping[str, InterruptionKind] = {
    "cancelled": InterruptionKind("given up by the user before it is executed", "cancel", waits=True),
    "stopped": InterruptionKind("given up by the user when it has begun to write", "stop", is_raced=True),
    **_signals(),
    "cut": InterruptionKind(f"and the connection ends {_MIDDLE}", "cut"),
    "limit": InterruptionKind(f"and the model's message ends {_MIDDLE}", "cut"),
}


@dataclass(frozen=True, slots=True)
class WorldEvent:
    """A change to the workspace without a tool.

    `path` is relative to the workspace. `entry` is the new state (`modify`, `symlink`, `mkdir`), `to` the new name
    (`rename`), `mode` the new mode (`chmod`). `mtime` is a shift in seconds relative to the previous time of the file;
    None: `same`. `buffer`: the user's editor contains `entry` as the unsaved text of the file. `git`: `path` is a
    command of `git_commands` instead.
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
    """A change of the conversation without a tool.

    `resume`: the conversation ends and continues later. `compact`: a summary replaces it. `rewind`: the files return
    to their state at the last message of the user; these changes belong to the next call. `agent`: the calls up to
    `end` belong to a sub-agent, and the conversation waits for it. `mention`: the user mentions the file `path`,
    relative to the workspace. `other`: the calls up to `back` belong to a second session in the workspace.
    `background`: the calls belong to the sub-agent named `path`, which works in parallel with the conversation.
    """

    kind: SessionEventName
    position: Position | None = None
    path: str = ""

    @property
    def needs(self) -> str:
        """The capability that an adapter needs to perform this event; empty if it needs none (`back`)."""
        return SESSION_EVENTS[self.kind].needs


T = TypeVar("T")


def imagine(event: WorldEvent, files: MutableMapping[str, Entry | T | None]) -> bool:
    """Apply the changes of an event to an imagined workspace. Return whether all of them are known.

    `files` contains the known entry of each path: None if it is deleted. Links are not followed.
    """
    path = event.path
    below = [each for each in files if each.startswith(f"{path}/")]
    match WORLD_EVENTS[event.kind].effect:
        case "entry":
            former = files.get(path)
            files.update(dict.fromkeys(below if event.entry is None else ()))
            files[path] = with_known_mode(event.entry, former)
        case "moved":
            for each in (path, *below):
                if each in files:
                    files[f"{event.to}{each[len(path) :]}"] = files.pop(each)
        case "mode":
            entry = files.get(path)
            if isinstance(entry, RegularFile | Directory):
                files[path] = replace(entry, mode=event.mode)
        case "none":
            pass
        case "unknown":
            return False
    return True


def with_known_mode(entry: Entry | None, former: Entry | T | None) -> Entry | None:
    """Return an entry as the harness creates it: with the stated mode, else the former one, else the default."""
    if not isinstance(entry, RegularFile | Directory) or entry.mode is not None:
        return entry
    if isinstance(former, type(entry)) and former.mode is not None:
        return replace(entry, mode=former.mode)
    return replace(entry, mode=0o755 if isinstance(entry, Directory) else 0o644)
