"""Kit: the part of the package that the process of an implementation gets, in a folder of its own.

It has the names that an adapter uses, and the reference; nothing that reads scenarios, and no fixtures beside it.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import readfirst

_MODULES = (
    "",
    "harness",
    "harness.exit_code",
    "harness.session",
    "harness.adapters",
    "harness.adapters.framing",
    "harness.adapters.python_host",
    "harness.adapters.sent",
)
_REFERENCE = "reference_impl"


def unpack(folder: Path, further: Sequence[str] = ()) -> None:
    """Put the package `readfirst` into a folder, which is then an entry of Python's path.

    `further` are more of its modules, by their names.
    """
    source, target = Path(readfirst.__file__).parent, folder / "readfirst"
    for name in (*_MODULES, *(name.removeprefix("readfirst.") for name in further)):
        file = Path(*name.split(".")).with_suffix(".py") if name else Path("__init__.py")
        if not (source / file).is_file():
            file = file.with_suffix("") / "__init__.py"
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / file, target / file)
    shutil.copytree(source / _REFERENCE, target / _REFERENCE)
