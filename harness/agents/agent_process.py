"""One running agent: start it, let its model make calls, take the answers, leave no process."""

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

from readfirst.harness.adapter_api import NO_ANSWER, BrokenAdapter, ToolResult
from readfirst.harness.agents.scripted_model.server import ScriptedModel, Turn
from readfirst.harness.agents.scripted_model.wire_format import Block, TextBlock, ToolUse, Wire, WireError
from readfirst.harness.processes.sandbox import Sandbox
from readfirst.harness.processes.supervised_process import Child
from readfirst.harness.processes.temp_dirs import Scratch

_START_SECONDS = 60.0
_CHARACTERS_A_SECOND = 100_000.0
"""How much of the arguments of a call is given a second more: an agent reads, keeps and sends all of them again."""
_PATIENCE = 120.0
"""Seconds that an agent has waited for its model, after which it is not used again. An HTTP client of Node.js gives up,
and asks once more, after 300."""
OUTPUT_KEPT = 4000
"""How much of what the agent printed last is kept, in bytes."""


@runtime_checkable
class Pause(Protocol):
    """The agent waits between validation and execution of a call."""

    def release(self) -> None:
        """Let the agent go on."""
        ...


class Dialogue(Protocol):
    """What speaks with the agent, as its user's program, on its standard input and output."""

    def hear(self, part: bytes) -> None:
        """Take what the agent printed next."""
        ...

    def hang_up(self) -> None:
        """End the agent's standard input."""
        ...


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start an agent whose files are made.

    `variables` are all it sees of an environment. In them, in the command and in `files` the port of its model
    is `listener.PORT`. A request that offers one of `tools` asks the model what to do next. `close` frees
    what was made for the agent.
    """

    command: tuple[str, ...]
    variables: Mapping[str, str]
    directory: Path
    wire: Wire
    tools: frozenset[str]
    files: tuple[Path, ...] = ()
    input: Path | None = None
    """What its standard input holds; None: nothing."""
    dialogue: Dialogue | None = None
    """Who speaks with the agent through `input`, a pipe then; None: nobody."""
    close: Callable[[], None] = lambda: None
    output_kept: int = OUTPUT_KEPT
    """How much of what the agent prints is kept, in bytes from the end."""
    sandbox: Sandbox | None = None
    """What it is shut in; None: nothing. It can then write to its own files, `directory` and `writable` alone."""
    writable: tuple[Path, ...] = ()
    starter: tuple[str, ...] = ()
    """What starts its supervisor, as somebody else for example."""

    @property
    def home(self) -> Path:
        """The agent's home directory (`~`)."""
        return Path(self.variables["HOME"])


class Program(Protocol):
    """An agent that can be started. `name` is what messages call it; `time_limit` is in seconds per call."""

    @property
    def name(self) -> str:
        """What messages call it."""
        ...

    @property
    def time_limit(self) -> float:
        """Seconds that one call may take."""
        ...

    def prepare(self, run: Path, events: queue.SimpleQueue[Any]) -> Launch:
        """Make its files below `run`, an empty directory; a Pause of the agent is put into `events`."""
        ...


@dataclass(frozen=True, slots=True)
class _Ended:
    """The agent ended: nothing more will come."""

    code: int


class Conversation:
    """A running agent whose next step is ours to say.

    `isolation` is empty where the agent runs without a network, else the reason why it could not.
    Raises BrokenAdapter where the agent does not start, does not answer in time, or ends.
    """

    def __init__(self, program: Program, ids: Iterator[int] | None = None) -> None:
        self.program = program
        self.calls = 0
        self.isolation = ""
        self.ids = itertools.count(1) if ids is None else ids
        """Numbers of calls: who goes on with an earlier conversation must not repeat its numbers."""
        self._events: queue.SimpleQueue[Turn | Pause | WireError | _Ended] = queue.SimpleQueue()
        self._run = Scratch()
        self._child: Child | None = None
        self._model: ScriptedModel | None = None
        self._launch: Launch | None = None
        self._turn: Turn | None = None
        self._asked = 0.0
        self._printed = b""
        self._reader: threading.Thread | None = None
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    @property
    def offers(self) -> Mapping[str, Mapping[str, Any]]:
        """The tools that the agent offers its model now, as it describes them, by name."""
        return {} if self._turn is None else self._turn.request.offers

    @property
    def dialogue(self) -> Dialogue | None:
        """Who speaks with the agent."""
        assert self._launch is not None
        return self._launch.dialogue

    @property
    def usable(self) -> bool:
        """Whether another call can be made: the agent waits for its model, not for long, and has not ended."""
        alive = self._child is not None and self._child.process.poll() is None
        return alive and self._turn is not None and time.monotonic() - self._asked < _PATIENCE

    def goes_on(self, calls: int, size: int) -> bool:
        """Tell whether it is usable, with no more calls so far, and no more bytes in the agent's latest request."""
        return self.usable and self.calls <= calls and self._turn is not None and self._turn.size <= size

    @property
    def pid(self) -> int:
        """The id of the process that leads the agent's process group."""
        assert self._child is not None
        return self._child.pid

    def call(
        self, tool: str, arguments: Mapping[str, Any], interfere: Callable[[], None] | None = None
    ) -> ToolResult:
        """Let the model call one tool; `interfere` runs after validation and before execution."""
        return self._exchange([(tool, arguments)], interfere)[0]

    def call_parallel(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> Sequence[ToolResult]:
        """Let the model make several calls in one message."""
        return self._exchange(calls, None)

    def call_cut(self, tool: str, arguments: str, ends: Literal["cut", "limit"]) -> ToolResult:
        """Let the model begin a call whose arguments end early; NO_ANSWER where the agent asks for another message."""
        use = ToolUse(self._use(tool, {}).id, tool, arguments, ends)
        return self._say((use,), self.program.time_limit).request.answers.get(use.id, NO_ANSWER)

    def kill(self, number: int = SIGKILL) -> bool:
        """Kill the agent, or send it another signal, and tell whether it has ended."""
        assert self._child is not None
        return self._child.kill(number)

    def start_call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Let the model call a tool that asks the model itself before it answers; return the call's id."""
        use = self._use(tool, arguments)
        self._say((use,), self.program.time_limit)
        return use.id

    def say(self, text: str) -> None:
        """Let the model say something that ends its turn, though not the conversation."""
        self._say((TextBlock(text),), self.program.time_limit)

    def end_turn(self, then: Callable[[], None]) -> None:
        """Let the model end its turn; `then` has the agent's user say something, with which the next turn begins."""
        self._answer(TextBlock("Done."))
        then()
        self._turn = self._next_turn(self.program.time_limit, None, "adapter")

    def let_speak(self, turn: Turn | None) -> Turn | None:
        """Let another agent of the program go on, whose turn this is; return the turn of the one before."""
        waiting, self._turn = self._turn, turn
        return waiting

    def start_beside(self, tool: str, arguments: Mapping[str, Any]) -> tuple[str, Turn]:
        """Let the model call a tool that starts an agent and goes on; return the call's id, and the agent's turn."""
        use = self._use(tool, arguments)
        first = self._say((use,), self.program.time_limit)
        second = self._next_turn(self.program.time_limit, None, "adapter")
        own, beside = (first, second) if use.id in first.request.answers else (second, first)
        self._turn = own
        return use.id, beside

    @property
    def results(self) -> Mapping[str, ToolResult]:
        """The results that the agent's latest request brought, by the ids of the calls."""
        return {} if self._turn is None else self._turn.request.answers

    @property
    def notes(self) -> Sequence[str]:
        """The texts beside these results."""
        return () if self._turn is None else self._turn.request.notes

    def finish(self) -> str:
        """Let the model end its turn and the agent end itself; return what it printed, as far as it was kept."""
        self._answer(TextBlock("done"))
        assert self._child is not None
        assert self._reader is not None
        if self.dialogue is not None:
            self.dialogue.hang_up()
        try:
            self._child.process.wait(_START_SECONDS)
        except subprocess.TimeoutExpired:
            raise self._broken(f" did not end within {_START_SECONDS:g} s", "adapter") from None
        self._reader.join(_START_SECONDS)
        return self._printed.decode(errors="replace")

    def close(self) -> None:
        """End the agent and everything it started, and remove what was made for it."""
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

    def _start(self) -> None:
        try:
            launch = self._launch = self.program.prepare(self._run.path, self._events)
        except OSError as error:  # no space, for example
            problem = f"cannot prepare a session of {self.program.name}: {error}"
            raise BrokenAdapter(problem, blame="environment") from error
        output, printed = os.pipe()
        entered = os.open(launch.input or os.devnull, os.O_RDONLY)
        try:
            self._child = child = Child(
                launch.command,
                directory=launch.directory,
                environment=launch.variables,
                stdin=entered,
                stdout=printed,
                stderr=printed,
                offline=True,
                sandbox=launch.sandbox,
                writable=(self._run.path, launch.home, launch.directory, *launch.writable),
                port_in=launch.files,
                starter=launch.starter,
            )
        finally:
            os.close(printed)
            os.close(entered)
            self._reader = threading.Thread(target=self._drain, args=(output, launch), daemon=True)
            self._reader.start()
        start_limit = max(_START_SECONDS, self.program.time_limit)
        listener, self.isolation = child.listener(self.program.name, start_limit)
        if listener is None:
            raise self._broken("'s supervisor did not start", "environment")
        self._model = ScriptedModel(listener, self._events, launch.wire, launch.tools)
        ended: Callable[[], None] = lambda: self._events.put(_Ended(child.process.wait()))  # noqa: E731
        threading.Thread(target=ended, daemon=True).start()
        self._turn = self._next_turn(start_limit, None, "environment")

    def _drain(self, output: int, launch: Launch) -> None:
        while part := os.read(output, 65536):
            self._printed = (self._printed + part)[-launch.output_kept :]
            if launch.dialogue is not None:
                launch.dialogue.hear(part)
        os.close(output)

    def _exchange(
        self, calls: Sequence[tuple[str, Mapping[str, Any]]], interfere: Callable[[], None] | None
    ) -> list[ToolResult]:
        uses = [self._use(tool, arguments) for tool, arguments in calls]
        seconds = sum(self.program.time_limit + _seconds_to_send(arguments) for _, arguments in calls)
        answers = self._say(uses, seconds, interfere).request.answers
        missing = [use.id for use in uses if use.id not in answers]
        if missing:
            raise self._broken(f" gave no result for {len(missing)} of {len(uses)} calls", "adapter")
        return [answers[use.id] for use in uses]

    def _use(self, tool: str, arguments: Mapping[str, Any]) -> ToolUse:
        self.calls += 1
        return ToolUse(f"toolu_{next(self.ids):06}", tool, arguments)

    def _say(
        self, blocks: Sequence[Block], seconds: float, interfere: Callable[[], None] | None = None
    ) -> Turn:
        self._answer(*blocks)
        self._turn = self._next_turn(seconds, interfere, "adapter")
        return self._turn

    def _answer(self, *blocks: Block) -> None:
        """Let the model say this. What the agent asks next is not there yet."""
        if self._turn is None:
            raise self._broken(": the conversation is over", "adapter")
        turn, self._turn = self._turn, None
        turn.answer(blocks)

    def _next_turn(self, seconds: float, interfere: Callable[[], None] | None, blame: str) -> Turn:
        deadline = time.monotonic() + seconds
        while True:
            try:
                event = self._events.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise self._broken(f" did not answer within {seconds:g} s", blame) from None
            match event:
                case Turn():
                    self._asked = time.monotonic()
                    return event
                case Pause():
                    if interfere is not None:
                        interfere()
                        interfere = None
                    event.release()
                case WireError():
                    raise self._broken(f" sent what the model does not understand: {event}", blame)
                case _Ended(code=code):
                    raise self._broken(f" ended with exit code {code}", blame)

    def _broken(self, message: str, blame: str) -> BrokenAdapter:
        if self._child is not None and self._child.process.poll() is not None and self._reader is not None:
            # Its children may hold the pipe open; what it wrote itself is there already.
            self._reader.join(0.2)
        return BrokenAdapter(
            f"{self.program.name}{message}",
            blame=blame,
            details=self._printed.decode(errors="replace").strip(),
        )


def _seconds_to_send(arguments: Mapping[str, Any]) -> float:
    """Return the seconds that a call may take longer because of the size of its arguments."""
    return sum(len(each) for each in arguments.values() if isinstance(each, str)) / _CHARACTERS_A_SECOND
