"""The adapter for `claude-code:VERSION`, the real product. Most scenarios share a conversation."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from packaging.version import Version

from readfirst.harness.adapter_api import (
    BASH,
    SESSION_CAPABILITIES,
    TIME_LIMIT,
    AdapterError,
    Session,
    Workspace,
)
from readfirst.harness.adapter_traits import AdapterTraits
from readfirst.harness.agents.agent_process import Conversation
from readfirst.harness.agents.claude_code.install import install
from readfirst.harness.agents.claude_code.launch_options import Options
from readfirst.harness.agents.claude_code.session import ClaudeCodeSession, ResumableConversation
from readfirst.harness.agents.claude_code.session_sharing import needs_own_session
from readfirst.harness.processes.sandbox import Sandbox, sandbox_for_suite
from readfirst.harness.suite.contracts import Contract, UnknownContractError
from readfirst.harness.suite.suite import Suite

_MODEL_DECIDES_SINCE, _MODEL_DECIDES_UNTIL = Version("2.1.282"), Version("2.1.321")
"""From the first version until before the second, a model decides on permissions if no mode is set."""
_READS_JSON_SINCE = Version("1.0.0")
"""First version that reads user messages as JSON lines. Earlier versions restart when the user mentions a file."""
_BARE_NUMBERS_SINCE = Version("2.1.86")
"""First version that writes line numbers without leading spaces."""
_UNSHARED_CAPABILITIES = frozenset(
    {"resume", "compact", "rewind", "agents", "background", "mentions", "cancel", "stop", "cut", "kill"}
)
"""Capabilities that need a separate conversation: they end, interrupt or summarise a conversation, or start agents."""
_MAX_CONVERSATION_CALLS = 400
"""Maximum calls in a shared conversation. A longer one is slow, as every request contains all earlier calls."""
_MAX_CONVERSATION_BYTES = 400_000
"""Maximum number of bytes of a shared conversation. The product would request a summary of a longer conversation."""


class ClaudeCodeAdapter:
    """Adapter for one exact version of the real product, with a scripted model. Scenarios in the same directory share
    conversations. An isolated workspace gets a separate conversation, with its home directory. `time_limit` is in
    seconds per call. In a `sandbox`, the product can write only to workspaces and its own files.
    """

    def __init__(
        self,
        version: str,
        model: str | None,
        tools: Sequence[str] = ("Read", "Edit", "Write", "NotebookEdit"),
        *,
        lacks: Sequence[str] = (),
        time_limit: float = TIME_LIMIT,
        sandbox: Sandbox | None = None,
    ) -> None:
        self.traits = AdapterTraits(
            frozenset({*tools, *SESSION_CAPABILITIES}) - frozenset(lacks),
            needs_isolation=partial(needs_own_session, version=Version(version)),
            was_contaminated=self._read_was_reminded,
            close=self.close,
        )
        self._reminded = False
        """Whether a result had a reminder. The product may then have removed whitespace at the result's ends."""
        self._command = install(version)
        self._pads_numbers = Version(version) < _BARE_NUMBERS_SINCE
        self._reads_json = Version(version) >= _READS_JSON_SINCE
        self._mode = "default" if _MODEL_DECIDES_SINCE <= Version(version) < _MODEL_DECIDES_UNTIL else ""
        self._model = model
        self._tools = tuple(tools)
        self._time_limit = time_limit
        self._sandbox = sandbox
        self._shared: dict[tuple[Path, bool, bool], Conversation] = {}

    def open(self, workspace: Workspace) -> Session:
        """Return a session for the workspace. The session uses a new or a shared conversation."""
        hook = bool({"during", "stop"} & workspace.needs)
        bash = BASH in workspace.needs
        given = workspace.permissions
        options = Options(
            self._command,
            self._model,
            (*self._tools, BASH) if bash else self._tools,
            workspace.root if given is None else given.directory,
            workspace.deny,
            hook,
            self._time_limit,
            workspace.home,
            hooks=workspace.hooks,
            permissions=given,
            mode=self._mode,
            sandbox=self._sandbox,
            workspace=workspace.root,
        )
        if workspace.needs & _UNSHARED_CAPABILITIES:
            return ResumableConversation(
                replace(
                    options,
                    summarised="compact" in workspace.needs,
                    rewinds="rewind" in workspace.needs,
                    spoken=bool({"cancel", "stop"} & workspace.needs)
                    or ("mentions" in workspace.needs and self._reads_json),
                    stops="stop" in workspace.needs,
                ),
                workspace,
                self._remind,
                pads_numbers=self._pads_numbers,
            )
        if workspace.isolated:
            conversation = Conversation(options)
            return self._session(conversation, True, workspace, workspace.root)
        folder = workspace.root.parents[1]
        key = (folder, hook, bash)
        shared = self._shared.get(key)
        if shared is not None and not shared.can_continue(_MAX_CONVERSATION_CALLS, _MAX_CONVERSATION_BYTES):
            del self._shared[key]
            shared.close()
            shared = None
        if shared is None:
            shared_options = replace(
                options, directory=folder, workspace=folder, deny=(), home=None, hooks=(), permissions=None
            )
            shared = self._shared[key] = Conversation(shared_options)
        return self._session(shared, False, workspace, folder)

    def _session(
        self, conversation: Conversation, is_owned: bool, workspace: Workspace, directory: Path
    ) -> ClaudeCodeSession:
        return ClaudeCodeSession(
            conversation, is_owned, workspace, directory, self._remind, pads_numbers=self._pads_numbers
        )

    def _remind(self) -> None:
        self._reminded = True

    def _read_was_reminded(self) -> bool:
        reminded, self._reminded = self._reminded, False
        return reminded

    def close(self) -> None:
        """End every conversation that the adapter has started."""
        while self._shared:
            self._shared.popitem()[1].close()


def open_claude_code(name: str, suite: Suite, *, contract: Contract, time_limit: float) -> ClaudeCodeAdapter:
    """Return the adapter for a version of the product, or for a contract such as `2.1.328+gated`, with the contract's
    model and tools. A version without a contract is treated like the next newer contract. The product runs in a sandbox
    unless the suite is bundled or trusted. Raises AdapterError.
    """
    try:
        selected = suite.contracts.find(name)
    except UnknownContractError:
        default = suite.contracts[suite.contracts.default]
        selected = replace(contract if contract.recorded else default, version=name)
    if selected.version is None:
        raise AdapterError(f"{name} is not a version of Claude Code. Write claude-code:VERSION.")
    return ClaudeCodeAdapter(
        selected.version,
        selected.requested_model,
        selected.tools,
        lacks=selected.lacks,
        time_limit=time_limit,
        sandbox=sandbox_for_suite(*suite.roots) if suite.needs_sandbox else None,
    )
