"""Packed: files of the installed package that lie in one archive in their folder, which `.ci/wheel_files.py` makes.

What hundreds of files repeat is in a wheel once. Only the package's own archives are opened.
"""

import tarfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import readfirst

ARCHIVE = "packed.tar.xz"


def packed(folder: Path) -> Mapping[str, bytes]:
    """Return the files of a folder that lie in its archive, by name: none, where it is not the package's own."""
    package = Path(readfirst.__file__).parent.resolve()
    return _files(folder / ARCHIVE) if folder.resolve().is_relative_to(package) else {}


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


@cache
def _files(archive: Path) -> Mapping[str, bytes]:
    if not archive.is_file():
        return {}
    with tarfile.open(archive) as opened:
        return {each.name: content.read() for each in opened if (content := opened.extractfile(each))}
