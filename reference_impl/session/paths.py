"""Paths: from what the model wrote to the key of the read state, and the file that a wrong name may have meant."""

from __future__ import annotations

import posixpath

from readfirst.reference_impl.files.disk import entries
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.text.blanks import BLANKS

__all__ = [
    "expanded",
    "refuse_null",
    "refuse_null_at_last",
    "refuse_suspicious",
    "resolved",
    "similar_name",
]


def refuse_null(path: str, *, tool: str, how: str, name: str = "file_path") -> None:
    """Refuse a path with a NUL character; no file has such a name.

    `how`: it may be `unseen` and count as missing, be `seen` by the validation, be `fatal` for the product, or be
    looked for and `named`.
    """
    if "\0" not in path or how == "unseen":
        return
    if how == "named":
        raise Refusal(
            "invalid_path",
            f"{tool} {name} cannot contain null bytes (\\0). Remove the null byte and try again.",
        )
    if how == "fatal":
        raise Refusal("crashed", "the product ended with exit code 1: Path contains null bytes")
    raise Refusal("os_error", f"Error calling tool ({tool}): Path contains null bytes")


def refuse_null_at_last(path: str, *, prefix: str = "") -> None:
    """Refuse to open a path with a NUL character, in the words of the system's library."""
    if "\0" in path:
        quoted = "'" + path.replace("\0", "\\x00") + "'"
        raise Refusal(
            "invalid_path",
            f"{prefix}The argument 'path' must be a string, Uint8Array, or URL without null bytes. Received {quoted}",
        )


def refuse_suspicious(path: str) -> None:
    """Refuse a path with a blank at its end: it needs a permission that nobody is there to give."""
    if path != path.rstrip(BLANKS):
        raise Refusal(
            "permission_denied",
            f"Claude requested permissions to write to {path}, which contains a suspicious Windows path pattern that "
            "requires manual approval.",
        )


def expanded(path: str, home: str) -> str:
    """Return the path without blanks around it, and with the home directory for `~` and `~/`."""
    path = path.strip(BLANKS)
    return home + path[1:] if path == "~" or path.startswith("~/") else path


def resolved(path: str, root: str, *, folds: bool) -> str:
    """Return the absolute path: `.`, `..` and `//` fold, links are not followed.

    A relative path is taken from `root`; an empty one is `root` itself. A final slash stays: only a directory
    has such a name. Unless it `folds`, an absolute path stays as it is.
    """
    if path.startswith("/") and not folds:
        return path
    absolute = posixpath.join(root, path) if path else root
    folded = posixpath.normpath(f"//{absolute}")  # two slashes would stay, three are one
    return posixpath.join(folded, "") if absolute.endswith("/") else folded


def similar_name(path: str) -> str | None:
    """Return a file beside the missing `path` that has its name with another extension, if there is one."""
    directory, name = posixpath.split(path.rstrip("/"))
    candidates = (entry for entry in entries(directory) if _stem(entry) == _stem(name))
    return next((entry for entry in candidates if posixpath.join(directory, entry) != path), None)


def _stem(name: str) -> str:
    dot = name.rfind(".")
    return name[:dot] if dot > 0 else name
