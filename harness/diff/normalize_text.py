"""Wording: an answer as parts that can be compared with another's, without what is particular to one scenario."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, Literal

from readfirst.harness.compare.failure_signature import manner

_NUMBERED = re.compile(r"(?s)(\s*)(\d+)([→\t|:]\s?|\W{1,3})(.*)")
_PRODUCT = re.compile(r"(?s)( *)(\d+)([→\t])(.*)")
_BARE = re.compile(r"\s*\d+[^\w\s]?\s*")
_SENTENCE = re.compile(r"(?<=[.!?)])\s+(?=[A-Z(])")

_VARYING = (
    (re.compile(r"\$(?:WS|HOME)[^\s'\",)\]`]*[^\s'\",)\]`.:;]|\$(?:WS|HOME)"), "PATH"),
    (
        re.compile(r"[^\s'\"`(]*\b[\w-]+\.(?:txt|md|json|py|png|ipynb|csv|sh|js|ts|yaml|toml|bin|pdf)\b"),
        "PATH",
    ),
    (re.compile(r"(?<![\w.:])/(?:[\w.~-]+/)+[\w~-]*"), "PATH"),
    (re.compile(r"0x[0-9a-f]+|\d[\d,.]*\d|\d+"), "N"),
    (re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|“[^”\n]*”"), "'...'"),
)
WHITESPACE = "whitespace and empty lines"
"""What two answers differ in that have the same parts."""
_SHORTEST = 3
"""Characters of an argument from which it is taken for itself wherever it occurs in an answer."""

_LONGEST = 4_000
"""Characters of a sentence in which varying parts are looked for: a run may say a megabyte without a space."""


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence, or a block of lines of a file. `key` is what it is compared by, `text` what was said.

    A block has the `prefix` of its first line (`     1→`), and its lines without their prefixes in `lines`.
    """

    kind: Literal["content", "words"]
    key: str
    text: str
    prefix: str = ""
    lines: tuple[str, ...] = ()


ChangeLevel = Literal["effects", "reason", "text"]
Kind = Literal[
    "refusal", "file", "path", "mode", "reason", "refusal words", "words", "content", "detail", "prefix"
]


@dataclass(frozen=True, slots=True)
class Change:
    """What two sides do differently, in general terms.

    `subject` is what it is about, the same for all of one cause: the kind of bytes, the name of a refusal, the
    first sentences. `before` and `after` may vary within a cause. The words are what the sides said or wrote. Of a
    text `kind` is `prefix` of the lines of a file, `content` shown of a file, `words`, or a `detail`: words that are
    the same but for a path, a number or what they quote.
    """

    level: ChangeLevel
    kind: Kind
    subject: str
    before: str
    after: str
    words_before: str
    words_after: str


def general(text: str, arguments: Mapping[str, Any] | None = None) -> str:
    """Return a sentence without paths, numbers, quoted words and what the call's own arguments say."""
    rest = text[_LONGEST:]
    text = text[:_LONGEST]
    for name, value in (arguments or {}).items():
        if isinstance(value, str) and len(value) >= _SHORTEST and value in text:
            text = text.replace(value, "PATH" if name.endswith("path") else f"{{{name}}}")
    return f"{_without_what_varies(text)}{rest}".strip()


@lru_cache(maxsize=4096)
def _without_what_varies(text: str) -> str:
    """Return a sentence without numbers and the like; many calls have the same."""
    for pattern, instead in _VARYING:
        text = pattern.sub(instead, text)
    return text


def parts(text: str, arguments: Mapping[str, Any], known: Container[str]) -> list[Part]:
    """Return an answer in parts. `known` are the lines that files and arguments of the scenario hold."""
    for value in arguments.values():
        if isinstance(value, str) and "\n" in value:
            text = text.replace(f"'{value}'", "'...'")
    found: list[Part] = []
    block: list[tuple[str, str, str]] = []
    for line in text.split("\n"):
        numbered = _line_of_a_file(line, known)
        if numbered is None and block and _BARE.fullmatch(line):
            numbered = line, ""  # an empty line at the end, without what follows a number
        if numbered is not None:
            block.append((line, *numbered))
            continue
        if block:
            found.append(_block(block))
            block = []
        if line.strip():
            found += [
                Part("words", general(sentence, arguments), sentence) for sentence in _SENTENCE.split(line)
            ]
    if block:
        found.append(_block(block))
    return found


def _line_of_a_file(line: str, known: Container[str]) -> tuple[str, str] | None:
    """Return prefix and content where the line shows one of a file."""
    match = _PRODUCT.fullmatch(line)
    if match is not None:
        return f"{match[1]}{match[2]}{match[3]}", match[4]
    if line.strip() in known:
        return "", line
    match = _NUMBERED.fullmatch(line)
    if match is not None and match[4].strip() in known:
        return f"{match[1]}{match[2]}{match[3]}", match[4]
    return None


def _block(lines: Sequence[tuple[str, str, str]]) -> Part:
    text = "\n".join(line for line, _, _ in lines)
    return Part("content", "LINES", text, lines[0][1], tuple(content for _, _, content in lines))


def _style(prefix: str) -> str:
    """Return how a line's number is written, for any number."""
    digits = prefix.strip("\t→|: ")
    width = len(prefix.rstrip("\t→|: ")) if prefix.startswith(" ") else 0
    mark = prefix[len(prefix.rstrip("\t→|: ")) :]
    return f"{width or ''}{'N' if digits.isdecimal() else digits}{mark}"


def text_changes(
    before: str, after: str, arguments: Mapping[str, Any], known: Container[str]
) -> Iterator[Change]:
    """Yield what two answers to one call say otherwise; nothing for equal ones."""
    if before == after:
        return
    one, other = parts(before, arguments, known), parts(after, arguments, known)
    matcher = SequenceMatcher(None, [part.key for part in one], [part.key for part in other], autojunk=False)
    count = 0
    for kind, a, b, c, d in matcher.get_opcodes():
        changes = [_words(one[a:b], other[c:d])]
        if kind == "equal":
            pairs = zip(one[a:b], other[c:d], strict=True)
            changes = [change for pair in pairs for change in _same_key(*pair)]
        count += len(changes)
        yield from changes
    if not count:
        yield Change("text", "detail", WHITESPACE, "", "", before, after)


def _words(one: Sequence[Part], other: Sequence[Part]) -> Change:
    first, second = (side[0].key if side else "nothing" for side in (one, other))
    keys = (" ".join(part.key for part in side) for side in (one, other))
    words = (" ".join(part.text for part in side) for side in (one, other))
    return Change("text", "words", f"{first} → {second}", *keys, *words)


def _same_key(one: Part, other: Part) -> Iterator[Change]:
    if one.kind == "words":
        if one.text != other.text:
            yield Change("text", "detail", one.key, "", "", one.text, other.text)
        return
    styles = _style(one.prefix), _style(other.prefix)
    if styles[0] != styles[1]:
        yield Change("text", "prefix", "number of a line", *styles, one.prefix, other.prefix)
    if one.lines != other.lines:
        left, right = "\n".join(one.lines), "\n".join(other.lines)
        longer = "longer" if len(right) > len(left) else "shorter" if len(right) < len(left) else "as long"
        yield Change("text", "content", manner(left, right), "", longer, one.text, other.text)
