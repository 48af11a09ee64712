"""The base of the wrong implementations: each adds one mistake to the reference, which a scenario must detect."""

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

import rest_of_the_package  # noqa: F401 - before what is imported from it

from readfirst.harness.adapter_api import NO_ANSWER, SESSION_CAPABILITIES, ToolResult, Workspace
from readfirst.harness.adapters.reference import hooks_for, reference_tools
from readfirst.harness.adapters.shell import CommandLimits, Shell
from readfirst.harness.processes.linux_capabilities import as_an_ordinary_user
from readfirst.reference_impl import FileTools, Hook, Result
from readfirst.reference_impl.behaviours_by_version import DEFAULT_CONTRACT

Arguments = Mapping[str, Any]
Blame = Literal["implementation", "adapter", "harness", "environment"]
Level = Literal["safe", "effects", "reason", "text", "verbatim"]


class Altered:
    """Behaves like the reference on 2.1.7. Subclasses add one mistake, most in `alter`, which executes one call."""

    capabilities = frozenset({"Read", "Edit", "Write", "NotebookEdit", *SESSION_CAPABILITIES}) - {"kill"}
    reuses_paths = True

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.tools = self.fresh()

    @classmethod
    def open(cls, workspace: Workspace) -> "Altered":
        return cls(workspace)

    def fresh(self) -> FileTools:
        """Return new tools of the reference for the same workspace. They have not read any file."""
        root, home = self.workspace.root, self.workspace.home
        shell = Shell(CommandLimits(root, home, seconds=10))
        workspace = replace(self.workspace, deny=tuple(self.deny()))
        return reference_tools(DEFAULT_CONTRACT, workspace, shell, self.hooks())

    def deny(self) -> Sequence[str]:
        return self.workspace.deny

    def hooks(self) -> Sequence[Hook]:
        return hooks_for(self.workspace, CommandLimits(self.workspace.root, self.workspace.home, seconds=10))

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        with as_an_ordinary_user():
            return self.alter(tool, arguments, lambda: None)

    def call_during(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        with as_an_ordinary_user():
            return self.alter(tool, arguments, interfere)

    def call_interrupted(
        self, tool: str, arguments: Arguments | str, how: str, interfere: Callable[[], None]
    ) -> ToolResult:
        with as_an_ordinary_user():
            if how == "stopped":
                assert not isinstance(arguments, str)
                return self.stop(tool, arguments, interfere)
            if not isinstance(arguments, str):
                return self.give_up(tool, arguments, interfere)
            answer = NO_ANSWER if how == "cut" else _convert(self.tools.call_at_limit(tool, arguments))
            return self.cut(tool, arguments, answer)

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        """Execute a call that the user cancels before it changes a file."""
        return _convert(self.tools.call_given_up(tool, arguments, interfere))

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        """Execute a call that the user cancels after it has begun to write."""
        return _convert(self.tools.call_stopped(tool, arguments))

    def cut(self, tool: str, text: str, answer: ToolResult) -> ToolResult:
        """Answer a call whose arguments were cut off. `text`: the part that arrived; `answer`: the correct answer."""
        return answer

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        return [_convert(result) for result in self.tools.call_parallel(calls)]

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        """Execute one call. Subclasses override this method to make their mistake."""
        return self.reference(tool, arguments, interfere)

    def reference(
        self, tool: str, arguments: Arguments, interfere: Callable[[], None] = lambda: None
    ) -> ToolResult:
        return _convert(self.tools.call_during(tool, arguments, interfere))

    def resume(self) -> None:
        self.tools.resume()

    def compact(self) -> None:
        self.tools.compact()

    def rewind(self) -> None:
        self.tools.rewind()

    def mention(self, path: str) -> None:
        self.tools.mention(path)

    def sub_agent(self) -> "Altered":
        return Agent(self)

    def background_agent(self) -> "Altered":
        return BackgroundAgent(self)

    def path(self, arguments: Arguments) -> Path:
        """Return the path in the arguments of a call. If the call has no path, return the workspace."""
        named = arguments.get("file_path", arguments.get("notebook_path", ""))
        return self.workspace.root / str(named)


def _convert(result: Result) -> ToolResult:
    return ToolResult(result.text, result.is_error, result.error, result.reminders)


class Agent(Altered):
    """A correct sub-agent. `read`: the paths of the files that it has read."""

    def __init__(self, session: Altered) -> None:
        self.workspace = session.workspace
        self.read: list[str] = []
        self._working = contextlib.ExitStack()
        self.tools = self._working.enter_context(session.tools.sub_agent())

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        if tool == "Read":
            self.read.append(str(arguments.get("file_path", "")))
        return super().call(tool, arguments)

    def close(self) -> None:
        self._working.close()


class BackgroundAgent(Agent):
    def __init__(self, session: Altered) -> None:
        self.workspace = session.workspace
        self.read = []
        self.tools = session.tools.background_agent()

    def close(self) -> None:
        """Do nothing: the sub-agent ends with the session."""


@dataclass
class Call:
    """A call of a wrong implementation, the parameter of functions that make mistakes."""

    session: Altered
    tool: str
    arguments: Arguments
    interfere: Callable[[], None]

    @property
    def path(self) -> Path:
        return self.session.path(self.arguments)

    @property
    def old(self) -> str:
        return str(self.arguments.get("old_string", ""))

    @property
    def new(self) -> str:
        return str(self.arguments.get("new_string", ""))

    @property
    def content(self) -> str:
        return str(self.arguments.get("content", self.new))

    @property
    def memory(self) -> dict[Any, Any]:
        """Shared by all calls of a session. Mistakes remember earlier calls in it."""
        memory: dict[Any, Any] = vars(self.session).setdefault("memory", {})
        return memory

    def execute(self, **others: object) -> ToolResult:
        """Execute the call on the reference. `others` replace some of its arguments."""
        return self.session.reference(self.tool, {**self.arguments, **others}, self.interfere)

    def read(self, path: object = None, **part: int) -> ToolResult:
        """Read the file of the call, or `path`, so that it counts as read. `part`: offset and limit."""
        return self.session.reference("Read", {"file_path": str(path or self.path), **part})


@dataclass(frozen=True)
class Detection:
    """How tests detect a wrong implementation: the ids of the scenarios that fail, and the first difference in the
    first of them (its level, the compared part `what` if stated, and the responsible part `blame`).

    `after` is a scenario that is replayed before, in the same directory. `harmless` is the reason why the mistake does
    no harm in these scenarios, except in the scenarios in `harmful`.
    """

    by: tuple[str, ...]
    level: Level
    what: str
    blame: Blame
    after: str
    harmless: str
    harmful: tuple[str, ...]


Kind = TypeVar("Kind", bound=type)


def detected_by(
    by: str,
    what: str = "",
    *,
    level: Level = "effects",
    blame: Blame = "implementation",
    after: str = "",
    harmless: str = "",
    harmful: str = "",
) -> Callable[[Kind], Kind]:
    """Return a decorator that stores how an implementation is detected. `by`, `harmful`: ids separated by spaces."""

    def mark(kind: Kind) -> Kind:
        kind.detection = Detection(  # type: ignore[attr-defined]
            tuple(by.split()), level, what, blame, after, harmless, tuple(harmful.split())
        )
        return kind

    return mark


def detection_of(kind: type) -> Detection | None:
    """Return how a wrong implementation is detected. None if only its base class states this."""
    detection: Detection | None = vars(kind).get("detection")
    return detection


def before_each_call(act: Callable[[Call], ToolResult | None]) -> type[Altered]:
    """Decorator: calls `act` before each call, which is executed correctly only if `act` returns None."""

    def alter(self: Altered, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        call = Call(self, tool, arguments, interfere)
        return act(call) or call.execute()

    return _make_class(act, alter)


def after_each_call(act: Callable[[Call, ToolResult], ToolResult | None]) -> type[Altered]:
    """Decorator: calls `act` after each call. An answer of `act` replaces the correct one."""

    def alter(self: Altered, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        call = Call(self, tool, arguments, interfere)
        result = call.execute()
        return act(call, result) or result

    return _make_class(act, alter)


def after_each_edit(act: Callable[[Call, bytes], None]) -> type[Altered]:
    """Return an implementation that calls `act` after each successful Edit, to spoil the file. `act` receives the call,
    and the bytes of the file before the Edit. Used as a decorator.

    The file then gets the modification time of the Edit, as if it had been written only once. Otherwise it would depend
    on the clock whether the file counts as changed.
    """

    def alter(self: Altered, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        call = Call(self, tool, arguments, interfere)
        path = call.path
        before = path.read_bytes() if tool == "Edit" and path.is_file() else b""
        result = call.execute()
        if tool == "Edit" and not result.is_error:
            written = path.stat().st_mtime_ns if path.exists() else None
            try:
                act(call, before)
            except PermissionError:  # its mistake is not about modes
                mode = path.stat().st_mode
                path.chmod(mode | 0o200)
                act(call, before)
                path.chmod(mode)
            if written is not None and path.exists() and path.stat().st_mtime_ns > written:
                os.utime(path, ns=(written, written))
        return result

    return _make_class(act, alter)


def with_changed_arguments(act: Callable[[Call, str], Arguments]) -> type[Altered]:
    """Decorator: executes each Edit with the arguments that `act` returns, given the call and the text of the file."""

    def alter(self: Altered, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        call = Call(self, tool, arguments, interfere)
        edits = tool == "Edit" and call.path.is_file()
        return call.execute(**act(call, call.path.read_text(errors="replace")) if edits else {})

    return _make_class(act, alter)


def _make_class(act: Callable[..., Any], alter: Callable[..., ToolResult]) -> type[Altered]:
    described = {"alter": alter, "__doc__": act.__doc__, "__module__": act.__module__}
    return type(act.__name__, (Altered,), described)
