"""Run the same commands on unusual machines: with missing parts, full, slow, or shared."""

from __future__ import annotations

import json
import os
import pwd
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.processes import ends_soon_by_command
from tools.faults.stage import CHECKOUT, COMMANDS, STREAM, Command, TrialDirectory

__all__ = ["MACHINE_KINDS", "MachineKind", "OrdinaryMachine", "Outcome"]

_HANG_TIMEOUT_S = 120
"""A command that runs longer than this many seconds is killed, and counts as hanging."""
_WRITTEN = (STREAM, next(command for command in COMMANDS if command.name == "record"))
_DOCUMENTED = (2, 3)
"""The exit codes for usage errors and for problems of the environment, which are accepted on unusual machines."""


@dataclass
class Machine:
    """How a command is started on an unusual machine: its environment variables, and a command that wraps it."""

    stage: TrialDirectory
    environment: dict[str, str]
    wrapper: tuple[str, ...] = ()
    options: dict[str, object] = field(default_factory=dict)
    times: int = 1
    """How many processes of the command are started at the same time."""


@dataclass(frozen=True)
class MachineKind:
    """One kind of unusual machine. `alike`: a command must have its usual result; a clear error is not accepted."""

    name: str
    arrange: Callable[[Machine], None]
    alike: bool = True
    only: Callable[[], str] = str
    """Returns the reason why this kind of machine cannot be tested here. Empty if it can be tested."""
    around: Callable[[], object] | None = None


@dataclass(frozen=True)
class Outcome:
    """The result of a command on an unusual machine: a clear `error`, a fault (`problem`), or neither."""

    command: str
    error: str = ""
    problem: str = ""


def _env(**variables: str | None) -> Callable[[Machine], None]:
    def arrange(machine: Machine) -> None:
        for name, value in variables.items():
            if value is None:
                machine.environment.pop(name, None)
            else:
                machine.environment[name] = value.replace("{folder}", str(machine.stage.folder))

    return arrange


def _temporary_folder(name: str) -> Callable[[Machine], None]:
    def arrange(machine: Machine) -> None:
        folder = machine.stage.folder / "tmp" / name
        folder.mkdir(parents=True)
        machine.environment["TMPDIR"] = str(folder)

    return arrange


def _linked_temporary_folder(machine: Machine) -> None:
    link = machine.stage.folder / "home" / "link"
    link.symlink_to(machine.stage.folder / "tmp")
    machine.environment["TMPDIR"] = str(link)


def _read_only(*names: str) -> Callable[[Machine], None]:
    """Return a function that mounts directories read-only. File modes do not suffice, because root ignores them."""

    def arrange(machine: Machine) -> None:
        script = (
            'while [ "$1" != -- ]; do mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"; shift; done; '
            'shift; exec "$@"'
        )
        folders = [str(machine.stage.folder / name) for name in names]
        machine.wrapper = (*_namespace(), "sh", "-ec", script, "sh", *folders, "--")

    return arrange


def _full(folder: str, kilobytes: int) -> Callable[[Machine], None]:
    """Return a function that mounts a file system with the same files and `kilobytes` of free space over `folder`."""

    def arrange(machine: Machine) -> None:
        target = machine.stage.folder / folder
        held, kept = machine.stage.base / "held", machine.stage.base / "kept"
        for each in (held, kept):
            shutil.rmtree(each, ignore_errors=True)
        shutil.copytree(target, held, symlinks=True)
        pages = sum(1 + path.lstat().st_size // 4096 for path in held.rglob("*") if path.is_file())
        size = str(pages * 4096 + kilobytes * 1024)
        script = (
            'mount -t tmpfs -o "size=$1" none "$2"; cp -a "$3/." "$2"; code=0; target=$2; kept=$4; cd "$5"; shift 5; '
            '"$@" || code=$?; cp -a "$target/." "$kept"; exit $code'
        )
        words = (size, str(target), str(held), str(kept), str(machine.stage.folder))
        kept.mkdir()
        machine.wrapper = (*_namespace(), "sh", "-ec", script, "sh", *words)

    return arrange


def _no_file_above(size: int) -> Callable[[Machine], None]:
    def arrange(machine: Machine) -> None:
        machine.options["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return arrange


def _with_umask(mask: int) -> Callable[[Machine], None]:
    def arrange(machine: Machine) -> None:
        machine.options["umask"] = mask

    return arrange


def _as_nobody(machine: Machine) -> None:
    nobody = pwd.getpwnam("nobody")
    tools = machine.stage.base / "bin"
    for path in (machine.stage.folder, *machine.stage.folder.rglob("*"), tools, *tools.iterdir()):
        os.chown(path, nobody.pw_uid, nobody.pw_gid)
    become = ("setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups")
    closed = {path: folder for path in _required_directories() if (folder := _closed_above(path))}
    machine.wrapper = (*(_hide_directories(machine, set(closed.values())) if closed else ()), *become)


def _without_home(machine: Machine) -> None:
    """Remove HOME from the environment variables, and hide the home directory of the user."""
    _env(HOME=None, XDG_CACHE_HOME=None)(machine)
    machine.wrapper = _hide_directories(machine, {Path(pwd.getpwuid(os.geteuid()).pw_dir)})


def _hide_directories(machine: Machine, folders: Collection[Path]) -> tuple[str, ...]:
    """Return a wrapper command that hides directories, except the parts that Python and readfirst need."""
    needed = [path for path in _required_directories() if any(folder in path.parents for folder in folders)]
    way = machine.stage.base / "way"
    script = [f"mkdir -p {way}"]
    for number, path in enumerate(needed):
        script.append(f"mkdir -p {way}/{number}; mount --bind {shlex.quote(str(path))} {way}/{number}")
    script += [f"mount -t tmpfs -o mode=755 none {shlex.quote(str(folder))}" for folder in sorted(folders)]
    for number, path in enumerate(needed):
        quoted = shlex.quote(str(path))
        script.append(f"mkdir -p {quoted}; mount --move {way}/{number} {quoted}")
    # The mounts may cover the current directory, so the script enters it again.
    script.append(f'cd {shlex.quote(str(machine.stage.folder))}; exec "$@"')
    return (*_namespace(), "sh", "-ec", "; ".join(script), "sh")


def _required_directories() -> list[Path]:
    """Return the directories of Python, its virtual environment and readfirst. None of them contains another."""
    found = {Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), CHECKOUT}
    return sorted(path for path in found if not found.intersection(path.parents))


def _closed_above(path: Path) -> Path | None:
    """Return the uppermost directory above a path that other users cannot enter. None if they can enter all."""
    return next((each for each in reversed(path.parents) if not each.stat().st_mode & 0o001), None)


def _home_of_another(machine: Machine) -> None:
    _as_nobody(machine)
    for name in ("home", "cache"):
        os.chown(machine.stage.folder / name, 0, 0)


_BACK = """\
import time
asked, now, now_ns = 0, time.time, time.time_ns
def back():
    global asked
    asked += 1
    return 86400 if asked > 20 else 0
time.time = lambda: now() - back()
time.time_ns = lambda: now_ns() - back() * 10**9
"""


def _clock_set_back(machine: Machine) -> None:
    """Set the clocks of Python back by one day during the command, so that all files have a time in the future."""
    folder = machine.stage.base / "clock"
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(_BACK)
    machine.environment["PYTHONPATH"] = f"{folder}{os.pathsep}{machine.environment['PYTHONPATH']}"
    for path in machine.stage.folder.rglob("*"):
        later = path.lstat().st_mtime + 86400
        os.utime(path, (later, later), follow_symlinks=False)


def _start_twice(machine: Machine) -> None:
    machine.times = 2


@contextmanager
def _busy_loops() -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(4):
            loop = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(loop.wait)
            stack.callback(loop.kill)
        yield


def _namespace() -> tuple[str, ...]:
    return ("unshare", "-m") if os.geteuid() == 0 else ("unshare", "-rm")


def _needs_mounts() -> str:
    if shutil.which("unshare") is None:
        return "needs unshare"
    words = (*_namespace(), "mount", "-t", "tmpfs", "none", "/mnt")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return f"cannot mount: {done.stderr.strip()}" if done.returncode else ""


def _needs_root() -> str:
    if os.geteuid() != 0:
        return "needs root"
    return "needs setpriv" if shutil.which("setpriv") is None else _needs_mounts()


MACHINE_KINDS = (
    MachineKind("4 busy loops beside", _env(), around=_busy_loops),
    MachineKind("two at once, on the same files", _start_twice),
    MachineKind("no HOME", _without_home, only=_needs_mounts),
    MachineKind("HOME that is not there", _env(HOME="{folder}/nowhere", XDG_CACHE_HOME=None)),
    MachineKind("HOME that is a file", _env(HOME="{folder}/server.py", XDG_CACHE_HOME=None), alike=False),
    MachineKind("read-only home", _read_only("home"), only=_needs_mounts),
    MachineKind("read-only cache", _read_only("cache"), alike=False, only=_needs_mounts),
    MachineKind(
        "read-only directory for results", _read_only("out", "suite"), alike=False, only=_needs_mounts
    ),
    MachineKind("read-only TMPDIR", _read_only("tmp"), only=_needs_mounts),
    MachineKind("no TMPDIR", _env(TMPDIR=None)),
    MachineKind("TMPDIR that is not there", _env(TMPDIR="{folder}/nowhere")),
    MachineKind("TMPDIR that is a file", _env(TMPDIR="{folder}/server.py")),
    MachineKind(
        "TMPDIR with spaces, quotes and umlauts", _temporary_folder("grün 'n' \"q\" $WS"), alike=False
    ),
    MachineKind("TMPDIR of 300 characters", _temporary_folder("/".join(["x" * 99] * 3))),
    MachineKind("TMPDIR that is a symbolic link", _linked_temporary_folder),
    MachineKind("umask 077", _with_umask(0o077)),
    MachineKind("umask 000", _with_umask(0)),
    MachineKind("C locale", _env(LANG=None, LC_ALL="C")),
    MachineKind("ASCII file names", _env(LANG=None, LC_ALL="C", PYTHONUTF8="0"), alike=False),
    MachineKind("user nobody", _as_nobody, only=_needs_root),
    MachineKind("user nobody, home and cache of another", _home_of_another, alike=False, only=_needs_root),
    MachineKind("clock set back by a day", _clock_set_back),
    *(
        MachineKind(f"no file above {size:,} bytes", _no_file_above(size), alike=False)
        for size in (0, 1000, 10_000)
    ),
    *(
        MachineKind(f"{room} KiB left for {what}", _full(folder, room), alike=False, only=_needs_mounts)
        for folder, what in (("tmp", "temporary files"), ("out", "results"), ("suite", "the suite"))
        for room in (4, 8, 16, 64)
    ),
)


class OrdinaryMachine:
    """Runs the commands on an ordinary machine once, and compares all results on unusual machines with these."""

    def __init__(self, base: Path) -> None:
        self._stage = stage = TrialDirectory(base, scenarios=6)
        self._came: dict[str, tuple[int, Mapping[str, object]]] = {}
        for command in _WRITTEN:
            stage.fresh()
            (processes,), _ = _run_command(stage, command, Machine(stage, stage.environment()))
            assert processes[0] in (0, 1), processes
            self._came[command.name] = processes[0], _compared_files(stage)

    def outcomes(self, kind: MachineKind) -> Iterator[Outcome]:
        """Run the commands on an unusual machine, and yield each result, compared with the ordinary machine."""
        stage = self._stage
        for command in _WRITTEN:
            stage.fresh()
            given = _compared_files(stage)
            machine = Machine(stage, stage.environment())
            kind.arrange(machine)
            arranged = stage.left()
            with kind.around() if kind.around is not None else ExitStack():  # type: ignore[attr-defined]
                processes, hung = _run_command(stage, command, machine)
            problem = "it hangs" if hung else _report_leftovers(stage, arranged)
            yield _compare(kind, stage, command, processes, problem, given, self._came[command.name])


def _error_line(output: str) -> str:
    """Return the line in the output of a command that states why the command failed."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    reasons = [line for start in ("readfirst:", "error ") for line in lines if line.startswith(start)]
    return (reasons or lines[-1:] or [""])[0].removeprefix("readfirst: ")


def _report_leftovers(stage: TrialDirectory, arranged: Collection[str]) -> str:
    """Return a text about processes or files that a command left. Empty if only the files in `arranged` are left."""
    if not ends_soon_by_command(str(stage.folder)):
        return "a process goes on"
    left = [path for path in stage.left() if path not in arranged]
    return f"left {left}" if left else ""


def _compare(
    kind: MachineKind,
    stage: TrialDirectory,
    command: Command,
    processes: Sequence[tuple[int, str]],
    problem: str,
    given: Mapping[str, object],
    reference: tuple[int, Mapping[str, object]],
) -> Outcome:
    code, wanted = reference
    kept = stage.base / "kept"
    if kept.exists():  # files of a file system that is gone with its namespace
        name = "suite" if (kept / "scenarios").exists() else "out" if list(kept.iterdir()) else "tmp"
        shutil.copytree(kept, stage.folder / name, symlinks=True, dirs_exist_ok=True)
        shutil.rmtree(kept)
    result = _compared_files(stage)
    for path in {*given, *result}:
        if result.get(path) not in (given.get(path), wanted.get(path)):
            problem = f"{path} is neither as it was nor as it was to be"
    error = ""
    for each, output in processes:
        words = _error_line(output)
        if ("Traceback" in output and str(stage.base / "bin") not in output) or "bug in readfirst" in output:
            problem = f"exit code {each}: {output[-600:]}"
        elif each == code and result == wanted:
            continue
        elif each in _DOCUMENTED and words:
            error = f"exit code {each}: {words.replace(str(stage.folder), '…')}"
        else:
            problem = problem or f"exit code {each}, said {output[-600:]!r}"
    if error and kind.alike:
        problem = problem or f"not the same: {error}"
    return Outcome(command.name, error, problem)


def _run_command(
    stage: TrialDirectory, command: Command, machine: Machine
) -> tuple[list[tuple[int, str]], bool]:
    """Run a command. Return the exit code and the output of each process, and whether a process had to be killed."""
    words = [*machine.wrapper, sys.executable, "-m", "readfirst", *stage.words(command.words)]
    hung = False
    started = [
        subprocess.Popen(
            words,
            cwd=stage.folder,
            env=machine.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            **machine.options,  # type: ignore[call-overload]
        )
        for _ in range(machine.times)
    ]
    processes = []
    for process in started:
        try:
            output, _ = process.communicate(timeout=_HANG_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            hung = True
            process.kill()
            output, _ = process.communicate()
        processes.append((process.returncode, output))
    return processes, hung


def _compared_files(stage: TrialDirectory) -> dict[str, object]:
    """Return the files to compare, by path. For a file of results (JSON Lines), only the verdicts are returned."""
    found: dict[str, object] = dict(stage.state())
    stream = found.get("out/run.jsonl")
    if isinstance(stream, bytes):
        found["out/run.jsonl"] = [
            (line.get("scenario"), line.get("status"), line.get("levels"), line.get("differences"))
            for line in map(json.loads, stream.splitlines())
        ]
    return found
