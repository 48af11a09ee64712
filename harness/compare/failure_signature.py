"""Failure signatures: failures without paths and numbers, equal for scenarios that fail in the same way."""

import re
from collections.abc import Callable
from functools import lru_cache

from readfirst.harness.compare.verdict import Difference, Verdict, up_to

MAX_REFUSAL_CHARS = 90
"""Maximum length of a refusal's text in a signature, in characters."""

_MAX_READ_CHARS = 10_000
"""Maximum number of characters at the beginning of a text that are read to create its signature."""
_FILE_SUFFIX_PATTERN = re.compile(r"\.(?:txt|md|json|py|png|ipynb|csv|sh|js|ts|yaml|toml|bin|pdf)\b")
_WORD_CHARACTER_PATTERN = re.compile(r"\w")


def _replace_path(word: re.Match[str]) -> str:
    """Replace the beginning of a word, up to the last file suffix such as `.txt`, by `PATH`."""
    for suffix in reversed([*_FILE_SUFFIX_PATTERN.finditer(word[0])]):
        name = word[0][: suffix.start()].rstrip("-")
        if _WORD_CHARACTER_PATTERN.match(name, len(name) - 1):
            return f"PATH{word[0][suffix.end() :]}"
    return word[0]


_PLACEHOLDERS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\$(?:WS|HOME)[^\s'\",)\]`]*[^\s'\",)\]`.:;]|\$(?:WS|HOME)"), "PATH"),
    (re.compile(r"[^\s'\"`(]+"), _replace_path),
    (re.compile(r"(?<![\w.:])/(?:[\w.~-]+/)+[\w~-]*"), "PATH"),
    (re.compile(r"0x[0-9a-f]+|\d[\d,.]*\d|\d+"), "N"),
    (re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|“[^”\n]*”"), "'...'"),
)


@lru_cache(maxsize=4096)
def with_placeholders(text: str) -> str:
    """Replace paths, numbers and quoted words in a text by placeholders."""
    for pattern, placeholder in _PLACEHOLDERS:
        text = pattern.sub(placeholder, text)
    return text


_BOM = "\ufeff"
_TRAILING_WHITESPACE_PATTERN = re.compile(rf"(?<![^\S\n])(?<!{_BOM})(?:[^\S\n]|{_BOM})+(?=\n|\Z)")
_WHITESPACE_PATTERN = re.compile(rf"[\s{_BOM}]+")

_CONTENT_DIFFERENCES: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("byte order mark", lambda text: text.removeprefix(_BOM)),
    ("line ends", lambda text: re.sub(r"\r+\n?", "\n", text)),
    ("newline at the end", lambda text: text.replace("\r", "").rstrip("\n")),
    (
        "whitespace at line ends",
        lambda text: _TRAILING_WHITESPACE_PATTERN.sub("", re.sub(r"\r+\n?", "\n", text)),
    ),
    ("newlines", lambda text: re.sub(r"[\r\n]", "", text)),
    ("whitespace", lambda text: _WHITESPACE_PATTERN.sub("", text)),
)
"""Kinds of differences between two contents, each with a function that removes this kind of difference."""


def signature(verdict: Verdict) -> str:
    """Return the signature of a failed verdict: its first difference at the lowest failing level, without paths,
    numbers and quoted words. Empty if the scenario neither failed nor ended early.

    Examples: `effects: refused: File not found`, `effects: file: line ends`, `reason: expected not_read, said
    file_not_found`, `text`, `error: ...`. For a harm, the signature contains the kind of harm: `safe: lost: effects:
    file: content`.
    """
    if verdict.status == "error":
        return f"error: {_generalize(verdict.reason)}"
    if verdict.status != "failed":
        return ""
    first = {each.level: each for each in reversed(verdict.differences)}
    for level in up_to(verdict.level):
        if level in first:
            has_effects = level == "safe" and "effects" in first
            return ": ".join(kind(first[each]) for each in ((level, "effects") if has_effects else (level,)))
    return ""


def kind(difference: Difference) -> str:
    """Return the words that describe one difference in a signature, such as `effects: file: line ends`."""
    if difference.level in ("text", "verbatim"):
        return difference.level
    if difference.level == "safe":
        return f"safe: {difference.what.partition(':')[0]}"
    match difference.what.split(" ")[0]:
        case "refused" if difference.expected != "not refused":
            return f"effects: not refused, expected {difference.expected.removeprefix('refused: ')}"
        case "refused":
            return f"effects: refused: {_generalize(difference.got.removeprefix('refused: '))}"
        case "error" if difference.got.startswith("no known error: "):
            return f"reason: expected {difference.expected}, said something else"
        case "error":
            return f"reason: expected {difference.expected}, said {difference.got}"
        case "file":
            return f"effects: file: {content_difference(difference.expected, difference.got)}"
        case "path":
            gone, missing = (each == "nothing there" for each in (difference.expected, difference.got))
            return f"effects: path: {'left over' if gone else 'missing' if missing else 'another kind'}"
        case what:  # includes `shown`
            return f"{difference.level}: {what}"


_MAX_HARM_CHARS = 150
"""Maximum characters of a harm's description in a signature."""


def kind_of_harm(difference: Difference) -> str:
    """Describe a harm without paths, numbers and quoted words. Return the `kind` of any other difference."""
    if difference.level != "safe":
        return kind(difference)
    return f"safe: {_generalize(difference.what, max_chars=_MAX_HARM_CHARS)}"


def content_difference(expected: str, got: str) -> str:
    """Return the kind of difference between two contents, such as `line ends`. Default: `content`."""
    for name, remove in _CONTENT_DIFFERENCES:
        if remove(expected) == remove(got):
            return name
    return "content"


def _generalize(text: str, max_chars: int = MAX_REFUSAL_CHARS) -> str:
    """Return the first line of a text, with placeholders for paths and numbers, shortened to `max_chars`."""
    text = with_placeholders(text[:_MAX_READ_CHARS].split("\n")[0])
    return text if len(text) <= max_chars else text[:max_chars].rstrip()
