"""Platform: whether a scenario that holds on some systems alone holds here."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from readfirst.harness.session import UnsupportedCall

_SYSTEMS: Mapping[str, tuple[str, str]] = {
    "linux": ("linux", "Linux"),
    "macos": ("darwin", "macOS"),
    "windows": ("win32", "Windows"),
}
_FOLDERS: Mapping[str, tuple[str, str, str]] = {
    "case-insensitive": (
        "readfirst-a",
        "READFIRST-A",
        "a folder in which names may differ from their files' in case",
    ),
    "composing": ("readfirst-\u00e9", "readfirst-e\u0301", "a folder in which é has one form"),
}
"""The name of a file, another that leads to it there, and what it takes."""


def demand_platform(platform: str, folder: str | Path) -> None:
    """Raise UnsupportedCall unless what holds on that platform holds in an empty folder of this machine."""
    if platform in _SYSTEMS:
        system, name = _SYSTEMS[platform]
        if sys.platform != system:
            raise UnsupportedCall(name)
    elif platform:
        made, other, what = _FOLDERS[platform]
        if not _leads(Path(folder, made), Path(folder, other)):
            raise UnsupportedCall(what)


def _leads(made: Path, other: Path) -> bool:
    """Tell whether the second name leads to a file of the first, which is made for it and removed."""
    made.touch()
    try:
        return os.path.lexists(other)
    finally:
        made.unlink()
