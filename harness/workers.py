"""Workers: processes that replay a share of the scenarios each; the verdicts come out in the given order.

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
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

from harness.finding import SuiteError
from harness.verdict import Verdict

if TYPE_CHECKING:
    from harness.run import Order

__all__ = ["judge_in_processes", "main"]

MOST_PER_SHARE = 8
"""Consecutive scenarios of one worker; small, because a worker waits while its pipe is full of verdicts."""
PATIENCE = 5.0
"""Seconds that a worker gets to close its adapter before it is killed."""

_START = """\
import sys, pickle
sys.path[:] = pickle.load(sys.stdin.buffer)
from harness.workers import main
main()
"""


def judge_in_processes(order: Order, ids: Sequence[str], jobs: int) -> Generator[Verdict]:
    """Yield a verdict for each id, in this order. Raises what the workers raise.

    A worker that dies costs one scenario, whose verdict is `broken`; the rest of its share gets a new worker.
    """
    jobs = min(jobs, len(ids))
    size = max(1, min(MOST_PER_SHARE, len(ids) // jobs))
    shares = [ids[start : start + size] for start in range(0, len(ids), size)]
    workers = [_Worker(order) for _ in range(jobs)]
    try:
        for number, worker in enumerate(workers):
            worker.start([scenario_id for share in shares[number::jobs] for scenario_id in share])
        for number, share in enumerate(shares):
            for _ in share:
                yield workers[number % jobs].verdict()
    finally:
        for worker in workers:
            worker.ask_to_end()
        for worker in workers:
            worker.end()


class _Worker:
    """One process, and what it has not answered yet."""

    def __init__(self, order: Order) -> None:
        self._order = order
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
            for part in (sys.path, self._order, list(ids)):
                pickle.dump(part, process.stdin)
            process.stdin.flush()
        except BrokenPipeError:
            pass  # it died at once; reading its answer finds that out

    def verdict(self) -> Verdict:
        """Return the next verdict, or raise what the worker met."""
        scenario_id = self._left.popleft()
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            kind, value = pickle.load(self._process.stdout)
        except (EOFError, pickle.UnpicklingError):
            return self._died(scenario_id)
        match kind:
            case "verdict":
                verdict: Verdict = value
                return verdict
            case "invalid":
                raise SuiteError(value)
            case _:
                error: BaseException = value
                raise error

    def _died(self, scenario_id: str) -> Verdict:
        rest = list(self._left)
        code = self.end()
        if rest:
            self.start(rest)
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        order = self._order
        reason = f"the worker process {how} during this scenario"
        return Verdict(
            scenario_id, order.contract, order.level, "broken", {}, blame="environment", reason=reason
        )

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
    """Be a worker: read an order and ids, write a verdict for each; end quietly when a pipe is closed."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what an implementation prints must not get between the verdicts
    try:
        try:
            signal.signal(signal.SIGTERM, _end)
            order: Order = pickle.load(sys.stdin.buffer)
            ids: list[str] = pickle.load(sys.stdin.buffer)
            threading.Thread(target=_end_with_input, daemon=True).start()
            _judge(order, ids, answers)
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


def _judge(order: Order, ids: Sequence[str], answers: int) -> None:
    from harness.run import Bench

    with Bench(order) as bench:
        for scenario_id in ids:
            _send(answers, ("verdict", bench.judge(scenario_id)))


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
