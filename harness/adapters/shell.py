"""Run commands and hooks of a scenario for the reference, which only evaluates their results."""

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

_BLOCK = 512
_MOST_BYTES = 1024 * 1024
"""Maximum bytes of a file that a command writes, and of its output."""


@dataclass(frozen=True, slots=True)
class CommandLimits:
    """Runs commands in a minimal environment with the home directory `home`, for at most `seconds`."""

    root: Path
    home: Path
    seconds: float

    def run(self, command: str, directory: str, said: bytes = b"") -> CommandResult:
        """Run a shell command in `directory`, with `said` as its standard input.

        Raises OSError if it cannot be started, and TimeoutError if it does not end in time.
        """
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        most = _MOST_BYTES if hard == resource.RLIM_INFINITY else min(_MOST_BYTES, hard)
        words = ["/bin/sh", "-c", f"ulimit -f {most // _BLOCK}; {command}"]
        with (
            tempfile.TemporaryFile() as reads,
            tempfile.TemporaryFile() as prints,
            tempfile.TemporaryFile() as errors,
        ):
            reads.write(said)
            reads.seek(0)
            status = self._start(words, directory, (reads, prints, errors))
            if status is None:
                raise TimeoutError(
                    f"the command did not end within {self.seconds:g} s: {command.splitlines()[0]}"
                )
            return CommandResult(_text(prints), _text(errors), status)

    def _start(self, words: list[str], directory: str, streams: tuple[IO[bytes], ...]) -> int | None:
        """Run a program until it exits and return its exit status. None after a timeout."""
        environment = minimal_environment(self.home)
        reads, prints, errors = (stream.fileno() for stream in streams)
        process = subprocess.Popen(
            words,
            cwd=directory,
            env=environment,
            stdin=reads,
            stdout=prints,
            stderr=errors,
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


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode(errors="replace")


def run_hook(command: str, said: str, confines: CommandLimits) -> CommandResult:
    """Run a hook's command in the workspace, with `said` as its input. Raises the errors of `CommandLimits.run`."""
    return confines.run(command, os.fspath(confines.root), said.encode())


class Shell:
    """Runs the commands of a session in order. `directory` is the working directory of the next one."""

    def __init__(self, confines: CommandLimits) -> None:
        self.directory = os.fspath(confines.root)
        self._confines = confines

    def run(self, command: str) -> CommandResult:
        """Run one command, and note the working directory for the next command. Raises as `CommandLimits.run`."""
        # The directory follows the output, after a random mark that the output cannot contain.
        mark = secrets.token_hex(16)
        ran = self._confines.run(f"{command}\nended=$?; printf %s {mark}; pwd; exit $ended", self.directory)
        printed, found, directory = ran.output.rpartition(mark)
        if not found:
            return ran
        if ran.code == 0:  # the product does not change the directory after a failure
            self.directory = directory.removesuffix("\n") or self.directory
        return CommandResult(printed, ran.errors, ran.code)
