"""Lock files: all packages of a target's version with their hashes, in a file next to the mapping.

`locks/NAME@VERSION.txt` is for pip, `.json` for npm. Neither names a registry. Without a lock file, only the mapping
pins the packages.
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

_SECONDS = 600
_REACHING = (
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
)
"""Environment variables that may be necessary for reaching a registry."""
_PIP_SETTINGS = ("index-url", "extra-index-url", "find-links", "no-index", "cert", "proxy", "trusted-host")
_NPM_SETTINGS = ("registry", "cafile", "proxy", "https-proxy")


def pip_lock(target: Target) -> bytes | None:
    """Return the content of the lock file for pip. None if the target has none. Raises AdapterError if the file is for
    different packages than those in the mapping.
    """
    file = _file(target, "txt")
    lock = file.read_bytes() if target.release.pip and file.exists() else None
    if lock is not None and lock.partition(b"\n")[0] != _heading(target.release).encode():
        raise _changed_error(target, file)
    return lock


def npm_lock(target: Target) -> bytes | None:
    """Return the content of the lock file for npm. None if the target has none. Raises AdapterError if the file is for
    different packages than those in the mapping.
    """
    file = _file(target, "json")
    lock = file.read_bytes() if target.release.npm and file.exists() else None
    if lock is not None:
        held = json.loads(lock)["packages"][""].get("dependencies")
        if held != npm_package(target.release)["dependencies"]:
            raise _changed_error(target, file)
    return lock


def check_npm(directory: Path, lock: bytes) -> None:
    """Compare the packages that npm has installed with the lock file. Raises AdapterError for a package without the
    pinned hash.

    No script of a package has run before this check. `npm ci` would check the same, but refuses lock files that npm
    itself writes if packages are for other systems.
    """
    ours = json.loads(lock)["packages"]
    installed = json.loads((directory / "node_modules" / ".package-lock.json").read_bytes())["packages"]
    for name, package in installed.items():
        held = ours.get(name, {}).get("integrity")
        if held != package.get("integrity") or not (held or package.get("inBundle")):
            raise AdapterError(f"npm installed {name}, but not with the pinned hash", blame="environment")


def npm_package(release: Release) -> dict[str, Any]:
    """Return the `package.json` of an environment."""
    pairs = [package.rpartition("@") for package in release.npm]
    return {"name": "target", "private": True, "dependencies": {name: version for name, _, version in pairs}}


def wheels_only(release: Release) -> list[str]:
    """Return the options that make pip and uv install only wheels. Packages listed in `sdists` of the mapping are built
    from source.
    """
    sources = [word for name in release.sdists for word in ("--no-binary", name)]
    return ["--only-binary", ":all:", *sources]


def registry_variables(home: Path) -> dict[str, str]:
    """Return the environment variables for pip and npm, with `home` as home directory. Of the user's settings, they
    contain only those for the registries.
    """
    variables = {name: os.environ[name] for name in _REACHING if name in os.environ}
    variables |= {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home), "LANG": "C.UTF-8"}
    pip = [sys.executable, "-m", "pip", "config", "get"]
    variables["PIP_CONFIG_FILE"] = variables["NPM_CONFIG_USERCONFIG"] = os.devnull
    for name in _PIP_SETTINGS:
        own = f"PIP_{name.upper().replace('-', '_')}"
        if value := os.environ.get(own) or _print_command([*pip, f"global.{name}"]):
            variables[own] = " ".join(value.split())
    if npm := shutil.which("npm"):
        printed = _print_command([npm, "config", "get", *_NPM_SETTINGS])
        settings = dict(line.partition("=")[::2] for line in printed.splitlines() if "=" in line)
        kept = {name: value for name, value in settings.items() if value not in ("", "null", "undefined")}
        variables |= {f"npm_config_{name.replace('-', '_')}": value for name, value in kept.items()}
    return variables


def renew(target: Target) -> list[Path]:
    """Rewrite the lock files of the target's version, and return their paths. Raises AdapterError, OSError.

    Needs uv (in the extra `observatory`), which resolves the packages for pip.
    """
    release, written = target.release, dict[Path, bytes]()
    with Scratch() as scratch:
        folder = scratch.folder()
        variables = registry_variables(folder)
        if release.pip:
            written[_file(target, "txt")] = _resolve_packages(target, folder, variables)
        if release.npm:
            (folder / "package.json").write_text(json.dumps(npm_package(release)))
            flags = ["--package-lock-only", "--ignore-scripts", "--omit-lockfile-registry-resolved"]
            _run_command(
                ["npm", "install", *flags, "--no-audit", "--no-fund", "--prefix", str(folder)], variables
            )
            lock = json.loads((folder / "package-lock.json").read_bytes())
            for package in lock["packages"].values():
                for address in ("resolved", "funding"):
                    package.pop(address, None)
            written[_file(target, "json")] = f"{json.dumps(lock, indent=1)}\n".encode()
    write_all(written)
    return list(written)


def _resolve_packages(target: Target, folder: Path, variables: dict[str, str]) -> bytes:
    release = target.release
    uv = shutil.which("uv", path=os.pathsep.join([str(Path(sys.executable).parent), variables["PATH"]]))
    if uv is None:
        raise AdapterError(
            "uv resolves the packages to pin and is not installed: pip install 'readfirst[observatory]'",
            blame="environment",
        )
    asked, locked = folder / "asked.txt", folder / "locked.txt"
    asked.write_text("\n".join(release.pip))
    python = target.oldest_python or "{}.{}".format(*sys.version_info)
    flags = [
        "--universal",
        "--generate-hashes",
        "--no-header",
        "--no-annotate",
        "--no-emit-index-url",
        "--no-strip-extras",
    ]
    # Only one registry: if two contain a package, neither version could be trusted.
    named = ["--index-url", variables["PIP_INDEX_URL"]] if "PIP_INDEX_URL" in variables else []
    command = [uv, "pip", "compile", *flags, *wheels_only(release), *named, "--python-version", python]
    _run_command([*command, "--quiet", "--output-file", str(locked), str(asked)], variables)
    return f"{_heading(release)}\n{locked.read_text('utf-8')}".encode()


def _file(target: Target, ending: str) -> Path:
    return target.file.parent / "locks" / f"{target.pinned}.{ending}"


def _heading(release: Release) -> str:
    return f"# {' '.join(release.pip)}"


def _changed_error(target: Target, file: Path) -> AdapterError:
    return AdapterError(
        f"{file} pins other packages than {target.file.name} names for {target.release.version}. "
        f"Renew it: readfirst targets list --pin {target.pinned}",
        blame="environment",
    )


def _print_command(command: Sequence[str]) -> str:
    done = run_program(command, seconds=_SECONDS)
    return done.stdout.strip() if done.returncode == 0 else ""


def _run_command(command: Sequence[str], variables: dict[str, str]) -> None:
    failure = f"{Path(command[0]).name} could not resolve the packages"
    run_program(command, seconds=_SECONDS, environment=variables, failure=failure)
