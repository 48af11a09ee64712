"""Lists of patterns for relative paths, such as a `.gitignore` file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["IgnoreList"]

_TOKEN = re.compile(
    r"(?P<lead>^\*\*/)|(?P<middle>/\*\*(?=/))|(?P<tail>/\*\*$)|(?P<star>\*+)|(?P<one>\?)"
    r"|(?P<set>\[(?P<sign>[!^]?)(?P<body>[^\]/]+)\])|\\(?P<escaped>.)|(?P<plain>.)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class _Pattern:
    expression: re.Pattern[str]
    reopens: bool
    directories_only: bool


class IgnoreList:
    """An ordered list of patterns for relative paths. `as_git`: as in git, `[!a]` and `[^a]` match any character except
    `a`, and a backslash quotes any character. An invalid pattern matches nothing.
    """

    def __init__(self, patterns: Iterable[str], *, as_git: bool, ignore_case: bool) -> None:
        flags = re.DOTALL | (re.IGNORECASE if ignore_case else re.NOFLAG)
        parsed = (_parse_patterns(pattern, as_git, flags) for pattern in patterns)
        self._patterns = [pattern for pattern in parsed if pattern is not None]

    def matches(self, path: str) -> bool:
        """Whether the list contains a relative path or a directory above it. The last matching pattern decides."""
        parts = path.split("/")
        return any(
            self._covers_path("/".join(parts[:depth]), directory=depth < len(parts))
            for depth in range(1, len(parts) + 1)
        )

    def _covers_path(self, path: str, *, directory: bool) -> bool:
        covered = False
        for pattern in self._patterns:
            if (directory or not pattern.directories_only) and pattern.expression.fullmatch(path):
                covered = not pattern.reopens
        return covered


def _parse_patterns(pattern: str, as_git: bool, flags: re.RegexFlag) -> _Pattern | None:
    if pattern.startswith("#"):
        return None
    pattern = re.sub(r"(?<!\\)[ \t]+$", "", pattern)
    reopens, pattern = pattern.startswith("!"), pattern.removeprefix("!")
    directories_only, pattern = pattern.endswith("/"), pattern.rstrip("/")
    if not pattern:
        return None
    prefix = "" if "/" in pattern else "(?:.*/)?"
    try:
        expression = re.compile(prefix + _pattern_expression(pattern.removeprefix("/"), as_git), flags)
    except re.error:
        return None
    return _Pattern(expression, reopens, directories_only)


def _pattern_expression(pattern: str, as_git: bool) -> str:
    return "".join(_translate_pattern(token, as_git) for token in _TOKEN.finditer(pattern))


def _translate_pattern(token: re.Match[str], as_git: bool) -> str:
    match token.lastgroup:
        case "lead":
            return "(?:.*/)?"
        case "middle":
            return "(?:/.*)?"
        case "tail":
            return "/.+"
        case "star":
            return "[^/]*"
        case "one":
            return "[^/]"
        case "set":
            sign, body = token["sign"], token["body"].replace("[", "\\[")
            if sign and as_git:
                return f"[^{body}]"
            return f"[\\{sign}{body}]" if sign else f"[{body}]"
        case "escaped":
            character = token["escaped"]
            return re.escape(character if as_git or character not in "c?" else token[0])
    return re.escape(token[0])
