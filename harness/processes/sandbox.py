"""The sandbox of programs, which `bwrap` (bubblewrap) creates with namespaces and read-only mounts."""

import logging
import os
import pwd
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import which

import readfirst
from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.errors import ExitCode, ReadfirstError
from readfirst.harness.processes.shown import Covered, shown_paths
from readfirst.harness.processes.supervisor import INPUT_FD, OUTPUT_FD

# `os.path` treats inaccessible paths as missing; pathlib raises.
# ruff: noqa: PTH112

_PROBE_TIMEOUT_S = 20.0
_SET_LIMITS = "ulimit -d 4194304; ulimit -f 2097152; ulimit -p 512 2>/dev/null || ulimit -u 512; "
"""Shell commands that limit a program: 4 GiB of memory, files of 1 GiB, 512 processes (`-p` in dash, else `-u`)."""
_REDIRECTIONS = f"<&{INPUT_FD} >&{OUTPUT_FD} {INPUT_FD}<&- {OUTPUT_FD}>&-"
_ADDED_VARIABLES = ("PWD", "OLDPWD", "SHLVL", "_")
"""Environment variables that bubblewrap and a shell add. They are removed before the program starts."""
_HIDDEN_DIRECTORIES = ("/home", "/root", "/tmp", "/var/tmp", "/run", "/dev/shm")
_NEVER_HIDDEN = ("/", "/usr", "/etc", "/lib", "/bin")
"""Directories that every program needs, visible even if they are the user's home, as in some containers."""
_BWRAP_OPTIONS = (
    *("--unshare-all", "--die-with-parent", "--cap-drop", "ALL"),
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
    # The kernel lets root write these settings even without capabilities.
    *("--ro-bind-try", "/proc/sys", "/proc/sys"),
    *("--ro-bind-try", "/proc/sysrq-trigger", "/proc/sysrq-trigger"),
    *("--ro-bind-try", "/proc/irq", "/proc/irq"),
    *("--ro-bind-try", "/proc/bus", "/proc/bus"),
)
INSTALL = "Install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap)"


class SandboxUnavailableError(ReadfirstError):
    """Raised if a suite is not trusted and therefore requires the sandbox, but this system does not support it."""

    exit_code = ExitCode.SUITE_INVALID


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Settings of a program's sandbox. `hidden` contains paths that the program cannot see, `own` additional paths that
    it can read. With `quiet`, readable private paths of the user are not logged.
    """

    hidden: tuple[Path, ...] = ()
    own: tuple[Path, ...] = ()
    quiet: bool = False

    def wrap(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        directory: Path,
        writable: Sequence[Path],
    ) -> list[str]:
        """Return the command line in the sandbox. The first use logs the private paths that the program can read."""
        private = _private_paths()
        hidden = sorted(
            {_resolve_path(path) for path in (*suite_paths(), *self.hidden) if os.path.lexists(path)}
        )
        covered = Covered(private, hidden)
        shown = shown_paths(command, environment, own=self.own, writable=writable, covered=covered)
        if writable and not self.quiet:
            outer = sorted(path for path in shown if shown.keys().isdisjoint(path.parents))
            listed = ", ".join(map(str, outer)) or "nothing"
            warn_once(f"--confine: of your home, /tmp and /run, the program can read {listed}")
        mounts = {target: ["--ro-bind", str(path), str(target)] for target, path in shown.items()}
        for path in _visible_names(hidden, shown, empty=private):
            is_folder = os.path.isdir(path)
            mounts[path] = ["--tmpfs", str(path)] if is_folder else ["--ro-bind", os.devnull, str(path)]
        options = [*_BWRAP_OPTIONS, *_repeat_option("--tmpfs", private)]
        for target in sorted(mounts):  # outer directories first
            options += mounts[target]
        for path in map(_resolve_path, writable):
            options += ["--bind", str(path), str(path)]
        options += [*_repeat_option("--remount-ro", [*private, Path("/dev")]), "--chdir", str(directory)]
        return _make_command(options, _SET_LIMITS + _start_script(environment), command)


def wrap_unconfined(
    command: Sequence[str], environment: Mapping[str, str], *, offline: bool
) -> list[str] | None:
    """Return the command line that runs `command` in a separate process namespace. The program can use all files. With
    `offline`, it has no network. None if bubblewrap does not work.
    """
    if find_problem():
        return None
    network = ["--unshare-net"] if offline else []
    options = ["--die-with-parent", "--dev-bind", "/", "/", "--proc", "/proc", "--unshare-pid", *network]
    return _make_command(options, _start_script(environment), command)


def find_sandbox(hidden: Sequence[Path] = ()) -> Sandbox:
    """Return the sandbox of `--confine`. Raises AdapterError if the system does not support the sandbox."""
    if problem := find_problem():
        raise AdapterError(f"--confine is not possible here: {problem}. {INSTALL}.", blame="environment")
    if os.geteuid() == 0:
        warn_once("--confine: Linux does not limit the number of root's processes; run it as a user")
    return Sandbox(tuple(hidden))


def sandbox_for_suite(*roots: Path) -> Sandbox:
    """Return the sandbox for programs of a suite that is not trusted. The sandbox hides the directories `roots` of the
    suite. Raises SandboxUnavailableError if the system does not support the sandbox.
    """
    if problem := find_problem():
        raise SandboxUnavailableError(
            f"{roots[-1]} is not the bundled suite, so its programs need a sandbox, which is not available here: "
            f"{problem}. {INSTALL}, or add --trust to run the suite with your own rights."
        )
    return Sandbox(tuple(root.absolute() for root in roots), quiet=True)


@cache
def find_problem() -> str:
    """Return the reason why bubblewrap, which creates the sandbox, does not work on this system. Empty if it works."""
    if not sys.platform.startswith("linux"):
        return "bubblewrap is for Linux"
    if _find_bwrap() is None:
        return "bubblewrap is not installed"
    try:
        probe = _make_command(_BWRAP_OPTIONS, 'exec "$@"', [which("true", path=os.defpath) or "true"])
        result = subprocess.run(probe, capture_output=True, timeout=_PROBE_TIMEOUT_S, check=False, text=True)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if result.returncode == 0:
        return ""
    return result.stderr.strip() or f"bwrap ended with exit status {result.returncode}"


@cache
def suite_paths() -> tuple[Path, ...]:
    """Return the paths of readfirst's scenarios, recordings and reports. Sandboxed programs must not see them."""
    package = Path(readfirst.__file__).parent.resolve()
    paths = [package / "fixtures", package / "docs"]
    if (package.parent / "fixtures" / "contracts.yaml").is_file():
        paths += [package.parent / name for name in ("fixtures", "docs", "tests", "build", "dist", ".git")]
    return tuple(paths)


def _find_bwrap() -> str | None:
    return which("bwrap", path=os.defpath) or which("bwrap")


def _make_command(options: Sequence[str], script: str, command: Sequence[str]) -> list[str]:
    return [_find_bwrap() or "bwrap", *options, "--", "/bin/sh", "-c", script, "sh", *command]


def _start_script(environment: Mapping[str, str]) -> str:
    """Return a shell script that executes the program without variables that the shell and bubblewrap have added."""
    unset = " ".join(f"-u {name}" for name in _ADDED_VARIABLES if name not in environment)
    return f'exec {unset and "env "}{unset} "$@" {_REDIRECTIONS}'


def _private_paths() -> tuple[Path, ...]:
    """Return the user's private directories, such as the home. A program sees only required files in them."""
    candidates = {*_HIDDEN_DIRECTORIES, tempfile.gettempdir()}
    with suppress(RuntimeError, KeyError):  # in a container a user may be unknown and have no home
        candidates |= {str(Path.home()), pwd.getpwuid(os.getuid()).pw_dir}
    paths = {_resolve_path(Path(path)) for path in candidates if os.path.isdir(path)}
    return tuple(sorted(path for path in paths if str(path) not in _NEVER_HIDDEN))


def _visible_names(
    hidden: Iterable[Path], shown: Mapping[Path, Path], empty: Sequence[Path]
) -> Iterator[Path]:
    """Yield every path in the sandbox where a hidden directory would be visible: its own path, unless a directory in
    `empty` contains it, and the corresponding path in each `shown` directory that contains the hidden directory.
    """
    for path in hidden:
        if not any(folder in path.parents for folder in empty):
            yield path
        yield from (name / path.relative_to(real) for name, real in shown.items() if real in path.parents)


def _repeat_option(name: str, paths: Iterable[Path]) -> list[str]:
    return [word for path in paths for word in (name, str(path))]


def _resolve_path(path: Path) -> Path:
    return Path(os.path.realpath(path))


@cache
def warn_once(message: str) -> None:
    """Log a warning. Later calls with the same message do nothing."""
    logging.getLogger("readfirst").warning("%s", message)
