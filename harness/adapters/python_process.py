"""The adapter `python:<module>:<factory>`: a Python implementation in a process of its own."""

from __future__ import annotations

import itertools
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.machinery import PathFinder
from pathlib import Path
from signal import SIGKILL
from typing import Any, Literal, NamedTuple

from readfirst.harness.adapters.framing import EndedError, Framing, GarbageError, TooLateError
from readfirst.harness.adapters.kit import unpack
from readfirst.harness.adapters.sent import sent
from readfirst.harness.processes.child import Child
from readfirst.harness.processes.sandbox import Sandbox
from readfirst.harness.processes.scratch import Scratch
from readfirst.harness.session import (
    BASIC_CAPABILITIES,
    TIME_LIMIT,
    AdapterTraits,
    BrokenAdapter,
    Design,
    ToolResult,
    Workspace,
    design_named,
)
from readfirst.harness.workspace.site import Territory

_OUTPUT_KEPT = 8192
"""Bytes of the end of the process's output that a breakage quotes."""
_FAREWELL = 0.5
"""Seconds that the process gets to end by itself when it is no longer needed."""


class FactoryError(Exception):
    """The module or the factory that the connect string names does not exist, or is not an adapter."""


class PythonAdapter:
    """Runs `MODULE:FACTORY`, importable from the current directory, in a child process.

    The child is started when it is needed, and anew after it hung, died, flooded or wrote garbage; an exception
    of the implementation leaves it running. It never outlives the harness, and its own children are killed with
    it unless they leave its process group. `time_limit` is in seconds per call, `start_limit` for the start.
    Not for use by several threads at once.

    Of this package it finds the names for adapters and the reference (`kit`), and the modules `further`.
    In a `sandbox` it writes to the folder of the workspace alone, for which it is started anew.
    With an `environment` the child gets these variables alone and no network where the system allows that; it then
    starts in `directory`.
    """

    def __init__(
        self,
        module: str,
        factory: str,
        *,
        time_limit: float = TIME_LIMIT,
        start_limit: float = TIME_LIMIT,
        python: str = sys.executable,
        environment: Mapping[str, str] | None = None,
        directory: Path | None = None,
        sandbox: Sandbox | None = None,
        further: Sequence[str] = (),
    ) -> None:
        self._capabilities = BASIC_CAPABILITIES
        self._design: Design | None = None
        self._name = (module, factory)
        self._how = _How(python, environment, directory, _needing(module, sandbox))
        self._further = further
        self._own: Scratch | None = None
        self._kit = Path()
        self._territory: Territory | None = None
        self._time_limit = time_limit
        self._start_limit = start_limit
        self._host: _Host | None = None
        self._numbers = itertools.count(1)

    @property
    def traits(self) -> AdapterTraits:
        """What the child said of itself when it was started last."""
        return AdapterTraits(
            self._capabilities | {"kill", "sessions"},
            repeats_paths=True,
            design=self._design,
            another=self._another,
            reset=self.reset,
            close=self.close,
        )

    def _another(self) -> PythonAdapter:
        python, environment, directory, sandbox = self._how
        return PythonAdapter(
            *self._name,
            time_limit=self._time_limit,
            start_limit=self._start_limit,
            python=python,
            environment=environment,
            directory=directory,
            sandbox=sandbox,
            further=self._further,
        )

    @property
    def pid(self) -> int | None:
        """The number of the process that watches over the implementation, None while none runs."""
        return self._host.pid if self._host is not None and self._host.alive else None

    def start(self) -> None:
        """Start the process unless it runs, and learn the capabilities. Raises FactoryError, BrokenAdapter."""
        if self._host is not None and self._host.alive:
            return
        if self._own is None:
            self._own = Scratch()
            self._kit = self._own.folder()
            unpack(self._kit, self._further)
        if self._how.sandbox is not None and self._territory is None:
            self._territory = Territory.of(self._own.folder())
        host = _Host(self._name, self._how, self._kit, self._territory)
        try:
            answer = host.exchange(None, "the start", self._start_limit)
            if "no_factory" in answer:
                raise FactoryError(answer["no_factory"])
            design = design_named(answer["design"])
        except BaseException:
            host.end()
            raise
        host.warn()
        self._host = host
        self._capabilities = frozenset(answer["capabilities"])
        self._design = design

    def open(self, workspace: Workspace) -> PythonSession:
        """Open a session in the child."""
        if self._how.sandbox is not None and (territory := Territory.of(workspace.root)) != self._territory:
            self.reset()
            self._territory = territory
        try:
            self.start()
        except FactoryError as error:
            raise BrokenAdapter(str(error)) from error
        assert self._host is not None  # start() set it
        session = PythonSession(self._host, self._numbers, self._time_limit)
        session.ask("open", "open", **sent(workspace), isolated=workspace.isolated)
        return session

    def reset(self) -> None:
        """End the process and what it left behind; the next session gets a fresh one."""
        if self._host is not None:
            self._host.end()

    def close(self) -> None:
        """End the process and what it left behind."""
        self.reset()
        if self._own is not None:
            self._own.close()
            self._own = self._territory = None


class PythonSession:
    """A session in the child process; it has every method, because only the child knows which it has."""

    def __init__(self, host: _Host, numbers: Iterator[int], time_limit: float) -> None:
        self._host = host
        self._numbers = numbers
        self._number = next(numbers)
        self._time_limit = time_limit

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Let the child execute one call."""
        return self._results(self.ask("call", tool, tool=tool, arguments=arguments))[0]

    def call_parallel(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> Sequence[ToolResult]:
        """Let the child execute the calls of one message."""
        return self._results(self.ask("call_parallel", "the parallel group", calls=calls))

    def call_during(
        self, tool: str, arguments: Mapping[str, Any], interfere: Callable[[], None]
    ) -> ToolResult:
        """Let the child execute one call; it asks for the interference while it does."""
        return self._results(self.ask("call_during", tool, interfere, tool=tool, arguments=arguments))[0]

    def call_interrupted(
        self,
        tool: str,
        arguments: Mapping[str, Any] | str,
        how: Literal["cancelled", "stopped", "cut", "limit"],
        interfere: Callable[[], None],
    ) -> ToolResult:
        """Let the child take a call that ends early; it asks for the interfere while it does."""
        answer = self.ask("call_interrupted", tool, interfere, tool=tool, arguments=arguments, how=how)
        return self._results(answer)[0]

    def kill(self, number: int = SIGKILL) -> bool:
        """Kill the child, or send it another signal."""
        return self._host.kill(number)

    def resume(self) -> None:
        """Let the child end the conversation and go on with it."""
        self.ask("resume", "resume")

    def compact(self) -> None:
        """Let the child put a summary in the conversation's place."""
        self.ask("compact", "compact")

    def rewind(self) -> None:
        """Let the child bring the files back."""
        self.ask("rewind", "rewind")

    def mention(self, path: str) -> None:
        """Let the user mention a file to the child."""
        self.ask("mention", "mention", path=path)

    def sub_agent(self) -> PythonSession:
        """Let the child start a sub-agent."""
        return self._agent("sub_agent")

    def background_agent(self) -> PythonSession:
        """Let the child start a sub-agent that works in the background."""
        return self._agent("background_agent")

    def _agent(self, do: str) -> PythonSession:
        agent = PythonSession(self._host, self._numbers, self._time_limit)
        self.ask(do, do, agent=agent._number)
        return agent

    def close(self) -> None:
        """Close the session in the child, if that still runs."""
        if self._host.alive:
            self.ask("close", "close")

    def ask(
        self, do: str, what: str, interfere: Callable[[], None] | None = None, /, **fields: object
    ) -> Mapping[str, Any]:
        """Send one request and return the answer. Raises BrokenAdapter."""
        message = {"do": do, "session": self._number, **fields}
        return self._host.exchange(message, what, self._time_limit, interfere)

    def _results(self, answer: Mapping[str, Any]) -> list[ToolResult]:
        try:
            return [_result(each) for each in answer["results"]]
        except (KeyError, TypeError, IndexError) as error:
            raise BrokenAdapter(f"the adapter's process answered garbage: {str(answer)[:200]}") from error


def _result(values: Mapping[str, Any]) -> ToolResult:
    if "garbage" in values:
        raise BrokenAdapter(f"the adapter answered {values['garbage']}, not a ToolResult")
    return ToolResult(values["text"], values["is_error"], values["error"], tuple(values["reminders"]))


def _needing(module: str, sandbox: Sandbox | None) -> Sandbox | None:
    """Return the sandbox with what a module of the current directory needs; what a command names is known anyway."""
    package = module.partition(".")[0]
    if sandbox is None or package == "readfirst":
        return sandbox
    found = PathFinder.find_spec(package, [str(Path.cwd())])
    places = () if found is None else (found.origin, *(found.submodule_search_locations or ()))
    return replace(sandbox, own=(*sandbox.own, *(Path(place) for place in places if place)))


class _How(NamedTuple):
    """With what a child is started."""

    python: str
    environment: Mapping[str, str] | None
    directory: Path | None
    sandbox: Sandbox | None

    def command(self) -> list[str]:
        """Return the words before the module's."""
        # -P: the package in the current directory, perhaps a checkout, is not taken for the kit.
        options = ("-P", "-u", "-X", "faulthandler")
        return [self.python, *options, "-m", "readfirst.harness.adapters.python_host"]

    def variables(self, kit: Path, territory: Territory | None) -> Mapping[str, str]:
        """Return the child's variables."""
        variables = dict(os.environ if self.environment is None else self.environment)
        paths = (str(kit), variables.get("PYTHONPATH"))
        variables["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        if territory is not None:
            variables |= {"HOME": str(territory.home), "TMPDIR": str(territory.temporary)}
        return variables


class _Host:
    """The process, the socket to talk to it, and the end of what it printed."""

    def __init__(self, name: tuple[str, str], how: _How, kit: Path, territory: Territory | None) -> None:
        if territory is not None:
            territory.make()
        ours, theirs = socket.socketpair()
        output, printed = os.pipe()
        try:
            self._child = Child(
                [*how.command(), str(theirs.fileno()), *name],
                directory=how.directory,
                environment=how.variables(kit, territory),
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
                pass_fds=[theirs.fileno()],
                offline=how.environment is not None,
                sandbox=how.sandbox,
                writable=[territory.folder] if territory is not None else [],
            )
        except BaseException:
            ours.close()
            os.close(output)
            raise
        finally:
            theirs.close()
            os.close(printed)
        self._framing = Framing(ours)
        self._printed = b""
        self._reader = threading.Thread(target=self._drain, args=(output,), daemon=True)
        self._reader.start()
        self.alive = True

    @property
    def pid(self) -> int:
        return self._child.pid

    def warn(self) -> None:
        """Say what of its isolation the system does not allow."""
        self._child.warn()

    def exchange(
        self,
        message: Mapping[str, Any] | None,
        what: str,
        time_limit: float,
        interfere: Callable[[], None] | None = None,
    ) -> dict[str, Any]:
        """Send a message (None: only wait) and return the answer, running `interfere` when asked to.

        Raises:
            BrokenAdapter: No proper answer within `time_limit` seconds, without the time the interference took.
        """
        if not self.alive:
            raise BrokenAdapter("the adapter's process had already ended")
        try:
            deadline = time.monotonic() + time_limit
            if message is not None:
                self._framing.send(message, deadline)
            answer = self._framing.receive(deadline)
            while isinstance(answer, dict) and "interfere" in answer and interfere is not None:
                before = time.monotonic()
                interfere()
                deadline += time.monotonic() - before  # not anew: it may ask for ever
                self._framing.send({}, deadline)
                answer = self._framing.receive(deadline)
        except TooLateError:
            if self._child.status() is not None:
                raise self._crash(what) from None
            self.end(at_once=True)
            raise self._broken(f"{what} took longer than {time_limit:g} s") from None
        except EndedError:
            raise self._crash(what) from None
        except GarbageError as error:
            self.end(at_once=True)
            raise self._broken(f"the adapter's process answered garbage at {what}: {error}") from None
        except BaseException:
            self.end(at_once=True)
            raise
        if not isinstance(answer, dict):
            self.end(at_once=True)
            raise self._broken(f"the adapter's process answered garbage at {what}: {str(answer)[:200]}")
        if "raised" in answer:
            raise BrokenAdapter(f"the adapter raised {answer['raised']}", details=answer.get("details", ""))
        return answer

    def kill(self, number: int = SIGKILL) -> bool:
        """Kill the process, or send it another signal; who waits for its answer learns that it has ended."""
        return self._child.kill(number)

    def end(self, *, at_once: bool = False) -> None:
        """End the process and everything in its group; politely unless `at_once`."""
        if not self.alive:
            return
        self.alive = False
        self._framing.close()
        self._child.end(0.0 if at_once else _FAREWELL)
        self._reader.join(1.0)

    def _crash(self, what: str) -> BrokenAdapter:
        status = self._child.wait(_FAREWELL)
        self.end(at_once=True)
        return self._broken(f"the adapter's process {status or 'closed its socket'} during {what}")

    def _broken(self, message: str) -> BrokenAdapter:
        return BrokenAdapter(message, details=self._printed.decode("utf-8", "backslashreplace"))

    def _drain(self, output: int) -> None:
        while part := os.read(output, 65536):
            self._printed = (self._printed + part)[-_OUTPUT_KEPT:]
        os.close(output)
