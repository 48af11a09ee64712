"""Packed: files of the installed package that lie in one archive in their folder, which `.ci/wheel_files.py` makes.

What hundreds of files repeat is in a wheel once. Only the package's own archives are opened.
"""

import hashlib
import json
import tarfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import readfirst

ARCHIVE = "packed.tar.xz"
INDEX = ".packed.json"
"""What is in the archives of the folders beside it: by folder, and by file, the names of what the file holds."""


def packed(folder: Path) -> Mapping[str, bytes]:
    """Return the files of a folder that lie in its archive, by name: none, where it is not the package's own."""
    return _files(folder / ARCHIVE) if _is_own(folder) else {}


def index(folder: Path) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return what the index in a folder says, which takes no archive to be opened; nothing, as `packed`."""
    return _index(folder / INDEX) if _is_own(folder) else {}


def digest(file: Path) -> bytes:
    """Return what is the same as long as a file in its folder's archive is, which is not opened; nothing, as `packed`.

    The folder above has an index.
    """
    folder = file.parent
    is_there = file.name in index(folder.parent).get(folder.name, {})
    return _digest(folder / ARCHIVE) + file.name.encode() if is_there else b""


def bytes_of(file: Path) -> bytes:
    """Return the bytes of a file, or of one in its folder's archive. Raises OSError."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        found = packed(file.parent).get(file.name)
        if found is None:
            raise
        return found


def is_there(file: Path) -> bool:
    """Tell whether a file is there, or in its folder's archive."""
    return file.exists() or file.name in packed(file.parent)


def _is_own(folder: Path) -> bool:
    return folder.resolve().is_relative_to(Path(readfirst.__file__).parent.resolve())


@cache
def _index(file: Path) -> Mapping[str, Mapping[str, Sequence[str]]]:
    found: Mapping[str, Mapping[str, Sequence[str]]] = json.loads(file.read_bytes()) if file.is_file() else {}
    return found


@cache
def _digest(archive: Path) -> bytes:
    return hashlib.blake2b(archive.read_bytes(), digest_size=20).digest()


@cache
def _files(archive: Path) -> Mapping[str, bytes]:
    if not archive.is_file():
        return {}
    with tarfile.open(archive) as opened:
        return {each.name: content.read() for each in opened if (content := opened.extractfile(each))}
