"""What a wheel has beside the package: the two folders that are links in a checkout, the suite, and files of docs/.

Of docs/ that is the pages, for `readfirst docs`, and the data that a command reads. These, the recordings, and the
locks and known failures of targets lie in an archive in their folder (`harness/source/packed.py`): what hundreds of
files repeat is there once. An index says what those of the recordings hold.
"""

from __future__ import annotations

import base64
import io
import json
import lzma
import re
import runpy
import tarfile
import tempfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

READ = ("compatibility.json", "implementations.json", "evidence.json")
"""By `readfirst field implementations --issue`."""
ARCHIVE = "packed.tar.xz"
INDEX = ".packed.json"
RECORDINGS = "fixtures/recordings"
READABLE = 1024 * 1024
"""Bytes of a YAML file that `harness/source/strict_yaml.py` reads."""
IGNORED = {"__pycache__"}
_COMPRESSED = re.compile(
    rb'^(?P<before> +"?[0-9a-f]{12}"?: "?)(?P<data>[A-Za-z0-9+/]+=*)(?P<after>"?,?)$', re.MULTILINE
)
"""A line of a recording's `packed`."""
_all_sealed = runpy.run_path(str(Path(__file__).parents[1] / "harness/suite/seal.py"))["all_sealed"]


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
        listed = Path(self._made.name) / INDEX
        listed.write_text(json.dumps(index(root / RECORDINGS)))
        included[str(listed)] = f"readfirst/{RECORDINGS}/{INDEX}"
        included |= plain(root)

    def finalize(self, version: str, *_: Any) -> None:
        """Remove the archives that were made."""
        if version != "editable":
            self._made.cleanup()


def archives(root: Path) -> dict[str, list[Path]]:
    """Return what lies in an archive, by the folder that it is in."""
    targets, recordings = root / "harness/targets", root / RECORDINGS
    folders = [
        targets / "locks",
        targets / "baselines",
        *(each for each in recordings.iterdir() if each.is_dir()),
    ]
    return {
        "docs": [root / "docs" / name for name in READ],
        "harness/diagnosis": [root / "harness/diagnosis/table.json"],
        **{str(folder.relative_to(root)): list(folder.iterdir()) for folder in folders},
    }


def index(recordings: Path) -> dict[str, dict[str, list[str]]]:
    """Return of which scenarios the files of each family have recordings: of those in JSON, of several."""
    files = sorted(file for family in recordings.iterdir() if family.is_dir() for file in family.iterdir())
    found: dict[str, dict[str, list[str]]] = {}
    for file in files:
        slugs = [*json.loads(file.read_bytes())] if file.suffix == ".json" else [file.stem]
        found.setdefault(file.parent.name, {})[file.name] = slugs
    return found


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
    """Return an archive of some files that is the same wherever and whenever it is made.

    What recordings have compressed compresses badly, and with what other recordings have not at all, so it is written
    out first; where that makes the archive larger, it stays as it is.
    """
    contents = {file.name: file.read_bytes() for file in sorted(files)}
    larger = {name: written_out(name, data) for name, data in contents.items()}
    return min(map(_archive, (contents, larger)), key=len)


def written_out(name: str, data: bytes) -> bytes:
    """Return a file without its compression, or as it is where it would be too large to be read then."""
    larger = _COMPRESSED.sub(_stored, data)
    if larger != data:
        larger = _all_sealed(larger)
    return data if name.endswith(".yaml") and len(larger) > READABLE else larger


def _stored(found: re.Match[bytes]) -> bytes:
    """Return a line in which zlib stores what xz had compressed, as every reader takes it."""
    try:
        data = lzma.decompress(base64.b64decode(found["data"]))
    except (ValueError, lzma.LZMAError):
        return found[0]
    return found["before"] + base64.b64encode(zlib.compress(data, 0)) + found["after"]


def _archive(contents: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, data in contents.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    # A dictionary as large as what it is for; that of the preset, 64 MiB, takes longer to make than to use.
    dictionary = {
        "id": lzma.FILTER_LZMA2,
        "preset": 9 | lzma.PRESET_EXTREME,
        "dict_size": len(made.getvalue()),
    }
    return lzma.compress(made.getvalue(), filters=[dictionary])
