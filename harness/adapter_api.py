"""The protocol between the harness and an implementation: an Adapter opens a Session, and the Session answers calls."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL
from typing import Any, Literal, Protocol, get_args, runtime_checkable

from readfirst.harness.errors import ExitCode, ReadfirstError

BASH = "Bash"
"""Name of the tool that runs shell commands."""
BASIC_CAPABILITIES = frozenset({"Read", "Edit", "Write"})
SESSION_CAPABILITIES = (
    "parallel",
    "during",
    "deny",
    BASH,
    "resume",
    "compact",
    "rewind",
    "agents",
    "background",
    "reminders",
    "hooks",
    "permission_modes",
    "full_disk",
    "mentions",
    "memory_files",
    "cancel",
    "stop",
    "cut",
    "kill",
    "sessions",
)
"""Names of the capabilities that a session may support in addition to the file tools."""

TIME_LIMIT = 30.0
"""Default time limit for one call, in seconds."""

Arguments = Mapping[str, Any]
"""The arguments of a call, as the model wrote them."""
Ending = Literal["cancelled", "stopped", "cut", "limit"]
"""The ways to end a call early without sending a signal. `InterruptibleSession.call_interrupted` describes them."""
Interfere = Callable[[], None]
"""A function that the harness passes to a session, to be run during a call, for example to change a file."""
PermissionMode = Literal["default", "plan", "acceptEdits", "bypassPermissions"]
MODES: tuple[PermissionMode, ...] = get_args(PermissionMode)
"""The permission modes of a session: read only, plan only, edit inside the working directories, or everything."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of one call as the model sees it."""

    text: str
    is_error: bool = False
    error: str | None = None
    """The name of the error in `fixtures/errors.yaml`. If None, the harness infers the error from the text."""
    reminders: tuple[str, ...] = ()
    """Further messages to the model with the result. Only sessions with the capability `reminders` return any."""


NO_ANSWER = ToolResult("No answer.", True, "no_answer")
"""The result of a call without an answer, because its arguments were cut off, or because its program ended."""


@dataclass(frozen=True, slots=True)
class Hook:
    """A command that the agent must run before or after some calls. Exit code and output have the meaning of Claude
    Code hooks.
    """

    event: str
    """`PreToolUse` (before the call) or `PostToolUse` (after the call)."""
    matcher: str
    """The tools: `*`, or names separated by `|`."""
    command: str
    """A command for `/bin/sh -c`, started in the workspace, with the call as JSON on its standard input:
    `hook_event_name`, `tool_name`, `tool_input`, and after the call `tool_response`.
    """


@dataclass(frozen=True, slots=True)
class Permissions:
    """The actions that a session may perform. The session must refuse all other actions."""

    mode: PermissionMode
    directory: Path
    """The working directory of the session."""
    allow: tuple[str, ...] = ()
    """Permission rules as in a Claude Code settings file, such as `Edit(docs/**)`, relative to `directory`."""
    additional: tuple[Path, ...] = ()
    """Further directories that count as working directories of the session."""


class Editor(Protocol):
    """The user's editor. An implementation with the capability `buffers` reads and writes files through the editor,
    which may contain text that is not saved yet. Paths are absolute.
    """

    def read(self, path: str, line: int | None = None, limit: int | None = None) -> str:
        """Return at most `limit` lines from `line` (from 1), with unsaved changes. Raises OSError, ValueError."""

    def write(self, path: str, text: str) -> None:
        """Replace the text of a file in the editor, and save the file. Raises OSError, ValueError."""


@dataclass(frozen=True, slots=True)
class Workspace(os.PathLike[str]):
    """The workspace of one scenario, as the adapter gets it: a directory, and rules for the calls in it."""

    root: Path
    """The absolute path of the workspace, without symbolic links."""
    home: Path
    """The session's home directory (`~`)."""
    deny: tuple[str, ...] = ()
    """Permission rules as in a Claude Code settings file, such as `Edit(secret/**)`, relative to `root`."""
    needs: frozenset[str] = frozenset()
    """The capabilities that the scenario needs."""
    isolated: bool = False
    """Whether a separate process that starts in `root` is required. Otherwise, processes may be shared."""
    relative: bool = False
    """Whether paths in calls are relative to the working directory."""
    hooks: tuple[Hook, ...] = ()
    """Run around calls, in this order. Only sessions with the capability `hooks` get any."""
    permissions: Permissions | None = None
    """If None, every call is allowed, except for paths in `deny`."""
    editor: Editor | None = None
    """The user's editor, for an implementation with the capability `buffers`."""

    def __fspath__(self) -> str:
        return str(self.root)


class Session(Protocol):
    """One conversation with an implementation, which remembers the files that were read in the conversation."""

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        """Execute one tool call, and return the answer for the model. A refusal is also a result, not an exception."""


@runtime_checkable
class ParallelSession(Protocol):
    """A session that can execute the calls of one message of the model in parallel (capability `parallel`)."""

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        """Execute the calls of one message of the model. Return their results in the order of the calls."""


@runtime_checkable
class RacingSession(Protocol):
    """A session that can pause a call after its validation, so that a file can be changed (capability `during`)."""

    def call_during(self, tool: str, arguments: Arguments, interfere: Interfere) -> ToolResult:
        """Execute one call, and run `interfere` once between validation and execution, unless the call is refused."""


@runtime_checkable
class InterruptibleSession(Protocol):
    """A session whose calls can be cancelled before (`cancel`) or during execution (`stop`), or be cut off (`cut`)."""

    def call_interrupted(
        self, tool: str, arguments: Arguments | str, how: Ending, interfere: Interfere
    ) -> ToolResult:
        """Process one call that ends early, and return the answer for the model. `how` is one of:

        - `cancelled`: validate the call, run `interfere` once (never, if the call is refused), and do not execute it.
        - `stopped`: execute the call, and run `interfere` in parallel. `interfere` returns when a file was written or
          the call is over. Then try to cancel the call. Return NO_ANSWER if the result is unknown.
        - `cut`: the connection to the model ended in the middle of the arguments.
        - `limit`: the model's message ended in the middle of the arguments, because it reached its maximum length.

        For `cut` and `limit`, `arguments` is the beginning of a JSON text, and nothing may be executed. An
        implementation that repeats the request to the model returns NO_ANSWER.
        """


@runtime_checkable
class KillableSession(Protocol):
    """A session whose program can be killed, or can get another signal, during a call (capability `kill`)."""

    def kill(self, number: int = SIGKILL) -> bool:
        """Send a signal to the program, even during a call, and wait a few seconds until the program exits. Return
        whether the program has exited. If another thread waits in `call`, that call must then raise AdapterError.
        """


@runtime_checkable
class ResumingSession(Protocol):
    """A session whose conversation can be ended and resumed later (capability `resume`)."""

    def resume(self) -> None:
        """End the conversation, start the program again, and resume the same conversation. Files that were read before
        still count as read if the implementation has stored their names.
        """


@runtime_checkable
class CompactingSession(Protocol):
    """A session whose conversation can be replaced by a summary (capability `compact`)."""

    def compact(self) -> None:
        """Replace the conversation by a summary, as the implementation does when the context window is full."""


@runtime_checkable
class RewindingSession(Protocol):
    """A session whose user can restore the files that the session has changed (capability `rewind`)."""

    def rewind(self) -> None:
        """Restore the files to their state at the latest message of the user. Then send another message of the user.
        The conversation continues with all its messages.
        """


@runtime_checkable
class MentioningSession(Protocol):
    """A session whose user can mention files in a message, to show them to the model (capability `mentions`)."""

    def mention(self, path: str) -> None:
        """Send a message of the user that mentions a file by its absolute path, for example as `@/tmp/notes.txt`."""


@runtime_checkable
class DelegatingSession(Protocol):
    """A session whose model can start a sub-agent and wait for its result (capability `agents`)."""

    def sub_agent(self) -> Session:
        """Start a sub-agent, and return its session, which must have a method `close()` that ends the sub-agent. Until
        the sub-agent ends, the harness makes no call in the session that started it.
        """


@runtime_checkable
class BackgroundSession(Protocol):
    """A session whose model can start sub-agents in the background and continue meanwhile (capability `background`)."""

    def background_agent(self) -> Session:
        """Start a sub-agent in the background, and return its session. If the session has a method `close()`, `close()`
        ends the sub-agent. Until then, the harness makes calls in both sessions, but never at the same time.
        """


class Adapter(Protocol):
    """The connection to one implementation, which opens a session for each scenario. An adapter may declare an
    AdapterTraits as `traits`. An adapter without `traits` may have the attributes `capabilities`, `reuses_paths`,
    `in_memory`, `design`, `refuses` and `unsupported_reason` and the methods `reset()` and `close()`. The default is
    support for Read, Edit and Write. A session may have `close()`.
    """

    def open(self, workspace: Workspace) -> Session:
        """Start a new session in the workspace. The session has not read any files."""


class AdapterError(ReadfirstError):
    """The adapter or its program violated the protocol: it hung, crashed, or sent too much or invalid output. `blame`
    is the cause of the error: `adapter`, `environment` or `harness`. `details` may contain the end of the program's
    standard error.
    """

    exit_code = ExitCode.ERROR

    def __init__(self, message: str, *, blame: str = "adapter", details: str = "") -> None:
        super().__init__(message)
        self.blame = blame
        self.details = details

    @property
    def lines(self) -> Sequence[str]:
        """The lines of the message: the first line describes the error, and any further lines contain advice."""
        return str(self).split("\n")


class UnsupportedCall(AdapterError):  # noqa: N818 - not a failure
    """Raised by a session instead of executing a call that it does not support. The scenario then gets the status
    `unsupported`, unless an earlier step failed.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, blame="unsupported")
