"""Failure signatures: one line that is the same for all scenarios that fail in the same way."""

import re
from collections.abc import Callable
from functools import lru_cache

from readfirst.harness.compare.verdict import Difference, Verdict, up_to

LONGEST = 90
"""Maximum characters of a refusal's text in a signature."""

_LOOKED_AT = 10_000
"""Number of characters at the start of a text that are used for its signature."""
_ENDING = re.compile(r"\.(?:txt|md|json|py|png|ipynb|csv|sh|js|ts|yaml|toml|bin|pdf)\b")
_A_WORD = re.compile(r"\w")


def _with_path(word: re.Match[str]) -> str:
    """Return a word with `PATH` for all before its last file name; one pattern would be quadratic for long words."""
    for found in reversed([*_ENDING.finditer(word[0])]):
        name = word[0][: found.start()].rstrip("-")
        if _A_WORD.match(name, len(name) - 1):
            return f"PATH{word[0][found.end() :]}"
    return word[0]


_PLACEHOLDERS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\$(?:WS|HOME)[^\s'\",)\]`]*[^\s'\",)\]`.:;]|\$(?:WS|HOME)"), "PATH"),
    (re.compile(r"[^\s'\"`(]+"), _with_path),
    (re.compile(r"(?<![\w.:])/(?:[\w.~-]+/)+[\w~-]*"), "PATH"),
    (re.compile(r"0x[0-9a-f]+|\d[\d,.]*\d|\d+"), "N"),
    (re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|“[^”\n]*”"), "'...'"),
)


@lru_cache(maxsize=4096)
def with_placeholders(text: str) -> str:
    """Return a text with placeholders for paths, numbers and quoted words. Cached: many calls have equal texts."""
    for pattern, placeholder in _PLACEHOLDERS:
        text = pattern.sub(placeholder, text)
    return text


_MARK = "\ufeff"
_AT_LINE_ENDS = re.compile(rf"(?<![^\S\n])(?<!{_MARK})(?:[^\S\n]|{_MARK})+(?=\n|\Z)")
_WHITESPACE = re.compile(rf"[\s{_MARK}]+")

_MANNERS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("byte order mark", lambda text: text.removeprefix(_MARK)),
    ("line ends", lambda text: re.sub(r"\r+\n?", "\n", text)),
    ("newline at the end", lambda text: text.replace("\r", "").rstrip("\n")),
    ("whitespace at line ends", lambda text: _AT_LINE_ENDS.sub("", re.sub(r"\r+\n?", "\n", text))),
    ("newlines", lambda text: re.sub(r"[\r\n]", "", text)),
    ("whitespace", lambda text: _WHITESPACE.sub("", text)),
)
"""Kinds of differences between two contents, each with a function that removes the difference. A difference is of the
first kind whose function makes both contents equal.
"""


def signature(verdict: Verdict) -> str:
    """Return the first failure of the lowest failing level, without paths, numbers and quoted words.

    Examples: `effects: refused: File not found`, `effects: not refused, expected not_read`, `effects: file:
    line ends`, `reason: expected not_read, said file_not_found`, `text`, `error: ...`. For a harm: its kind
    and the difference in effects, `safe: lost: effects: file: content`. Empty for a verdict that neither failed
    nor broke.
    """
    if verdict.status == "error":
        return f"error: {_general(verdict.reason)}"
    if verdict.status != "failed":
        return ""
    first = {each.level: each for each in reversed(verdict.differences)}
    for level in up_to(verdict.level):
        if level in first:
            beside = level == "safe" and "effects" in first
            return ": ".join(kind(first[each]) for each in ((level, "effects") if beside else (level,)))
    return ""


def kind(difference: Difference) -> str:
    """Return the kind of a difference, without paths, numbers and quoted words. See `signature`."""
    if difference.level in ("text", "verbatim"):
        return difference.level
    if difference.level == "safe":
        return f"safe: {difference.what.partition(':')[0]}"
    match difference.what.split(" ")[0]:
        case "refused" if difference.expected != "not refused":
            return f"effects: not refused, expected {difference.expected.removeprefix('refused: ')}"
        case "refused":
            return f"effects: {_general(difference.got.removeprefix('refused: '), 'refused: ')}"
        case "error" if difference.got.startswith("no known error: "):
            return f"reason: expected {difference.expected}, said something else"
        case "error":
            return f"reason: expected {difference.expected}, said {difference.got}"
        case "file":
            return f"effects: file: {manner(difference.expected, difference.got)}"
        case "path":
            gone, missing = (each == "nothing there" for each in (difference.expected, difference.got))
            return f"effects: path: {'left over' if gone else 'missing' if missing else 'another kind'}"
        case what:  # includes `shown`
            return f"{difference.level}: {what}"


_MOST_OF_A_HARM = 150
"""Maximum characters of a harm's line that distinguish it from other harms."""


def kind_of_harm(difference: Difference) -> str:
    """Return the line of a harm without paths, numbers and quoted words. For other differences, their kind."""
    if difference.level != "safe":
        return kind(difference)
    return f"safe: {_general(difference.what, longest=_MOST_OF_A_HARM)}"


def manner(expected: str, got: str) -> str:
    """Return the first of `_MANNERS` that explains the whole difference between two contents, otherwise `content`."""
    for name, without in _MANNERS:
        if without(expected) == without(got):
            return name
    return "content"


def _general(text: str, before: str = "", longest: int = LONGEST) -> str:
    text = with_placeholders(text[:_LOOKED_AT].split("\n")[0])
    return before + (text if len(text) <= longest else text[:longest].rstrip())
