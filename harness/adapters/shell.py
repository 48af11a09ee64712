"""Shell: runs commands and hooks of a scenario for the reference, which only decides what comes of them."""

from __future__ import annotations

import os
import subprocess

from readfirst.reference_impl import Ran

__all__ = ["Shell", "run_hook"]

_PATH = "/usr/local/bin:/usr/bin:/bin"


def run_hook(
    command: str, said: str, directory: str | os.PathLike[str], home: str | os.PathLike[str], seconds: float
) -> Ran:
    """Run the command of a hook in `directory`, with `said` on its standard input.

    OSError: it cannot be started. TimeoutError: it did not end within `seconds`.
    """
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=directory,
            env=_variables(home),
            input=said.encode(),
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"the hook did not end within {seconds:g} s: {command}") from None
    return Ran(*_decoded(done), done.returncode)


def _variables(home: str | os.PathLike[str]) -> dict[str, str]:
    return {"PATH": _PATH, "LANG": "C.UTF-8", "HOME": os.fspath(home)}


def _decoded(done: subprocess.CompletedProcess[bytes]) -> tuple[str, str]:
    return done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


class Shell:
    """Runs `sh` in the workspace, with an environment of its own and nothing on its standard input.

    `directory` is where the next command starts: a command may change it. `seconds` is the time limit of a command.
    """

    def __init__(
        self, directory: str | os.PathLike[str], home: str | os.PathLike[str], seconds: float
    ) -> None:
        self.directory = os.fspath(directory)
        self._variables = _variables(home)
        self._seconds = seconds

    def run(self, command: str) -> Ran:
        """Run one command. OSError: it cannot be started. TimeoutError: it did not end in time."""
        reads, writes = os.pipe()
        with os.fdopen(reads, "rb") as told:
            try:
                done = subprocess.run(
                    ["/bin/sh", "-c", f"{command}\nended=$?; pwd >/dev/fd/{writes}; exit $ended"],
                    cwd=self.directory,
                    env=self._variables,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    pass_fds=[writes],
                    timeout=self._seconds,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise TimeoutError(f"the command did not end within {self._seconds:g} s: {command}") from None
            finally:
                os.close(writes)
            self.directory = os.fsdecode(told.read()).removesuffix("\n") or self.directory
        return Ran(*_decoded(done), done.returncode)
