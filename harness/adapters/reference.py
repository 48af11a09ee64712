"""The adapter for `reference`: the bundled reference implementation, which runs in this process."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from readfirst.harness.adapter_api import (
    BASH,
    NO_ANSWER,
    SESSION_CAPABILITIES,
    TIME_LIMIT,
    Arguments,
    Ending,
    Interfere,
    Session,
    ToolResult,
    Workspace,
)
from readfirst.harness.adapter_traits import AdapterTraits
from readfirst.harness.adapters.json_lines_server import private_streams, serve_lines
from readfirst.harness.adapters.shell import CommandLimits, Shell, run_hook
from readfirst.harness.processes.linux_capabilities import as_an_ordinary_user
from readfirst.reference_impl import Behaviours, FileTools, Result
from readfirst.reference_impl import Hook as ReferenceHook

if TYPE_CHECKING:
    from readfirst.harness.adapters.json_lines import LinesAdapter
    from readfirst.harness.processes.sandbox import Sandbox


def reference_tools(
    contract: str | Behaviours, workspace: Workspace, shell: Shell | None, hooks: Iterable[ReferenceHook] = ()
) -> FileTools:
    """Create the tools of the reference for a session in a workspace."""
    permissions = workspace.permissions
    return FileTools(
        contract,
        root=workspace.root if permissions is None else permissions.directory,
        home=workspace.home,
        deny=workspace.deny,
        shell=shell,
        hooks=hooks,
        mode=None if permissions is None else permissions.mode,
        allow=() if permissions is None else permissions.allow,
        additional=() if permissions is None else permissions.additional,
        checkpoints="rewind" in workspace.needs,
    )


class ReferenceAdapter:
    """Adapter for the reference, with new `FileTools` for each scenario. `contract` is a contract's name, or a
    combination of behaviours. Raises ValueError for an unknown contract. `time_limit` is in seconds per command or
    hook. With `killable`, scenarios may kill the program; the reference then runs in a separate process.
    """

    def __init__(
        self, contract: str | Behaviours, *, time_limit: float = TIME_LIMIT, killable: bool = False
    ) -> None:
        tools = (schema.tool for schema in FileTools(contract, root=".").schemas)
        capabilities = frozenset({*tools, *SESSION_CAPABILITIES}) - (set() if killable else {"kill"})
        self._killable = killable
        self._server: LinesAdapter | None = None
        self.traits = AdapterTraits(
            capabilities, reuses_paths=True, in_memory=True, reset=self.close, close=self.close
        )
        self._contract = contract
        self._time_limit = time_limit

    def open(self, workspace: Workspace) -> Session:
        """Open a new session, which has not read any file."""
        if self._killable and "kill" in workspace.needs and isinstance(self._contract, str):
            if self._server is None:
                self._server = reference_server(self._contract, time_limit=self._time_limit)
            return self._server.open(workspace)
        limits = CommandLimits(workspace.root, workspace.home, self._time_limit)
        return ReferenceSession.of(self._contract, workspace, limits)

    def close(self) -> None:
        """End the process that runs the reference for scenarios that kill the program."""
        if self._server is not None:
            self._server.close()


def reference_server(
    contract: str, *, time_limit: float = TIME_LIMIT, sandbox: Sandbox | None = None
) -> LinesAdapter:
    """Return an adapter for the reference in a separate process. `time_limit` is in seconds per call."""
    # not needed by the processes that it starts
    from readfirst.harness.adapters.json_lines import LinesAdapter

    command = (sys.executable, "-P", "-m", __name__, contract)
    return LinesAdapter(command, time_limit=time_limit, sandbox=sandbox, start_blame="environment")


class ReferenceSession:
    """A session of the reference. It uses one `FileTools`, and converts the results to ToolResult."""

    def __init__(self, tools: FileTools) -> None:
        self._tools = tools

    @classmethod
    def of(cls, contract: str | Behaviours, workspace: Workspace, limits: CommandLimits) -> ReferenceSession:
        """Open a session in a workspace. The session has a shell if the scenario runs commands."""
        shell = Shell(limits) if BASH in workspace.needs else None
        hooks = hooks_for(workspace, limits)
        return ReferenceSession(reference_tools(contract, workspace, shell, hooks))

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        """Execute one call, and return its result."""
        with as_an_ordinary_user():
            return _result(self._tools.call(tool, arguments))

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        """Execute the calls of one message, and return their results."""
        with as_an_ordinary_user():
            return [_result(result) for result in self._tools.call_parallel(calls)]

    def resume(self) -> None:
        """End the conversation and resume it."""
        self._tools.resume()

    def compact(self) -> None:
        """Replace the conversation by a summary."""
        self._tools.compact()

    def rewind(self) -> None:
        """Restore the files to their state before the changes of the session."""
        with as_an_ordinary_user():
            self._tools.rewind()

    def mention(self, path: str) -> None:
        """Mention a file in the conversation, as a user does with `@notes.txt`."""
        with as_an_ordinary_user():
            self._tools.mention(path)

    def sub_agent(self) -> _SubAgent:
        """Start a sub-agent, and return its session."""
        return _SubAgent(self._tools)

    def call_during(self, tool: str, arguments: Arguments, interfere: Interfere) -> ToolResult:
        """Execute one call. `interfere` runs after the call is validated, and before it is executed."""
        with as_an_ordinary_user():
            return _result(self._tools.call_during(tool, arguments, interfere))

    def call_interrupted(
        self, tool: str, arguments: Arguments | str, how: Ending, interfere: Interfere
    ) -> ToolResult:
        """Cancel a call, or process a call with truncated arguments (a string). `how` is the kind of interruption."""
        if isinstance(arguments, str):
            return NO_ANSWER if how == "cut" else _result(self._tools.call_at_limit(tool, arguments))
        with as_an_ordinary_user():
            if how == "stopped":
                return _result(self._tools.call_stopped(tool, arguments))
            return _result(self._tools.call_given_up(tool, arguments, interfere))

    def background_agent(self) -> ReferenceSession:
        """Start a sub-agent in the background, and return its session."""
        return ReferenceSession(self._tools.background_agent())


class _SubAgent(ReferenceSession):
    """The session of a sub-agent. Closing it ends the sub-agent."""

    def __init__(self, tools: FileTools) -> None:
        self._stack = contextlib.ExitStack()
        super().__init__(self._stack.enter_context(tools.sub_agent()))

    def close(self) -> None:
        """End the sub-agent."""
        self._stack.close()


def hooks_for(workspace: Workspace, limits: CommandLimits) -> list[ReferenceHook]:
    """Convert the hooks of a workspace to hooks that the reference can use."""
    return [
        ReferenceHook(each.event, each.matcher, each.command, partial(run_hook, each.command, limits=limits))
        for each in workspace.hooks
    ]


def _result(result: Result) -> ToolResult:
    return ToolResult(result.text, result.is_error, result.error, result.reminders)


def serve(contract: str, version: str) -> None:
    """Run the reference with JSON lines until standard input ends. Raises ValueError for an unknown contract."""
    # Python runs signal handlers between instructions: a signal right before the wait for input would not end the wait.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    adapter = ReferenceAdapter(contract)
    serve_lines(lambda: adapter, "readfirst reference", version, *private_streams(), saves_sessions=True)


if __name__ == "__main__":
    serve(sys.argv[1], "")
