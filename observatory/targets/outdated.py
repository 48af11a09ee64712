"""Find targets with newer versions in their registry, and add a version to a mapping file."""

import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.agents.npm import npm
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.processes.supervised_process import run_program
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.observatory.targets.catalogue import find, names
from readfirst.observatory.targets.mapping import Release, Target

_TIMEOUT_S = 60
_PARALLEL_REQUESTS = 4
_VERSION_PATTERN = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+_-]*")


class PinError(ReadfirstError):
    """A version cannot be added to a mapping file. The message states the reason."""


@dataclass(frozen=True, slots=True)
class OutdatedTarget:
    """A target whose `package` has a newer version (`newest`) in its registry than in the mapping file (`pinned`)."""

    name: str
    pinned: str
    newest: str
    kind: str
    package: str


def outdated_targets() -> Iterator[OutdatedTarget]:
    """Yield the targets with a newer version in their registry, by name. Raises AdapterError if a registry fails."""
    asked = [
        (target, found)
        for target in map(find, names())
        if not target.last and (found := _release_package(target.release)) is not None
    ]
    with ThreadPoolExecutor(_PARALLEL_REQUESTS) as pool:
        answers = pool.map(lambda each: _newest_version(*each), asked)
        for (target, (_, package)), newest in zip(asked, answers, strict=True):
            if _is_newer(newest, target.release.version):
                yield OutdatedTarget(target.name, target.release.version, newest, target.kind, package)


def _release_package(release: Release) -> tuple[str, str] | None:
    """Return the manager (`npm`, `pip`) and name of the package that has the version of the release, or None."""
    for manager, sign, packages in (("npm", "@", release.npm), ("pip", "==", release.pip)):
        for package in packages:
            name, _, version = package.rpartition(sign)
            if version == release.version:
                return manager, name.partition("[")[0]
    return None


def _newest_version(target: Target, package: tuple[str, str]) -> str:
    manager, name = package
    if manager == "npm":
        needed = f"it looks up the newest version of {name}"
        done = npm(["view", name, "version"], about=name, needed=needed, seconds=_TIMEOUT_S)
        answered = re.search(r"(\S+)\s*\Z", done.stdout)
    else:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
        python = ["--python-version", target.oldest_python] if target.oldest_python else []
        command = [*pip, "index", "versions", *python, name]
        done = run_program(command, seconds=_TIMEOUT_S, about=f"pip index versions {name}")
        answered = re.match(r"\S+ \((\S+)\)", done.stdout)
    if done.returncode != 0 or answered is None:
        raise AdapterError(
            f"{manager} cannot find the newest version of {name}: check the network, and whether the name is correct",
            blame="environment",
            details=done.stderr[-2000:],
        )
    return answered[1]


def _is_newer(newest: str, pinned: str) -> bool:
    try:
        return Version(newest) > Version(pinned)
    except InvalidVersion:
        return newest != pinned


def add_version(target: Target, version: str) -> None:
    """Add `version` to the mapping file with a copy of the newest version's line. Raises PinError if impossible."""
    if not _VERSION_PATTERN.fullmatch(version):
        raise PinError(f"{version!r} is not a version")
    if version in target.versions:
        raise PinError(f"{target.file} already contains {version}")
    release = target.release
    lines = target.file.read_text("utf-8").splitlines(keepends=True)
    matching = [
        number
        for number, line in enumerate(lines)
        if re.match(rf' +"?{re.escape(release.version)}"?: \{{', line)
    ]
    if len(matching) != 1 or not lines[matching[0]].rstrip().endswith("}"):
        raise PinError(f"{target.file} does not contain {release.version} on one line: add {version} by hand")
    line = re.sub(r",? *released: *[^,}]*", "", lines[matching[0]])
    lines.insert(matching[0] + 1, re.sub(rf"(?<![\d.]){re.escape(release.version)}(?![\d.])", version, line))
    write_all({target.file: "".join(lines).encode()})
