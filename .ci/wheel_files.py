"""What a wheel has beside the package: the two folders that are links in a checkout, the suite, and files of docs/.

Of docs/ that is the pages, for `readfirst docs`, and the data that a command reads. These, the recordings and the locks
of targets lie in an archive in their folder (`harness/source/packed.py`): what hundreds of files repeat is there once.
"""

from __future__ import annotations

import io
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

READ = ("compatibility.json", "implementations.json", "evidence.json")
"""By `readfirst field implementations --issue`."""
ARCHIVE = "packed.tar.xz"
IGNORED = {"__pycache__"}


class WheelFiles(BuildHookInterface[Any]):
    """Adds them to what is included; pictures and other data are for the repository and the site."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files of an ordinary wheel; an editable one reads the checkout."""
        if version == "editable":
            return
        root, included = Path(self.root), build_data["force_include"]
        self._made = tempfile.TemporaryDirectory(prefix="readfirst-wheel-")
        for number, (folder, files) in enumerate(sorted(archives(root).items())):
            archive = Path(self._made.name) / f"{number}.tar.xz"
            archive.write_bytes(packed(files))
            included[str(archive)] = f"readfirst/{folder}/{ARCHIVE}"
        included |= plain(root)

    def finalize(self, version: str, *_: Any) -> None:
        """Remove the archives that were made."""
        if version != "editable":
            self._made.cleanup()


def archives(root: Path) -> dict[str, list[Path]]:
    """Return what lies in an archive, by the folder that it is in."""
    locks, recordings = root / "harness/targets/locks", root / "fixtures/recordings"
    folders = [locks, *(each for each in recordings.iterdir() if each.is_dir())]
    return {
        "docs": [root / "docs" / name for name in READ],
        **{str(folder.relative_to(root)): list(folder.iterdir()) for folder in folders},
    }


def plain(root: Path) -> dict[str, str]:
    """Return the place of every other file."""
    in_archives = {file for files in archives(root).values() for file in files}
    files = [
        file
        for name in ("harness", "reference_impl", "fixtures")
        for file in (root / name).rglob("*")
        if file.is_file() and file not in in_archives and not IGNORED & {*file.relative_to(root).parts}
    ]
    files += (root / "docs").glob("*.md")
    return {str(file): f"readfirst/{file.relative_to(root)}" for file in files}


def packed(files: Iterable[Path]) -> bytes:
    """Return an archive of some files that is the same wherever and whenever it is made."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:xz", preset=9) as archive:
        for file in sorted(files):
            entry = tarfile.TarInfo(file.name)
            entry.size = file.stat().st_size
            with file.open("rb") as content:
                archive.addfile(entry, content)
    return made.getvalue()
