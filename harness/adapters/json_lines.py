"""The adapter for `lines:COMMAND`: a program in any language that reads and writes JSON lines."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from pathlib import Path
from signal import SIGKILL
from typing import Any

from readfirst.harness.adapter_api import (
    BASIC_CAPABILITIES,
    TIME_LIMIT,
    AdapterError,
    Arguments,
    Ending,
    Interfere,
    ToolResult,
    Workspace,
)
from readfirst.harness.adapter_traits import AdapterTraits, Design, design_named, refusals_named
from readfirst.harness.adapters.json_lines_server import PROTOCOL, message_from_workspace
from readfirst.harness.processes.json_lines_process import GarbledError, LineProgram, ResponseTimeoutError
from readfirst.harness.processes.sandbox import Sandbox
from readfirst.harness.processes.temp_dirs import Scratch
from readfirst.harness.workspace.workspace_dir import WritableDirs


class ReportedProblemError(AdapterError):
    """Raised if the program answers a request with an error message (`problem`). `answer` is the whole answer."""

    def __init__(self, message: str, answer: Mapping[str, Any]) -> None:
        super().__init__(message, details=str(answer.get("details", "")))
        self.answer = answer


class JsonLinesProgram(LineProgram):
    """A running program that answers requests one after the other, with the protocol in `docs/protocol.md`."""

    def __init__(self, command: Sequence[str], *, cancel_timeout: float = 1.0, **options: Any) -> None:
        """Start the program. `cancel_timeout` is the maximum time in seconds for the answer to a cancellation."""
        super().__init__(command, **options)
        self._cancel_timeout = cancel_timeout
        self._numbers = itertools.count(1)

    def ask(
        self, message: Mapping[str, Any], action: str, timeout: float, interfere: Interfere | None = None
    ) -> dict[str, Any]:
        """Send a request and return its answer. `action` describes the request in error messages. `timeout` is in
        seconds, without the duration of `interfere`. When the program reports that the call is valid, `interfere` is
        called, and the call is cancelled if `message` contains the field `ends`. Raises AdapterError if the answer
        reports an error, is invalid, or is late.
        """
        if not self.alive:
            raise AdapterError(f"{self.name} had already ended")
        number = next(self._numbers)
        try:
            answer = self._exchange({"id": number, **message}, timeout)
            if "validated" in answer and interfere is not None:
                try:
                    interfere()
                except BaseException:
                    self._exchange({"id": number, "do": "cancel"}, timeout)
                    raise
                answer = self._exchange(
                    {"id": number, "do": "cancel" if "ends" in message else "go"}, timeout
                )
        except ResponseTimeoutError:
            raise self._cancel_late_call(number, action, timeout) from None
        except GarbledError as error:
            raise self.end_with_error(str(error), action) from None
        except BaseException:
            self.end(0.0)
            raise
        if "problem" in answer:
            problem = f"{self.name} has a problem with {action}: {str(answer['problem'])[:2000]}"
            raise ReportedProblemError(problem, answer)
        return answer

    def _cancel_late_call(self, number: int, action: str, timeout: float) -> AdapterError:
        """Cancel a late call, and return the error. End the program if the program does not answer the cancellation."""
        message = f"{action} took longer than {timeout:g} s"
        try:
            self._exchange({"id": number, "do": "cancel"}, self._cancel_timeout)
        except (ResponseTimeoutError, GarbledError):
            return self.end_with_error(message, action)
        return AdapterError(message)

    def _exchange(self, message: Mapping[str, Any], timeout: float) -> dict[str, Any]:
        deadline = time.monotonic() + timeout
        self.send([message], deadline)
        answer: dict[str, Any] = self.receive(deadline)
        if answer.get("id") != message["id"]:
            raise GarbledError(f"{self.name} answered request {answer.get('id')!r}, not {message['id']}")
        return answer


class LinesAdapter:
    """Adapter that runs a program with the protocol of `docs/protocol.md`. One process serves all sessions. After a
    timeout, an exit, or an invalid answer, the program is started again. Not thread-safe.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        time_limit: float = TIME_LIMIT,  # seconds per call
        start_limit: float | None = None,  # seconds for the start
        cancel_timeout: float = 1.0,  # seconds for the answer to a cancellation
        environment: Mapping[str, str] | None = None,  # default: the environment of the harness
        directory: Path | None = None,  # where the program starts (default: the current directory)
        offline: bool = False,  # whether the program has no network, if the system supports this
        sandbox: Sandbox | None = None,  # the program can then write only to the directory of the workspace
        called: str = "the program",  # the name of the program in messages
        start_blame: str = "adapter",  # `blame` of the AdapterError if the program does not start in time
    ) -> None:
        self._time_limit = time_limit
        self._start_blame = start_blame
        self._start_limit = max(TIME_LIMIT, time_limit) if start_limit is None else start_limit
        self._environment = environment
        self._sandbox = sandbox
        self._launch = partial(
            JsonLinesProgram,
            tuple(command),
            name=called,
            cancel_timeout=cancel_timeout,
            directory=directory,
            offline=offline,
            sandbox=sandbox,
        )
        self._capabilities = BASIC_CAPABILITIES
        self._design: Design | None = None
        self._refuses: frozenset[str] = frozenset()
        self._begin()

    def _begin(self) -> None:
        self._scratch: Scratch | None = None
        self._writable_dirs: WritableDirs | None = None
        self._program: JsonLinesProgram | None = None
        self._numbers = itertools.count(1)

    @property
    def traits(self) -> AdapterTraits:
        """The properties that the program reported at its last start."""
        return AdapterTraits(
            self._capabilities | {"kill", "sessions"},
            reuses_paths=True,
            design=self._design,
            refuses=self._refuses,
            clone=self._clone,
            reset=self.reset,
            close=self.close,
        )

    def _clone(self) -> LinesAdapter:
        clone = copy(self)
        clone._begin()
        return clone

    @property
    def pid(self) -> int | None:
        """The process id of the process that supervises the program. None if the program does not run."""
        return self._program.pid if self._program is not None and self._program.alive else None

    def open(self, workspace: Workspace) -> LinesSession:
        """Open a session in the program, which is started if necessary."""
        if (
            self._sandbox is not None
            and (writable_dirs := WritableDirs.of(workspace.root)) != self._writable_dirs
        ):
            self.reset()
            self._writable_dirs = writable_dirs
        return LinesSession(self.start, self._numbers, self._time_limit, workspace)

    def reset(self) -> None:
        """End the program and its children. The next session starts the program again."""
        if self._program is not None:
            self._program.end()

    def close(self) -> None:
        """End the program and its children."""
        self.reset()
        if self._scratch is not None:
            self._scratch.close()
        self._begin()

    def start(self) -> JsonLinesProgram:
        """Start the program if it does not run, and read the properties that it reports. Raises AdapterError."""
        if self._program is not None and self._program.alive:
            return self._program
        variables, writable = self._variables(), []
        if self._sandbox is not None:
            if self._writable_dirs is None:
                self._writable_dirs = WritableDirs.of(self._folder())
            self._writable_dirs.make()
            variables |= {"HOME": str(self._writable_dirs.home), "TMPDIR": str(self._writable_dirs.temporary)}
            writable.append(self._writable_dirs.folder)
        self._program = program = self._launch(environment=variables, writable=writable)
        try:
            answer = self._ask_for_hello(program)
            if problem := _hello_error(answer):
                raise AdapterError(f"{program.name}'s answer to hello {problem}")
            self._design = design_named(answer.get("design"))
            self._refuses = refusals_named(answer.get("refuses", ()))
        except BaseException:
            program.end(0.0)
            raise
        program.warn_about_isolation()
        self._capabilities = frozenset(answer["capabilities"])
        return program

    def _ask_for_hello(self, program: JsonLinesProgram) -> dict[str, Any]:
        began = time.monotonic()
        try:
            return program.ask({"do": "hello", "protocol": PROTOCOL}, "the start", self._start_limit)
        except AdapterError as error:
            if time.monotonic() - began < self._start_limit:
                raise
            hint = f"{error}. A slow machine needs a higher --time-limit"
            raise AdapterError(hint, blame=self._start_blame, details=error.details) from None

    def _variables(self) -> dict[str, str]:
        """Return the environment variables of the program."""
        return dict(os.environ if self._environment is None else self._environment)

    def _folder(self) -> Path:
        """Return a new directory that the program may use. It is removed when the adapter is closed."""
        self._scratch = self._scratch or Scratch()
        return self._scratch.folder()


class LinesSession:
    """A session in a program with the JSON lines protocol. It has the methods of all capabilities."""

    def __init__(
        self,
        start: Callable[[], JsonLinesProgram],
        numbers: Iterator[int],
        time_limit: float,
        workspace: Workspace | None,
    ) -> None:
        """Open a session in the program that `start` returns. `workspace` is None for a sub-agent's session."""
        self._start = start
        self._program = start()
        self._numbers = numbers
        self._time_limit = time_limit
        self._workspace = workspace
        self._begin()

    def _begin(self) -> None:
        self._number = next(self._numbers)
        if self._workspace is not None:
            self.ask("open", "open", **message_from_workspace(self._workspace))

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        """Send one call to the program, and return its result."""
        return self._result(self.ask("call", tool, tool=tool, arguments=arguments), tool)

    def call_during(self, tool: str, arguments: Arguments, interfere: Interfere) -> ToolResult:
        """Send one call. `interfere` runs after the program has validated the call, and before its execution."""
        answer = self.ask("call", tool, interfere, tool=tool, arguments=arguments, pause=True)
        return self._result(answer, tool)

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        """Send the calls of one message to the program, all together, and return the results."""
        group = [{"tool": tool, "arguments": arguments} for tool, arguments in calls]
        answer = self.ask("calls", "the parallel group", calls=group)
        results = answer.get("results")
        if not isinstance(results, list):
            called = self._program.name
            raise AdapterError(
                f"{called}'s answer to a parallel group has no list `results`: {str(answer)[:200]}"
            )
        return [self._result(each, "a call of the parallel group") for each in results]

    def call_interrupted(
        self, tool: str, arguments: Arguments | str, how: Ending, interfere: Interfere
    ) -> ToolResult:
        """Cancel a call before or during its execution, or send truncated arguments. `how`: see `Ending`."""
        if how in ("cut", "limit"):
            return self._result(self.ask("cut", tool, tool=tool, text=arguments, by=how), tool)
        answer = self.ask("call", tool, interfere, tool=tool, arguments=arguments, pause=True, ends=how)
        return self._result(answer, tool)

    def kill(self, number: int = SIGKILL) -> bool:
        """Kill the program, or send it the signal `number`."""
        return self._program.kill(number)

    def resume(self) -> None:
        """End the conversation and resume it. If the program was killed, it is started again."""
        ended = {}
        if not self._program.alive:
            ended = {"killed": self._number}
            self._program = self._start()
            self._begin()
        self.ask("resume", "resume", **ended)

    def compact(self) -> None:
        """Tell the program to replace the conversation by a summary."""
        self.ask("compact", "compact")

    def rewind(self) -> None:
        """Tell the program to restore the files to their state at the latest message of the user."""
        self.ask("rewind", "rewind")

    def mention(self, path: str) -> None:
        """Mention a file in the conversation, as a user does with `@notes.txt`."""
        self.ask("mention", "mention", path=path)

    def sub_agent(self) -> LinesSession:
        """Start a sub-agent in the program, and return its session."""
        return self._agent(background=False)

    def background_agent(self) -> LinesSession:
        """Start a sub-agent in the background, and return its session."""
        return self._agent(background=True)

    def _agent(self, *, background: bool) -> LinesSession:
        agent = LinesSession(lambda: self._program, self._numbers, self._time_limit, None)
        self.ask("agent", "agent", agent=agent._number, **({"background": True} if background else {}))
        return agent

    def close(self) -> None:
        """Close the session in the program, if the program still runs."""
        if self._program.alive:
            self.ask("close", "close")

    def ask(
        self, do: str, action: str, interfere: Interfere | None = None, /, **fields: object
    ) -> Mapping[str, Any]:
        """Send the request `do` with these fields to the program, and return the answer. Raises AdapterError."""
        message = {"do": do, "session": self._number, **fields}
        return self._program.ask(message, action, self._time_limit, interfere)

    def _result(self, answer: Any, action: str) -> ToolResult:
        """Convert the answer of the program to the result of a call. Raises AdapterError if the answer is invalid."""
        match answer:
            case {"text": str(text), "refused": bool(refused)}:
                error, reminders = answer.get("error"), answer.get("reminders", [])
                are_texts = isinstance(reminders, list) and all(isinstance(each, str) for each in reminders)
                if are_texts and isinstance(error, str | None):
                    return ToolResult(text, refused, error, tuple(reminders))
        shape = '{"text": a string, "refused": true or false}'
        called = self._program.name
        raise AdapterError(f"{called} answered {action} with {str(answer)[:200]}, which is not {shape}")


def _hello_error(answer: Mapping[str, Any]) -> str:
    """Return a description of the error in a program's first answer, `hello`. Empty if the answer is valid."""
    if answer.get("protocol") != PROTOCOL:
        return f"names protocol {answer.get('protocol')!r}; this harness speaks {PROTOCOL}"
    names = answer.get("capabilities")
    if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        return f"has no list of capabilities, but {str(names)[:200]!r}"
    if not isinstance(refuses := answer.get("refuses", []), list):
        return f"has no list under refuses, but {str(refuses)[:200]!r}"
    return ""
