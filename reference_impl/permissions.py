"""Deny rules: which paths the session's permission settings close to which tools."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from reference_impl import disk

__all__ = ["IgnoreList", "PermissionRuleError", "Permissions"]

_RULE = re.compile(r"(?P<tool>[A-Za-z]\w*)(?:\((?P<pattern>.*)\))?", re.DOTALL)


class PermissionRuleError(ValueError):
    """A deny rule is not written as `Tool` or `Tool(pattern)`."""


@dataclass(frozen=True, slots=True)
class _Rule:
    base: str
    pattern: str


class Permissions:
    """The deny rules of one session.

    `Read(p)` closes paths to Read, `Edit(p)` to Edit and Write; rules for Write with a pattern have no effect.
    A rule without a pattern takes the tool away. A pattern is written like a line of `.gitignore`; `//p` begins
    at the file system's root, `~/p` at the home directory, anything else at `root`.
    Letter case does not matter.
    """

    def __init__(self, deny: Iterable[str], *, root: str, home: str) -> None:
        self._rules: dict[str, list[_Rule]] = {"Read": [], "Edit": []}
        self.removed: set[str] = set()
        for text in deny:
            match = _RULE.fullmatch(text.strip())
            if match is None:
                raise PermissionRuleError(f"{text!r} is not a permission rule: write Tool or Tool(pattern)")
            tool, pattern = match["tool"], match["pattern"]
            if pattern is None:
                self.removed.add(tool)
            elif tool in self._rules:
                self._rules[tool].append(_placed(pattern, root=root, home=home))
        self._matchers = {tool: _Matchers(rules) for tool, rules in self._rules.items()}

    def denies(self, action: str, path: str) -> bool:
        """Tell whether an absolute path is closed to `Read` or to `Edit`."""
        return self._matchers[action].match(path)

    def denies_target(self, action: str, path: str) -> bool:
        """Tell whether the file that the path finally leads to is closed; links are followed."""
        return disk.exists(path) and self.denies(action, disk.leads_to(path))


def _placed(pattern: str, *, root: str, home: str) -> _Rule:
    if pattern.startswith("//"):
        return _Rule("/", pattern[1:])
    if pattern.startswith("~/"):
        return _Rule(home, pattern[1:])
    return _Rule(root, pattern.removeprefix("./"))


class _Matchers:
    """The rules of one action, in order, grouped by the directory that they begin at."""

    def __init__(self, rules: Iterable[_Rule]) -> None:
        self._lists: dict[str, IgnoreList] = {}
        grouped: dict[str, list[str]] = {}
        for rule in rules:
            grouped.setdefault(rule.base, []).append(rule.pattern.removesuffix("/**"))
        self._lists = {base: IgnoreList(patterns) for base, patterns in grouped.items()}

    def match(self, path: str) -> bool:
        for base, patterns in self._lists.items():
            relative = posixpath.relpath(path, base)
            if relative != "." and not relative.startswith("../") and patterns.matches(relative):
                return True
        return False


class IgnoreList:
    """Patterns as in a `.gitignore` file, without regard to letter case."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = list(patterns)

    @cached_property
    def _compiled(self) -> list[tuple[bool, bool, re.Pattern[str]]]:
        return [compiled for pattern in self._patterns if (compiled := _compile(pattern)) is not None]

    def matches(self, path: str) -> bool:
        """Tell whether a relative path, or a directory above it, is matched. The last pattern that matches decides."""
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            directory = depth < len(parts)
            if self._matches_one("/".join(parts[:depth]), directory):
                return True
        return False

    def _matches_one(self, path: str, directory: bool) -> bool:
        matched = False
        for negated, directories_only, pattern in self._compiled:
            if (directory or not directories_only) and pattern.fullmatch(path):
                matched = not negated
        return matched


def _compile(pattern: str) -> tuple[bool, bool, re.Pattern[str]] | None:
    if pattern.startswith("#"):
        return None
    pattern = re.sub(r"(?<!\\)[ \t]+$", "", pattern)
    negated = pattern.startswith("!")
    pattern = pattern.removeprefix("!")
    directories_only = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    if not pattern:
        return None
    anchored = "/" in pattern
    pattern = pattern.removeprefix("/")
    prefix = "" if anchored else "(?:.*/)?"
    return negated, directories_only, re.compile(prefix + _expression(pattern), re.IGNORECASE | re.DOTALL)


_TOKEN = re.compile(
    r"(?P<lead>^\*\*/)|(?P<middle>/\*\*(?=/))|(?P<tail>/\*\*$)|(?P<star>\*+)|(?P<one>\?)"
    r"|(?P<set>\[(?P<not>[!^]?)(?P<body>[^\]/]+)\])|\\(?P<escaped>.)|(?P<plain>.)",
    re.DOTALL,
)


def _expression(pattern: str) -> str:
    out = []
    for token in _TOKEN.finditer(pattern):
        match token.lastgroup:
            case "lead":
                out.append("(?:.*/)?")
            case "middle":
                out.append("(?:/.*)?")
            case "tail":
                out.append("/.+")
            case "star":
                out.append("[^/]*")
            case "one":
                out.append("[^/]")
            case "set":
                body = token["body"].replace("\\", "\\\\").replace("[", "\\[")
                out.append(f"[{'^' if token['not'] else ''}{body}]")
            case "escaped":
                out.append(re.escape(token["escaped"]))
            case _:
                out.append(re.escape(token[0]))
    return "".join(out)
