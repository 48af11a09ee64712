"""What a wheel has beside the package: the two folders that are links in a checkout, and files of docs/.

Of docs/ that is the pages, for `readfirst docs`, and the data that a command reads.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LINKED = ("harness", "reference_impl")
READ = ("compatibility.json", "implementations.json", "evidence.json")
"""By `readfirst field implementations --issue`."""


class WheelFiles(BuildHookInterface[Any]):
    """Adds them to what is included; pictures and other data are for the repository and the site."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files of an ordinary wheel; an editable one reads the checkout."""
        if version != "editable":
            for name in LINKED:
                build_data["force_include"][str(Path(self.root) / name)] = f"readfirst/{name}"
            docs = Path(self.root) / "docs"
            for file in (*docs.glob("*.md"), *(docs / name for name in READ)):
                build_data["force_include"][str(file)] = f"readfirst/docs/{file.name}"
