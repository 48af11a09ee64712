"""Options that are used to start a process of the product: arguments, settings and hooks."""

import os
import queue
import shlex
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import TIME_LIMIT, AdapterError, Hook, Permissions
from readfirst.harness.agents.agent_process import OUTPUT_TAIL_BYTES, Conversation, Launch
from readfirst.harness.agents.claude_code.environment import build_environment
from readfirst.harness.agents.claude_code.stream_json import ARGUMENTS, JsonDialogue
from readfirst.harness.agents.scripted_model.anthropic_messages import AnthropicMessages
from readfirst.harness.agents.scripted_model.wire_format import Block, ToolUse
from readfirst.harness.processes.sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class HookCall:
    """Event in the queue of a conversation: a call waits in the product's hook until `release` is called."""

    answers: int

    def release(self) -> None:
        """End the hook, so that the product executes the call."""
        os.write(self.answers, b"\n")


class PausingHook:
    """A hook that the harness uses to pause the product's calls. The command of the hook communicates through named
    pipes in `directory`. Each call of the hook is added to `events` as a HookCall.
    """

    def __init__(self, directory: Path, events: queue.SimpleQueue[Any]) -> None:
        asks, answers = directory / "hook-asks", directory / "hook-answers"
        for pipe in (asks, answers):
            os.mkfifo(pipe)
        # Open for reading and writing, so that opening does not wait for the other side.
        self._asks = os.open(asks, os.O_RDWR)
        self._answers = os.open(answers, os.O_RDWR)
        self._events = events
        # The hook reads its input first, so that the product does not write into a closed pipe.
        self.command = (
            f"cat >/dev/null; echo ask >{shlex.quote(str(asks))}; read -r answer <{shlex.quote(str(answers))}"
        )
        self._thread = threading.Thread(target=self._listen_for_calls, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Remove the hook. A call that waits in the hook is continued first."""
        os.write(self._asks, b"end\n")
        self._thread.join()
        os.close(self._asks)
        os.close(self._answers)

    def _listen_for_calls(self) -> None:
        with os.fdopen(os.dup(self._asks), "r", buffering=1) as asks:
            for line in iter(asks.readline, ""):
                if line == "end\n":
                    return
                self._events.put(HookCall(self._answers))


_TURN_TOOLS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit", "Task", "Agent"})
"""A request that offers one of these tools asks the model for the next step. Several tools are listed, because a deny
rule may remove some. Read is not listed, because agents in the background offer Read from 2.0.77 to 2.1.5.
"""

_MAX_STREAM_BYTES = 64 * 1024 * 1024
"""Number of bytes that are kept at the end of the product's output."""


_UNSHARE_COMMAND = ("unshare", "--user", "--map-user=1000", "--map-group=1000", "--")
"""Command that runs another command as a different user. If readfirst runs as root, this command starts the supervisor
of the product, because root in a sandbox cannot become another user.
"""


@dataclass(frozen=True, slots=True)
class Options:
    """Options that are used to start the product. `deny` are permission patterns, `hooks` the hooks of the scenario.
    With `hook`, the harness can pause calls. Without a `model`, the product uses its default.
    """

    command: tuple[str, ...]
    model: str | None
    tools: tuple[str, ...]
    directory: Path
    deny: tuple[str, ...] = ()
    hook: bool = False
    time_limit: float = TIME_LIMIT
    """Time limit of one call, in seconds."""
    home: Path | None = None
    """The home directory that the product uses. None means a new directory, which is removed with the conversation."""
    configuration: Path | None = None
    """Directory of the configuration and conversations. None: a new one, removed with the conversation."""
    resumed: str | None = None
    """The id of the conversation that the product resumes. None means a new conversation."""
    summarised: bool = False
    """Whether the product summarises the conversation: its context window is limited, and reported as nearly full."""
    rewinds: bool = False
    """Whether the product stores the previous content of files, and uses a dialogue that can request a rewind."""
    spoken: bool = False
    """Whether the product uses a dialogue, so that the harness can interrupt it in the role of the user."""
    stops: bool = False
    """Whether `hook` pauses a call after its execution instead of before it."""
    hooks: tuple[Hook, ...] = ()
    prompt: str = "go"
    """The message of the user that starts the conversation."""
    streams: bool = False
    """Whether the product prints events as JSON Lines. If so, its whole output is kept."""
    permissions: Permissions | None = None
    """The permissions that the settings of the product contain. None means that everything is allowed."""
    mode: str = ""
    """The permission mode that is used to allow everything. Empty for the default mode."""
    sandbox: Sandbox | None = None
    """The sandbox of the product. None means no sandbox."""
    workspace: Path | None = None
    """A directory that the product can change although it runs in a sandbox. It may contain `directory`."""

    @property
    def name(self) -> str:
        """The name that messages use for the product."""
        return "the product"

    def prepare(self, run: Path, events: queue.SimpleQueue[Any]) -> Launch:
        """Create a new configuration and, if `hook` is true, named pipes in `run`. Return the data for the start."""
        hook = PausingHook(run, events) if self.hook else None
        dialogue = JsonDialogue(run) if self.rewinds or self.spoken else None
        variables = build_environment(
            self.configuration or run,
            Path(self.command[0]),
            model=self.model,
            settings=_make_settings(self, hook),
            home=self.home,
            window=WINDOW if self.summarised else None,
            checkpoints=self.rewinds,
        )
        if dialogue is not None:
            dialogue.say(self.prompt)
        # The product refuses root the mode without permission prompts.
        bypasses_permissions = self.permissions is not None and self.permissions.mode == "bypassPermissions"
        return Launch(
            command=(*self.command, *_command_arguments(self)),
            starter=_UNSHARE_COMMAND if bypasses_permissions and os.geteuid() == 0 else (),
            variables=variables,
            directory=self.directory,
            wire=CrowdedModel() if self.summarised else AnthropicMessages(),
            tools=_TURN_TOOLS,
            close=hook.close if hook is not None else lambda: None,
            input=None if dialogue is None else dialogue.input_pipe,
            dialogue=dialogue,
            output_tail_bytes=_MAX_STREAM_BYTES if self.streams else OUTPUT_TAIL_BYTES,
            sandbox=self.sandbox,
            writable=tuple(path for path in (self.workspace, self.configuration) if path is not None),
        )


def _make_settings(options: Options, hook: PausingHook | None) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    rules: dict[str, list[str]] = {"deny": list(options.deny)}
    if options.permissions is not None:
        rules["allow"] = list(options.permissions.allow)
        rules["additionalDirectories"] = list(map(str, options.permissions.additional))
    if any(rules.values()):
        settings["permissions"] = {key: value for key, value in rules.items() if value}
    hooks = options.hooks
    if hook is not None:
        moment = "PostToolUse" if options.stops else "PreToolUse"
        hooks = (*hooks, Hook(moment, "*", hook.command))
    if hooks:
        settings["hooks"] = {event: [] for event in dict.fromkeys(item.event for item in hooks)}
    for item in hooks:
        run = [{"type": "command", "command": item.command}]
        settings["hooks"][item.event].append({"matcher": item.matcher, "hooks": run})
    return settings


def _command_arguments(options: Options) -> list[str]:
    # Only arguments that every version understands: model and settings are in the environment. TodoWrite and
    # Bash add reminders to results. Few scenarios use Bash, and none uses TodoWrite.
    tools = ",".join(options.tools)
    unused = ",".join(tool for tool in ("TodoWrite", "Bash") if tool not in options.tools)
    stream = ["--output-format", "stream-json", "--verbose"] if options.streams else []
    resumed = [] if options.resumed is None else ["--resume", options.resumed]
    mode = options.mode if options.permissions is None else options.permissions.mode
    allowed = ["--allowedTools", tools] if options.permissions is None else []
    allowed += ["--permission-mode", mode] if mode else []
    prompt = ARGUMENTS if options.rewinds or options.spoken else [options.prompt]
    replayed = ["--replay-user-messages"] if options.rewinds else []
    return [*resumed, "-p", *prompt, *replayed, *allowed, "--disallowedTools", unused, *stream]


WINDOW = 200_000
"""Size in tokens of the context window that the product is told to use. Later models have a larger window."""
_CROWDED_TOKENS = 185_000
"""Tokens that the model reports as used, so that the product summarises. With more tokens, the product would stop."""
_UNKNOWN_TOOL = "Nothing"
"""Name of a tool that does not exist. Calls of this tool lengthen the conversation, but change no file and no state."""


class CrowdedModel(AnthropicMessages):
    """A scripted model that reports a nearly full context when it calls `_UNKNOWN_TOOL`, to cause a summary."""

    def tokens(self, blocks: Sequence[Block]) -> int:
        """Return the used tokens to report: nearly the whole context window if `blocks` call `_UNKNOWN_TOOL`."""
        crowded = any(isinstance(block, ToolUse) and block.tool == _UNKNOWN_TOOL for block in blocks)
        return _CROWDED_TOKENS if crowded else super().tokens(blocks)


def summarise(conversation: Conversation) -> None:
    """Make the product summarise the conversation. Raises AdapterError if the product does not request a summary."""
    call = conversation.start_call(_UNKNOWN_TOOL, {})
    if is_summary_request := bool(conversation.results) and any(
        "summary" in note for note in conversation.notes
    ):
        conversation.say("<summary>Files were read and changed.</summary>")
    if call in conversation.results and not is_summary_request:
        raise AdapterError("the product did not request a summary of its conversation", blame="environment")
