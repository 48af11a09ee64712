"""Suite pages: pages of docs/ that are made of a suite; where they belong and whether they are there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from readfirst.harness.suite.suite import Suite

__all__ = ["is_fresh", "page_file"]


def page_file(suite: Suite, name: str) -> Path | None:
    """Return where a page of a suite belongs: in docs/ beside the folder of the fixtures.

    None for the copy of the suite inside the installed package, which has no documentation beside it.
    """
    if suite.installed:
        return None
    return suite.root.parent / "docs" / name


def is_fresh(file: Path, page: str) -> bool:
    """Whether `file` holds exactly this page; one that is missing does not."""
    try:
        return file.read_bytes() == page.encode()
    except FileNotFoundError:
        return False
