"""The immutable data of a scenario: its workspace, its steps, and their expected results."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self

from readfirst.harness.adapter_api import BASH
from readfirst.harness.suite.event_kinds import INTERRUPTIONS
from readfirst.harness.suite.event_kinds import Interruption as Interruption
from readfirst.harness.suite.event_kinds import SessionEvent as SessionEvent
from readfirst.harness.suite.event_kinds import WorldEvent as WorldEvent
from readfirst.harness.suite.file_entry import Entry, RegularFile
from readfirst.harness.suite.permissions import GivenPermissions
from readfirst.harness.suite.scenario_metadata import Requirement
from readfirst.harness.yaml_io.finding import Position

TOOLS = ("Read", "Edit", "Write", "MultiEdit", "NotebookRead", "NotebookEdit")
"""Names of the file tools that a scenario may call."""
READERS = frozenset({"Read", "NotebookRead"})
"""Names of the tools that show a file and do not change it."""

DISK_PAGE = 4096
"""`Given.disk`, a size in bytes, is a multiple of this number, the block size of a small file system."""
CALLS = (*TOOLS, BASH)
"""Names of all tools that a step may call: the file tools, and Bash for commands."""

AT_ONCE = "at_once"
"""Name of the capability to let two sessions in separate processes change a file at the same time."""
BUFFERS = "buffers"
"""Name of the capability to read and write files through the user's editor."""

ReadGate = Literal["enforced", "relaxed"]
HookEvent = Literal["PreToolUse", "PostToolUse"]
HookAction = Literal[
    "allow", "ask", "deny", "block", "context", "input", "exit", "modify", "delete", "rename"
]

_EXCERPT_CHARS = 200
"""Length of the beginning and of the end of a long text that its digest contains, in characters."""


@dataclass(frozen=True, slots=True)
class TextDigest:
    """An expected text that is too long to be written in full. Fields that are not None must match the actual text."""

    sha256: str | None = None
    """Hexadecimal digest of the text in UTF-8, with `$WS` for the workspace."""
    lines: int | None = None
    """Number of lines."""
    starts: str | None = None
    """The beginning of the text."""
    ends: str | None = None
    """The end of the text."""

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the digest of a text with all fields: SHA-256, number of lines, beginning and end."""
        sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return cls(sha256, text.count("\n") + 1, text[:_EXCERPT_CHARS], text[-_EXCERPT_CHARS:])

    def differences(self, text: str) -> Iterator[tuple[str, str, str]]:
        """Compare a text with this digest. Yield each different field: its name, the expected and the actual value."""
        if self.starts is not None and not text.startswith(self.starts):
            yield "start of text", self.starts, text[: len(self.starts)]
        if self.ends is not None and not text.endswith(self.ends):
            yield "end of text", self.ends, text[-len(self.ends) :]
        actual = TextDigest.of(text)
        if self.lines not in (None, actual.lines):
            yield "lines of text", str(self.lines), str(actual.lines)
        if self.sha256 not in (None, actual.sha256):
            yield "sha256 of text", str(self.sha256), str(actual.sha256)


PLATFORMS = ("linux", "macos", "windows", "case-insensitive", "composing")
"""Values of `platform`: operating systems, or workspaces that ignore case or the encoding of accents in names."""

EXECUTION_ERRORS = frozenset({"unexpectedly_modified", "edit_not_applied", "os_error"})
"""Errors that occur while a tool writes: after the validation of a call, and after the events `during` the call."""


class ForeignContractError(ValueError):
    """Raised if the expectations of a scenario are those of a contract other than the requested contract."""


@dataclass(frozen=True, slots=True)
class Clause:
    """The expected result of one call."""

    documented: str | None = None
    """The name of the published description that states this result. None for a recorded result."""
    error: str | None = None
    """The error name of the required refusal, such as `not_read`. None if the call must not be refused."""
    text: str | TextDigest | None = None
    """None if the words of the answer are not compared."""
    files: Mapping[str, Entry | None] = field(default_factory=dict)
    """The new entry of every path that the step changes. None for a deleted path."""
    reminders: tuple[str | TextDigest, ...] = ()
    """Messages to the model about changed files and from hooks, compared only if `Given.reminders` is true."""
    position: Position | None = None


@dataclass(frozen=True, slots=True)
class Expectation:
    """The expected result of a call or group: `recorded` from the product, or `documented` in its published
    descriptions. None if unknown. Both may be the same clause.
    """

    recorded: Clause | None = None
    documented: Clause | None = None

    def clauses(self) -> tuple[Clause, ...]:
        """Return the stated results: first `documented`, then `recorded`. If both are the same, return one result."""
        documented = None if self.documented is self.recorded else self.documented
        return tuple(clause for clause in (documented, self.recorded) if clause is not None)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that the model makes. The events `during` happen between its validation and its execution."""

    tool: str
    arguments: Mapping[str, Any]
    during: tuple[WorldEvent, ...] = ()
    expect: Expectation = Expectation()
    position: Position | None = None
    interrupted: Interruption | None = None
    """How the call ends early:

    - `cancelled`, `stopped`: the user interrupts the call before it is executed, or (`stopped`) after it wrote a file.
    - `killed`, `killed-writing`: the program is killed before the call is executed, or when it starts to write. The
      next call belongs to a new session, unless this session is resumed.
    - `sigint`, `sigterm`, `sigint-writing`, `sigterm-writing`: the program gets this signal before the call is
      executed, or when it starts to write. The program may exit.
    - `cut`, `limit`: the connection (`cut`) or the model's message (`limit`) ends in the middle of the last argument.
    """

    @property
    def paused(self) -> bool:
        """Whether an event or an interruption happens between the validation and the execution of the call."""
        return bool(self.during) or (self.interrupted is not None and INTERRUPTIONS[self.interrupted].waits)

    @property
    def signal(self) -> str | None:
        """The name of the signal that the harness sends to the program during this call. None without a signal."""
        return None if self.interrupted is None else INTERRUPTIONS[self.interrupted].signal

    @property
    def truncated_arguments(self) -> str:
        """The arguments as JSON, up to the middle of the last argument. Used for `cut` and `limit`."""
        last, text = list(self.arguments.items())[-1]
        return json.dumps({**self.arguments, last: text[: len(text) // 2]}, ensure_ascii=False)[:-2]

    @property
    def path(self) -> str:
        """The value of the argument `file_path` or `notebook_path`. Empty without these arguments."""
        path = self.arguments.get("file_path", self.arguments.get("notebook_path"))
        return path if isinstance(path, str) else ""


@dataclass(frozen=True, slots=True)
class ParallelCalls:
    """Several calls that the model makes in one message, or that two sessions make at the same time."""

    calls: tuple[ToolCall, ...]
    expect: Expectation = Expectation()
    """The files that the whole group changes."""
    position: Position | None = None
    sides: tuple[int, ...] = ()
    """The number of the session (0 or 1) for each call. Empty for calls of one message."""


Step = ToolCall | ParallelCalls | WorldEvent | SessionEvent

CallIndex = tuple[int, int | None]
"""The index of a call's step, and of the call in its group. The second index is None for a group or a single call."""


def calls_of(step: Step) -> tuple[ToolCall, ...]:
    """Return the calls of a step: a single call, or the calls of a parallel group. Empty for an event."""
    match step:
        case ToolCall():
            return (step,)
        case ParallelCalls(calls):
            return calls
        case _:
            return ()


def parts_of(step: Step) -> tuple[ToolCall | ParallelCalls, ...]:
    """Return the calls of a step and, for parallel calls, the group. All of them may have an expectation."""
    return (*calls_of(step), *((step,) if isinstance(step, ParallelCalls) else ()))


def events_of(step: Step) -> tuple[WorldEvent, ...]:
    """Return the events in a step that change the workspace, including the events during its calls."""
    if isinstance(step, WorldEvent):
        return (step,)
    return tuple(event for call in calls_of(step) for event in call.during)


def with_calls(step: Step, change: Callable[[ToolCall], ToolCall]) -> Step:
    """Return a copy of the step with `change` applied to each call."""
    match step:
        case ToolCall():
            return change(step)
        case ParallelCalls():
            return replace(step, calls=tuple(map(change, step.calls)))
        case _:
            return step


@dataclass(frozen=True, slots=True)
class GivenHook:
    """A hook of a scenario, which runs before or after each call of the tools in `matcher` (`Edit|Write`)."""

    event: HookEvent
    matcher: str
    action: HookAction
    words: str = ""
    """A text that the hook prints."""
    code: int = 0
    """The exit code of the hook."""
    input: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that replace the model's arguments."""
    files: Mapping[str, RegularFile] = field(default_factory=dict)
    """The files that the hook writes."""
    moved: Mapping[str, str | None] = field(default_factory=dict)
    """The paths that the hook renames or deletes, with the new path or None."""

    @property
    def paths(self) -> frozenset[str]:
        """The paths that the hook writes, renames or deletes."""
        return frozenset({*self.files, *self.moved, *filter(None, self.moved.values())})

    def runs(self, event: HookEvent, tool: str) -> bool:
        """Whether the agent must execute the hook for this event (before or after a call) and this tool."""
        return self.event == event and (self.matcher == "*" or tool in self.matcher.split("|"))

    @property
    def refuses(self) -> bool:
        """Whether the hook makes the agent refuse the call."""
        return self.action in ("deny", "block") or (self.action == "exit" and self.code == 2)


@dataclass(frozen=True, slots=True)
class Given:
    """The files of the workspace before the first step, and the settings of the session."""

    files: Mapping[str, Entry] = field(default_factory=dict)
    deny: tuple[str, ...] = ()
    """The patterns of forbidden actions, such as `Edit(secret/**)`."""
    reminders: bool = False
    """Whether reminders about changed files and from hooks are compared."""
    hooks: tuple[GivenHook, ...] = ()
    permissions: GivenPermissions | None = None
    """The actions that the session may do without a question. None means all."""
    disk: int | None = None
    """Size in bytes of a separate file system for the workspace. None means no separate file system."""
    memory_files: bool = False
    """Whether the model gets a file named CLAUDE.md together with a file that is read in the same directory."""


@dataclass(frozen=True)
class Scenario:
    """One scenario. `id` is its path below `scenarios/`, without `.yaml`. `contract` is the contract whose results are
    the expectations in `steps`. `inputs` is a digest of the workspace and the steps, without expectations.
    """

    id: str
    title: str
    requirement: Requirement
    given: Given
    steps: tuple[Step, ...]
    contract: str = ""
    inputs: str = ""
    about: str = ""
    tags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    path: Path | None = None
    rule: str = ""
    """The id of the scenario's rule in `rules.yaml`. Empty if the file names no rule."""
    disputed: str = ""
    """A link to the discussion of a disputed expectation. If it is not empty, the scenario is excluded from scores."""
    platform: str = ""
    """The only platform of the scenario, one of PLATFORMS. Empty: all platforms."""
    invariant: bool = False
    """Whether the scenario has no recording and no expectations, and is only used to detect harm."""
    composed: bool = False
    """Whether a program composed the scenario. It is then in the corpus, and only its recording has expectations."""

    @property
    def family(self) -> str:
        """The family of the scenario: the first part of its id, for example `staleness`."""
        return self.id.partition("/")[0]

    @property
    def length(self) -> int:
        """The number of given files and steps. Used to prefer short scenarios."""
        return len(self.given.files) + len(self.steps)

    def calls(self) -> Iterator[ToolCall]:
        """Yield every tool call in order, including the calls of parallel groups."""
        for step in self.steps:
            yield from calls_of(step)

    def places(self) -> Iterator[tuple[CallIndex, ToolCall]]:
        """Yield each tool call with its position: the index of its step, and the index in its group (or None)."""
        for index, step in enumerate(self.steps):
            for number, call in enumerate(calls_of(step)):
                yield (index, number if isinstance(step, ParallelCalls) else None), call

    @property
    def is_nondeterministic(self) -> bool:
        """Whether replays may differ, because a call is interrupted while it writes, or because two sessions race."""
        has_races = any(isinstance(step, ParallelCalls) and step.sides for step in self.steps)
        return has_races or any(
            call.interrupted and INTERRUPTIONS[call.interrupted].is_raced for call in self.calls()
        )

    def parts(self) -> Iterator[tuple[CallIndex, ToolCall | ParallelCalls]]:
        """Yield every call and every parallel group, with its position. Both may have an expectation."""
        for index, step in enumerate(self.steps):
            for number, part in enumerate(parts_of(step)):
                yield (index, None if isinstance(part, ParallelCalls) else number), part

    def events(self) -> Iterator[WorldEvent]:
        """Yield every event that changes the workspace, in order, including the events during calls."""
        for step in self.steps:
            yield from events_of(step)

    @cached_property
    def mounts(self) -> bool:
        """Whether the scenario mounts or unmounts a file system."""
        return any(event.kind in ("mount", "unmount") for event in self.events())

    @cached_property
    def needs(self) -> frozenset[str]:
        """The capabilities that an adapter must have for this scenario: tools, and items of SESSION_CAPABILITIES."""
        needs = {call.tool for call in self.calls()}
        needs.update(step.needs for step in self.steps if isinstance(step, SessionEvent) and step.needs)
        groups = [step for step in self.steps if isinstance(step, ParallelCalls)]
        needs.update(AT_ONCE if group.sides else "parallel" for group in groups)
        needs.update(INTERRUPTIONS[call.interrupted].needs for call in self.calls() if call.interrupted)
        is_needed: dict[str, object] = {
            "during": any(call.paused for call in self.calls()),
            BUFFERS: any(event.kind == "buffer" for event in self.events()),
            "deny": self.given.deny,
            "reminders": self.given.reminders,
            "hooks": self.given.hooks,
            "permission_modes": self.given.permissions,
            "full_disk": self.given.disk is not None or self.mounts,
            "memory_files": self.given.memory_files,
        }
        return frozenset(needs | {name for name, needed in is_needed.items() if needed})

    @cached_property
    def relative(self) -> bool:
        """Whether a call uses a path that is relative to the working directory or to the home directory."""
        return any(map(_is_relative, self.calls()))

    @cached_property
    def all_paths(self) -> tuple[str, ...]:
        """All paths of given files, events and calls in the scenario. The paths of calls are without `$WS`."""
        events = (event for event in self.events() if event.kind != "git")
        moved = (path for event in events for path in (event.path, event.to or ""))
        return (*self.given.files, *moved, *(path.removeprefix("$WS") for path in self.paths()))

    def paths(self) -> Iterator[str]:
        """Yield the path in the arguments of each call. Calls without a path are skipped."""
        return filter(None, (call.path for call in self.calls()))


def _is_relative(call: ToolCall) -> bool:
    """Whether a call depends on the working directory: its path is not absolute, or it changes the directory."""
    command = str(call.arguments.get("command"))
    if call.tool == BASH and ("$WS/" not in command or command.startswith("cd ")):
        return True
    paths = (call.arguments.get("file_path"), call.arguments.get("notebook_path"))
    return any(isinstance(path, str) and not path.startswith(("$WS", "/")) for path in paths)
