"""Install exact versions of the product from npm into a cache outside the repository."""

import os
import re
import shutil
import tempfile
from functools import partial
from pathlib import Path

import platformdirs

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.agents.npm import npm
from readfirst.harness.processes.install_lock import install_once

PACKAGE = "@anthropic-ai/claude-code"
REFUSED_VERSIONS = frozenset({"2.1.88"})
"""Versions that are never installed, because their package contains more than the program (a source map)."""

_EXACT_VERSION_PATTERN = re.compile(r"(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}")
_INSTALL_TIMEOUT_S = 300


def cache_root() -> Path:
    """Return the directory that contains the installed versions. Each version has a subdirectory."""
    return platformdirs.user_cache_path("readfirst") / "claude-code"


def install(version: str) -> tuple[str, ...]:
    """Return the command line that starts an exact version of the product. The version is installed unless it is in the
    cache. Raises AdapterError with the end of npm's output if the version cannot be installed.
    """
    _check_version(version)
    directory = cache_root().absolute() / version
    install_once(directory, _is_complete, partial(_npm_install, f"{PACKAGE}@{version}", directory))
    return _find_command(directory)


def _check_version(version: str) -> None:
    if not _EXACT_VERSION_PATTERN.fullmatch(version):
        raise AdapterError(
            f"not an exact version: {version!r}; write for example claude-code:2.1.7", blame="environment"
        )
    if version in REFUSED_VERSIONS:
        raise AdapterError(
            f"version {version} is never installed: its package contains more than the program; choose another version",
            blame="environment",
        )


def _is_complete(folder: Path) -> bool:
    return folder.is_dir() and not folder.name.startswith(".")


def _npm_install(spec: str, directory: Path) -> None:
    with tempfile.TemporaryDirectory(dir=directory.parent, prefix=f".{directory.name}-") as temporary:
        options = ["--prefix", temporary, "--ignore-scripts", "--no-audit", "--no-fund"]
        npm(
            ["install", *options, "--", spec],
            about=spec,
            needed="the real product needs npm and node",
            seconds=_INSTALL_TIMEOUT_S,
            failure=f"npm could not install {spec}",
        )
        Path(temporary).rename(directory)
        # The context manager needs its directory.
        Path(temporary).mkdir()


def _find_command(directory: Path) -> tuple[str, ...]:
    home = directory / "node_modules" / PACKAGE
    script = home / "cli.js"
    if script.is_file():
        node = shutil.which("node")
        if node is None:
            raise AdapterError(
                "node is not installed; this version of the product needs it", blame="environment"
            )
        return (os.path.realpath(node), str(script))
    # Later versions are binaries: npm installs a separate package for this platform.
    for platform in sorted(home.parent.glob(f"{home.name}-*")):
        binary = platform / "claude"
        if binary.is_file():
            return (str(binary.resolve()),)
    raise AdapterError(
        f"the package {PACKAGE} of version {directory.name} contains no program", blame="environment"
    )
