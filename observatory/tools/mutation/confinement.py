"""Run untrusted code in a separate process that can write only to its own directory."""

from __future__ import annotations

# The guard looks at paths as the system sees them; pathlib would change them.
# ruff: noqa: PTH100, PTH118
import gc
import os
import resource
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from multiprocessing import get_context
from typing import Any

_FORK = get_context("fork")
_MAX_MEMORY_BYTES = 6 * 1024**3
"""Maximum address space of the process that runs untrusted code, in bytes."""


class Confined:
    """Runs a mutant's function in a fork of this process, which can only write to a new temporary directory. `receiver`
    becomes ready for `multiprocessing.connection.wait` when the function has returned or the process has exited.
    """

    def __init__(self, work: Callable[[], object]) -> None:
        self.receiver, sender = _FORK.Pipe(duplex=False)
        self._folder = tempfile.mkdtemp(prefix="mutation-")
        self._process = _FORK.Process(target=_run_work, args=(work, self._folder, sender))
        self._process.start()
        sender.close()

    def result(self) -> Any:
        """Wait for the function, and return its result. Raises EOFError if the process exits before it returns."""
        return self.receiver.recv()

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self.receiver.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _run_work(work: Callable[[], object], folder: str, sender: Any) -> None:
    gc.disable()  # a collection would copy the shared pages of the fork, and the work is short
    tempfile.tempdir = os.environ["TMPDIR"] = os.path.realpath(folder)
    os.chdir(folder)
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY_BYTES, _MAX_MEMORY_BYTES))
    guard = _Guard(tempfile.tempdir)
    sys.addaudithook(guard)
    result = work()
    guard.on = False
    sender.send(result)


class _Guard:
    """An audit hook of Python that prevents changes of files outside one directory, by raising PermissionError."""

    _PATHS: Mapping[str, tuple[int, ...]] = {
        "os.rename": (0, 1),
        "os.link": (0, 1),
        "os.symlink": (1,),
        "os.mkdir": (0,),
        "os.rmdir": (0,),
        "os.remove": (0,),
        "os.chmod": (0,),
        "os.chown": (0,),
        "os.truncate": (0,),
        "os.utime": (0,),
    }
    _WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

    def __init__(self, folder: str) -> None:
        self.on = True
        self._folder = folder

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event == "open":
            if arguments[2] & self._WRITING:
                self._check(arguments[0], follow=True)
        elif event in self._PATHS:
            for number in self._PATHS[event]:
                self._check(arguments[number], follow=False)

    def _check(self, path: object, *, follow: bool) -> None:
        if isinstance(path, int):
            return
        name = os.fsdecode(path)  # type: ignore[arg-type]
        follow = follow or name.startswith("/proc/self/fd/")  # a number of an open file
        folder, base = os.path.split(os.path.abspath(name))
        real = os.path.realpath(name) if follow else os.path.join(os.path.realpath(folder), base)
        # The folder itself is opened for a file without a name.
        inside = real.startswith(self._folder + "/") or (follow and real == self._folder)
        if real != "/dev/null" and not inside:
            raise PermissionError(1, "a trial may not write here", name)
