"""Paths: from what the model wrote to the key of the read state, and the file that a wrong name may have meant."""

from __future__ import annotations

import os
import posixpath

__all__ = ["resolved", "similar_name"]


def resolved(path: str, root: str) -> str:
    """Return the absolute path: `.`, `..` and `//` fold, links are not followed, `~` is an ordinary name.

    A relative path is taken from `root`; an empty one is `root` itself.
    """
    absolute = path if path.startswith("/") else f"{root}/{path}"
    return "/" + posixpath.normpath(absolute).lstrip("/")


def similar_name(path: str) -> str | None:
    """Return a file beside the missing `path` that has its name with another extension, if there is one."""
    directory, name = posixpath.split(path)
    try:
        entries = os.listdir(directory)
    except OSError:
        return None
    wanted = _stem(name)
    return next((entry for entry in sorted(entries) if entry != name and _stem(entry) == wanted), None)


def _stem(name: str) -> str:
    dot = name.rfind(".")
    return name[:dot] if dot > 0 else name
