"""Deny rules: which paths the session's permission settings close to which tools."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from reference_impl import disk
from reference_impl.ignore_list import IgnoreList

__all__ = ["PermissionRuleError", "Permissions"]

_RULE = re.compile(r"(?P<tool>[A-Za-z]\w*)(?:\((?P<pattern>.*)\))?", re.DOTALL)


class PermissionRuleError(ValueError):
    """A deny rule is not written as `Tool` or `Tool(pattern)`."""


class Permissions:
    """The deny rules of one session.

    `Read(p)` closes paths to Read, `Edit(p)` to Edit, Write and NotebookEdit; rules for Write with a pattern have no
    effect. A rule without a pattern takes the tool away. A pattern is written like a line of `.gitignore`; `//p/q`
    begins at the file system's root, `~/p` at the home directory, `/p` at the directory of the settings file, which is not
    known here, so that it closes nothing; anything else begins at `root`. Letter case does not matter.
    `comments`: a pattern that begins with `#` closes nothing, as in `.gitignore`. `anchored`: `//p` means only what is
    at the root, otherwise everything that has the one name p. `star_is_all`: `Tool(*)` takes the tool away.
    """

    def __init__(
        self,
        deny: Iterable[str],
        *,
        root: str,
        home: str,
        comments: bool = True,
        anchored: bool = False,
        star_is_all: bool = False,
    ) -> None:
        self.removed: set[str] = set()
        patterns: dict[tuple[str, str], list[str]] = {}
        for text in deny:
            match = _RULE.fullmatch(text.strip())
            if match is None:
                raise PermissionRuleError(f"{text!r} is not a permission rule: write Tool or Tool(pattern)")
            if match["pattern"] is None or (star_is_all and match["pattern"] == "*"):
                self.removed.add(match["tool"])
            elif placed := _placed(match["pattern"], root=root, home=home):
                base, pattern = placed
                if base == "/" and anchored:
                    pattern = f"/{pattern}"
                if pattern.startswith("#") and not comments:
                    pattern = f"\\{pattern}"
                patterns.setdefault((match["tool"], base), []).append(pattern.removesuffix("/**"))
        self._lists = {
            place: IgnoreList(listed, as_git=False, ignore_case=True) for place, listed in patterns.items()
        }

    def denies(self, action: str, path: str) -> bool:
        """Tell whether an absolute path is closed to `Read` or to `Edit`."""
        for (tool, base), patterns in self._lists.items():
            relative = posixpath.relpath(path, base)
            inside = relative != "." and not relative.startswith("../")
            if tool == action and inside and patterns.matches(relative):
                return True
        return False

    def is_base(self, action: str, path: str) -> bool:
        """Tell whether rules for `Read` or `Edit` begin at an absolute path."""
        return (action, path) in self._lists

    def denies_target(self, action: str, path: str) -> bool:
        """Tell whether the file that the path finally leads to is closed; links are followed."""
        return disk.exists(path) and self.denies(action, disk.leads_to(path))


def _placed(pattern: str, *, root: str, home: str) -> tuple[str, str] | None:
    if pattern.startswith("//"):
        return "/", pattern[2:]
    if pattern.startswith("/"):
        return None
    if pattern.startswith("~/"):
        return home, pattern[1:]
    return root, pattern.removeprefix("./")
