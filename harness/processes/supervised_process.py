"""Start a program under a supervisor, which ends all of its processes when the program or this process ends."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.processes import supervisor
from readfirst.harness.processes.listener import LISTENING
from readfirst.harness.processes.sandbox import Sandbox, find_problem, warn_once, wrap_unconfined

SUPERVISOR = Path(supervisor.__file__)
_RUN_MODULE = """\
import sys
sys.path.append(sys.argv[1])
from readfirst.harness.processes.{module} import main
main(sys.argv[2:])
"""
"""Code for a new Python process that imports and runs a module. A script would be compiled at each start."""

_END_TIMEOUT_S = 10.0
"""Seconds that the supervisor may use to end all processes. After that, its process group is killed."""
GRACE = 5.0
"""Seconds to wait for the exit of a program after a signal that it can survive."""
_PYTEST_PREFIX = "PYTEST_"
"""Prefix of environment variables that a program does not get, because they would reveal the running scenario."""


class Child:
    """A running program, with a supervisor that ends its processes. `pid` is the process id of the supervisor."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        directory: Path | None,
        environment: Mapping[str, str],
        stdin: int,
        stdout: int,
        stderr: int,
        offline: bool = False,
        sandbox: Sandbox | None = None,
        writable: Sequence[Path] = (),
        port_in: Sequence[Path] | None = None,
        starter: Sequence[str] = (),
    ) -> None:
        """Start the program in `directory`, with streams as for `subprocess`. With `offline`, the program has no
        network if the system supports this. In a `sandbox`, the program can write only below the `writable`
        directories, and has no network. With `port_in`, a socket listens on the program's loopback interface. Its port
        replaces `listener.PORT` in the command, the variables and the files in `port_in`. `starter` is a command that
        starts the supervisor, for example as a different user. Raises AdapterError if no process can be started. If the
        program does not exist, its exit status is 127.
        """
        self._channel, supervisor_end = socket.socketpair()
        supervisor_command = [*starter, *_python_command("supervisor"), str(supervisor_end.fileno())]
        variables = {
            name: value for name, value in environment.items() if not name.startswith(_PYTEST_PREFIX)
        }
        program_command = list(command)
        if port_in is not None:
            supervisor_command.append("--listening")
            program_command = [*_python_command("listener"), *map(str, port_in), "--", *program_command]
        wrapped = (
            wrap_unconfined(program_command, variables, offline=offline)
            if sandbox is None
            else sandbox.wrap(program_command, variables, directory or Path.cwd(), writable)
        )
        self._network = find_problem() if offline and wrapped is None else ""
        if wrapped is not None:
            supervisor_command.append("--wrapped")
            program_command = wrapped
        try:
            self.process = subprocess.Popen(
                [*supervisor_command, "--", *program_command],
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                cwd=directory,
                env=variables,
                pass_fds=(supervisor_end.fileno(),),
                start_new_session=True,
            )
        except OSError as error:
            self._channel.close()
            raise AdapterError(f"cannot start {sys.executable}: {error}", blame="environment") from error
        finally:
            supervisor_end.close()
        self.pid = self.process.pid

    def warn_about_isolation(self) -> None:
        """Warn once if this system does not fully isolate the program. Must be called after the first answer."""
        with suppress(OSError):
            reason = self._channel.recv(4096, socket.MSG_DONTWAIT).decode()
            _warn_about_limits("the program", reason, self._network)

    def listener(self, name: str, timeout: float) -> tuple[socket.socket | None, str]:
        """Wait for a socket that listens on the program's loopback interface. Return the socket (None after `timeout`
        seconds), and the reason why the program has a network. The reason is empty if the program has no network.
        """
        self._channel.settimeout(timeout)
        message, descriptors = b"", list[int]()
        try:
            while not descriptors:
                part, descriptors, _, _ = socket.recv_fds(self._channel, 4096, 1)
                message += part
                if not part:
                    return None, ""
        except TimeoutError:
            return None, ""
        _warn_about_limits(name, message.removesuffix(LISTENING).decode(), self._network)
        return socket.socket(fileno=descriptors[0]), self._network

    def status(self) -> str | None:
        """Return the exit status in words. None while the program runs."""
        state = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if state is None:
            return None
        if state.si_code == os.CLD_EXITED:
            return f"ended with exit status {state.si_status}"
        if state.si_status in {*signal.Signals}:
            return f"was killed by {signal.Signals(state.si_status).name}"
        return f"was killed by signal {state.si_status}"

    def wait(self, timeout: float) -> str | None:
        """Wait at most `timeout` seconds. Return the exit status in words. None if the program still runs."""
        deadline = time.monotonic() + timeout
        while (status := self.status()) is None and time.monotonic() < deadline:
            time.sleep(0.001)
        return status

    def kill(self, number: int = signal.SIGKILL) -> bool:
        """Send the signal `number` to the program, wait some seconds, and return whether the program has exited.
        Thread-safe. SIGKILL also kills all descendants.
        """
        if number == signal.SIGKILL:
            for pid in _find_descendants(self.pid):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            with suppress(OSError):
                self._channel.shutdown(socket.SHUT_RDWR)
        else:
            with suppress(OSError):
                self._channel.send(bytes([number]))
        with suppress(ChildProcessError):  # another thread has waited for it
            return self.wait(_END_TIMEOUT_S if number == signal.SIGKILL else GRACE) is not None
        return True

    def end(self, timeout: float = 0.0) -> None:
        """Wait at most `timeout` seconds for the program to exit, then end all of its processes."""
        with suppress(ChildProcessError):  # another thread has waited for it
            self.wait(timeout)
            self._channel.close()
            self.wait(_END_TIMEOUT_S)
            # Before the process is waited for: afterwards another process may get its id.
            with suppress(ProcessLookupError, PermissionError):  # macOS forbids killing a group of zombies
                os.killpg(self.pid, signal.SIGKILL)
        self._channel.close()
        self.process.wait()


def _python_command(module: str) -> list[str]:
    """Return the command that runs a module of this package in a new Python, which does not use site-packages."""
    start = _RUN_MODULE.format(module=module)
    return [sys.executable, "-I", "-S", "-B", "-c", start, str(SUPERVISOR.parents[3])]


def _find_descendants(pid: int) -> list[int]:
    """Return the ids of a process's descendants. Empty if this system does not list them."""
    descendants: list[int] = []
    with suppress(OSError):
        for child in map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
            descendants += [*_find_descendants(child), child]
    return descendants


def _warn_about_limits(name: str, processes: str, network: str) -> None:
    """Warn once about isolation that does not work. `processes` is the reason why processes may outlive the run,
    `network` the reason why the program has a network. An empty reason means that the isolation works.
    """
    reasons = {
        f"what {name} starts may outlive the run if it leaves its process group: {processes}": processes,
        f"{name} keeps its network: {network}; only its own settings keep it offline": network,
    }
    for message, reason in reasons.items():
        if reason:
            warn_once(message)


def minimal_environment(home: str | Path, *directories: str | Path) -> dict[str, str]:
    """Return only the environment variables that every program needs. `directories` come first in the PATH."""
    path = dict.fromkeys([*map(str, directories), "/usr/local/bin", "/usr/bin", "/bin"])
    return {"PATH": os.pathsep.join(path), "LANG": "C.UTF-8", "HOME": str(home)}


_NEUTRAL_DIRECTORY = Path(os.sep)
"""Working directory of helper programs. Unlike the current one, it has no settings or modules that affect programs."""


def run_program(
    command: Sequence[str],
    *,
    seconds: float,
    about: str = "",
    environment: Mapping[str, str] | None = None,
    failure: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run a program without input, and return its exit status and output. `about` is the purpose of the run, for
    messages. Raises AdapterError if the program needs more than `seconds` or cannot be started. If `failure` is given,
    a failed program raises AdapterError with this message.
    """
    name = Path(command[0]).name
    program = os.path.abspath(command[0]) if os.sep in command[0] else command[0]  # noqa: PTH100 - links stay
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = Child(
            [program, *command[1:]],
            directory=_NEUTRAL_DIRECTORY,
            environment=os.environ if environment is None else environment,
            stdin=subprocess.DEVNULL,
            stdout=output.fileno(),
            stderr=errors.fileno(),
        )
        try:
            has_exited = child.wait(seconds) is not None
        finally:
            child.end()
        if not has_exited:
            problem = f"{name} took more than {seconds:g} s{about and ' for '}{about}"
            raise AdapterError(problem, blame="environment")
        texts = []
        for stream in (output, errors):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", "replace"))
        if failure and child.process.returncode != 0:
            raise AdapterError(failure, blame="environment", details=texts[1][-2000:])
        return subprocess.CompletedProcess(command, child.process.returncode, *texts)
