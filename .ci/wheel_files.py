"""The additional files of a wheel: the directories that are links in a checkout, the suite, and files of docs/.

From docs/ these are the pages, for `readfirst docs`, and the data that a command reads.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

READ = ("compatibility.json", "implementations.json", "evidence.json")
"""By `readfirst targets implementations --issue`."""
IGNORED = {"__pycache__"}
OF_A_CHECKOUT = ("observatory/tests", "observatory/tools")


class WheelFiles(BuildHookInterface[Any]):
    """Adds these files to the wheel. Pictures and other data are only for the repository and the site."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files of an ordinary wheel; an editable one reads the checkout."""
        if version != "editable":
            build_data["force_include"] |= included(Path(self.root))


def included(root: Path) -> dict[str, str]:
    """Return the place of every file in the wheel."""
    files = [
        file
        for name in ("harness", "observatory", "reference_impl", "fixtures")
        for file in (root / name).rglob("*")
        if file.is_file() and not IGNORED & {*file.relative_to(root).parts}
        if not any(file.is_relative_to(root / folder) for folder in OF_A_CHECKOUT)
    ]
    files += [*(root / "docs").glob("*.md"), *(root / "docs" / name for name in READ)]
    return {str(file): f"readfirst/{file.relative_to(root)}" for file in files}
