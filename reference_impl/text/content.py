"""Decode and encode files, number their lines, and find and insert text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.text.js_number import number_text

__all__ = [
    "WHITESPACE",
    "Format",
    "Match",
    "decode",
    "encode",
    "find_match",
    "format_of",
    "has_two_spellings",
    "line_ending_of",
    "lines_of",
    "number_lines",
    "numbered_lines",
    "readable_text",
    "replace_text",
    "snippet_around",
    "storable_text",
    "strips_whitespace",
    "unify_line_ends",
    "well_formed",
    "without_escapes",
    "without_mark",
    "without_trailing_whitespace",
]

_UTF_8 = "utf-8"
_UTF_16 = "utf-16-le"
_LATIN_1 = "latin-1"
_SAMPLE = 4096


@dataclass(frozen=True, slots=True)
class Format:
    """The encoding of text: a Python codec, the bytes of a line end (`\\n` or `\\r\\n`), and an optional byte
    order mark.

    `doubled`: a `\\r` of the text stays in front of the line ending.
    """

    encoding: str = _UTF_8
    line_ending: str = "\n"
    mark: bool = False
    doubled: bool = True


def format_of(data: bytes, *, decoded: bool, empty_is_latin_1: bool) -> Format:
    """Return the format of a file, determined from its beginning.

    A file with a UTF-16 little-endian byte order mark is UTF-16; other files are UTF-8, except an empty file,
    which is Latin-1 with `empty_is_latin_1`. `decoded`: line ends are detected in the decoded text; without it,
    in the bytes as if they were UTF-8.
    """
    encoding = _UTF_16 if data.startswith(b"\xff\xfe") else _UTF_8
    if empty_is_latin_1 and not data:
        encoding = _LATIN_1
    return Format(encoding, line_ending_of(data, encoding if decoded else _UTF_8))


def line_ending_of(data: bytes, encoding: str = _UTF_8) -> str:
    """Return the most frequent line ending in the first 4,096 bytes; on a tie `\\n`."""
    sample = decode(data[:_SAMPLE], encoding)
    crlf = sample.count("\r\n")
    return "\r\n" if crlf > sample.count("\n") - crlf else "\n"


def decode(data: bytes, encoding: str = _UTF_8, *, halves: bool = False) -> str:
    """Decode bytes. Invalid bytes become U+FFFD; a byte order mark stays, as U+FEFF.

    An odd last byte of UTF-16 is lost. `halves`: half of a surrogate pair in UTF-16 is kept.
    """
    if encoding == _UTF_16:
        data = data[: len(data) // 2 * 2]
    return data.decode(encoding, errors="surrogatepass" if halves and encoding == _UTF_16 else "replace")


def readable_text(data: bytes, *, utf_16: bool, mark: bool) -> str:
    """Return the text for Read. With `utf_16`, a file with a UTF-16 little-endian mark is decoded as UTF-16;
    every other file as UTF-8.

    `mark`: a byte order mark is shown.
    """
    text = decode(data, _UTF_16 if utf_16 and data.startswith(b"\xff\xfe") else _UTF_8)
    return text if mark else without_mark(text)


def without_mark(text: str) -> str:
    """Return the text without a leading byte order mark."""
    return text.removeprefix("\ufeff")


def unify_line_ends(text: str) -> str:
    """Return the text with `\\n` for every `\\r\\n`; a lone `\\r` stays."""
    return text.replace("\r\n", "\n")


def well_formed(text: str) -> str:
    """Return the text with U+FFFD for every half of a surrogate pair."""
    return decode(text.encode(_UTF_16, "surrogatepass"), _UTF_16)


def storable_text(text: str, file_format: Format) -> str:
    """Return the text as read back from a file of this format: half a surrogate pair is U+FFFD, except in UTF-16."""
    return text if file_format.encoding == _UTF_16 else well_formed(text)


def encode(text: str, file_format: Format) -> bytes:
    """Encode a text. Every `\\n` becomes the line ending, even after a `\\r`.

    Half of a surrogate pair becomes U+FFFD, but is kept in UTF-16. In Latin-1 each UTF-16 code unit loses its
    upper byte.
    """
    text = storable_text(text, file_format)
    if file_format.line_ending != "\n":
        text = (text if file_format.doubled else unify_line_ends(text)).replace("\n", file_format.line_ending)
    if file_format.mark:
        text = f"\ufeff{without_mark(text)}"
    if file_format.encoding == _LATIN_1:
        return text.encode(_UTF_16)[::2]
    return text.encode(file_format.encoding, "surrogatepass")


def lines_of(text: str) -> list[str]:
    """Split at `\\n` and `\\r\\n`. A final line end creates a last, empty line. A lone `\\r` does not split."""
    return text.replace("\r\n", "\n").split("\n")


def number_lines(text: str, prefix: str, first: float = 1) -> str:
    """Return the text's lines with their numbers, counted from `first`. Empty for an empty text."""
    return numbered_lines(lines_of(text), prefix, first) if text else ""


def numbered_lines(lines: Sequence[str], prefix: str, first: float) -> str:
    """Return lines after their numbers; `prefix` is the format of a number, for example `{:>6}→`."""
    number = str if isinstance(first, int) else number_text
    return "\n".join(prefix.format(number(first + n)) + line for n, line in enumerate(lines))


@dataclass(frozen=True, slots=True)
class Match:
    """The matched text, as spelled in the file, and its replacement."""

    old: str
    new: str

    def count(self, content: str) -> int:
        """Return the number of occurrences without overlaps."""
        return content.count(self.old)


def find_match(content: str, arguments: Mapping[str, Any], behaviours: Behaviours) -> Match | None:
    """Return the match of `old_string`. None if the content does not contain it.

    The exact text is preferred. If it does not occur, curly and straight quotes match each other. If this finds
    nothing, `old_string` is searched with each escape (such as `\u00e9`) replaced by its character, and then with each
    non-ASCII character replaced by its escape.
    """
    old, new = arguments["old_string"], arguments["new_string"]
    if old in content:
        return Match(old, new)
    at = (
        straighten_quotes(content).find(straighten_quotes(old))
        if behaviours.matching.curly_quotes_match_straight
        else -1
    )
    if at >= 0:
        found = content[at : at + len(old)]
        return Match(
            found, curl_quotes(new, like=found) if behaviours.matching.new_text_takes_curly_quotes else new
        )
    if not behaviours.matching.unicode_escapes_match_characters:
        return None
    return _swap_quotes(content, old, new, behaviours)


def _swap_quotes(content: str, old: str, new: str, behaviours: Behaviours) -> Match | None:
    spelt = with_characters(old, behaviours)
    if spelt in content:
        return Match(spelt, with_characters(new, behaviours))
    found = spelt_with_escapes(old, content)
    if found is None:
        return None
    large = found != with_escapes(old) and found == with_escapes(old, large=True)
    return Match(found, with_escapes(new, large=large))


_CONTEXT = 4


def replace_text(content: str, old: str, new: str, *, everywhere: bool) -> str:
    """Return the content with the first or every `old` replaced; `new` is inserted literally.

    A deletion (`new` is empty) also removes the line end after the text if `old` does not end with a line end and
    a line end follows some occurrence of `old`. In this case, occurrences without a following line end stay.
    """
    if new == "" and not old.endswith("\n") and f"{old}\n" in content:
        old = f"{old}\n"
    return content.replace(old, new) if everywhere else content.replace(old, new, 1)


def snippet_around(content: str, old: str, new: str, prefix: str, *, everywhere: bool) -> str:
    """Return the numbered lines of the change, with 4 lines before and 4 lines after it.

    `content` is the content before the change. `everywhere`: other occurrences in the shown lines are shown
    replaced, too.
    """
    before = content.partition(old)[0] if old else content[:1]
    first = before.count("\n")
    start, end = max(0, first - _CONTEXT), first + _CONTEXT + len(lines_of(new))
    lines = lines_of(replace_text(content, old, new, everywhere=everywhere))[start:end]
    return number_lines("\n".join(lines), prefix, start + 1)


WHITESPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_LINE_ENDS = re.compile(r"(\r\n|\n|\r)")


def strips_whitespace(behaviours: Behaviours, file_path: str) -> bool:
    """Whether trailing whitespace is stripped from text that is inserted into a file."""
    markdown = file_path.lower().endswith((".md", ".mdx"))
    return behaviours.preparation.trailing_whitespace_is_stripped and not (
        markdown and behaviours.preparation.markdown_keeps_trailing_whitespace
    )


def without_trailing_whitespace(text: str) -> str:
    """Return the text without whitespace before its line ends, which stay unchanged."""
    parts = _LINE_ENDS.split(text)
    parts[::2] = [line.rstrip(WHITESPACE) for line in parts[::2]]
    return "".join(parts)


_PAIRS = (('"', "“", "”"), ("'", "‘", "’"))
_STRAIGHT = str.maketrans({curly: plain for plain, *both in _PAIRS for curly in both})
_BEFORE_AN_OPENING = " \t\n\r([{—–"


def straighten_quotes(text: str) -> str:
    """Return the text with straight quotes instead of curly ones."""
    return text.translate(_STRAIGHT)


def curl_quotes(text: str, *, like: str) -> str:
    """Return the text with curly instead of straight quotes, for each kind of quote (single, double) that is
    curly in `like`.

    A quote opens at the beginning, after a space, an opening bracket or a dash; otherwise it closes.
    """
    for plain, opening, closing in _PAIRS:
        if opening in like or closing in like:
            text = "".join(
                (closing if at and text[at - 1] not in _BEFORE_AN_OPENING else opening)
                if each == plain
                else each
                for at, each in enumerate(text)
            )
    return text


_UNIT = r"\\u([0-9a-fA-F]{4})"
_HALVES = r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
_ESCAPE = re.compile(rf"{_HALVES}|{_UNIT}")
_ESCAPE_OR_BACKSLASH = re.compile(rf"\\\\|{_HALVES}|{_UNIT}")
_WINDOWS_PATH = re.compile(
    rf"""(?<![A-Za-z])[A-Za-z]:[\\/]|(?:\A|(?<=[{WHITESPACE}"'=]))\\\\[^\\{WHITESPACE}]+\\(?!\\)"""
)
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


def without_escapes(text: str, behaviours: Behaviours) -> str:
    """Return the text with every escape replaced by its character.

    An escape is kept if its backslash is itself escaped, or if the escape means half of a surrogate pair.
    """
    if behaviours.preparation.windows_paths_keep_escapes and _WINDOWS_PATH.search(text):
        return text
    return _ESCAPE_OR_BACKSLASH.sub(lambda match: _unescape_character(match, behaviours), text)


def has_two_spellings(text: str) -> bool:
    """Whether a text contains an escape, or a character that could be written as an escape."""
    return bool(_BEYOND_ASCII.search(text) or _ESCAPE.search(text))


def _unescape_character(match: re.Match[str], behaviours: Behaviours) -> str:
    units = "".join(group or "" for group in match.groups())
    if not units:
        return match[0]
    character = bytes.fromhex(units).decode("utf-16-be", "surrogatepass")
    kept = ("Cc", "Cs") if behaviours.preparation.control_character_escapes_are_kept else ("Cs",)
    return match[0] if unicodedata.category(character) in kept else character


def with_characters(text: str, behaviours: Behaviours) -> str:
    """Return the text with every escape replaced by its character, even after an escaped backslash."""
    return _ESCAPE.sub(lambda match: _unescape_character(match, behaviours), text)


def with_escapes(text: str, *, large: bool = False) -> str:
    """Return the text with every character beyond ASCII escaped, with lower- or upper-case hexadecimal digits."""
    return _BEYOND_ASCII.sub(lambda match: _escape_text(match[0], large), text)


def spelt_with_escapes(text: str, content: str) -> str | None:
    """Return the first part of the content that equals the text with escapes instead of characters, in any letter case
    of their digits, or None.
    """
    pattern = "".join(
        re.escape(character) if character.isascii() else _escape_pattern(character) for character in text
    )
    found = re.search(pattern, content)
    return found[0] if found else None


def _escape_pattern(character: str) -> str:
    return "".join(rf"\\u(?i:{unit})" for unit in _code_units(character))


def _escape_text(character: str, large: bool) -> str:
    return "".join(f"\\u{unit.upper() if large else unit}" for unit in _code_units(character))


def _code_units(character: str) -> list[str]:
    digits = character.encode("utf-16-be", "surrogatepass").hex()
    return [digits[at : at + 4] for at in range(0, len(digits), 4)]
