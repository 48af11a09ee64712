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

from tests.processes import none_mentions
from tools.faults.stage import CHECKOUT, COMMANDS, STREAM, Command, Stage

__all__ = ["SURROUNDINGS", "Outcome", "Surroundings", "Usual"]

_SECONDS = 120
"""Seconds until a command counts as hanging."""
_WRITTEN = (STREAM, next(command for command in COMMANDS if command.name == "record"))
_DOCUMENTED = (2, 3)
"""The documented exit codes for usage errors and for problems of the environment."""


@dataclass
class Machine:
    """The start of a command on one machine: its differences from a plain start in the directory of the stage."""

    stage: Stage
    environment: dict[str, str]
    wrapper: tuple[str, ...] = ()
    options: dict[str, object] = field(default_factory=dict)
    times: int = 1
    """Number of commands that are started at the same time."""


@dataclass(frozen=True)
class Surroundings:
    """One kind of machine. `alike`: the result must be the same; otherwise a clear error is also accepted."""

    name: str
    arrange: Callable[[Machine], None]
    alike: bool = True
    only: Callable[[], str] = str
    """Reason why the machine cannot be tested here. Empty if it can."""
    around: Callable[[], object] | None = None


@dataclass(frozen=True)
class Outcome:
    """Result of one command. `error` is empty if the result was the same. `problem` is a fault."""

    command: str
    error: str = ""
    problem: str = ""


def _set(**variables: str | None) -> Callable[[Machine], None]:
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
    """Mount directories read-only in a namespace, because root may write regardless of modes."""

    def arrange(machine: Machine) -> None:
        script = (
            'while [ "$1" != -- ]; do mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"; shift; done; '
            'shift; exec "$@"'
        )
        folders = [str(machine.stage.folder / name) for name in names]
        machine.wrapper = (*_namespace(), "sh", "-ec", script, "sh", *folders, "--")

    return arrange


def _full(folder: str, kilobytes: int) -> Callable[[Machine], None]:
    """Mount a file system over a directory, with its files and the given amount of free space."""

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


def _mask(mask: int) -> Callable[[Machine], None]:
    def arrange(machine: Machine) -> None:
        machine.options["umask"] = mask

    return arrange


def _as_nobody(machine: Machine) -> None:
    nobody = pwd.getpwnam("nobody")
    tools = machine.stage.base / "bin"
    for path in (machine.stage.folder, *machine.stage.folder.rglob("*"), tools, *tools.iterdir()):
        os.chown(path, nobody.pw_uid, nobody.pw_gid)
    become = ("setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups")
    closed = {path: folder for path in _needed() if (folder := _closed_above(path))}
    machine.wrapper = (*(_covered(machine, set(closed.values())) if closed else ()), *become)


def _no_home(machine: Machine) -> None:
    """Unset HOME, in a namespace with an empty home directory of the user."""
    _set(HOME=None, XDG_CACHE_HOME=None)(machine)
    machine.wrapper = _covered(machine, {Path(pwd.getpwuid(os.geteuid()).pw_dir)})


def _covered(machine: Machine, folders: Collection[Path]) -> tuple[str, ...]:
    """Return the words that run a command in empty directories, with only the files that Python and readfirst need."""
    needed = [path for path in _needed() if any(folder in path.parents for folder in folders)]
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


def _needed() -> list[Path]:
    """Return the directories of Python, its environment and readfirst that a command needs, none inside another."""
    found = {Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), CHECKOUT}
    return sorted(path for path in found if not found.intersection(path.parents))


def _closed_above(path: Path) -> Path | None:
    """Return the uppermost directory above a path that other users cannot enter."""
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
    """Set every clock of Python back by a day during the command. All files are then a day newer than the clock."""
    folder = machine.stage.base / "clock"
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(_BACK)
    machine.environment["PYTHONPATH"] = f"{folder}{os.pathsep}{machine.environment['PYTHONPATH']}"
    for path in machine.stage.folder.rglob("*"):
        later = path.lstat().st_mtime + 86400
        os.utime(path, (later, later), follow_symlinks=False)


def _twice(machine: Machine) -> None:
    machine.times = 2


@contextmanager
def _busy() -> Iterator[None]:
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


SURROUNDINGS = (
    Surroundings("4 busy loops beside", _set(), around=_busy),
    Surroundings("two at once, on the same files", _twice),
    Surroundings("no HOME", _no_home, only=_needs_mounts),
    Surroundings("HOME that is not there", _set(HOME="{folder}/nowhere", XDG_CACHE_HOME=None)),
    Surroundings("HOME that is a file", _set(HOME="{folder}/server.py", XDG_CACHE_HOME=None), alike=False),
    Surroundings("read-only home", _read_only("home"), only=_needs_mounts),
    Surroundings("read-only cache", _read_only("cache"), alike=False, only=_needs_mounts),
    Surroundings(
        "read-only directory for results", _read_only("out", "suite"), alike=False, only=_needs_mounts
    ),
    Surroundings("read-only TMPDIR", _read_only("tmp"), only=_needs_mounts),
    Surroundings("no TMPDIR", _set(TMPDIR=None)),
    Surroundings("TMPDIR that is not there", _set(TMPDIR="{folder}/nowhere")),
    Surroundings("TMPDIR that is a file", _set(TMPDIR="{folder}/server.py")),
    Surroundings(
        "TMPDIR with spaces, quotes and umlauts", _temporary_folder("grün 'n' \"q\" $WS"), alike=False
    ),
    Surroundings("TMPDIR of 300 characters", _temporary_folder("/".join(["x" * 99] * 3))),
    Surroundings("TMPDIR that is a symbolic link", _linked_temporary_folder),
    Surroundings("umask 077", _mask(0o077)),
    Surroundings("umask 000", _mask(0)),
    Surroundings("C locale", _set(LANG=None, LC_ALL="C")),
    Surroundings("ASCII file names", _set(LANG=None, LC_ALL="C", PYTHONUTF8="0"), alike=False),
    Surroundings("user nobody", _as_nobody, only=_needs_root),
    Surroundings("user nobody, home and cache of another", _home_of_another, alike=False, only=_needs_root),
    Surroundings("clock set back by a day", _clock_set_back),
    *(
        Surroundings(f"no file above {size:,} bytes", _no_file_above(size), alike=False)
        for size in (0, 1000, 10_000)
    ),
    *(
        Surroundings(f"{room} KiB left for {what}", _full(folder, room), alike=False, only=_needs_mounts)
        for folder, what in (("tmp", "temporary files"), ("out", "results"), ("suite", "the suite"))
        for room in (4, 8, 16, 64)
    ),
)


class Usual:
    """Results of the commands on an ordinary machine. Each command runs once, for all comparisons."""

    def __init__(self, base: Path) -> None:
        self._stage = stage = Stage(base, scenarios=6)
        self._came: dict[str, tuple[int, Mapping[str, object]]] = {}
        for command in _WRITTEN:
            stage.fresh()
            (ended,), _ = _ran(stage, command, Machine(stage, stage.environment()))
            assert ended[0] in (0, 1), ended
            self._came[command.name] = ended[0], _result(stage)

    def outcomes(self, surroundings: Surroundings) -> Iterator[Outcome]:
        """Run the commands on this machine, and compare the results."""
        stage = self._stage
        for command in _WRITTEN:
            stage.fresh()
            given = _result(stage)
            machine = Machine(stage, stage.environment())
            surroundings.arrange(machine)
            arranged = stage.left()
            with surroundings.around() if surroundings.around is not None else ExitStack():  # type: ignore[attr-defined]
                ended, hung = _ran(stage, command, machine)
            problem = "it hangs" if hung else _left(stage, arranged)
            yield _judged(surroundings, stage, command, ended, problem, given, self._came[command.name])


def _words(said: str) -> str:
    """Return the line of the output that states why a command stopped."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    reasons = [line for start in ("readfirst:", "broken ") for line in lines if line.startswith(start)]
    return (reasons or lines[-1:] or [""])[0].removeprefix("readfirst: ")


def _left(stage: Stage, arranged: Collection[str]) -> str:
    """Report the files that a command left in addition to the arranged files."""
    if not none_mentions(str(stage.folder)):
        return "a process goes on"
    left = [path for path in stage.left() if path not in arranged]
    return f"left {left}" if left else ""


def _judged(
    surroundings: Surroundings,
    stage: Stage,
    command: Command,
    ended: Sequence[tuple[int, str]],
    problem: str,
    given: Mapping[str, object],
    came: tuple[int, Mapping[str, object]],
) -> Outcome:
    code, wanted = came
    kept = stage.base / "kept"
    if kept.exists():  # files of a file system that is gone with its namespace
        folder = stage.folder / (
            "suite" if (kept / "scenarios").exists() else "out" if list(kept.iterdir()) else "tmp"
        )
        shutil.copytree(kept, folder, symlinks=True, dirs_exist_ok=True)
        shutil.rmtree(kept)
    result = _result(stage)
    for path in {*given, *result}:
        if result.get(path) not in (given.get(path), wanted.get(path)):
            problem = f"{path} is neither as it was nor as it was to be"
    error = ""
    for each, said in ended:
        words = _words(said)
        if ("Traceback" in said and str(stage.base / "bin") not in said) or "bug in readfirst" in said:
            problem = f"exit code {each}: {said[-600:]}"
        elif each == code and result == wanted:
            continue
        elif each in _DOCUMENTED and words:
            error = f"exit code {each}: {words.replace(str(stage.folder), '…')}"
        else:
            problem = problem or f"exit code {each}, said {said[-600:]!r}"
    if error and surroundings.alike:
        problem = problem or f"not the same: {error}"
    return Outcome(command.name, error, problem)


def _ran(stage: Stage, command: Command, machine: Machine) -> tuple[list[tuple[int, str]], bool]:
    """Return the exit code and the output of each started command, and whether a command had to be killed."""
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
    ended = []
    for process in started:
        try:
            said, _ = process.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            hung = True
            process.kill()
            said, _ = process.communicate()
        ended.append((process.returncode, said))
    return ended, hung


def _result(stage: Stage) -> dict[str, object]:
    """Return the compared files; of a result stream only the verdicts."""
    found: dict[str, object] = dict(stage.state())
    stream = found.get("out/run.jsonl")
    if isinstance(stream, bytes):
        found["out/run.jsonl"] = [
            (line.get("scenario"), line.get("status"), line.get("levels"), line.get("differences"))
            for line in map(json.loads, stream.splitlines())
        ]
    return found
