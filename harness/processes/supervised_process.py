"""Child: a program under a supervisor, so that nothing that it starts outlives it, or this process; errands, too."""

import logging
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
from typing import Required, TypedDict

from readfirst.harness.adapter_api import BrokenAdapter
from readfirst.harness.processes import supervisor
from readfirst.harness.processes.listener import LISTENING
from readfirst.harness.processes.sandbox import Sandbox, find_problem, wrap_unconfined

SUPERVISOR = Path(supervisor.__file__)
_RUN_MODULE = """\
import sys
sys.path.append(sys.argv[1])
from readfirst.harness.processes.{module} import main
main(sys.argv[2:])
"""
"""As a module and not as a script, which Python compiles each time."""

_LOG = logging.getLogger("readfirst")
_PATIENCE = 10.0
"""Seconds that the supervisor gets to end everything; then its process group is killed."""
GRACE = 5.0
"""Seconds that a program gets to end of a signal that it may survive."""
_warned: set[str] = set()
_OF_PYTEST = "PYTEST_"
"""What the names of variables begin with that tell which test runs, and so which scenario."""


class SpawnOptions(TypedDict, total=False):
    """How a program is started, beside its streams; see `Child`."""

    directory: Required[Path | None]
    environment: Required[Mapping[str, str]]
    offline: bool
    sandbox: Sandbox | None
    writable: Sequence[Path]


class Child:
    """A started program. `pid` is the number of its supervisor, which leads its process group."""

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
        """Start the program in `directory`, with streams as of `subprocess`; `offline` leaves the network if it can.

        No variable tells it which scenario runs. In a `sandbox` it can write below the `writable` folders alone, and
        has no network. With `port_in` there is a `listener` on its loopback interface, whose port is put into the
        command, its variables and these files where `listener.PORT` is. `starter` is a command that starts the
        supervisor, as somebody else for example. Raises BrokenAdapter where no process can be started; a program that
        is not there ends with exit status 127.
        """
        self._channel, theirs = socket.socketpair()
        words = [*starter, *_python("supervisor"), str(theirs.fileno())]
        variables = {name: value for name, value in environment.items() if not name.startswith(_OF_PYTEST)}
        started = list(command)
        if port_in is not None:
            words.append("--listening")
            started = [*_python("listener"), *map(str, port_in), "--", *started]
        if sandbox is not None:
            wrapped: list[str] | None = sandbox.wrap(started, variables, directory or Path.cwd(), writable)
        else:
            wrapped = wrap_unconfined(started, variables, offline=offline)
        self._network = find_problem() if offline and wrapped is None else ""
        if wrapped is not None:
            words.append("--wrapped")
            started = wrapped
        try:
            self.process = subprocess.Popen(
                [*words, "--", *started],
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                cwd=directory,
                env=variables,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        except OSError as error:
            self._channel.close()
            raise BrokenAdapter(f"cannot start {sys.executable}: {error}", blame="environment") from error
        finally:
            theirs.close()
        self.pid = self.process.pid

    def warn(self) -> None:
        """Say once per run what the system does not let the supervisor do. For a program that has answered."""
        with suppress(OSError):
            reason = self._channel.recv(4096, socket.MSG_DONTWAIT).decode()
            _warn_of("the program", reason, self._network)

    def listener(self, name: str, timeout: float) -> tuple[socket.socket | None, str]:
        """Return the socket on the program's loopback interface, and why it keeps its network (empty if it does not).

        `name` is what warnings call it. None instead of the socket if it did not come within `timeout` seconds.
        """
        self._channel.settimeout(timeout)
        said, descriptors = b"", list[int]()
        try:
            while not descriptors:
                part, descriptors, _, _ = socket.recv_fds(self._channel, 4096, 1)
                said += part
                if not part:
                    return None, ""
        except TimeoutError:
            return None, ""
        _warn_of(name, said.removesuffix(LISTENING).decode(), self._network)
        return socket.socket(fileno=descriptors[0]), self._network

    def status(self) -> str | None:
        """Say how the program ended, None if it has not; the number stays its own until `end`."""
        state = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if state is None:
            return None
        if state.si_code == os.CLD_EXITED:
            return f"ended with exit status {state.si_status}"
        if state.si_status in {*signal.Signals}:
            return f"was killed by {signal.Signals(state.si_status).name}"
        return f"was killed by signal {state.si_status}"

    def wait(self, patience: float) -> str | None:
        """Wait `patience` seconds at most for the program to end by itself, and say how it did."""
        deadline = time.monotonic() + patience
        while (status := self.status()) is None and time.monotonic() < deadline:
            time.sleep(0.001)
        return status

    def kill(self, number: int = signal.SIGKILL) -> bool:
        """Send the program a signal, in the middle of whatever it does and whatever thread waits for it.

        With SIGKILL all that it started gets it, too. Wait until all of it is dead, some seconds at most, and tell
        whether it is; `end` is still needed.
        """
        if number == signal.SIGKILL:
            for pid in _descendants(self.pid):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            with suppress(OSError):
                self._channel.shutdown(socket.SHUT_RDWR)
        else:
            with suppress(OSError):
                self._channel.send(bytes([number]))
        with suppress(ChildProcessError):  # somebody else has waited for it
            return self.wait(_PATIENCE if number == signal.SIGKILL else GRACE) is not None
        return True

    def end(self, patience: float = 0.0) -> None:
        """End everything, after `patience` seconds at most in which the program may end by itself."""
        with suppress(ChildProcessError):  # somebody else has waited for it
            self.wait(patience)
            self._channel.close()
            self.wait(_PATIENCE)
            # Before the process is waited for: then its number may belong to somebody else.
            with suppress(ProcessLookupError, PermissionError):  # macOS forbids to kill a group of zombies
                os.killpg(self.pid, signal.SIGKILL)
        self._channel.close()
        self.process.wait()


def _python(module: str) -> list[str]:
    """Return the command that runs a module of this package in a Python without site-packages."""
    start = _RUN_MODULE.format(module=module)
    return [sys.executable, "-I", "-S", "-B", "-c", start, str(SUPERVISOR.parents[3])]


def _descendants(pid: int) -> list[int]:
    """Return the processes below one, where the system lists them; else none, and the supervisor finds them."""
    found: list[int] = []
    with suppress(OSError):
        for child in map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
            found += [*_descendants(child), child]
    return found


def _warn_of(name: str, processes: str, network: str) -> None:
    """Say once what of a program's isolation the system does not allow, and why."""
    reasons = {
        f"what {name} starts may outlive the run if it leaves its process group: {processes}": processes,
        f"{name} keeps its network: {network}; only its own settings keep it offline": network,
    }
    for message, reason in reasons.items():
        if reason and message not in _warned:
            _warned.add(message)
            _LOG.warning("%s", message)


def bare_variables(home: str | Path, *folders: str | Path) -> dict[str, str]:
    """Return the variables that every program gets: built from nothing, so that none of ours leaks.

    The `folders` come first on its PATH.
    """
    path = dict.fromkeys([*map(str, folders), "/usr/local/bin", "/usr/bin", "/bin"])
    return {"PATH": os.pathsep.join(path), "LANG": "C.UTF-8", "HOME": str(home)}


_NOWHERE = Path(os.sep)
"""Where nobody puts settings and modules, as one may in the current folder and above every temporary one."""


def run_errand(
    command: Sequence[str],
    *,
    seconds: float,
    about: str = "",
    environment: Mapping[str, str] | None = None,
    sandbox: Sandbox | None = None,
    failure: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run a program and return how it ended; what it printed is text. It gets no input.

    Raises BrokenAdapter (blame environment) if it takes more than so many seconds, where no process can be started, and
    with a `failure` to tell also where it fails.
    """
    name = Path(command[0]).name
    program = os.path.abspath(command[0]) if os.sep in command[0] else command[0]  # noqa: PTH100 - links stay
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as errors:
        child = Child(
            [program, *command[1:]],
            directory=_NOWHERE,
            environment=os.environ if environment is None else environment,
            stdin=subprocess.DEVNULL,
            stdout=printed.fileno(),
            stderr=errors.fileno(),
            sandbox=sandbox,
        )
        try:
            ended = child.wait(seconds) is not None
        finally:
            child.end()
        if not ended:
            what = f"{name} took more than {seconds:g} s{about and ' for '}{about}"
            raise BrokenAdapter(what, blame="environment")
        texts = []
        for stream in (printed, errors):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", "replace"))
        if failure and child.process.returncode != 0:
            raise BrokenAdapter(failure, blame="environment", details=texts[1][-2000:])
        return subprocess.CompletedProcess(command, child.process.returncode, *texts)
