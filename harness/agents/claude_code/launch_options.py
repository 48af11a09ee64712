"""How the product is started: its arguments, its settings, its hook."""

import os
import queue
import shlex
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import TIME_LIMIT, BrokenAdapter, Hook, Permissions
from readfirst.harness.agents.agent_process import OUTPUT_KEPT, Conversation, Launch
from readfirst.harness.agents.claude_code.environment import build_environment
from readfirst.harness.agents.claude_code.stream_json import ARGUMENTS, JsonDialogue
from readfirst.harness.agents.scripted_model.anthropic_messages import AnthropicMessages
from readfirst.harness.agents.scripted_model.wire_format import Block, ToolUse
from readfirst.harness.processes.sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class HookCall:
    """The product waits in its hook; `release` lets it go on."""

    answers: int

    def release(self) -> None:
        """Let the call execute."""
        os.write(self.answers, b"\n")


class PausingHook:
    """Two named pipes below `directory`; the hook command writes a line to one and waits for a line from the other.

    Each call of the hook arrives as a HookCall in `events`.
    """

    def __init__(self, directory: Path, events: queue.SimpleQueue[Any]) -> None:
        asks, answers = directory / "hook-asks", directory / "hook-answers"
        for pipe in (asks, answers):
            os.mkfifo(pipe)
        # Open for both directions: neither side ever waits for the other to open its end.
        self._asks = os.open(asks, os.O_RDWR)
        self._answers = os.open(answers, os.O_RDWR)
        self._events = events
        # Reading the hook's input first keeps the product from writing into a closed pipe.
        self.command = (
            f"cat >/dev/null; echo ask >{shlex.quote(str(asks))}; read -r answer <{shlex.quote(str(answers))}"
        )
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening; whoever waits in the hook is released first."""
        os.write(self._asks, b"end\n")
        self._thread.join()
        os.close(self._asks)
        os.close(self._answers)

    def _listen(self) -> None:
        with os.fdopen(os.dup(self._asks), "r", buffering=1) as asks:
            for line in iter(asks.readline, ""):
                if line == "end\n":
                    return
                self._events.put(HookCall(self._answers))


_TURN_TOOLS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit", "Task", "Agent"})
"""A request that offers one of them asks the model what to do next; a deny rule may take some of them away.

Read is not enough: from 2.0.77 to 2.1.5 agents that only explore are warmed up beside the conversation.
"""

_STREAM_KEPT = 64 * 1024 * 1024
"""Bytes of a stream that are kept."""


_AS_SOMEBODY = ("unshare", "--user", "--map-user=1000", "--map-group=1000", "--")
"""Starts a command as somebody who is not root, though with the same files.

Its supervisor, not the product: who is shut in as root cannot become somebody else."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to start the product. `deny` are permission rules; `hook` lets world events interfere during a call.

    `hooks` are those of the scenario.

    Without a `model` the product uses its own default.
    """

    command: tuple[str, ...]
    model: str | None
    tools: tuple[str, ...]
    directory: Path
    deny: tuple[str, ...] = ()
    hook: bool = False
    time_limit: float = TIME_LIMIT
    """Seconds that one call may take."""
    home: Path | None = None
    """The product's home directory; None: a fresh one that goes with the conversation."""
    configuration: Path | None = None
    """Where the configuration and the files of conversations are; None: fresh, and gone with the conversation."""
    resumed: str | None = None
    """The conversation to go on with, by the product's own name; None: a new one."""
    summarised: bool = False
    """Whether the conversation can be made so long that the product has it summarised."""
    rewinds: bool = False
    """Whether the product keeps what files were, and is spoken with, so that it can be asked to bring them back."""
    spoken: bool = False
    """Whether the product is spoken with, so that its user can interrupt it."""
    stops: bool = False
    """Whether `hook` holds a call when it was executed, instead of before."""
    hooks: tuple[Hook, ...] = ()
    prompt: str = "go"
    """What the user says."""
    streams: bool = False
    """Whether the product prints what happens as lines of JSON, all of which are kept."""
    permissions: Permissions | None = None
    """What it may do without asking; None: everything."""
    mode: str = ""
    """The mode in which it may do everything; empty: its own."""
    sandbox: Sandbox | None = None
    """What it is shut in; None: nothing."""
    workspace: Path | None = None
    """What it can write to in there beside its own files and `directory`, which may be below it."""

    @property
    def name(self) -> str:
        """What messages call it."""
        return "the product"

    def prepare(self, run: Path, events: queue.SimpleQueue[Any]) -> Launch:
        """Make a fresh configuration below `run`, and the hook's pipes where it is asked for."""
        hook = PausingHook(run, events) if self.hook else None
        dialogue = JsonDialogue(run) if self.rewinds or self.spoken else None
        variables = build_environment(
            self.configuration or run,
            Path(self.command[0]),
            model=self.model,
            settings=_settings(self, hook),
            home=self.home,
            window=WINDOW if self.summarised else None,
            checkpoints=self.rewinds,
        )
        if dialogue is not None:
            dialogue.say(self.prompt)
        # The product refuses root the mode in which it asks nobody.
        asks_nobody = self.permissions is not None and self.permissions.mode == "bypassPermissions"
        return Launch(
            command=(*self.command, *_arguments(self)),
            starter=_AS_SOMEBODY if asks_nobody and os.geteuid() == 0 else (),
            variables=variables,
            directory=self.directory,
            wire=CrowdedModel() if self.summarised else AnthropicMessages(),
            tools=_TURN_TOOLS,
            close=hook.close if hook is not None else lambda: None,
            input=None if dialogue is None else dialogue.entrance,
            dialogue=dialogue,
            output_kept=_STREAM_KEPT if self.streams else OUTPUT_KEPT,
            sandbox=self.sandbox,
            writable=tuple(path for path in (self.workspace, self.configuration) if path is not None),
        )


def _settings(options: Options, hook: PausingHook | None) -> dict[str, Any]:
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
        settings["hooks"] = {event: [] for event in dict.fromkeys(each.event for each in hooks)}
    for each in hooks:
        run = [{"type": "command", "command": each.command}]
        settings["hooks"][each.event].append({"matcher": each.matcher, "hooks": run})
    return settings


def _arguments(options: Options) -> list[str]:
    # Only what every version understands: model and settings come with the environment.
    # TodoWrite and Bash bring reminders into results: no scenario needs the one, few the other.
    tools = ",".join(options.tools)
    unused = ",".join(tool for tool in ("TodoWrite", "Bash") if tool not in options.tools)
    stream = ["--output-format", "stream-json", "--verbose"] if options.streams else []
    resumed = [] if options.resumed is None else ["--resume", options.resumed]
    mode = options.mode if options.permissions is None else options.permissions.mode
    allowed = ["--allowedTools", tools] if options.permissions is None else []
    allowed += ["--permission-mode", mode] if mode else []
    said = ARGUMENTS if options.rewinds or options.spoken else [options.prompt]
    replayed = ["--replay-user-messages"] if options.rewinds else []
    return [*resumed, "-p", *said, *replayed, *allowed, "--disallowedTools", unused, *stream]


WINDOW = 200_000
"""In tokens; the product fills what it takes for its model's window, which is larger for later models."""
_CROWDED = 185_000
"""Enough of the window for a summary, and not so much that the product refuses to go on."""
_NO_TOOL = "Nothing"
"""What the model calls when the conversation is to grow: no tool, so that no rule of a tool is touched."""


class CrowdedModel(AnthropicMessages):
    """Says that the conversation nearly fills the window once the model has called what is no tool."""

    def tokens(self, blocks: Sequence[Block]) -> int:
        """Return how long the conversation is said to be."""
        crowded = any(isinstance(block, ToolUse) and block.tool == _NO_TOOL for block in blocks)
        return _CROWDED if crowded else super().tokens(blocks)


def summarise(conversation: Conversation) -> None:
    """Let the product have the conversation summarised. BrokenAdapter: it did not.

    Some versions ask for the summary on the side, others as they ask for a next step, before or after they tell what
    was answered last.
    """
    call = conversation.start_call(_NO_TOOL, {})
    if asked := bool(conversation.results) and any("summary" in note for note in conversation.notes):
        conversation.say("<summary>Files were read and changed.</summary>")
    if call in conversation.results and not asked:
        raise BrokenAdapter("the product did not have its conversation summarised", blame="environment")
