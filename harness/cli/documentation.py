"""Documentation: the pages that messages name, of the checkout or inside the installed package."""

from __future__ import annotations

from pathlib import Path

__all__ = ["pages"]


def pages() -> dict[str, Path]:
    """Return the pages by name (`adapters`, `readme`), those about the project as a whole first."""
    package = Path(__file__).resolve().parent
    checkout = package.parent
    if (checkout / "fixtures" / "contracts.yaml").is_file():
        whole = [checkout / "README.md", checkout / "CONTRIBUTING.md"]
        files = [*whole, *sorted((checkout / "docs").glob("*.md"))]
    else:
        files = sorted((package / "_docs").glob("*.md"), key=lambda path: (path.stem.islower(), path.stem))
    return {path.stem.lower(): path for path in files}
