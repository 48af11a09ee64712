"""Worker processes: new Python interpreters that receive a task through one pipe, and send answers through another,
with pickle. A worker exits when its input is closed, so it never outlives the process that started it. Ctrl-C reaches
only that process, which stops its workers.
"""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

from readfirst.harness.processes.gc_tuning import collect_rarely

Answer = Callable[[str, object], None]
"""Function that sends an answer of a worker to the process that started it: the kind of the answer, and a value."""

_START_SCRIPT = """\
import sys, pickle
try:
    sys.path[:] = pickle.load(sys.stdin.buffer)
except EOFError:
    sys.exit()
from {module} import main
main()
"""


class Worker:
    """A process that calls the function `main` of `module` with a picklable task. `timeout` is the number of seconds to
    wait for the exit of the process before it is killed.
    """

    def __init__(self, module: str, task: object, *, timeout: float) -> None:
        self._timeout = timeout
        self._process = subprocess.Popen(
            # -P: modules in the current directory, which may be hostile, are not imported.
            [sys.executable, "-P", "-c", _START_SCRIPT.format(module=module)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,
        )
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # the process has exited; reading its answer reports it
            for part in (sys.path, task):
                pickle.dump(part, self._process.stdin)
            self._process.stdin.flush()

    def read(self) -> tuple[str, Any] | None:
        """Return the next answer of the worker: its kind and its value. None if the process has exited."""
        assert self._process.stdout is not None
        try:
            kind, value = pickle.load(self._process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            return None
        return kind, value

    def wait_for_status(self) -> str:
        """Wait until the process exits, and return its exit status in words, such as `ended with exit code 1`."""
        code = self.wait()
        return f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"

    def interrupt(self) -> None:
        """Close the input of the process. The process then interrupts its work."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()

    def wait(self) -> int:
        """Wait until the process has exited, kill it if necessary, and return its exit code."""
        try:
            return self._process.wait(self._timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def close_output(self) -> None:
        """Close the pipe for the answers, because no further answer is read."""
        assert self._process.stdout is not None
        self._process.stdout.close()


def serve(work: Callable[[Any, Answer], None]) -> None:
    """Run this process as a worker: receive a task, and call `work` with the task and a function that sends answers. An
    exception of `work` is sent as an answer of the kind `error`.
    """
    answers = os.dup(1)
    collect_rarely()
    os.dup2(2, 1)  # output of an implementation must not get between the answers

    def send_answer(kind: str, value: object) -> None:
        # Unbuffered: a buffer that cannot be written would raise at interpreter exit.
        unsent = memoryview(pickle.dumps((kind, value), pickle.HIGHEST_PROTOCOL))
        while unsent:
            unsent = unsent[os.write(answers, unsent) :]

    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        try:
            signal.signal(signal.SIGTERM, _raise_interrupt)
            task = pickle.load(sys.stdin.buffer)
            threading.Thread(target=_terminate_when_input_closes, daemon=True).start()
            work(task, send_answer)
        except BrokenPipeError:
            raise
        except Exception as error:
            send_answer("error", _picklable_error(error))
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it is already exiting


def _raise_interrupt(_number: int, _frame: object) -> None:
    # Not SystemExit: a replay would treat that as an exit of the implementation.
    raise KeyboardInterrupt


def _terminate_when_input_closes() -> None:
    os.read(0, 1)  # not sys.stdin, whose lock would block interpreter exit
    os.kill(os.getpid(), signal.SIGTERM)


def _picklable_error(error: Exception) -> Exception:
    """Return the error if it can be pickled, otherwise a picklable error with the same message."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
