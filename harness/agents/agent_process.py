"""Run one agent: start its process, make calls in the role of its model, and collect the results."""

import itertools
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL
from typing import Any, Literal, Protocol, runtime_checkable

from readfirst.harness.adapter_api import NO_ANSWER, AdapterError, ToolResult
from readfirst.harness.agents.scripted_model.server import ScriptedModel, Turn
from readfirst.harness.agents.scripted_model.wire_format import Block, TextBlock, ToolUse, Wire, WireError
from readfirst.harness.processes.sandbox import Sandbox
from readfirst.harness.processes.supervised_process import Child
from readfirst.harness.processes.temp_dirs import Scratch

_START_TIMEOUT_S = 60.0
_CHARS_PER_EXTRA_SECOND = 100_000.0
"""Number of characters in a call's arguments that add one second to the time limit of the call."""
_MAX_IDLE_S = 120.0  # an HTTP client of Node.js repeats its request after 300 seconds
"""Maximum seconds that an agent may wait for its model. The harness makes no call in an agent that waited longer."""
OUTPUT_TAIL_BYTES = 4000
"""Number of bytes at the end of the agent's output that are kept, to quote them in error messages."""


@runtime_checkable
class Pause(Protocol):
    """A pause that an agent makes after the validation of a call. During the pause, the harness changes files."""

    def release(self) -> None:
        """End the pause, so that the agent executes the call."""


class Dialogue(Protocol):
    """Takes the role of the agent's user. Uses the agent's standard input and output."""

    def hear(self, part: bytes) -> None:
        """Process the next bytes of the agent's output."""

    def hang_up(self) -> None:
        """Close the agent's standard input."""


@dataclass(frozen=True, slots=True)
class Launch:
    """The data to start an agent. The files of the agent already exist."""

    command: tuple[str, ...]
    """The text `listener.PORT` in the command, the variables and the files stands for the port of the model."""
    variables: Mapping[str, str]
    """The complete environment."""
    directory: Path
    wire: Wire
    tools: frozenset[str]
    """In the role of the model, the harness answers requests that offer one of these tools."""
    files: tuple[Path, ...] = ()
    input: Path | None = None
    """The file that is used as standard input. None means that standard input is empty."""
    dialogue: Dialogue | None = None
    """The dialogue that writes to `input`, which is a pipe in this case. None if the agent uses no dialogue."""
    close: Callable[[], None] = lambda: None
    """Releases the agent's resources."""
    output_tail_bytes: int = OUTPUT_TAIL_BYTES
    """Number of bytes that are kept at the end of the agent's output."""
    sandbox: Sandbox | None = None
    """The sandbox of the agent, which only writes to its files, `directory` and `writable`. None means no sandbox."""
    writable: tuple[Path, ...] = ()
    starter: tuple[str, ...] = ()
    """The command that starts the agent's supervisor, for example as another user. Empty for a direct start."""

    @property
    def home(self) -> Path:
        """The agent's home directory (`~`)."""
        return Path(self.variables["HOME"])


class AgentLauncher(Protocol):
    """Prepares the start of an agent. Each kind of agent has a launcher."""

    @property
    def name(self) -> str:
        """The name that messages use for the agent."""

    @property
    def time_limit(self) -> float:
        """Time limit of one call, in seconds."""

    def prepare(self, run: Path, events: queue.SimpleQueue[Any]) -> Launch:
        """Create the agent's files in the directory `run`, and return the start data. Pauses are added to `events`."""


class Conversation:
    """A running agent. In the role of its model, the harness makes the calls and receives their results. Raises
    AdapterError if the agent does not start, does not answer in time, or exits.
    """

    def __init__(self, program: AgentLauncher, ids: Iterator[int] | None = None) -> None:
        self.program = program
        self.calls = 0
        self.isolation = ""
        """The reason why the agent has a network. Empty if the agent has no network."""
        self.ids = itertools.count(1) if ids is None else ids
        """Numbers for the ids of calls. A resumed conversation continues those of the previous one."""
        self._events: queue.SimpleQueue[Turn | Pause | WireError | int] = queue.SimpleQueue()
        """Events of the agent. A number is the exit code of its process."""
        self._run = Scratch()
        self._child: Child | None = None
        self._model: ScriptedModel | None = None
        self._launch: Launch | None = None
        self._turn: Turn | None = None
        self._last_request_time = 0.0
        self._printed = b""
        self._reader: threading.Thread | None = None
        try:
            self._start_process()
        except BaseException:
            self.close()
            raise

    @property
    def offers(self) -> Mapping[str, Mapping[str, Any]]:
        """The descriptions of the tools that the agent offers to its model in the latest request, by name."""
        return {} if self._turn is None else self._turn.request.offers

    @property
    def dialogue(self) -> Dialogue | None:
        """The object that takes the role of the user on standard input and output. None if no user is needed."""
        assert self._launch is not None
        return self._launch.dialogue

    @property
    def is_usable(self) -> bool:
        """Whether the agent can make another call: it runs, and has not waited too long for its model."""
        alive = self._child is not None and self._child.process.poll() is None
        return alive and self._turn is not None and time.monotonic() - self._last_request_time < _MAX_IDLE_S

    def can_continue(self, calls: int, size: int) -> bool:
        """Whether the agent is usable, made at most `calls` calls, and its last request has at most `size` bytes."""
        return self.is_usable and self.calls <= calls and self._turn is not None and self._turn.size <= size

    @property
    def pid(self) -> int:
        """The id of the process that leads the agent's process group. Used to send signals to the group."""
        assert self._child is not None
        return self._child.pid

    def call(
        self, tool: str, arguments: Mapping[str, Any], interfere: Callable[[], None] | None = None
    ) -> ToolResult:
        """Call a tool as the model, and return its result. `interfere` runs between validation and execution."""
        return self._exchange_calls([(tool, arguments)], interfere)[0]

    def call_parallel(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> Sequence[ToolResult]:
        """Make several calls in one message of the model, and return their results in order."""
        return self._exchange_calls(calls, None)

    def call_cut(self, tool: str, arguments: str, ends: Literal["cut", "limit"]) -> ToolResult:
        """Make a call with truncated arguments. Return the result, or NO_ANSWER. `ends` is the kind of truncation."""
        tool_use = ToolUse(self._make_tool_use(tool, {}).id, tool, arguments, ends)
        self._send_blocks((tool_use,), self.program.time_limit)
        return self.results.get(tool_use.id, NO_ANSWER)

    def kill(self, number: int = SIGKILL) -> bool:
        """Send the signal `number` to the agent. Return whether the agent has exited."""
        assert self._child is not None
        return self._child.kill(number)

    def start_call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool, such as `Task`, that sends a request to the model before it returns. Return the call's id."""
        tool_use = self._make_tool_use(tool, arguments)
        self._send_blocks((tool_use,), self.program.time_limit)
        return tool_use.id

    def say(self, text: str) -> None:
        """Answer with a text, which ends the model's turn. The conversation continues."""
        self._send_blocks((TextBlock(text),), self.program.time_limit)

    def end_turn(self, then: Callable[[], None]) -> None:
        """End the model's turn. `then` sends the user's next message, which starts the next turn."""
        self._answer_turn(TextBlock("Done."))
        then()
        self._turn = self._next_turn(self.program.time_limit, None, "adapter")

    def switch_agent(self, turn: Turn | None) -> Turn | None:
        """Make the next calls for the agent that sent the request `turn`. Return the previous agent's request."""
        waiting, self._turn = self._turn, turn
        return waiting

    def start_background_agent(self, tool: str, arguments: Mapping[str, Any]) -> tuple[str, Turn]:
        """Call a tool to start a background agent. Return the id of the call, and this agent's first request."""
        tool_use = self._make_tool_use(tool, arguments)
        first = self._send_blocks((tool_use,), self.program.time_limit)
        second = self._next_turn(self.program.time_limit, None, "adapter")
        if tool_use.id not in first.request.answers:
            first, second = second, first
        self._turn = first
        return tool_use.id, second

    @property
    def results(self) -> Mapping[str, ToolResult]:
        """The results in the agent's latest request, by the ids of the calls."""
        return {} if self._turn is None else self._turn.request.answers

    @property
    def notes(self) -> Sequence[str]:
        """The texts next to the results of calls in the agent's latest request, such as reminders."""
        return () if self._turn is None else self._turn.request.notes

    def finish(self) -> str:
        """End the turn and wait until the agent exits. Return the last `output_tail_bytes` of its output as text."""
        self._answer_turn(TextBlock("done"))
        assert self._child is not None
        assert self._reader is not None
        if self.dialogue is not None:
            self.dialogue.hang_up()
        try:
            self._child.process.wait(_START_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise self._make_error(f" did not end within {_START_TIMEOUT_S:g} s", "adapter") from None
        self._reader.join(_START_TIMEOUT_S)
        return self._printed.decode(errors="replace")

    def close(self) -> None:
        """End the agent and all its processes, and remove its files."""
        if self._child is not None:
            self._child.end()
        if self._turn is not None:
            self._turn.abandon()
        if self._launch is not None:
            if self._launch.dialogue is not None:
                self._launch.dialogue.hang_up()
            self._launch.close()
        if self._model is not None:
            self._model.close()
        self._run.close()

    def _start_process(self) -> None:
        try:
            launch = self._launch = self.program.prepare(self._run.path, self._events)
        except OSError as error:  # for example, the disk is full
            problem = f"cannot prepare a session of {self.program.name}: {error}"
            raise AdapterError(problem, blame="environment") from error
        output, output_end = os.pipe()
        input_end = os.open(launch.input or os.devnull, os.O_RDONLY)
        try:
            self._child = child = Child(
                launch.command,
                directory=launch.directory,
                environment=launch.variables,
                stdin=input_end,
                stdout=output_end,
                stderr=output_end,
                offline=True,
                sandbox=launch.sandbox,
                writable=(self._run.path, launch.home, launch.directory, *launch.writable),
                port_in=launch.files,
                starter=launch.starter,
            )
        finally:
            os.close(output_end)
            os.close(input_end)
            self._reader = threading.Thread(target=self._read_output, args=(output, launch), daemon=True)
            self._reader.start()
        start_limit = max(_START_TIMEOUT_S, self.program.time_limit)
        listener, self.isolation = child.listener(self.program.name, start_limit)
        if listener is None:
            raise self._make_error("'s supervisor did not start", "environment")
        self._model = ScriptedModel(listener, self._events, launch.wire, launch.tools)
        ended: Callable[[], None] = lambda: self._events.put(child.process.wait())  # noqa: E731
        threading.Thread(target=ended, daemon=True).start()
        self._turn = self._next_turn(start_limit, None, "environment")

    def _read_output(self, output: int, launch: Launch) -> None:
        while part := os.read(output, 65536):
            self._printed = (self._printed + part)[-launch.output_tail_bytes :]
            if launch.dialogue is not None:
                launch.dialogue.hear(part)
        os.close(output)

    def _exchange_calls(
        self, calls: Sequence[tuple[str, Mapping[str, Any]]], interfere: Callable[[], None] | None
    ) -> list[ToolResult]:
        uses = [self._make_tool_use(tool, arguments) for tool, arguments in calls]
        seconds = sum(self.program.time_limit + _seconds_to_send(arguments) for _, arguments in calls)
        answers = self._send_blocks(uses, seconds, interfere).request.answers
        missing = [tool_use.id for tool_use in uses if tool_use.id not in answers]
        if missing:
            raise self._make_error(f" gave no result for {len(missing)} of {len(uses)} calls", "adapter")
        return [answers[tool_use.id] for tool_use in uses]

    def _make_tool_use(self, tool: str, arguments: Mapping[str, Any]) -> ToolUse:
        self.calls += 1
        return ToolUse(f"toolu_{next(self.ids):06}", tool, arguments)

    def _send_blocks(
        self, blocks: Sequence[Block], seconds: float, interfere: Callable[[], None] | None = None
    ) -> Turn:
        self._answer_turn(*blocks)
        self._turn = self._next_turn(seconds, interfere, "adapter")
        return self._turn

    def _answer_turn(self, *blocks: Block) -> None:
        """Answer the latest request with texts and tool calls (`blocks`). Afterwards, `_next_turn` must be called."""
        if self._turn is None:
            raise self._make_error(": the conversation is over", "adapter")
        turn, self._turn = self._turn, None
        turn.answer(blocks)

    def _next_turn(self, seconds: float, interfere: Callable[[], None] | None, blame: str) -> Turn:
        deadline = time.monotonic() + seconds
        while True:
            try:
                event = self._events.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise self._make_error(f" did not answer within {seconds:g} s", blame) from None
            match event:
                case Turn():
                    self._last_request_time = time.monotonic()
                    return event
                case Pause():
                    if interfere is not None:
                        interfere()
                        interfere = None
                    event.release()
                case WireError():
                    raise self._make_error(
                        f" sent a message that the scripted model does not understand: {event}", blame
                    )
                case int() as code:  # the exit code of the agent's process
                    raise self._make_error(f" ended with exit code {code}", blame)

    def _make_error(self, message: str, blame: str) -> AdapterError:
        if self._child is not None and self._child.process.poll() is not None and self._reader is not None:
            # Child processes may keep the pipe open, but the output of the agent itself has already arrived.
            self._reader.join(0.2)
        return AdapterError(
            f"{self.program.name}{message}",
            blame=blame,
            details=self._printed.decode(errors="replace").strip(),
        )


def _seconds_to_send(arguments: Mapping[str, Any]) -> float:
    """Return the number of seconds to add to the time limit of a call with large arguments."""
    return sum(len(value) for value in arguments.values() if isinstance(value, str)) / _CHARS_PER_EXTRA_SECOND
