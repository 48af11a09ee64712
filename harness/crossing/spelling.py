"""Spelling: the ways to write the path of a file in a call, by the names of the dimension `path`."""

from __future__ import annotations

import posixpath

__all__ = ["spelt"]


def spelt(path: str, spelling: str) -> str:
    """Return a path of the workspace as a call writes it. KeyError: no such spelling."""
    folder, name = posixpath.split(path)
    above = f"{folder}/" if folder else ""
    return {
        "plain": f"$WS/{path}",
        "dot": f"$WS/{above}./{name}",
        "double": f"$WS/{above}/{name}",
        "up": f"$WS/{above}x/../{name}",
        "relative": path,
    }[spelling]
