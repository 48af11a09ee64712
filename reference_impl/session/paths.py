"""Paths: which file the model means by what it wrote, and the paths that no tool takes."""

from __future__ import annotations

import posixpath
import unicodedata
from dataclasses import dataclass

from readfirst.reference_impl.contract import Behaviours
from readfirst.reference_impl.files import disk
from readfirst.reference_impl.refusal import Refusal, of_os_error
from readfirst.reference_impl.text.content import well_formed
from readfirst.reference_impl.text.insertion import BLANKS

__all__ = ["Paths", "expanded", "refuse_null", "refuse_null_at_last", "resolved"]


@dataclass(frozen=True, slots=True)
class Paths:
    """The paths of one session. `root`, where relative ones begin, and `home`, which is `~`, are absolute."""

    root: str
    home: str
    behaviours: Behaviours

    def named(self, given: str) -> str:
        """Return the absolute path of what the model wrote. Refusal: it is no path, or relative where that is wrong."""
        if self.behaviours.paths.read_expands_tilde:
            return self.expanded(given)
        return self._absolute(given, folds=self.behaviours.paths.read_folds_dots)

    def expanded(self, given: str) -> str:
        """Return the absolute path for a tool that takes `~` for the home directory and cuts blanks around the path."""
        if self.behaviours.paths.changes_expand_tilde:
            given = expanded(given, self.home)
        return self._absolute(given, folds=True)

    def unfolded(self, given: str) -> str:
        """Return the absolute path with `.`, `..` and `//` left in it, for a tool that takes `~` for home."""
        return posixpath.join(self.root, expanded(given, self.home))

    def to_read(self, given: str) -> str:
        """Return the absolute path that Read reads: a final slash may count or not."""
        path = self.named(given)
        return path.rstrip("/") or "/" if self.behaviours.paths.read_drops_final_slash else path

    def to_edit(self, given: str) -> str:
        """Return the absolute path that Edit looks at before it edits."""
        return (
            self.expanded(given) if self.behaviours.paths.edit_validation_expands_tilde else self.named(given)
        )

    def to_write(self, given: str) -> str:
        """Return the absolute path that is written to in the end: a final slash may count or not."""
        path = self.expanded(given)
        return path.rstrip("/") if self.behaviours.paths.write_drops_final_slash else path

    def _absolute(self, given: str, *, folds: bool) -> str:
        given = well_formed(given)
        if not given.startswith("/") and not self.behaviours.paths.relative_paths_are_accepted:
            raise Refusal("relative_path", f"Path is relative: {given}. Give an absolute path.")
        if self.behaviours.paths.paths_become_nfc:
            given = unicodedata.normalize("NFC", given)
        return resolved(given, self.root, folds=folds)

    def refuse_unclear(self, path: str, *, tool: str = "") -> None:
        """Refuse a path of which the system does not tell whether there is something; `tool` is validating."""
        try:
            disk.look(path)
        except OSError as error:
            prefix = f"Error calling tool ({tool}): " if tool else ""
            raise of_os_error(
                error, f"{self.behaviours.lookup.stat_call_in_refusals} '{path}'", prefix=prefix
            ) from None

    def refuse_missing(self, path: str, *, code: int | None = None, unclear: bool = True) -> None:
        """Refuse a path that leads to nothing; name the file that was probably meant.

        `unclear`: a path of which the system does not tell where it leads counts as one that leads to nothing.
        """
        if _is_missing(path, unclear=unclear):
            where = self.behaviours.lookup.missing_file_remark.format(root=self.root)
            similar = _similar_name(path)
            suggestion = f" Did you mean {similar}?" if similar else ""
            raise Refusal("file_not_found", f"File does not exist.{where}{suggestion}", code=code)


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


def _is_missing(path: str, *, unclear: bool) -> bool:
    """Tell whether a path leads to nothing; `unclear` is the answer where the system does not tell."""
    try:
        return not disk.look(path)
    except OSError:
        return unclear


def _similar_name(path: str) -> str | None:
    """Return a file beside the missing `path` that has its name with another extension, if there is one."""
    directory, name = posixpath.split(path.rstrip("/"))
    candidates = (entry for entry in disk.entries(directory) if _stem(entry) == _stem(name))
    return next((entry for entry in candidates if posixpath.join(directory, entry) != path), None)


def _stem(name: str) -> str:
    dot = name.rfind(".")
    return name[:dot] if dot > 0 else name
