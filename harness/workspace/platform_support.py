"""Check whether this machine supports the platform and the file names that a scenario needs."""

import os
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path

from readfirst.harness.adapter_api import UnsupportedCall
from readfirst.harness.suite.scenario import Scenario

_OPERATING_SYSTEMS: Mapping[str, tuple[str, str]] = {
    "linux": ("linux", "Linux"),
    "macos": ("darwin", "macOS"),
    "windows": ("win32", "Windows"),
}
_DIRECTORY_PROPERTIES: Mapping[str, tuple[str, str, str]] = {
    "case-insensitive": ("readfirst-a", "READFIRST-A", "a directory that ignores the case of names"),
    "composing": ("readfirst-\u00e9", "readfirst-e\u0301", "a directory that ignores the form of é"),
}
"""Platforms that are properties of a directory, each with two names that open one file there, and a description."""


def require_platform(platform: str, folder: str | Path) -> None:
    """Raise UnsupportedCall unless `platform` describes this machine (`linux`) or `folder` (`case-insensitive`)."""
    if platform in _OPERATING_SYSTEMS:
        system, name = _OPERATING_SYSTEMS[platform]
        if sys.platform != system:
            raise UnsupportedCall(name)
    elif platform:
        name, other, description = _DIRECTORY_PROPERTIES[platform]
        if not _is_same_file(Path(folder, name), Path(folder, other)):
            raise UnsupportedCall(description)


def require_distinct_names(scenario: Scenario, folder: str | Path) -> None:
    """Raise UnsupportedCall if two names in the scenario, such as `a` and `A`, are one file in `folder`."""
    names = scenario.all_paths
    joined = "/".join(names)
    if joined.isascii() and joined.islower():
        return
    if scenario.platform not in ("case-insensitive", "windows") and _differ_only_in_case(names):
        _refuse_property("case-insensitive", "a directory that distinguishes the case of names", folder)
    if scenario.platform != "composing" and any(map(unicodedata.combining, joined)):
        _refuse_property("composing", "a directory that distinguishes the forms of é", folder)


def _differ_only_in_case(names: Sequence[str]) -> bool:
    parts = ([part for part in name.split("/") if part not in ("", ".")] for name in names)
    prefixes = {"/".join(each[:end]) for each in parts for end in range(1, len(each) + 1)}
    return len({each.lower() for each in prefixes}) < len(prefixes)


def _refuse_property(platform: str, description: str, folder: str | Path) -> None:
    name, other, _ = _DIRECTORY_PROPERTIES[platform]
    if _is_same_file(Path(folder, name), Path(folder, other)):
        raise UnsupportedCall(description)


def _is_same_file(name: Path, other: Path) -> bool:
    """Whether `other` is a second name of the file `name`. The file is created for this test."""
    name.touch()
    try:
        return os.path.lexists(other)
    finally:
        name.unlink()
