"""The adapter `lines:<command>`: a program in any language that has more to offer than MCP has words for."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from signal import SIGKILL
from typing import Any, Literal

from readfirst.harness.adapters.line_program import LineProgram
from readfirst.harness.adapters.lines_server import PROTOCOL, UNSPOKEN
from readfirst.harness.adapters.sent import sent
from readfirst.harness.processes.sandbox import Sandbox
from readfirst.harness.processes.scratch import Scratch
from readfirst.harness.session import (
    DESIGNS,
    TIME_LIMIT,
    AdapterTraits,
    BrokenAdapter,
    Design,
    ToolResult,
    Workspace,
)
from readfirst.harness.workspace.site import Territory


class LinesAdapter:
    """Runs a command that speaks the protocol of `docs/protocol.md`, for all sessions.

    The program is started in the current directory, and anew after it hung, died, flooded or wrote garbage.
    `time_limit` is in seconds per call. In a `sandbox` it writes to the folder of the workspace alone, for which it is
    started anew. Raises BrokenAdapter where it does not start, or speaks another protocol.
    """

    def __init__(
        self, command: Sequence[str], *, time_limit: float = TIME_LIMIT, sandbox: Sandbox | None = None
    ) -> None:
        self._command = tuple(command)
        self._time_limit = time_limit
        self._sandbox = sandbox
        self._own = Scratch() if sandbox is not None else None
        self._territory: Territory | None = None
        self._program: LineProgram | None = None
        self._numbers = itertools.count(1)
        self._capabilities: frozenset[str] = frozenset()
        self._design: Design | None = None
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    @property
    def traits(self) -> AdapterTraits:
        """What the program said of itself when it was started last."""
        return AdapterTraits(
            (self._capabilities - UNSPOKEN) | {"kill", "sessions"},
            repeats_paths=True,
            design=self._design,
            another=self._another,
            reset=self.reset,
            close=self.close,
        )

    def _another(self) -> LinesAdapter:
        return LinesAdapter(self._command, time_limit=self._time_limit, sandbox=self._sandbox)

    @property
    def pid(self) -> int | None:
        """The number of the process that watches over the program, None while none runs."""
        return self._program.pid if self._program is not None and self._program.alive else None

    def open(self, workspace: Workspace) -> LinesSession:
        """Open a session in the program."""
        if self._own is not None and (territory := Territory.of(workspace.root)) != self._territory:
            self.reset()
            self._territory = territory
        return LinesSession(self._start, self._numbers, self._time_limit, workspace)

    def reset(self) -> None:
        """End the program and what it left behind; the next session starts one."""
        if self._program is not None:
            self._program.end()

    def close(self) -> None:
        """End the program and what it left behind."""
        self.reset()
        if self._own is not None:
            self._own.close()

    def _start(self) -> LineProgram:
        if self._program is not None and self._program.alive:
            return self._program
        variables, writable = dict(os.environ), []
        if self._own is not None:
            if self._territory is None:
                self._territory = Territory.of(self._own.folder())
            self._territory.make()
            variables |= {"HOME": str(self._territory.home), "TMPDIR": str(self._territory.temporary)}
            writable.append(self._territory.folder)
        program = LineProgram(self._command, environment=variables, sandbox=self._sandbox, writable=writable)
        self._program = program
        answer = program.ask(
            {"do": "hello", "protocol": PROTOCOL}, "hello", max(TIME_LIMIT, self._time_limit)
        )
        problem = _wrong_hello(answer)
        if problem:
            program.end(at_once=True)
            raise BrokenAdapter(f"the program's answer to hello {problem}")
        program.warn()
        self._capabilities = frozenset(answer["capabilities"])
        self._design = answer.get("design")
        return program


class LinesSession:
    """A session in the program; it has every method, because only the program knows which it has."""

    def __init__(
        self,
        start: Callable[[], LineProgram],
        numbers: Iterator[int],
        time_limit: float,
        workspace: Workspace | None,
    ) -> None:
        """Open a session; without a `workspace` it is a sub-agent's, which another session begins."""
        self._start = start
        self._program = start()
        self._numbers = numbers
        self._time_limit = time_limit
        self._workspace = workspace
        self._begin()

    def _begin(self) -> None:
        self._number = next(self._numbers)
        if self._workspace is not None:
            self.ask("open", "open", **sent(self._workspace))

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Let the program execute one call."""
        return _result(self.ask("call", tool, tool=tool, arguments=arguments), tool)

    def call_during(
        self, tool: str, arguments: Mapping[str, Any], interfere: Callable[[], None]
    ) -> ToolResult:
        """Let the program execute one call, and pause between validation and execution."""
        answer = self.ask("call", tool, interfere, tool=tool, arguments=arguments, pause=True)
        return _result(answer, tool)

    def call_parallel(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> Sequence[ToolResult]:
        """Let the program execute the calls of one message, all of which it gets at once."""
        group = [{"tool": tool, "arguments": arguments} for tool, arguments in calls]
        answer = self.ask("calls", "the parallel group", calls=group)
        results = answer.get("results")
        if not isinstance(results, list):
            raise BrokenAdapter(f"the program's answer to a group has no list `results`: {str(answer)[:200]}")
        return [_result(each, "a call of the parallel group") for each in results]

    def call_interrupted(
        self,
        tool: str,
        arguments: Mapping[str, Any] | str,
        how: Literal["cancelled", "stopped", "cut", "limit"],
        interfere: Callable[[], None],
    ) -> ToolResult:
        """Let the program give a call up between validation and execution, or take one that came cut off."""
        if how == "cancelled":
            message = self._message("call", tool=tool, arguments=arguments, pause=True)
            return _result(self._program.ask(message, tool, self._time_limit, interfere, then="cancel"), tool)
        return _result(self.ask("cut", tool, tool=tool, text=arguments, by=how), tool)

    def kill(self, number: int = SIGKILL) -> bool:
        """Kill the program, or send it another signal."""
        return self._program.kill(number)

    def resume(self) -> None:
        """Let the program end the conversation and go on with it; one that was killed is started again for it."""
        if not self._program.alive:
            self._program = self._start()
            self._begin()
        self.ask("resume", "resume")

    def compact(self) -> None:
        """Let the program put a summary in the conversation's place."""
        self.ask("compact", "compact")

    def rewind(self) -> None:
        """Let the program bring the files back."""
        self.ask("rewind", "rewind")

    def mention(self, path: str) -> None:
        """Let the user mention a file to the program."""
        self.ask("mention", "mention", path=path)

    def sub_agent(self) -> LinesSession:
        """Let the program start a sub-agent."""
        agent = LinesSession(lambda: self._program, self._numbers, self._time_limit, None)
        self.ask("agent", "agent", agent=agent._number)
        return agent

    def close(self) -> None:
        """Close the session in the program, if that still runs."""
        if self._program.alive:
            self.ask("close", "close")

    def ask(
        self, do: str, what: str, interfere: Callable[[], None] | None = None, /, **fields: object
    ) -> Mapping[str, Any]:
        """Send one request and return the answer. Raises BrokenAdapter."""
        return self._program.ask(self._message(do, **fields), what, self._time_limit, interfere)

    def _message(self, do: str, **fields: object) -> dict[str, Any]:
        return {"do": do, "session": self._number, **fields}


def _wrong_hello(answer: Mapping[str, Any]) -> str:
    """Say what is wrong with the first answer; empty if nothing."""
    if answer.get("protocol") != PROTOCOL:
        return f"names protocol {answer.get('protocol')!r}; this harness speaks {PROTOCOL}"
    names = answer.get("capabilities")
    if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        return f"has no list of capabilities, but {str(names)[:200]!r}"
    if (design := answer.get("design")) is not None and design not in DESIGNS:
        return f"names the design {str(design)[:200]!r}; there are {', '.join(DESIGNS)}"
    return ""


def _result(answer: Any, what: str) -> ToolResult:
    """Read one result. Raises BrokenAdapter where it is none."""
    match answer:
        case {"text": str(text), "refused": bool(refused)}:
            error, reminders = answer.get("error"), answer.get("reminders", [])
            told = isinstance(reminders, list) and all(isinstance(each, str) for each in reminders)
            if told and isinstance(error, str | None):
                return ToolResult(text, refused, error, tuple(reminders))
    shape = '{"text": a string, "refused": true or false}'
    raise BrokenAdapter(f"the program answered {what} with {str(answer)[:200]}, which is not {shape}")
