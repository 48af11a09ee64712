"""Read and write lock files, which list all packages of a target's version with their hashes.

`locks/NAME@VERSION.txt` is the lock file for pip, `locks/NAME@VERSION.json` the one for npm. Lock files contain no
address of a registry. Without a lock file, only the packages listed in the mapping have a fixed version.
"""

import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.processes.supervised_process import run_program
from readfirst.harness.processes.temp_dirs import Scratch
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.observatory.targets.mapping import Release, Target

_TIMEOUT_S = 600
_NETWORK_VARIABLES = (
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
)
"""Environment variables of the user that pip and npm may need to reach a registry, for example through a proxy."""
_PIP_SETTINGS = ("index-url", "extra-index-url", "find-links", "no-index", "cert", "proxy", "trusted-host")
_NPM_SETTINGS = ("registry", "cafile", "proxy", "https-proxy")


def pip_lock(target: Target) -> bytes | None:
    """Return the target's lock file for pip, or None. Raises AdapterError if the mapping lists different packages."""
    file = _lock_file(target, "txt")
    lock = file.read_bytes() if target.release.pip and file.exists() else None
    if lock is not None and lock.partition(b"\n")[0] != _lock_heading(target.release).encode():
        raise _changed_error(target, file)
    return lock


def npm_lock(target: Target) -> bytes | None:
    """Return the target's lock file for npm, or None. Raises AdapterError if the mapping lists different packages."""
    file = _lock_file(target, "json")
    lock = file.read_bytes() if target.release.npm and file.exists() else None
    if lock is not None:
        pinned = json.loads(lock)["packages"][""].get("dependencies")
        if pinned != npm_package(target.release)["dependencies"]:
            raise _changed_error(target, file)
    return lock


def check_npm_hashes(directory: Path, lock: bytes) -> None:
    """Raise AdapterError if an installed package's hash differs from `lock`. (`npm ci` refuses some valid files.)"""
    ours = json.loads(lock)["packages"]
    installed = json.loads((directory / "node_modules" / ".package-lock.json").read_bytes())["packages"]
    for name, package in installed.items():
        pinned = ours.get(name, {}).get("integrity")
        if pinned != package.get("integrity") or not (pinned or package.get("inBundle")):
            raise AdapterError(f"npm installed {name}, but not with the pinned hash", blame="environment")


def npm_package(release: Release) -> dict[str, Any]:
    """Return the `package.json` that npm uses to install the packages of a release, in JSON types."""
    pairs = [package.rpartition("@") for package in release.npm]
    return {"name": "target", "private": True, "dependencies": {name: version for name, _, version in pairs}}


def wheel_options(release: Release) -> list[str]:
    """Return the options that make pip and uv use only wheels, except for packages in `sdists`."""
    sources = [word for name in release.sdists for word in ("--no-binary", name)]
    return ["--only-binary", ":all:", *sources]


def registry_variables(home: Path) -> dict[str, str]:
    """Return variables for pip and npm: the user's settings of registries and network, and `home` as home directory."""
    variables = {name: os.environ[name] for name in _NETWORK_VARIABLES if name in os.environ}
    variables |= {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home), "LANG": "C.UTF-8"}
    pip = [sys.executable, "-m", "pip", "config", "get"]
    variables["PIP_CONFIG_FILE"] = variables["NPM_CONFIG_USERCONFIG"] = os.devnull
    for name in _PIP_SETTINGS:
        own = f"PIP_{name.upper().replace('-', '_')}"
        if value := os.environ.get(own) or _command_output([*pip, f"global.{name}"]):
            variables[own] = " ".join(value.split())
    if npm := shutil.which("npm"):
        printed = _command_output([npm, "config", "get", *_NPM_SETTINGS])
        settings = dict(line.partition("=")[::2] for line in printed.splitlines() if "=" in line)
        kept = {name: value for name, value in settings.items() if value not in ("", "null", "undefined")}
        variables |= {f"npm_config_{name.replace('-', '_')}": value for name, value in kept.items()}
    return variables


def renew_locks(target: Target) -> list[Path]:
    """Resolve the packages with uv and npm, and return the paths of the new lock files. Raises AdapterError."""
    release, written = target.release, dict[Path, bytes]()
    with Scratch() as scratch:
        folder = scratch.folder()
        variables = registry_variables(folder)
        if release.pip:
            written[_lock_file(target, "txt")] = _resolve_packages(target, folder, variables)
        if release.npm:
            (folder / "package.json").write_text(json.dumps(npm_package(release)))
            flags = ["--package-lock-only", "--ignore-scripts", "--omit-lockfile-registry-resolved"]
            flags += ["--no-audit", "--no-fund", "--prefix", str(folder)]
            _run_command(["npm", "install", *flags], variables)
            lock = json.loads((folder / "package-lock.json").read_bytes())
            for package in lock["packages"].values():
                for address in ("resolved", "funding"):
                    package.pop(address, None)
            written[_lock_file(target, "json")] = f"{json.dumps(lock, indent=1)}\n".encode()
    write_all(written)
    return list(written)


def _resolve_packages(target: Target, folder: Path, variables: dict[str, str]) -> bytes:
    release = target.release
    uv = shutil.which("uv", path=os.pathsep.join([str(Path(sys.executable).parent), variables["PATH"]]))
    if uv is None:
        raise AdapterError(
            "uv is required to resolve the packages, and is not installed: pip install 'readfirst[observatory]'",
            blame="environment",
        )
    requested, locked = folder / "asked.txt", folder / "locked.txt"
    requested.write_text("\n".join(release.pip))
    python = target.oldest_python or "{}.{}".format(*sys.version_info)
    flags = ["--universal", "--generate-hashes", "--no-header", "--no-annotate"]
    flags += ["--no-emit-index-url", "--no-strip-extras", "--quiet"]
    # Only one registry: if two contain a package, neither version could be trusted.
    named = ["--index-url", variables["PIP_INDEX_URL"]] if "PIP_INDEX_URL" in variables else []
    command = [uv, "pip", "compile", *flags, *wheel_options(release), *named, "--python-version", python]
    _run_command([*command, "--output-file", str(locked), str(requested)], variables)
    return f"{_lock_heading(release)}\n{locked.read_text('utf-8')}".encode()


def _lock_file(target: Target, ending: str) -> Path:
    return target.file.parent / "locks" / f"{target.pinned}.{ending}"


def _lock_heading(release: Release) -> str:
    return f"# {' '.join(release.pip)}"


def _changed_error(target: Target, file: Path) -> AdapterError:
    return AdapterError(
        f"{file} pins different packages than {target.file.name} for {target.release.version}. "
        f"Renew it: readfirst targets list --pin {target.pinned}",
        blame="environment",
    )


def _command_output(command: Sequence[str]) -> str:
    done = run_program(command, seconds=_TIMEOUT_S)
    return done.stdout.strip() if done.returncode == 0 else ""


def _run_command(command: Sequence[str], variables: dict[str, str]) -> None:
    failure = f"{Path(command[0]).name} could not resolve the packages"
    run_program(command, seconds=_TIMEOUT_S, environment=variables, failure=failure)
