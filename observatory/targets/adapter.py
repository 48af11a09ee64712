"""The adapter `target:<name>@<version>`, which uses a mapping file to call a published implementation."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from signal import SIGKILL

from readfirst.harness.adapter_api import (
    NO_ANSWER,
    Adapter,
    AdapterError,
    Arguments,
    Ending,
    Interfere,
    InterruptibleSession,
    KillableSession,
    ParallelSession,
    Session,
    ToolResult,
    Workspace,
)
from readfirst.harness.adapter_traits import close_session, traits_of
from readfirst.harness.adapters.mask_tokens import MASK
from readfirst.harness.adapters.mcp import McpConnection
from readfirst.harness.adapters.python_adapter import PythonAdapter
from readfirst.harness.adapters.server_command import Command
from readfirst.harness.processes.sandbox import Sandbox
from readfirst.harness.processes.supervised_process import minimal_environment
from readfirst.harness.processes.temp_dirs import Scratch
from readfirst.harness.suite.scenario import AT_ONCE
from readfirst.observatory.targets.agent import AgentTarget
from readfirst.observatory.targets.edit_formats import Knowledge
from readfirst.observatory.targets.install import TargetEnvironment, install
from readfirst.observatory.targets.mapping import AgentLaunch, McpLaunch, PythonLaunch, Target
from readfirst.observatory.targets.tool_host import MODULE as TOOL_HOST
from readfirst.observatory.targets.tool_host import ORDER
from readfirst.observatory.targets.translate import (
    Scope,
    TargetAnswer,
    TargetCall,
    captured_values,
    contract_result,
    fill_template,
    missing_capability,
    read_workspace_text,
    searchable_texts,
    translate_call,
)

_START_LIMIT_S = 180.0
"""Time limit in seconds for the start of a target. Some targets import very large packages."""

_PROCESS_CAPABILITIES = frozenset({"kill", "sessions", "stop"})
"""Capabilities that every target with a separate process has. A mapping file need not list them."""


def mask_captures(text: str, patterns: tuple[re.Pattern[str], ...]) -> str:
    """Mask each value in the text that group 1 of one of the `patterns` matches, such as a hash that differs by run."""
    for pattern in patterns:
        text = pattern.sub(_mask_first_group, text)
    return text


def _mask_first_group(match: re.Match[str]) -> str:
    if match[1] is None:
        return match[0]
    start, end = (at - match.start() for at in match.span(1))
    return match[0][:start] + MASK + match[0][end:]


class TargetAdapter:
    """Translates calls of Read, Edit, Write into calls of the target's tools. The adapter `raw` makes these calls."""

    def __init__(self, target: Target, raw: Adapter, another: Callable[[], Adapter] | None = None) -> None:
        traits = traits_of(raw)
        captures = [
            *(call.capture for call in target.setup),
            *(call.capture for call in target.tools.values()),
        ]
        patterns = tuple(pattern for capture in captures for pattern in capture.values())
        self.traits = replace(
            traits,
            capabilities=target.capabilities | (traits.capabilities & _PROCESS_CAPABILITIES) | {AT_ONCE},
            design=target.release.design,
            refuses=target.refuses,
            unsupported_reason=partial(missing_capability, target),
            mask=partial(mask_captures, patterns=patterns),
            clone=another,
        )
        self._target = target
        self._raw = raw

    def open(self, workspace: Workspace) -> TargetSession:
        """Start a session in the workspace, and make the set-up calls that the mapping file lists."""
        session = TargetSession(self._target, self._raw.open(workspace), workspace)
        try:
            session.set_up()
        except BaseException:
            session.close()
            raise
        return session

    def close(self) -> None:
        """End all processes of the target."""
        self.traits.close()


class TargetSession:
    """The session of one scenario on a target. Translates each call to the target's tools, and each answer back."""

    def __init__(self, target: Target, raw: Session, workspace: Workspace) -> None:
        self._target = target
        self._raw = raw
        self._scope = Scope(workspace.root, workspace.home)
        self._knowledge = Knowledge(lambda path: read_workspace_text(workspace.root, path))
        self._captured: dict[str, dict[str, str]] = {}
        """The values captured from answers, by the path of the file that the call was about and by name."""
        self._tracks_content = any(mapping.format for mapping in target.tools.values())

    def set_up(self) -> None:
        """Make the mapping's set-up calls, and capture values from their answers. Raises AdapterError."""
        for each in self._target.setup:
            answer = self._raw.call(each.call, fill_template(each.arguments, self._scope.values()))
            result = contract_result(self._target, "", unwrap_answer(self._target, answer), self._scope)
            if result.is_error:
                raise AdapterError(f"the set-up call {each.call} was refused: {result.text[:500]}")
            found = captured_values(
                searchable_texts(self._target, unwrap_answer(self._target, answer)), each.capture
            )
            if missing := [name for name in each.capture if name not in found]:
                text = f"the answer to the set-up call {each.call} has no {', '.join(missing)}"
                raise AdapterError(f"{text}: {result.text[:200]}")
            self._scope = self._scope.with_captures(found)

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        """Translate a call of a tool such as Read, call the target's tool, and return the translated answer."""
        call = self._translate_call(tool, arguments)
        return self._result(tool, arguments, self._raw.call(call.name, call.arguments))

    def call_interrupted(
        self, tool: str, arguments: Arguments, how: Ending, interfere: Interfere
    ) -> ToolResult:
        """Make a call, and cancel it when `interfere` returns. The target's protocol must support cancelling."""
        call = self._translate_call(tool, arguments)
        assert isinstance(self._raw, InterruptibleSession)
        answer = self._raw.call_interrupted(call.name, call.arguments, how, interfere)
        return answer if answer is NO_ANSWER else self._result(tool, arguments, answer)

    def kill(self, number: int = SIGKILL) -> bool:
        """Send a signal to the target's process, and return whether it has exited."""
        assert isinstance(self._raw, KillableSession)
        return self._raw.kill(number)

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        """Make calls in one message of the model. Raises AdapterError if the target accepts only one call."""
        if not isinstance(self._raw, ParallelSession):
            raise AdapterError(
                f"{self._target.name} declares `parallel`, but accepts only one call at a time"
            )
        wanted = [self._translate_call(*call) for call in calls]
        answers = self._raw.call_parallel([(call.name, call.arguments) for call in wanted])
        return [
            self._result(tool, arguments, answer)
            for (tool, arguments), answer in zip(calls, answers, strict=True)
        ]

    def close(self) -> None:
        """End the session."""
        close_session(self._raw)

    def _translate_call(self, tool: str, arguments: Arguments) -> TargetCall:
        """Return a call of the target's tool, with values captured from earlier answers about the same file."""
        scope = self._scope.with_captures(self._captured.get(self._file_path(arguments), {}))
        return translate_call(self._target, tool, arguments, scope, self._knowledge)

    def _file_path(self, arguments: Arguments) -> str:
        path = arguments.get("file_path", arguments.get("notebook_path"))
        return os.path.normpath(self._scope.root / path) if isinstance(path, str) else ""

    def _result(self, tool: str, arguments: Arguments, answer: ToolResult) -> ToolResult:
        found = unwrap_answer(self._target, answer)
        result = contract_result(self._target, tool, found, self._scope)
        mapping = self._target.tools[tool]
        if self._tracks_content and not result.is_error:
            self._knowledge.learn(tool, arguments)
        if mapping.capture and (mapping.capture_refusals or not result.is_error):
            values = captured_values(searchable_texts(self._target, found), mapping.capture)
            self._captured.setdefault(self._file_path(arguments), {}).update(values)
        return result


def unwrap_answer(target: Target, answer: ToolResult) -> TargetAnswer:
    """Return the target's original answer. Some kinds of targets wrap it as JSON in the text of `answer`."""
    match target.launch:
        case PythonLaunch():
            given = json.loads(answer.text)
            return TargetAnswer(given["value" if "value" in given else "raised"], raised="raised" in given)
        case McpLaunch() if target.result.text:
            return TargetAnswer(json.loads(answer.text), flagged=answer.is_error)
        case _:
            return TargetAnswer(answer.text, flagged=answer.is_error)


class _PythonTarget(PythonAdapter):
    """Runs a target of kind `python` in its own virtual environment, without network access where supported."""

    def __init__(
        self,
        target: Target,
        launch: PythonLaunch,
        environment: TargetEnvironment,
        time_limit: float,
        sandbox: Sandbox | None,
    ) -> None:
        self._home = Scratch()
        home = self._home.folder()
        order = {"once": launch.once, "code": launch.code}
        variables = {name: environment.replace_paths(value) for name, value in target.environment.items()}
        super().__init__(
            TOOL_HOST,
            "Tools",
            time_limit=time_limit,
            start_limit=max(_START_LIMIT_S, time_limit),
            python=environment.python,
            environment=minimal_environment(home) | variables | {ORDER: json.dumps(order)},
            directory=home,
            sandbox=sandbox,
            extra_modules=[TOOL_HOST],
        )
        try:
            self.start()
        except BaseException:
            self._home.close()
            raise

    def close(self) -> None:
        super().close()
        self._home.close()


def _connect_server(
    target: Target,
    launch: McpLaunch,
    environment: TargetEnvironment,
    time_limit: float,
    sandbox: Sandbox | None,
) -> McpConnection:
    """Start a target's MCP server. Raises AdapterError if it does not start, or lacks a tool that the mapping uses."""
    # An installed target gets only basic variables and no network; a user's own server is started as by `mcp:`.
    own = target.release.command
    command = Command(own or launch.command, target.file.absolute().parent)
    connection = McpConnection(
        [environment.replace_paths(word) for word in command.with_absolute_paths()],
        isolation=launch.isolation,
        time_limit=time_limit,
        environment=None if own else minimal_environment(tempfile.gettempdir()),
        variables={name: environment.replace_paths(value) for name, value in target.environment.items()},
        offline=not own,
        sandbox=sandbox,
        render=(lambda result: result.model_dump_json(by_alias=True)) if target.result.text else None,
    )
    try:
        _check_tools(target, connection.probe().names)
    except AdapterError as error:
        connection.close()
        raise (command.explain_error(error) if own else error) from None
    except BaseException:
        connection.close()
        raise
    return connection


def _check_tools(target: Target, offered: Sequence[str]) -> None:
    called = [*(each.call for each in target.setup), *(each.call for each in target.tools.values())]
    missing = [name for name in dict.fromkeys(called) if name not in offered]
    if missing:
        raise AdapterError(
            f"the server offers no tool called {', '.join(missing)} (it offers: {', '.join(offered) or 'none'}). "
            f"Correct `call` in {target.file}."
        )


def open_target(target: Target, *, time_limit: float, sandbox: Sandbox | None = None) -> Adapter:
    """Install the target if necessary, start it, and return its adapter. Raises AdapterError."""
    again = partial(open_target, target, time_limit=time_limit, sandbox=sandbox)
    environment = install(target)
    if sandbox is not None:
        sandbox = replace(sandbox, own=(environment.directory,))
    raw: Adapter
    match target.launch:
        case PythonLaunch() as launch:
            raw = _PythonTarget(target, launch, environment, time_limit, sandbox)
        case McpLaunch() as launch:
            raw = _connect_server(target, launch, environment, time_limit, sandbox)
        case AgentLaunch() as launch:
            raw = AgentTarget(target, launch, environment, time_limit, sandbox)
    return TargetAdapter(target, raw, again if isinstance(target.launch, PythonLaunch) else None)
