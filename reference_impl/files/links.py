"""Links: symbolic links that are not followed."""

from __future__ import annotations

import posixpath
from typing import NoReturn

from readfirst.reference_impl.files import disk
from readfirst.reference_impl.refusal import Refusal

__all__ = ["refuse_changed_link", "refuse_circle", "refuse_hanging", "refuse_link"]


def refuse_circle(path: str) -> None:
    """Refuse to read a path whose links go round in a circle."""
    if disk.is_circular(path):
        raise Refusal(
            "is_link",
            f"Refusing to read {path}: where it leads on disk could not be determined (a link on the way could not be "
            "examined, or the links do not resolve).",
        )


def refuse_changed_link(path: str) -> NoReturn:
    """Refuse to read a path that leads elsewhere than where it was permitted to."""
    raise Refusal(
        "is_link",
        f"Refusing to read {path}: its symlink resolution changed after permission was checked (it now resolves to a "
        "path the check did not see). If a link in the working directory is being rewritten concurrently, stop that "
        "and retry.",
    )


def refuse_hanging(path: str) -> None:
    """Refuse to write below a link to nothing, and behind the name of a file that is not there."""
    above = posixpath.dirname(path)
    while not disk.exists(above) and not disk.is_link(above):
        above = posixpath.dirname(above)
    if not disk.exists(above) or (path.endswith("/") and not disk.exists(path)):
        raise Refusal(
            "is_link",
            f"Refusing to write {path}: its parent-directory symlink resolution changed after permission was checked.",
        )


def refuse_link(path: str, wording: str) -> None:
    """Refuse to write a path that is a link; the words have a place for it and for what it leads to."""
    if disk.is_link(path):
        raise Refusal("is_link", wording.format(path=path, target=disk.leads_to(path)))
