"""Streams: the scenarios of several seeds searched at once, each seed in a process of its own.

A process is a fresh interpreter that talks pickle over its pipes. It ends when its input ends, so none outlives the
one that started it, and it closes its target before.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from readfirst.harness.fuzz.campaign import Finding, Tally
from readfirst.harness.session import BrokenAdapter

if TYPE_CHECKING:
    from readfirst.harness.fuzz.search import Request

__all__ = ["Streams", "main", "shares"]

PATIENCE = 10.0
"""Seconds that a process gets to close its target before it is killed."""

_START = """\
import sys, pickle
sys.path[:] = pickle.load(sys.stdin.buffer)
from readfirst.harness.fuzz.streams import main
main()
"""


def shares(request: Request) -> tuple[Request, ...]:
    """Return one request per process: consecutive seeds, between which the steps are divided."""
    jobs = max(1, min(request.jobs, request.steps))
    least, rest = divmod(request.steps, jobs)
    return tuple(
        replace(request, jobs=1, seed=request.seed + number, steps=least + (number < rest))
        for number in range(jobs)
    )


class Streams:
    """The searches of some requests at once; a context that leaves no process behind.

    `tallies` tell how far each came, `found` what each has found, in the order of the requests: which of them was
    quicker makes no difference.
    """

    def __init__(self, requests: tuple[Request, ...]) -> None:
        self._requests = requests
        self._messages: queue.Queue[tuple[int, str, Any]] = queue.Queue()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._listeners: list[threading.Thread] = []
        self._running = 0
        self.tallies = [Tally() for _ in requests]
        self.found: list[list[Finding]] = [[] for _ in requests]

    def __enter__(self) -> Streams:
        try:
            for number, request in enumerate(self._requests):
                self._start(number, request)
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def perform(self) -> Iterator[None]:
        """Let all searches run to their ends; yields whenever one tells something. Raises what they raise."""
        while self._running:
            self._take(self._messages.get())
            yield

    def end(self) -> None:
        """End every process, first by closing its input, and take in what it had still to tell."""
        for process in self._processes:
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
        for process in self._processes:
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for listener in self._listeners:
            listener.join()
        for process in self._processes:
            assert process.stdout is not None
            process.stdout.close()
        self._processes.clear()
        self._listeners.clear()
        while not self._messages.empty():
            number, kind, value = self._messages.get()
            if kind in ("finding", "tally"):
                self._take((number, kind, value))

    def _start(self, number: int, request: Request) -> None:
        process = subprocess.Popen(
            [sys.executable, "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,  # Ctrl-C reaches the first process only, which ends the others
        )
        self._processes.append(process)
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it died at once; listening finds that out
            for part in (sys.path, request):
                pickle.dump(part, process.stdin)
            process.stdin.flush()
        listener = threading.Thread(target=self._listen, args=(number, process), daemon=True)
        self._listeners.append(listener)
        self._running += 1
        listener.start()

    def _listen(self, number: int, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        kind: str = ""
        while kind not in ("end", "error"):
            try:
                kind, value = pickle.load(process.stdout)
            except (EOFError, OSError, pickle.UnpicklingError):
                kind, value = "error", self._died(number, process.wait())
            self._messages.put((number, kind, value))

    def _died(self, number: int, code: int) -> BrokenAdapter:
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        seed = self._requests[number].seed
        return BrokenAdapter(f"the process that searched seed {seed} {how}", blame="environment")

    def _take(self, message: tuple[int, str, Any]) -> None:
        match message:
            case (number, "finding", value):
                self.found[number].append(value)
            case (number, "tally", value):
                self.tallies[number] = value
            case (_, "end", _):
                self._running -= 1
            case (_, _, value):
                raise value


def main() -> None:
    """Be one of the processes: read a request, search, tell; end quietly when a pipe is closed."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what an implementation prints must not get between the answers
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        try:
            signal.signal(signal.SIGTERM, _end)
            request: Request = pickle.load(sys.stdin.buffer)
            threading.Thread(target=_end_with_input, daemon=True).start()
            _search(request, answers)
            _send(answers, "end", None)
        except BrokenPipeError:
            raise
        except Exception as error:
            _send(answers, "error", _portable(error))
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it is ending already


def _search(request: Request, answers: int) -> None:
    from readfirst.harness.fuzz.search import search  # here, where an interrupt is expected

    with search(request) as under_way:
        try:
            for finding in under_way.perform(lambda: _send(answers, "tally", under_way.tally)):
                _send(answers, "finding", finding)
        finally:
            _send(answers, "tally", under_way.tally)


def _end(_number: int, _frame: object) -> None:
    # Not SystemExit: a replay takes that for an implementation that exits.
    raise KeyboardInterrupt


def _end_with_input() -> None:
    os.read(0, 1)  # not sys.stdin, whose lock would disturb the end of the interpreter
    os.kill(os.getpid(), signal.SIGTERM)


def _portable(error: Exception) -> Exception:
    """Return an error in a form that survives the pipe."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _send(answers: int, kind: str, value: object) -> None:
    # Unbuffered: a buffer that cannot be written any more would complain at the end of the interpreter.
    left = memoryview(pickle.dumps((kind, value), pickle.HIGHEST_PROTOCOL))
    while left:
        left = left[os.write(answers, left) :]
