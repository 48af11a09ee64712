"""Check whether this machine supports a scenario's platform and its file names."""

import os
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path

from readfirst.harness.adapter_api import UnsupportedCall
from readfirst.harness.suite.scenario import Scenario

_SYSTEMS: Mapping[str, tuple[str, str]] = {
    "linux": ("linux", "Linux"),
    "macos": ("darwin", "macOS"),
    "windows": ("win32", "Windows"),
}
_FOLDERS: Mapping[str, tuple[str, str, str]] = {
    "case-insensitive": (
        "readfirst-a",
        "READFIRST-A",
        "a directory that ignores the case of names",
    ),
    "composing": ("readfirst-\u00e9", "readfirst-e\u0301", "a directory that ignores the form of é"),
}
"""For each platform that is a property of a directory: the name of a file, another name that leads to this file if
the directory has the property, and a description of such a directory.
"""


def require_platform(platform: str, folder: str | Path) -> None:
    """Raise UnsupportedCall if this machine, or the empty directory `folder`, is not of the platform that a scenario
    needs. An empty `platform` is always supported.
    """
    if platform in _SYSTEMS:
        system, name = _SYSTEMS[platform]
        if sys.platform != system:
            raise UnsupportedCall(name)
    elif platform:
        made, other, what = _FOLDERS[platform]
        if not _leads(Path(folder, made), Path(folder, other)):
            raise UnsupportedCall(what)


def require_distinct_names(scenario: Scenario, folder: str | Path) -> None:
    """Raise UnsupportedCall if the directory treats two names of a scenario as the same name, for example `a` and
    `A`. Nothing is raised if the scenario needs such a directory.
    """
    names = scenario.names
    together = "/".join(names)
    if together.isascii() and together.islower():
        return
    if scenario.platform not in ("case-insensitive", "windows") and _in_two_cases(names):
        _forbid("case-insensitive", "a directory that distinguishes the case of names", folder)
    if scenario.platform != "composing" and any(map(unicodedata.combining, together)):
        _forbid("composing", "a directory that distinguishes the forms of é", folder)


def _in_two_cases(names: Sequence[str]) -> bool:
    parts = ([part for part in name.split("/") if part not in ("", ".")] for name in names)
    spelled = {"/".join(each[:end]) for each in parts for end in range(1, len(each) + 1)}
    return len({each.lower() for each in spelled}) < len(spelled)


def _forbid(platform: str, what: str, folder: str | Path) -> None:
    made, other, _ = _FOLDERS[platform]
    if _leads(Path(folder, made), Path(folder, other)):
        raise UnsupportedCall(what)


def _leads(made: Path, other: Path) -> bool:
    """Whether the name `other` leads to the file `made`. The file is created for this test and removed afterwards."""
    made.touch()
    try:
        return os.path.lexists(other)
    finally:
        made.unlink()
