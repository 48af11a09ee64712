"""Run the commands and hooks of a scenario for the reference. The reference only evaluates their results."""

import os
import resource
import secrets
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from readfirst.harness.processes.supervised_process import minimal_environment
from readfirst.reference_impl import CommandResult

_BLOCK_BYTES = 512
_MAX_OUTPUT_BYTES = 1024 * 1024
"""Maximum bytes of the output of a command, and of each file that it writes."""


@dataclass(frozen=True, slots=True)
class CommandLimits:
    """Limits for commands of a scenario: the workspace `root`, the home directory, and the seconds per command."""

    root: Path
    home: Path
    seconds: float

    def run(self, command: str, directory: str, input_data: bytes = b"") -> CommandResult:
        """Run a shell command in `directory`. Raises OSError if it does not start, TimeoutError if it is late."""
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        max_bytes = _MAX_OUTPUT_BYTES if hard == resource.RLIM_INFINITY else min(_MAX_OUTPUT_BYTES, hard)
        command_line = ["/bin/sh", "-c", f"ulimit -f {max_bytes // _BLOCK_BYTES}; {command}"]
        with (
            tempfile.TemporaryFile() as stdin,
            tempfile.TemporaryFile() as stdout,
            tempfile.TemporaryFile() as stderr,
        ):
            stdin.write(input_data)
            stdin.seek(0)
            status = self._start(command_line, directory, (stdin, stdout, stderr))
            if status is None:
                raise TimeoutError(
                    f"the command did not end within {self.seconds:g} s: {command.splitlines()[0]}"
                )
            return CommandResult(_read_text(stdout), _read_text(stderr), status)

    def _start(self, command_line: list[str], directory: str, streams: tuple[IO[bytes], ...]) -> int | None:
        """Run a program until it exits, and return its exit status. None if the program did not exit in time."""
        environment = minimal_environment(self.home)
        stdin, stdout, stderr = (stream.fileno() for stream in streams)
        process = subprocess.Popen(
            command_line,
            cwd=directory,
            env=environment,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        try:
            return process.wait(self.seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _read_text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode(errors="replace")


def run_hook(command: str, input_data: str, limits: CommandLimits) -> CommandResult:
    """Run the command of a hook in the workspace. Raises the same exceptions as `CommandLimits.run`."""
    return limits.run(command, os.fspath(limits.root), input_data.encode())


class Shell:
    """Runs the commands of a session one after the other. `directory` is the working directory of the next command."""

    def __init__(self, limits: CommandLimits) -> None:
        self.directory = os.fspath(limits.root)
        self._limits = limits

    def run(self, command: str) -> CommandResult:
        """Run a command. Its final directory is used for the next command. Raises the errors of `CommandLimits.run`."""
        # The directory follows the output, after a random mark that the output cannot contain.
        mark = secrets.token_hex(16)
        result = self._limits.run(f"{command}\nended=$?; printf %s {mark}; pwd; exit $ended", self.directory)
        printed, separator, directory = result.output.rpartition(mark)
        if not separator:
            return result
        if result.code == 0:  # the product does not change the directory after a failure
            self.directory = directory.removesuffix("\n") or self.directory
        return CommandResult(printed, result.errors, result.code)
