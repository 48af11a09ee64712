"""Split answers into sentences and lines of files, so that answers of different scenarios can be compared."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from readfirst.harness.compare.failure_signature import content_difference, with_placeholders

_NUMBERED_LINE_PATTERN = re.compile(r"(?s)(\s*)(\d+)([→\t|:]\s?|\W{1,3})(.*)")
_PRODUCT_LINE_PATTERN = re.compile(r"(?s)( *)(\d+)([→\t])(.*)")
_LONE_NUMBER_PATTERN = re.compile(r"\s*\d+[^\w\s]?\s*")
_SENTENCE_END_PATTERN = re.compile(r"(?<=[.!?)])\s+(?=[A-Z(])")

WHITESPACE = "whitespace and empty lines"
"""The subject of a change if two answers differ only in whitespace and empty lines."""
_MIN_ARGUMENT_CHARS = 3
"""Minimum length of an argument that becomes a placeholder in an answer, in characters."""

_MAX_SENTENCE_CHARS = 4_000
"""Maximum length of a sentence with placeholders, in characters. Some answers have a megabyte without a space."""


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence of an answer, or a block of lines of a file."""

    kind: Literal["content", "words"]
    key: str
    """The text that is used for comparisons."""
    text: str
    """The original text."""
    prefix: str = ""
    """For a block, the text before its first line, such as ` 1→`."""
    lines: tuple[str, ...] = ()
    """For a block, the lines without prefixes."""


ChangeLevel = Literal["effects", "reason", "text"]
Kind = Literal[
    "refusal", "file", "path", "mode", "reason", "refusal words", "words", "content", "detail", "prefix"
]


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between two sides, without the details of its scenario, so that it can be grouped."""

    level: ChangeLevel
    kind: Kind
    """For a changed text: `prefix` or `content` (of file lines), `words`, or `detail` (a path, number or quote)."""
    subject: str
    """Equal for changes with the same cause: the name of a refusal, or the first different sentences."""
    before: str
    """A description of the value in a few words."""
    after: str
    words_before: str
    """The original text."""
    words_after: str


def generalize_text(text: str, arguments: Mapping[str, Any] | None = None) -> str:
    """Return a sentence with placeholders for paths, numbers, quotes and the arguments of the call."""
    rest = text[_MAX_SENTENCE_CHARS:]
    text = text[:_MAX_SENTENCE_CHARS]
    for name, value in (arguments or {}).items():
        if isinstance(value, str) and len(value) >= _MIN_ARGUMENT_CHARS and value in text:
            text = text.replace(value, "PATH" if name.endswith("path") else f"{{{name}}}")
    return f"{with_placeholders(text)}{rest}".strip()


def parts(text: str, arguments: Mapping[str, Any], known: Container[str]) -> list[Part]:
    """Split an answer into sentences and blocks of file lines. `known`: the lines of the scenario's files."""
    for value in arguments.values():
        if isinstance(value, str) and "\n" in value:
            text = text.replace(f"'{value}'", "'...'")
    result: list[Part] = []
    block: list[tuple[str, str, str]] = []
    for line in text.split("\n"):
        numbered = _split_file_line(line, known)
        if numbered is None and block and _LONE_NUMBER_PATTERN.fullmatch(line):
            numbered = line, ""  # an empty line at the end, without a separator after its number
        if numbered is not None:
            block.append((line, *numbered))
            continue
        if block:
            result.append(_make_block(block))
            block = []
        if line.strip():
            result += [
                Part("words", generalize_text(sentence, arguments), sentence)
                for sentence in _SENTENCE_END_PATTERN.split(line)
            ]
    if block:
        result.append(_make_block(block))
    return result


def _split_file_line(line: str, known: Container[str]) -> tuple[str, str] | None:
    """Split a line of an answer into a prefix, such as ` 1→`, and a `known` line. None without a `known` line."""
    match = _PRODUCT_LINE_PATTERN.fullmatch(line)
    if match is not None:
        return f"{match[1]}{match[2]}{match[3]}", match[4]
    if line.strip() in known:
        return "", line
    match = _NUMBERED_LINE_PATTERN.fullmatch(line)
    if match is not None and match[4].strip() in known:
        return f"{match[1]}{match[2]}{match[3]}", match[4]
    return None


def _make_block(lines: Sequence[tuple[str, str, str]]) -> Part:
    text = "\n".join(line for line, _, _ in lines)
    return Part("content", "LINES", text, lines[0][1], tuple(content for _, _, content in lines))


def _prefix_style(prefix: str) -> str:
    """Return the style of a prefix: its width, `N` in place of the number, and the sign after the number."""
    digits = prefix.strip("\t→|: ")
    width = len(prefix.rstrip("\t→|: ")) if prefix.startswith(" ") else 0
    mark = prefix[len(prefix.rstrip("\t→|: ")) :]
    return f"{width or ''}{'N' if digits.isdecimal() else digits}{mark}"


def compare_answers(
    before: str, after: str, arguments: Mapping[str, Any], known: Container[str]
) -> Iterator[Change]:
    """Yield the differences between two answers to the same call. Equal answers have no differences."""
    if before == after:
        return
    before_parts, after_parts = parts(before, arguments, known), parts(after, arguments, known)
    before_keys, after_keys = ([part.key for part in side] for side in (before_parts, after_parts))
    matcher = SequenceMatcher(None, before_keys, after_keys, autojunk=False)
    count = 0
    for kind, a, b, c, d in matcher.get_opcodes():
        changes = [_change_of_words(before_parts[a:b], after_parts[c:d])]
        if kind == "equal":
            pairs = zip(before_parts[a:b], after_parts[c:d], strict=True)
            changes = [change for pair in pairs for change in _iter_detail_changes(*pair)]
        count += len(changes)
        yield from changes
    if not count:
        yield Change("text", "detail", WHITESPACE, "", "", before, after)


def _change_of_words(before: Sequence[Part], after: Sequence[Part]) -> Change:
    first, second = (side[0].key if side else "nothing" for side in (before, after))
    keys = (" ".join(part.key for part in side) for side in (before, after))
    words = (" ".join(part.text for part in side) for side in (before, after))
    return Change("text", "words", f"{first} → {second}", *keys, *words)


def _iter_detail_changes(before: Part, after: Part) -> Iterator[Change]:
    if before.kind == "words":
        if before.text != after.text:
            yield Change("text", "detail", before.key, "", "", before.text, after.text)
        return
    styles = _prefix_style(before.prefix), _prefix_style(after.prefix)
    if styles[0] != styles[1]:
        yield Change("text", "prefix", "number of a line", *styles, before.prefix, after.prefix)
    if before.lines != after.lines:
        left, right = "\n".join(before.lines), "\n".join(after.lines)
        longer = "longer" if len(right) > len(left) else "shorter" if len(right) < len(left) else "as long"
        yield Change("text", "content", content_difference(left, right), "", longer, before.text, after.text)
