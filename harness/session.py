"""The protocol between the harness and an implementation: an Adapter opens a Session, a Session answers calls."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, get_args, runtime_checkable

from readfirst.harness.exit_code import ExitCode, ReadfirstError

__all__ = [
    "BASIC_CAPABILITIES",
    "MODES",
    "TIME_LIMIT",
    "Adapter",
    "BrokenAdapter",
    "CompactingSession",
    "DelegatingSession",
    "Hook",
    "MentioningSession",
    "ParallelSession",
    "PermissionMode",
    "Permissions",
    "RacingSession",
    "ResumingSession",
    "ServerUse",
    "Session",
    "ToolResult",
    "Workspace",
    "capabilities_of",
]

BASIC_CAPABILITIES = frozenset({"Read", "Edit", "Write"})

TIME_LIMIT = 30.0
"""Seconds that one call may take, unless a run says otherwise."""

PermissionMode = Literal["default", "plan", "acceptEdits", "bypassPermissions"]
MODES: tuple[PermissionMode, ...] = get_args(PermissionMode)
"""What a session does unasked: read, plan only, edit where it is at home, or everything."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model sees of one call: the text, and whether it is marked as an error.

    `error` is the error's name from `fixtures/errors.yaml`, for an implementation that knows it; otherwise the
    harness recognises the name from the text. `reminders` is what the model is told beside the answer: of files that
    changed, one text for each, and by hooks; only sessions with the capability `reminders` have any.
    """

    text: str
    is_error: bool = False
    error: str | None = None
    reminders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hook:
    """What runs before (`PreToolUse`) or after (`PostToolUse`) each call of the tools that `matcher` names.

    `matcher` is `*`, or names of tools with `|` between them. `command` is for `/bin/sh -c`, started in the workspace,
    with the call as JSON on its standard input: `hook_event_name`, `tool_name`, `tool_input`, and after the call
    `tool_response`. Exit code and output say what it wants, as hooks of Claude Code do.
    """

    event: str
    matcher: str
    command: str


@dataclass(frozen=True, slots=True)
class Permissions:
    """What a session may do without asking; nobody answers, so what it would ask for is refused.

    `allow` are rules as in a Claude Code settings file, for example `Edit(docs/**)`; a relative pattern is relative to
    `directory`, the session's working directory. `additional` are further directories where it is at home.
    """

    mode: PermissionMode
    directory: Path
    allow: tuple[str, ...] = ()
    additional: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Workspace(os.PathLike[str]):
    """Where one scenario happens: an absolute directory without symbolic links, and the rules that hold there.

    `deny` are permission rules as in a Claude Code settings file, for example `Edit(secret/**)`; a relative
    pattern is relative to `root`. `hooks` run around calls, in this order; only sessions with the capability `hooks`
    get any. `home` is the session's home directory (`~`). `needs` is `Scenario.needs`.
    `isolated` asks for a session whose working directory is `root` itself and that serves nothing else;
    otherwise one process may serve many workspaces. `relative` is one of its reasons, and the only one that is
    not peculiar to the recorded product: paths are relative to the working directory. `spells_paths` tells whether the
    scenario names one file in several ways.
    `permissions` are None unless a scenario is about them: then every call is allowed, except what `deny` closes.
    """

    root: Path
    home: Path
    deny: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()
    isolated: bool = False
    relative: bool = False
    spells_paths: bool = False
    hooks: tuple[Hook, ...] = ()
    permissions: Permissions | None = None

    def __fspath__(self) -> str:
        return str(self.root)


@dataclass(frozen=True, slots=True)
class ServerUse:
    """What a session got of an implementation that runs as a server: a shared one or one of its own, and why."""

    shared: bool
    why: str


class Session(Protocol):
    """One conversation: the read state lives here."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Execute one tool call and return what the model sees. A refusal is a result, not an exception."""
        ...


@runtime_checkable
class ParallelSession(Protocol):
    """A session that can also execute several calls of one message."""

    def call_parallel(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> Sequence[ToolResult]:
        """Execute the calls of one message; results in the order of the calls."""
        ...


@runtime_checkable
class RacingSession(Protocol):
    """A session that can let something happen between validation and execution."""

    def call_during(self, tool: str, arguments: Mapping[str, Any], strike: Callable[[], None]) -> ToolResult:
        """Execute one call; run `strike` once after validation and before execution (never, if refused before)."""
        ...


@runtime_checkable
class ResumingSession(Protocol):
    """A session that can end and be gone on with later (capability `resume`)."""

    def resume(self) -> None:
        """End the conversation, start the program again, and let it go on with the same conversation.

        Calls that follow are made in the resumed conversation, which knows of files what the implementation kept.
        """
        ...


@runtime_checkable
class CompactingSession(Protocol):
    """A session whose conversation can be replaced by a summary of it (capability `compact`)."""

    def compact(self) -> None:
        """Let a summary take the conversation's place, as when the model's window is full."""
        ...


@runtime_checkable
class RewindingSession(Protocol):
    """A session whose user can take back what it did to files (capability `rewind`)."""

    def rewind(self) -> None:
        """Bring files back to what they were when the user last said something, and let the user say something else.

        The conversation goes on as it is: only files are brought back.
        """
        ...


@runtime_checkable
class MentioningSession(Protocol):
    """A session whose user can mention files, which are then shown to the model (capability `mentions`)."""

    def mention(self, path: str) -> None:
        """Let the user say something that mentions the file of this absolute path, such as `@notes.txt`."""
        ...


@runtime_checkable
class DelegatingSession(Protocol):
    """A session whose model can hand work to a sub-agent and wait for it (capability `agents`)."""

    def sub_agent(self) -> Session:
        """Start a sub-agent and return its session. `close()`, which it then needs, ends the sub-agent.

        Until then the harness makes no call in this session.
        """
        ...


class Adapter(Protocol):
    """Connects one implementation. `capabilities` (optional) names what it has; default Read, Edit, Write.

    A session may have `close()`, an adapter may have `close()`: both are called when no longer needed.
    `reset()` (optional) ends what serves several sessions, because it may have spoilt more than its workspace.
    `repeats_paths = True` (optional) declares that every session starts from nothing, so that a path may be
    the workspace of one scenario after the other; otherwise each scenario has a path of its own.
    `in_memory = True` (optional) declares that it does not matter on which file system its workspaces are.
    `servers` (optional) is the pool that lends its servers, and with them the sites of its sessions.
    `lacks(tool, arguments)` (optional) says what of a call it does not claim (`Read with pages`), else nothing.
    """

    def open(self, workspace: Workspace) -> Session:
        """Start a fresh session in the workspace: nothing was read yet."""
        ...


class BrokenAdapter(ReadfirstError):  # noqa: N818 - it names who is broken
    """The adapter did not keep the protocol: it hung, crashed, flooded or answered garbage.

    `blame` is `adapter`, `environment` or `harness`; `details` may hold the end of its standard error.
    """

    exit_code = ExitCode.BROKEN

    def __init__(self, message: str, *, blame: str = "adapter", details: str = "") -> None:
        super().__init__(message)
        self.blame = blame
        self.details = details


class UnsupportedCall(BrokenAdapter):
    """A session has no way to make a call, which only the state of the files tells; nothing was done.

    The scenario is `unsupported` then, as if `lacks` had said so, unless something was wrong before.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, blame="unsupported")


def capabilities_of(adapter: Adapter) -> frozenset[str]:
    """Return what the adapter declares, or the basic three tools."""
    return frozenset(getattr(adapter, "capabilities", BASIC_CAPABILITIES))
