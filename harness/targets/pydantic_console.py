"""Runs in a target's own environment: lets the model of a Pydantic AI agent call its file tools, one after another.

One run of the agent is one session, because the tools know what was read by the run. The model is a function that waits
for the next call; a refusal comes to it as a request to try again.
"""

from __future__ import annotations

import importlib
import queue
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from readfirst.harness.session import Workspace

_TRIES = 10_000
"""How often a model may be asked to try again; the default of 1 would end a run at the second refusal."""


class _Session:
    def __init__(
        self, workspace: Workspace, capabilities: Sequence[Any] = (), toolsets: Sequence[Any] = ()
    ) -> None:
        ai = importlib.import_module("pydantic_ai")
        messages = importlib.import_module("pydantic_ai.messages")
        self._response, self._call, self._text = (
            getattr(messages, name) for name in ("ModelResponse", "ToolCallPart", "TextPart")
        )
        model = importlib.import_module("pydantic_ai.models.function").FunctionModel(self._respond)
        local = importlib.import_module("pydantic_ai.capabilities").LocalWorkspace(str(workspace.root))
        self._agent = ai.Agent(model, capabilities=[local, *capabilities], toolsets=toolsets)
        self._limits = ai.UsageLimits(request_limit=None)
        self._calls: queue.SimpleQueue[tuple[str, Mapping[str, Any]] | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Let the model make one call, and return what it sees. Raises what ends the run."""
        self._calls.put((tool, arguments))
        answer = self._answers.get()
        if isinstance(answer, BaseException):
            raise answer
        refused = answer.part_kind == "retry-prompt"
        return {"text": answer.model_response() if refused else str(answer.content), "refused": refused}

    def close(self) -> None:
        """End the run."""
        self._calls.put(None)

    def _run(self) -> None:
        try:
            self._agent.run_sync("go", usage_limits=self._limits)
        except Exception as error:
            self._answers.put(error)

    def _respond(self, messages: list[Any], _info: Any) -> Any:
        part = messages[-1].parts[-1]
        if part.part_kind != "user-prompt":
            self._answers.put(part)
        call = self._calls.get()
        if call is None:
            return self._response(parts=[self._text("done")])
        return self._response(parts=[self._call(call[0], dict(call[1]))])


class _Runs:
    """A run of an agent of its own for every session."""

    def __init__(self) -> None:
        self._last: _Session | None = None

    def open(self, workspace: Workspace) -> _Session:
        """Start a run; the last one ends."""
        if self._last is not None:
            self._last.close()
        self._last = self._start(workspace)
        return self._last

    def _start(self, workspace: Workspace) -> _Session:
        raise NotImplementedError


class Console(_Runs):
    """The console tools of pydantic-ai-backend in a `LocalWorkspace`."""

    def _start(self, workspace: Workspace) -> _Session:
        console = importlib.import_module("pydantic_ai_backends.toolsets.console").create_console_toolset
        return _Session(workspace, toolsets=[console(max_retries=_TRIES)])


class FileSystem(_Runs):
    """The capability `FileSystem` of pydantic-ai-harness in a `LocalWorkspace`."""

    def _start(self, workspace: Workspace) -> _Session:
        files = importlib.import_module("pydantic_ai_harness").FileSystem
        return _Session(workspace, capabilities=[files(max_retries=_TRIES)])
