"""Sampling: which line ending the files of a project usually have."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice

from reference_impl.permissions import IgnoreList
from reference_impl.text_file import format_of, read_bytes

__all__ = ["usual_line_ending"]

_SAMPLE = 15
_ENOUGH = 3


def usual_line_ending(root: str) -> str:
    """Return `\\r\\n` if more than 3 of the first 15 files below `root` have it, else `\\n`.

    Hidden files, links and ignored files do not count. Which 15 of more files are the first is not defined.
    """
    count = 0
    for path in islice(_files(root, []), _SAMPLE):
        try:
            count += format_of(read_bytes(path)).line_ending == "\r\n"
        except OSError:
            continue
    return "\r\n" if count > _ENOUGH else "\n"


def _files(directory: str, ignored: list[tuple[str, IgnoreList]]) -> Iterator[str]:
    ignored = ignored + _ignore_lists(directory, in_repository=_in_repository(directory))
    try:
        entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.is_symlink() or _is_ignored(entry.path, ignored):
            continue
        if entry.is_dir():
            yield from _files(entry.path, ignored)
        elif entry.is_file():
            yield entry.path


def _in_repository(directory: str) -> bool:
    while not os.path.exists(f"{directory}/.git"):
        if directory in ("", "/"):
            return False
        directory = os.path.dirname(directory)
    return True


def _ignore_lists(directory: str, *, in_repository: bool) -> list[tuple[str, IgnoreList]]:
    names = [".gitignore", ".ignore"] if in_repository else [".ignore"]
    lists = []
    for name in names:
        try:
            with open(f"{directory}/{name}", encoding="utf-8", errors="replace") as file:
                lists.append((directory, IgnoreList(file.read().splitlines())))
        except OSError:
            continue
    return lists


def _is_ignored(path: str, ignored: list[tuple[str, IgnoreList]]) -> bool:
    return any(patterns.matches(os.path.relpath(path, base)) for base, patterns in ignored)
