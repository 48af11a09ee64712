"""Determine the usual line ending of a project's files, which some versions use for new files."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from itertools import islice

from readfirst.reference_impl.files import disk
from readfirst.reference_impl.files.ignore_list import IgnoreList
from readfirst.reference_impl.text.content import line_ending_of

__all__ = ["usual_line_ending"]

_SAMPLE_FILES = 15
_CRLF_THRESHOLD = 3


def usual_line_ending(root: str) -> str:
    """Return the line ending of most files below `root`: `\\r\\n` if more than 3 of 15 files use it, otherwise `\\n`.
    Hidden files, links and ignored files are not counted.
    """
    count = 0
    for path in islice(_sample_files(root, []), _SAMPLE_FILES):
        try:
            count += line_ending_of(disk.read(path)) == "\r\n"
        except OSError:
            continue
    return "\r\n" if count > _CRLF_THRESHOLD else "\n"


def _sample_files(directory: str, ignored: list[tuple[str, IgnoreList]]) -> Iterator[str]:
    ignored = ignored + _ignore_lists(directory)
    for name in disk.directory_entries(directory):
        path = posixpath.join(directory, name)
        if name.startswith(".") or disk.is_link(path) or _is_ignored(path, ignored):
            continue
        if disk.is_directory(path):
            yield from _sample_files(path, ignored)
        elif disk.is_file(path):
            yield path


def _ignore_lists(directory: str) -> list[tuple[str, IgnoreList]]:
    names = [".gitignore", ".ignore"] if _in_repository(directory) else [".ignore"]
    paths = [posixpath.join(directory, name) for name in names]
    return [
        (directory, IgnoreList(_utf8_lines(path), as_git=True, ignore_case=False))
        for path in paths
        if disk.is_file(path)
    ]


def _utf8_lines(path: str) -> list[str]:
    """Return the lines of a file. The result ends before the first line that is not UTF-8."""
    data = disk.read(path)
    try:
        return data.decode().splitlines()
    except UnicodeDecodeError as error:
        return data[: error.start].decode().split("\n")[:-1]


def _in_repository(directory: str) -> bool:
    while not disk.exists(posixpath.join(directory, ".git")):
        if directory == "/":
            return False
        directory = posixpath.dirname(directory)
    return True


def _is_ignored(path: str, ignored: list[tuple[str, IgnoreList]]) -> bool:
    return any(patterns.matches(posixpath.relpath(path, base)) for base, patterns in ignored)
