"""Toolkits: run in a target's own environment, and call the file tools of a published package as its agent does.

An object of a class is one session in a workspace, in which nothing was read yet. Packages are imported when a class is
used, because only one of them is there. An answer is what the tool gives, or a mapping with its `text` and what the
mapping file reads beside it; a refusal may be raised.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import queue
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from readfirst.harness.session import Workspace

_TRIES = 10_000
"""How often the model of a Pydantic AI agent may be asked to try again; the default of 1 would end a run."""

Arguments = Mapping[str, Any]


def _module(name: str) -> Any:
    return importlib.import_module(name)


class _Kit:
    def __init__(self, workspace: Workspace) -> None:
        raise NotImplementedError

    @classmethod
    def adapter(cls) -> type[Self]:
        """Return what opens sessions, in a process that has just started."""
        cls.prepare()
        return cls

    @classmethod
    def prepare(cls) -> None:
        """Do once what takes long."""

    @classmethod
    def open(cls, workspace: Workspace) -> Self:
        """Start a session."""
        return cls(workspace)


class GoogleAdk(_Kit):
    """`EnvironmentToolset` of google-adk with the workspace as the directory of a `LocalEnvironment`.

    Its tools are coroutines, and answer with a status and one of `error`, `message` and `content`; it becomes `text`.
    """

    def __init__(self, workspace: Workspace) -> None:
        environment = _module("google.adk.environment").LocalEnvironment(working_dir=workspace.root)
        made = _module("google.adk.tools.environment").EnvironmentToolset(environment=environment)
        self._tools = {tool.name: tool for tool in asyncio.run(made.get_tools())}

    def call(self, tool: str, arguments: Arguments) -> dict[str, Any]:
        """Run one tool."""
        answer = asyncio.run(self._tools[tool].run_async(args=dict(arguments), tool_context=None))
        text = next(str(answer[key]) for key in ("error", "message", "content") if key in answer)
        return {"text": text, "status": answer["status"]}


class AgentFramework(_Kit):
    """`FileAccessProvider` of agent-framework with the workspace as its store."""

    def __init__(self, workspace: Workspace) -> None:
        framework = _module("agent_framework")
        provider = framework.FileAccessProvider(
            framework.FileSystemAgentFileStore(str(workspace.root)),
            disable_readonly_tool_approval=True,
            disable_write_tool_approval=True,
        )
        context = framework.SessionContext(input_messages=[])
        run = {"agent": None, "session": framework.AgentSession(), "context": context, "state": {}}
        asyncio.run(provider.before_run(**run))
        self._tools = {tool.name: tool for tool in context.tools}

    def call(self, tool: str, arguments: Arguments) -> dict[str, Any]:
        """Run one tool, as the loop of an agent does."""
        answer = asyncio.run(self._tools[tool].invoke(arguments=dict(arguments)))
        return {"text": "\n".join(str(part.text) for part in answer)}


class AgentScope(_Kit):
    """The three file tools of agentscope in a toolkit, with an agent state that holds what was read."""

    def __init__(self, _workspace: Workspace) -> None:
        module = _module("agentscope.tool")
        self._toolkit = module.Toolkit(tools=[module.Read(), module.Edit(), module.Write()])
        self._state = _module("agentscope.state").AgentState()
        self._block = _module("agentscope.message").ToolCallBlock

    def call(self, tool: str, arguments: Arguments) -> dict[str, Any]:
        """Run one tool."""
        block = self._block(id="1", name=tool, input=json.dumps(dict(arguments)))
        response = asyncio.run(self._last(block))
        text = "\n".join(getattr(part, "text", f"[{part.type}]") for part in response.content)
        return {"text": text, "state": getattr(response.state, "value", response.state)}

    async def _last(self, block: Any) -> Any:
        """Return the last thing that the toolkit yields, which is the complete answer."""
        return [each async for each in self._toolkit.call_tool(block, self._state)][-1]


class Nanobot(_Kit):
    """The three file tools of nanobot in its registry, which share what they know of files.

    A call makes the folder of its settings, which is therefore in the home of this process and in no session's.
    """

    @classmethod
    def prepare(cls) -> None:
        """Say where the settings are."""
        _module("nanobot.config.loader").set_config_path(Path.home() / ".nanobot" / "config.json")

    def __init__(self, workspace: Workspace) -> None:
        tools = _module("nanobot.agent.tools.filesystem")
        states = _module("nanobot.agent.tools.file_state").FileStates()
        self._registry = _module("nanobot.agent.tools.registry").ToolRegistry()
        for make in (tools.ReadFileTool, tools.WriteFileTool, tools.EditFileTool):
            self._registry.register(make(workspace=workspace.root, file_states=states))

    def call(self, tool: str, arguments: Arguments) -> dict[str, Any]:
        """Run one tool; wrong arguments are refused by the registry."""
        answer = asyncio.run(self._registry.execute(tool, dict(arguments)))
        return {"text": str(answer), "is_error": getattr(answer, "is_error", False)}


class PraisonAiAgents(_Kit):
    """The functions `read_file`, `edit_file` and `write_file` of praisonaiagents.

    They confine themselves to the working directory, which is the workspace, and keep the hashes of what was read for
    the process: what earlier sessions read is forgotten.
    """

    def __init__(self, workspace: Workspace) -> None:
        _module("praisonaiagents.tools._file_locks")._read_hashes.clear()
        edit = _module("praisonaiagents.tools.edit_tools").EditTools(root=str(workspace.root))
        file = _module("praisonaiagents.tools.file_tools").FileTools()
        self._tools = {
            "read_file": file.read_file,
            "edit_file": edit.edit_file,
            "write_file": file.write_file,
        }

    def call(self, tool: str, arguments: Arguments) -> dict[str, Any]:
        """Call one function; a model sees what it returns as text."""
        return {"text": str(self._tools[tool](**arguments))}


class Gptme(_Kit):
    """The three file tools of gptme in the format `tool`, which keep nothing from one call to the next.

    They write their settings, once, into the home of this process, which is no session's.
    """

    @classmethod
    def prepare(cls) -> None:
        """Load the tools."""
        _module("gptme.tools").init_tools(["read", "save", "patch"])

    def __init__(self, _workspace: Workspace) -> None:
        self._use = _module("gptme.tools").ToolUse

    def call(self, tool: str, arguments: Arguments) -> str:
        """Use one tool; a model sees the messages of the system."""
        use = self._use(tool, None, None, dict(arguments), "1", "tool")
        return "\n".join(message.content for message in use.execute())


class OpenHands(_Kit):
    """`FileEditorExecutor` of openhands-tools with the workspace as its root."""

    _EXECUTOR, _ACTION = "openhands.tools.file_editor.impl", "openhands.tools.file_editor.definition"

    @classmethod
    def prepare(cls) -> None:
        """Import it, which takes time."""
        for name in (cls._EXECUTOR, cls._ACTION):
            _module(name)

    def __init__(self, workspace: Workspace) -> None:
        self._execute = _module(self._EXECUTOR).FileEditorExecutor(workspace_root=str(workspace.root))
        self._action = _module(self._ACTION).FileEditorAction

    def call(self, _tool: str, arguments: Arguments) -> dict[str, Any]:
        """Execute one action; wrong arguments raise what the agent would see."""
        observation = self._execute(self._action(**arguments))
        return {"text": observation.text, "is_error": observation.is_error}


class AnthropicToolset(_Kit):
    """`beta_agent_toolset_20260401` of Anthropic's client library with the workspace as its working directory."""

    def __init__(self, workspace: Workspace) -> None:
        module = _module("anthropic.lib.tools.agent_toolset")
        context = module.AgentToolContext(workdir=str(workspace.root))
        self._tools = {tool.name: tool for tool in module.beta_agent_toolset_20260401(context)}

    def call(self, tool: str, arguments: Arguments) -> dict[str, Any]:
        """Run one tool; a refusal is an exception, which its runner gives the model as an error."""
        return {"text": _text(asyncio.run(self._tools[tool].call(dict(arguments))))}


class _LangChain(_Kit):
    """LangChain tools, as LangGraph's tool node calls them: they want a `runtime` beside their arguments.

    An answer is a message, or a command that carries one; both become `{"text", "status", "command"}`.
    """

    def __init__(self, middleware: Any) -> None:
        self._tools = {tool.name: tool for tool in middleware.tools}
        self._state: dict[str, Any] = {"messages": [], "files": {}}

    def call(self, tool: str, arguments: Arguments) -> dict[str, Any]:
        """Invoke one tool."""
        runtime = _module("langchain.tools").ToolRuntime(
            state=self._state, context=None, config={}, stream_writer=None, tool_call_id="1", store=None
        )
        call = {"type": "tool_call", "id": "1", "name": tool, "args": {**arguments, "runtime": runtime}}
        answer = self._tools[tool].invoke(call)
        update = getattr(answer, "update", None)
        message = update["messages"][-1] if isinstance(update, dict) else answer
        return {"text": _text(message.content), "status": message.status, "command": isinstance(update, dict)}


class DeepAgents(_LangChain):
    """`FilesystemMiddleware` of deepagents on the real file system, without its virtual mode."""

    def __init__(self, workspace: Workspace) -> None:
        backend = _module("deepagents.backends").FilesystemBackend
        made = backend(root_dir=str(workspace.root), virtual_mode=False)
        super().__init__(_module("deepagents.middleware.filesystem").FilesystemMiddleware(backend=made))


class LangChainAnthropic(_LangChain):
    """`FilesystemClaudeTextEditorMiddleware` of langchain-anthropic with the workspace as its root."""

    def __init__(self, workspace: Workspace) -> None:
        editor = _module("langchain_anthropic.middleware").FilesystemClaudeTextEditorMiddleware
        super().__init__(editor(root_path=str(workspace.root)))


class Aider(_Kit):
    """The coder of aider for the format `diff`, without git, in which every question is answered by yes.

    No model is asked: the coder gets an answer in search/replace blocks as if one had given it. A refusal is what it
    says back to the model or, where that is nothing, the errors that it shows to the user. It counts uses in a file of
    the home, which is therefore that of this process and no session's.
    """

    _kept: tuple[Any, Any]

    @classmethod
    def prepare(cls) -> None:
        """Make what all coders share."""
        cls._kept = _module("aider.models").Model("gpt-4o"), _module("aider.analytics").Analytics()

    def __init__(self, _workspace: Workspace) -> None:
        model, analytics = self._kept
        io = _module("aider.io").InputOutput(pretty=False, yes=True, fancy_input=False)
        self._said: list[str] = []
        io.tool_error = self._said.append
        io.tool_output = io.tool_warning = lambda *_words, **_form: None
        make = _module("aider.coders").Coder.create
        self._coder = make(
            model, "diff", io, use_git=False, map_tokens=0, auto_lint=False, stream=False, analytics=analytics
        )

    def call(self, tool: str, arguments: Arguments) -> dict[str, Any]:
        """Put a file into the chat, or apply an answer."""
        path = arguments["path"]
        self._said.clear()
        return self._added(path) if tool == "add" else self._applied(path, arguments["answer"])

    def _added(self, path: str) -> dict[str, Any]:
        self._coder.add_rel_fname(path)
        name = self._coder.abs_root_path(path)
        shown = dict(self._coder.get_abs_fnames_content())
        return {"text": shown.get(name, "\n".join(self._said)), "is_error": name not in shown}

    def _applied(self, path: str, answer: str) -> dict[str, Any]:
        self._coder.reflected_message = None
        opening, closing = self._coder.fence
        self._coder.partial_response_content = f"{path}\n{opening}\n{answer}{closing}\n"
        edited = self._coder.apply_updates()
        refused = self._coder.reflected_message or "\n".join(self._said)
        return {"text": refused or "Applied edit", "is_error": bool(refused) or not edited}


class _PydanticAi(_Kit):
    """One run of a Pydantic AI agent in a `LocalWorkspace`, because the tools know what was read by the run.

    The model is a function that waits for the next call; a refusal comes to it as a request to try again.
    """

    def __init__(
        self, workspace: Workspace, capabilities: Sequence[Any] = (), toolsets: Sequence[Any] = ()
    ) -> None:
        ai = _module("pydantic_ai")
        messages = _module("pydantic_ai.messages")
        self._response, self._call, self._text = (
            getattr(messages, name) for name in ("ModelResponse", "ToolCallPart", "TextPart")
        )
        model = _module("pydantic_ai.models.function").FunctionModel(self._respond)
        local = _module("pydantic_ai.capabilities").LocalWorkspace(str(workspace.root))
        self._agent = ai.Agent(model, capabilities=[local, *capabilities], toolsets=toolsets)
        self._limits = ai.UsageLimits(request_limit=None)
        self._calls: queue.SimpleQueue[tuple[str, Arguments] | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()

    def call(self, tool: str, arguments: Arguments) -> dict[str, Any]:
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


class PydanticAiBackend(_PydanticAi):
    """The console tools of pydantic-ai-backend."""

    def __init__(self, workspace: Workspace) -> None:
        console = _module("pydantic_ai_backends.toolsets.console").create_console_toolset
        super().__init__(workspace, toolsets=[console(max_retries=_TRIES)])


class PydanticAiHarness(_PydanticAi):
    """The capability `FileSystem` of pydantic-ai-harness."""

    def __init__(self, workspace: Workspace) -> None:
        files = _module("pydantic_ai_harness").FileSystem
        super().__init__(workspace, capabilities=[files(max_retries=_TRIES)])


def _text(content: Any) -> str:
    """Return the text of an answer that may come in blocks."""
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text", f"[{block.get('type')}]")) for block in content)
