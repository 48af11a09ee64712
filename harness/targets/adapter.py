"""The adapter `target:<name>@<version>`: a published implementation, called by its mapping."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from signal import SIGKILL
from typing import Any, Protocol, runtime_checkable

from mcp import types

from readfirst.harness.adapters.command import Command
from readfirst.harness.adapters.mcp import McpConnection, McpSession, text_of
from readfirst.harness.adapters.python_process import PythonAdapter
from readfirst.harness.processes.child import bare_variables
from readfirst.harness.processes.sandbox import Sandbox
from readfirst.harness.processes.scratch import Scratch
from readfirst.harness.session import (
    NO_ANSWER,
    Adapter,
    AdapterTraits,
    Arguments,
    BrokenAdapter,
    Interfere,
    ToolResult,
    Workspace,
)
from readfirst.harness.suite.scenario import AT_ONCE
from readfirst.harness.targets.agent import AgentTarget
from readfirst.harness.targets.edit_formats import Knowledge
from readfirst.harness.targets.install import Installed, install
from readfirst.harness.targets.mapping import AgentLaunch, McpLaunch, PythonLaunch, Target
from readfirst.harness.targets.tool_host import MODULE as TOOL_HOST
from readfirst.harness.targets.tool_host import ORDER
from readfirst.harness.targets.translate import (
    Scope,
    TargetAnswer,
    captured,
    filled,
    lacks,
    result_of,
    translated,
    with_captures,
)
from readfirst.harness.workspace.inside import read_inside

_START = 180.0
"""Seconds that a start may take: some packages import half an ecosystem."""


_BESIDE = frozenset({AT_ONCE, "kill", "sessions", "stop"})
"""What no mapping has to claim, because it takes nothing of the target but its process."""


class RawSession(Protocol):
    """A session that takes the target's own tools and arguments."""

    def answer(self, name: str, arguments: Arguments) -> TargetAnswer:
        """Make one call, and return what came back. Raises BrokenAdapter."""
        ...

    def close(self) -> None:
        """End the session."""
        ...


@runtime_checkable
class MessagingSession(Protocol):
    """A raw session that takes several calls in one message."""

    def answers(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[TargetAnswer]:
        """Make the calls, and return what came back, in their order. Raises BrokenAdapter."""
        ...


class RawTarget(Protocol):
    """A started target."""

    @property
    def traits(self) -> AdapterTraits:
        """What holds for every adapter of it."""
        ...

    def open(self, workspace: Workspace) -> RawSession:
        """Start a session in which nothing was read."""
        ...


class TargetAdapter:
    """Translates between the contract's tools and the target's own."""

    def __init__(
        self,
        target: Target,
        raw: RawTarget,
        another: Callable[[], Adapter] | None = None,
    ) -> None:
        self.traits = replace(
            raw.traits,
            capabilities=target.capabilities | (raw.traits.capabilities & _BESIDE),
            design=target.release.design,
            lacks=partial(lacks, target),
            another=another,
        )
        self._target = target
        self._raw = raw

    def open(self, workspace: Workspace) -> TargetSession:
        """Start a session, and make the set-up calls of the mapping."""
        session = TargetSession(self._target, self._raw.open(workspace), workspace)
        try:
            session.set_up()
        except BaseException:
            session.close()
            raise
        return session

    def close(self) -> None:
        """End every process."""
        self.traits.close()


class TargetSession:
    """One scenario on a target."""

    def __init__(self, target: Target, raw: RawSession, workspace: Workspace) -> None:
        self._target = target
        self._raw = raw
        self._scope = Scope(workspace.root, workspace.home)
        self._known = Knowledge(lambda path: _text_at(workspace.root, path))
        self._quotes = any(mapping.format for mapping in target.tools.values())

    def set_up(self) -> None:
        """Make the set-up calls; what they capture can be used afterwards. Raises BrokenAdapter."""
        for each in self._target.setup:
            answer = self._raw.answer(each.call, filled(each.arguments, self._scope.values()))
            result = result_of(self._target, "", answer, self._scope)
            if result.is_error:
                raise BrokenAdapter(f"the set-up call {each.call} was refused: {result.text[:500]}")
            self._scope = with_captures(self._scope, captured(result.text, each.capture, each.call))

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        """Make one call as the target wants it."""
        call = translated(self._target, tool, arguments, self._scope, self._known)
        return self._result(tool, arguments, self._raw.answer(call.name, call.arguments))

    def call_interrupted(
        self, tool: str, arguments: Arguments, _how: str, interfere: Interfere
    ) -> ToolResult:
        """Make one call, which is given up when `interfere` returns, on a target whose protocol has a word for it."""
        call = translated(self._target, tool, arguments, self._scope, self._known)
        give_up: Callable[..., TargetAnswer | None] = self._raw.answer_given_up  # type: ignore[attr-defined]
        answer = give_up(call.name, call.arguments, interfere)
        return NO_ANSWER if answer is None else self._result(tool, arguments, answer)

    def kill(self, number: int = SIGKILL) -> bool:
        """Kill the target's process, or send it another signal; its kind of connection has one."""
        kill: Callable[[int], bool] = self._raw.kill  # type: ignore[attr-defined]
        return kill(number)

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        """Make the calls in one message, on a target that has messages. Raises BrokenAdapter."""
        if not isinstance(self._raw, MessagingSession):
            raise BrokenAdapter(f"{self._target.name} claims `parallel` but takes one call at a time")
        wanted = [translated(self._target, *call, self._scope, self._known) for call in calls]
        answers = self._raw.answers([(call.name, call.arguments) for call in wanted])
        return [
            self._result(tool, arguments, answer)
            for (tool, arguments), answer in zip(calls, answers, strict=True)
        ]

    def close(self) -> None:
        """End the session."""
        self._raw.close()

    def _result(self, tool: str, arguments: Arguments, answer: TargetAnswer) -> ToolResult:
        result = result_of(self._target, tool, answer, self._scope)
        if self._quotes and not result.is_error:
            self._known.learn(tool, arguments)
        return result


def _text_at(root: Path, path: str) -> str | None:
    """Return what a regular file of the workspace holds as a model would read it; None for all else."""
    try:
        return read_inside(str(root), path).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None


class _PythonTarget:
    """Python code in the target's own environment, without a network where the system allows that."""

    def __init__(
        self,
        target: Target,
        launch: PythonLaunch,
        installed: Installed,
        time_limit: float,
        sandbox: Sandbox | None,
    ) -> None:
        self._remembers_paths = bool(launch.module)
        self._folder = Scratch()
        home = self._folder.folder()
        order = {
            "make": launch.make,
            "arguments": launch.arguments,
            "module": launch.module,
            "factory": launch.factory,
        }
        variables = {name: installed.placed(value) for name, value in target.environment.items()}
        own = [module for module in [launch.factory.partition(":")[0]] if module.startswith("readfirst.")]
        self._process = PythonAdapter(
            TOOL_HOST,
            "Tools",
            time_limit=time_limit,
            start_limit=max(_START, time_limit),
            python=installed.python,
            environment=bare_variables(home) | variables | {ORDER: json.dumps(order)},
            directory=home,
            sandbox=sandbox,
            further=[TOOL_HOST, *own],
        )
        try:
            self._process.start()
        except BaseException:
            self._folder.close()
            raise

    def open(self, workspace: Workspace) -> _PythonRawSession:
        return _PythonRawSession(self._process.open(workspace))

    @property
    def traits(self) -> AdapterTraits:
        # A module's functions may remember files by their paths; an object is made anew for every scenario.
        repeats = not self._remembers_paths
        return AdapterTraits(
            _BESIDE - {"stop"}, repeats_paths=repeats, reset=self._process.reset, close=self.close
        )

    def close(self) -> None:
        self._process.close()
        self._folder.close()


class _RawSession:
    """What is asked of the session itself."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def kill(self, number: int) -> bool:
        return bool(self._session.kill(number))

    def close(self) -> None:
        self._session.close()


class _PythonRawSession(_RawSession):
    def answer(self, name: str, arguments: Arguments) -> TargetAnswer:
        answer = json.loads(self._session.call(name, arguments).text)
        if "raised" in answer:
            return TargetAnswer(answer["raised"], raised=True)
        return TargetAnswer(answer["value"])


class _McpTarget:
    def __init__(
        self,
        target: Target,
        launch: McpLaunch,
        installed: Installed,
        time_limit: float,
        sandbox: Sandbox | None,
    ) -> None:
        self._joined = not target.result.text
        # What is installed gets variables built from nothing and no network, a server of one's own what `mcp:` gives.
        own = target.release.command
        command = Command(own or launch.command, target.file.absolute().parent)
        self._connection = McpConnection(
            [installed.placed(word) for word in command.located()],
            isolation=launch.isolation,
            time_limit=time_limit,
            environment=None if own else bare_variables(tempfile.gettempdir()),
            variables={name: installed.placed(value) for name, value in target.environment.items()},
            offline=not own,
            sandbox=sandbox,
        )
        try:
            _check_tools(target, self._connection.probe().names)
        except BrokenAdapter as error:
            self._connection.close()
            raise (command.explained(error) if own else error) from None
        except BaseException:
            self._connection.close()
            raise

    def open(self, workspace: Workspace) -> _McpRawSession:
        return _McpRawSession(self._connection.open(workspace), self._joined)

    @property
    def traits(self) -> AdapterTraits:
        return self._connection.traits(_BESIDE)


def _check_tools(target: Target, offered: Sequence[str]) -> None:
    """Raise BrokenAdapter if the mapping calls a tool that the server does not offer."""
    called = [*(each.call for each in target.setup), *(each.call for each in target.tools.values())]
    missing = [name for name in dict.fromkeys(called) if name not in offered]
    if missing:
        raise BrokenAdapter(
            f"the server offers no tool called {', '.join(missing)} (it offers: {', '.join(offered) or 'none'}). "
            f"Correct `call` in {target.file}."
        )


class _McpRawSession(_RawSession):
    def __init__(self, session: McpSession, joined: bool) -> None:
        super().__init__(session)
        self._joined = joined

    def answer(self, name: str, arguments: Arguments) -> TargetAnswer:
        return self._as_asked(self._session.answer(name, arguments))

    def answer_given_up(
        self, name: str, arguments: Arguments, when: Callable[[], None]
    ) -> TargetAnswer | None:
        result = self._session.answer_given_up(name, arguments, when)
        return None if result is None else self._as_asked(result)

    def _as_asked(self, result: types.CallToolResult) -> TargetAnswer:
        value = text_of(result) if self._joined else result.model_dump(mode="json", by_alias=True)
        return TargetAnswer(value, flagged=bool(result.isError))


def open_target(
    target: Target,
    *,
    time_limit: float,
    sandbox: Sandbox | None = None,
    among_files: Sandbox | None = None,
) -> Adapter:
    """Install the target unless it is there, start it, and return its adapter. Raises BrokenAdapter.

    A `sandbox` is for targets that are no agents, `among_files` for every one that is installed.
    """
    again = partial(open_target, target, time_limit=time_limit, sandbox=sandbox, among_files=among_files)
    installed = install(target)
    if sandbox is None and not target.release.command:
        sandbox = among_files
    if sandbox is not None:
        sandbox = replace(sandbox, own=(installed.directory,))
    if among_files is not None:
        among_files = replace(among_files, own=(installed.directory,))
    raw: RawTarget
    match target.launch:
        case PythonLaunch() as launch:
            raw = _PythonTarget(target, launch, installed, time_limit, sandbox)
        case McpLaunch() as launch:
            raw = _McpTarget(target, launch, installed, time_limit, sandbox)
        case AgentLaunch() as launch:
            raw = AgentTarget(target, launch, installed, time_limit, among_files)
    return TargetAdapter(target, raw, again if isinstance(target.launch, PythonLaunch) else None)
