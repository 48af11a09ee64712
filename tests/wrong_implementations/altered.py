"""The reference with something wrong: the base of the deliberately wrong implementations."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import rest_of_the_package  # noqa: F401 - before what is imported from it

from readfirst.harness.adapters.reference import hooks_for, reference_tools
from readfirst.harness.adapters.shell import Confines, Shell
from readfirst.harness.processes.rights import as_an_ordinary_user
from readfirst.harness.session import NO_ANSWER, SESSION_CAPABILITIES, ToolResult, Workspace
from readfirst.reference_impl import FileTools, Hook, Result
from readfirst.reference_impl.contract import DEFAULT_CONTRACT

Arguments = Mapping[str, Any]


class Altered:
    """Behaves as the reference does for 2.1.7; each subclass gets one thing wrong.

    `alter` is what most override: it makes one call, with `self.reference`, and may spoil anything around it.
    """

    capabilities = frozenset({"Read", "Edit", "Write", *SESSION_CAPABILITIES}) - {"kill"}
    repeats_paths = True

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.tools = self.fresh()

    @classmethod
    def open(cls, workspace: Workspace) -> "Altered":
        return cls(workspace)

    def fresh(self) -> FileTools:
        """Return tools that have read nothing."""
        root, home = self.workspace.root, self.workspace.home
        shell = Shell(Confines(root, home, seconds=10, confined=False))
        workspace = replace(self.workspace, deny=tuple(self.deny()))
        return reference_tools(DEFAULT_CONTRACT, workspace, shell, self.hooks())

    def deny(self) -> Sequence[str]:
        return self.workspace.deny

    def hooks(self) -> Sequence[Hook]:
        return hooks_for(
            self.workspace, Confines(self.workspace.root, self.workspace.home, seconds=10, confined=False)
        )

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
            return self.cut(
                tool,
                arguments,
                NO_ANSWER if how == "cut" else _result(self.tools.call_at_limit(tool, arguments)),
            )

    def give_up(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        """Take a call that is given up."""
        return _result(self.tools.call_given_up(tool, arguments, interfere))

    def stop(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        """Take a call that is given up when it has begun to write."""
        return _result(self.tools.call_stopped(tool, arguments))

    def cut(self, tool: str, text: str, answer: ToolResult) -> ToolResult:
        """Take a call of whose arguments only the beginning came."""
        return answer

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        results = self.tools.call_parallel(calls)
        return [_result(result) for result in results]

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        return self.reference(tool, arguments, interfere)

    def reference(
        self, tool: str, arguments: Arguments, interfere: Callable[[], None] = lambda: None
    ) -> ToolResult:
        """Make one call as the reference does."""
        return _result(self.tools.call_during(tool, arguments, interfere))

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
        return Agent(self)

    def path(self, arguments: Arguments) -> Path:
        """Return the file that a call is about."""
        return self.workspace.root / str(arguments.get("file_path", ""))


def _result(result: Result) -> ToolResult:
    return ToolResult(result.text, result.is_error, result.error, result.reminders)


class Agent(Altered):
    """A sub-agent as the reference has it; `read` are the paths that it read."""

    def __init__(self, session: Altered) -> None:
        self.workspace = session.workspace
        self.read: list[str] = []
        self._working = contextlib.ExitStack()
        self.tools = self._working.enter_context(session.tools.sub_agent())

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        if tool == "Read":
            self.read.append(str(arguments["file_path"]))
        return super().call(tool, arguments)

    def close(self) -> None:
        self._working.close()


class AlteredEdit(Altered):
    """Gets only Edit wrong, and only where the reference goes through with it: `spoil` sees the file before it."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        before = path.read_bytes() if tool == "Edit" and path.is_file() else b""
        result = self.reference(tool, arguments, interfere)
        if tool == "Edit" and not result.is_error:
            try:
                self.spoil(path, before, arguments)
            except PermissionError:  # it is wrong about something else than modes
                mode = path.stat().st_mode
                path.chmod(mode | 0o200)
                self.spoil(path, before, arguments)
                path.chmod(mode)
        return result

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        """Spoil what the reference wrote."""
        raise NotImplementedError


class AlteredArguments(Altered):
    """Understands something else than what was asked in an Edit."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        if tool == "Edit" and path.is_file():
            arguments = {**arguments, **self.understood(path.read_text(errors="replace"), arguments)}
        return self.reference(tool, arguments, interfere)

    def understood(self, text: str, arguments: Arguments) -> Arguments:
        """Return the arguments that are taken for others."""
        raise NotImplementedError
