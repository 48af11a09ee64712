"""Links: symbolic links that are not followed."""

from __future__ import annotations

import posixpath

from reference_impl import disk
from reference_impl.refusal import Refusal

__all__ = ["refuse_to_read", "refuse_to_write"]


def refuse_to_read(path: str) -> None:
    """Refuse a path whose links go round in a circle."""
    if disk.is_circular(path):
        raise Refusal(
            "is_link",
            f"Refusing to read {path}: where it leads on disk could not be determined (a link on the way could not be "
            "examined, or the links do not resolve).",
        )


def refuse_to_write(path: str) -> None:
    """Refuse a path that is a link, or that stands below a link to nothing."""
    above = posixpath.dirname(path)
    while not disk.exists(above) and not disk.is_link(above):
        above = posixpath.dirname(above)
    if not disk.exists(above):
        raise Refusal(
            "is_link",
            f"Refusing to write {path}: its parent-directory symlink resolution changed after permission was checked.",
        )
    if disk.is_link(path):
        raise Refusal(
            "is_link",
            f"Refusing to write {path}: it is a symbolic link. "
            f"Write to the link's target path instead: {disk.leads_to(path)}.",
        )
