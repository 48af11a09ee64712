"""Targets of kind `agent`: command-line agents, which run with a scripted model and share conversations."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from readfirst.harness.adapter_api import Arguments, ToolResult, Workspace
from readfirst.harness.adapter_traits import AdapterTraits
from readfirst.harness.agents.agent_process import Conversation
from readfirst.harness.processes.sandbox import Sandbox
from readfirst.harness.suite.scenario import AT_ONCE
from readfirst.observatory.agents.acp import AcpClient
from readfirst.observatory.agents.agent_command import AgentProgram
from readfirst.observatory.agents.inode_pins import HeldFiles
from readfirst.observatory.agents.wires.formats import WIRES
from readfirst.observatory.targets.install import TargetEnvironment
from readfirst.observatory.targets.mapping import AgentLaunch, Target

_CALLS_PER_CONVERSATION = 100
_BYTES_PER_CONVERSATION = 300_000
"""Maximum size of a conversation that is used for further scenarios: each request contains the whole conversation."""
_PROMPT = "go"


@dataclass
class AgentTargetSession:
    """The session of one scenario. With `pins`, its conversation continues in the next scenario; otherwise it ends."""

    conversation: Conversation
    root: Path
    pins: HeldFiles | None

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        """Make the scripted model call one tool of the agent, and return the result."""
        return self.call_parallel([(tool, arguments)])[0]

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        """Make the scripted model call several tools of the agent in one message, and return the results."""
        self._hold()
        results = self.conversation.call_parallel(calls)
        self._hold()
        return results

    def close(self) -> None:
        """End the conversation, unless several scenarios share it."""
        if self.pins is None:
            self.conversation.close()

    def _hold(self) -> None:
        """Keep the workspace's files open, so that files of later scenarios do not get the same inodes."""
        if self.pins is not None:
            self.pins.hold(self.root)


@dataclass
class AgentTarget:
    """Runs a command-line agent with a scripted model. In a `sandbox`, the agent can only write to workspaces and its
    own files. With `isolation: directory`, scenarios share conversations. With `isolation: process`, each scenario has
    a conversation.
    """

    target: Target
    launch: AgentLaunch
    environment: TargetEnvironment
    time_limit: float
    sandbox: Sandbox | None = None
    _shared: dict[Path, Conversation] = field(default_factory=dict, init=False)
    _pins: HeldFiles = field(default_factory=HeldFiles, init=False)

    def open(self, workspace: Workspace) -> AgentTargetSession:
        """Open a conversation, over ACP if a file is open in the user's editor. Raises AdapterError."""
        if workspace.editor is not None:
            speaker = partial(AcpClient, folder=workspace.root, prompt=_PROMPT, editor=workspace.editor)
            program = replace(self._program(workspace.root), command=self.launch.acp, dialogue=speaker)
            return AgentTargetSession(Conversation(program), workspace.root, None)
        if (
            workspace.relative
            or {"sessions", AT_ONCE} & workspace.needs
            or self.launch.isolation == "process"
        ):
            return AgentTargetSession(Conversation(self._program(workspace.root)), workspace.root, None)
        return AgentTargetSession(self._share(workspace.root.parents[1]), workspace.root, self._pins)

    @property
    def traits(self) -> AdapterTraits:
        """The properties of this adapter. `reset` ends every conversation; the next session starts a new one."""
        repeats = self.launch.isolation == "process"
        return AdapterTraits(frozenset({AT_ONCE}), reuses_paths=repeats, reset=self.close, close=self.close)

    def close(self) -> None:
        """End every conversation."""
        while self._shared:
            self._shared.popitem()[1].close()
        self._pins.release()

    def _share(self, directory: Path) -> Conversation:
        shared = self._shared.get(directory)
        if shared is not None and shared.can_continue(_CALLS_PER_CONVERSATION, _BYTES_PER_CONVERSATION):
            return shared
        self.close()
        shared = self._shared[directory] = Conversation(self._program(directory))
        return shared

    def _program(self, directory: Path) -> AgentProgram:
        launch, environment = self.launch, self.environment
        places = {
            "$INSTALL": str(environment.directory),
            "$PYTHON": environment.python,
            "$NODE": environment.node,
            "$MODEL": launch.model,
            "$PROMPT": _PROMPT,
            "$WS": str(directory),
        }
        programs = (environment.node, environment.python)
        return AgentProgram(
            name=self.target.name,
            wire=WIRES[launch.wire],
            command=launch.command,
            tools=frozenset(mapping.call for mapping in self.target.tools.values()),
            directory=directory,
            variables=self.target.environment,
            files=launch.files or {},
            input=launch.input,
            places=places,
            folders=tuple(Path(program).parent for program in programs if program),
            time_limit=self.time_limit,
            sandbox=self.sandbox,
        )
