"""Documentation: the pages that messages name, of the checkout or inside the installed package."""

from __future__ import annotations

from pathlib import Path

import readfirst

__all__ = ["pages"]


def pages() -> dict[str, Path]:
    """Return the pages by name (`adapters`, `readme`), those about the project as a whole first."""
    package = Path(readfirst.__file__).parent
    root = package.parent if (package.parent / "fixtures" / "contracts.yaml").is_file() else package
    files = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
    return {"index" if path == root / "docs" / "README.md" else path.stem.lower(): path for path in files}
