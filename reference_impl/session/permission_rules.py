"""Permission rules of a session: rules that deny calls, and grants, which allow actions without asking the user."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from readfirst.reference_impl.files import disk
from readfirst.reference_impl.files.ignore_list import IgnoreList

__all__ = ["MODES", "DenyRules", "Grants", "Mode", "PermissionRuleError", "RuleGrammar"]

Mode = Literal["default", "plan", "acceptEdits", "bypassPermissions"]
MODES: tuple[Mode, ...] = get_args(Mode)
"""The permission modes, which determine the actions that are allowed without asking the user. `default`: read only.
`plan`: read and plan. `acceptEdits`: read and edit. `bypassPermissions`: everything.
"""

_RULE = re.compile(r"(?P<tool>[A-Za-z]\w*)(?:\((?P<pattern>.*)\))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RuleGrammar:
    """The grammar of permission rules, which differs between versions."""

    # a pattern that starts with `#` matches nothing
    comments: bool = True
    # `//p` matches only the file `/p`, instead of every file named `p`
    anchored: bool = False
    # the rule `Tool(*)` makes the tool unavailable
    star_is_all: bool = False
    # a pattern may contain parentheses
    parentheses: bool = True
    # `./` at the beginning of a pattern is ignored
    dot_slash: bool = True
    # a pattern such as `a/**` also matches the directory `a`
    trees: bool = True
    # `//**` matches every file, `~/**` every file in the home directory
    all_below: bool = True

    def parse_rule(self, text: str) -> tuple[str, str | None] | None:
        """Return the tool and the pattern of a rule such as `Edit(secret/**)`. None if the text is not a rule."""
        match = _RULE.fullmatch(text)
        if match is None:
            return None
        tool, pattern = match["tool"], match["pattern"]
        if pattern is not None and ")" in pattern and not self.parentheses:
            return text, None
        return tool, None if pattern == "*" and self.star_is_all else pattern

    def place_pattern(self, pattern: str, *, root: str, home: str) -> tuple[str, str] | None:
        """Return the start directory of `pattern`, and the rest of the pattern. None if the pattern matches nothing."""
        base = root
        if pattern.startswith("//"):
            base, pattern = "/", pattern[1:] if self.anchored else pattern[2:]
        elif pattern.startswith("/"):
            return None
        elif pattern.startswith("~/"):
            base, pattern = home, pattern[1:]
        if pattern.startswith("#") and not self.comments:
            pattern = f"\\{pattern}"
        if self.dot_slash:
            pattern = pattern.removeprefix("./")
        if self.trees and (pattern != "/**" or not self.all_below):
            pattern = pattern.removesuffix("/**")
        return base, pattern


class PermissionRuleError(ValueError):
    """Raised if a permission rule does not have the form `Tool` or `Tool(pattern)`."""


class DenyRules:
    """Permission rules of one session that deny (or, in `Grants`, allow) calls. `Read(p)` applies to Read, `Edit(p)` to
    Edit, Write and NotebookEdit. A rule without a pattern makes its tool unavailable. A pattern is written like a line
    of `.gitignore`. `//p/q` starts at the root of the file system, `~/p` at the home directory; `/p` matches nothing.
    Any other pattern starts at `root`. Letter case does not matter.
    """

    def __init__(
        self, deny: Iterable[str], *, root: str, home: str, grammar: RuleGrammar | None = None
    ) -> None:
        grammar = grammar or RuleGrammar()
        self._deny, self._home, self._grammar = tuple(deny), home, grammar
        self.removed: set[str] = set()
        patterns: dict[tuple[str, str], list[str]] = {}
        for text in self._deny:
            parsed = grammar.parse_rule(text.strip())
            if parsed is None:
                raise PermissionRuleError(f"{text!r} is not a permission rule: write Tool or Tool(pattern)")
            tool, pattern = parsed
            if pattern is None:
                self.removed.add(tool)
            elif placed := grammar.place_pattern(pattern, root=root, home=home):
                base, listed = placed
                patterns.setdefault((tool, base), []).append(listed)
        self.lists = {
            tool_and_base: IgnoreList(listed, as_git=False, ignore_case=True)
            for tool_and_base, listed in patterns.items()
        }

    def with_root(self, root: str) -> DenyRules:
        """Return a copy of the rules whose relative patterns start at a different root directory."""
        return DenyRules(self._deny, root=root, home=self._home, grammar=self._grammar)

    def denies(self, action: str, path: str) -> bool:
        """Whether a rule for `action` (`Read` or `Edit`) covers the absolute path `path`."""
        for (tool, base), patterns in self.lists.items():
            relative = posixpath.relpath(path, base)
            inside = relative != "." and not relative.startswith("../")
            if tool == action and inside and patterns.matches(relative):
                return True
        return False

    def is_base(self, action: str, path: str) -> bool:
        """Whether `path` is the start directory of patterns for `action` (`Read` or `Edit`)."""
        return (action, path) in self.lists


@dataclass(frozen=True, slots=True)
class Grants:
    """The actions that are allowed without asking the user: the actions that `mode` allows in `directories`, and the
    actions that a rule of `allow` covers. `follows_links`: the target of a link must be in `directories`, too.
    """

    mode: Mode
    allow: DenyRules
    directories: tuple[str, ...]
    follows_links: bool

    def covers(self, path: str) -> bool:
        """Whether an absolute path is in one of `directories`."""
        return all(
            self._contains_path(each)
            for each in {path, disk.resolve_links(path) if self.follows_links else path}
        )

    def _contains_path(self, path: str) -> bool:
        return any(
            path == directory or path.startswith(directory + "/")
            for each in self.directories
            for directory in (each, disk.resolve_links(each))
        )
