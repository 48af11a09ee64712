"""Workers: processes that do a share of the scenarios each; what comes of them comes out in the given order.

A worker is a fresh interpreter that talks pickle over its pipes. It ends when its input ends, so none
outlives the process that started it.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Generic, Protocol, TypeVar

from readfirst.harness.source.finding import SuiteError

__all__ = ["Job", "main", "work_in_processes"]

Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)

MOST_PER_SHARE = 8
"""Consecutive scenarios of one worker; small, because a worker waits while its pipe is full of results."""
PATIENCE = 5.0
"""Seconds that a worker gets to close its adapter before it is killed."""

_START = """\
import sys, pickle
sys.path[:] = pickle.load(sys.stdin.buffer)
from readfirst.harness.run.workers import main
main()
"""


class Job(Protocol[Result_co]):
    """What is done with each scenario: plain values, because it travels to another process; so do the results."""

    def bench(self) -> AbstractContextManager[Callable[[str], Result_co]]:
        """Open what the work needs; it is closed when the share is done."""
        ...

    def lost(self, scenario_id: str, reason: str) -> Result_co:
        """Return what stands for a scenario whose worker died."""
        ...


def work_in_processes(job: Job[Result], ids: Sequence[str], jobs: int) -> Generator[Result]:
    """Yield a result for each id, in this order. Raises what the workers raise.

    A worker that dies costs one scenario, which is `lost`; the rest of its share gets a new worker.
    """
    jobs = min(jobs, len(ids))
    size = max(1, min(MOST_PER_SHARE, len(ids) // jobs))
    shares = [ids[start : start + size] for start in range(0, len(ids), size)]
    workers = [_Worker(job) for _ in range(jobs)]
    try:
        for number, worker in enumerate(workers):
            worker.start([scenario_id for share in shares[number::jobs] for scenario_id in share])
        for number, share in enumerate(shares):
            for _ in share:
                yield workers[number % jobs].result()
    finally:
        for worker in workers:
            worker.ask_to_end()
        for worker in workers:
            worker.end()


class _Worker(Generic[Result]):
    """One process, and what it has not answered yet."""

    def __init__(self, job: Job[Result]) -> None:
        self._job = job
        self._left: deque[str] = deque()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, ids: Sequence[str]) -> None:
        """Start the process on these ids."""
        self._left = deque(ids)
        self._process = process = subprocess.Popen(
            [sys.executable, "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,  # Ctrl-C reaches the run only; the run ends its workers
        )
        assert process.stdin is not None
        try:
            for part in (sys.path, self._job, list(ids)):
                pickle.dump(part, process.stdin)
            process.stdin.flush()
        except BrokenPipeError:
            pass  # it died at once; reading its answer finds that out

    def result(self) -> Result:
        """Return the next result, or raise what the worker met."""
        scenario_id = self._left.popleft()
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            kind, value = pickle.load(self._process.stdout)
        except (EOFError, pickle.UnpicklingError):
            return self._died(scenario_id)
        match kind:
            case "result":
                result: Result = value
                return result
            case "invalid":
                raise SuiteError(value)
            case _:
                error: BaseException = value
                raise error

    def _died(self, scenario_id: str) -> Result:
        rest = list(self._left)
        code = self.end()
        if rest:
            self.start(rest)
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return self._job.lost(scenario_id, f"the worker process {how} during this scenario")

    def ask_to_end(self) -> None:
        """Close the worker's input, which interrupts whatever it does."""
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()

    def end(self) -> int:
        """Wait until the process is gone, killing it if need be, and return its exit code."""
        process, self._process = self._process, None
        if process is None:
            return 0
        try:
            if process.stdin is not None and not process.stdin.closed:
                with contextlib.suppress(BrokenPipeError):
                    process.stdin.close()
            if process.stdout is not None:
                process.stdout.close()
            return process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()


def main() -> None:
    """Be a worker: read a job and ids, write a result for each; end quietly when a pipe is closed."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what an implementation prints must not get between the results
    try:
        try:
            signal.signal(signal.SIGTERM, _end)
            job: Job[Any] = pickle.load(sys.stdin.buffer)
            ids: list[str] = pickle.load(sys.stdin.buffer)
            threading.Thread(target=_end_with_input, daemon=True).start()
            _work(job, ids, answers)
        except Exception as error:
            if not isinstance(error, BrokenPipeError):
                _send(answers, _message(error))
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it is ending already
    except (BrokenPipeError, KeyboardInterrupt):
        pass


def _end(_number: int, _frame: object) -> None:
    # Not SystemExit: a replay takes that for an implementation that exits.
    raise KeyboardInterrupt


def _end_with_input() -> None:
    os.read(0, 1)  # not sys.stdin, whose lock would disturb the end of the interpreter
    os.kill(os.getpid(), signal.SIGTERM)


def _work(job: Job[Any], ids: Sequence[str], answers: int) -> None:
    with job.bench() as work:
        for scenario_id in ids:
            _send(answers, ("result", work(scenario_id)))


def _message(error: Exception) -> tuple[str, Any]:
    """Return an error in a form that survives the pipe."""
    if isinstance(error, SuiteError):
        return ("invalid", error.findings)
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return ("error", RuntimeError(f"{type(error).__name__}: {error}"))
    return ("error", error)


def _send(answers: int, message: tuple[str, Any]) -> None:
    # Unbuffered: a buffer that cannot be written any more would complain at the end of the interpreter.
    left = memoryview(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
    while left:
        left = left[os.write(answers, left) :]
