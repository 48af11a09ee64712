"""Decode and encode files, number their lines, and find and replace text in them."""

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
    "can_be_spelled_differently",
    "decode",
    "decode_escapes",
    "encode",
    "find_match",
    "format_of",
    "line_ending_of",
    "numbered_lines",
    "replace_surrogates",
    "replace_text",
    "snippet_around",
    "split_lines",
    "storable_text",
    "strips_whitespace",
    "text_for_read",
    "unify_line_ends",
    "utf16_length",
    "without_byte_order_mark",
    "without_trailing_whitespace",
]

_UTF_8 = "utf-8"
_UTF_16 = "utf-16-le"
_LATIN_1 = "latin-1"
_SAMPLE_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Format:
    """The format of a text file: Python codec, line ending, and whether it starts with a byte order mark."""

    encoding: str = _UTF_8
    line_ending: str = "\n"
    byte_order_mark: bool = False
    # with the line ending "\r\n", a "\r\n" in the text becomes "\r\r\n"
    doubles_cr: bool = True


def format_of(data: bytes, *, decoded: bool, empty_is_latin_1: bool) -> Format:
    """Determine the format of a file: UTF-16 if the file starts with a little-endian byte order mark, otherwise UTF-8.
    `empty_is_latin_1`: Latin-1 for an empty file. `decoded`: detect the line ending in the decoded text.
    """
    encoding = _UTF_16 if data.startswith(b"\xff\xfe") else _UTF_8
    if empty_is_latin_1 and not data:
        encoding = _LATIN_1
    return Format(encoding, line_ending_of(data, encoding if decoded else _UTF_8))


def line_ending_of(data: bytes, encoding: str = _UTF_8) -> str:
    """Return the most frequent line ending in the first 4,096 bytes. Return `\\n` if both are equally frequent."""
    sample = decode(data[:_SAMPLE_BYTES], encoding)
    crlf = sample.count("\r\n")
    return "\r\n" if crlf > sample.count("\n") - crlf else "\n"


def decode(data: bytes, encoding: str = _UTF_8, *, keep_surrogates: bool = False) -> str:
    """Convert bytes to text. Invalid bytes become U+FFFD, and a byte order mark becomes U+FEFF. If UTF-16 data has an
    odd number of bytes, the last byte is dropped. `keep_surrogates`: half of a surrogate pair in UTF-16 is kept.
    """
    if encoding == _UTF_16:
        data = data[: len(data) // 2 * 2]
    return data.decode(
        encoding, errors="surrogatepass" if keep_surrogates and encoding == _UTF_16 else "replace"
    )


def text_for_read(data: bytes, *, utf_16: bool, byte_order_mark: bool) -> str:
    """Return the text of a file as Read shows it. `utf_16`: decode a file with a UTF-16 little-endian byte order mark
    as UTF-16, instead of as UTF-8. `byte_order_mark`: the text includes a byte order mark.
    """
    text = decode(data, _UTF_16 if utf_16 and data.startswith(b"\xff\xfe") else _UTF_8)
    return text if byte_order_mark else without_byte_order_mark(text)


def without_byte_order_mark(text: str) -> str:
    """Return a text without the byte order mark at its beginning."""
    return text.removeprefix("\ufeff")


def unify_line_ends(text: str) -> str:
    """Replace each `\\r\\n` in a text by `\\n`. A `\\r` without `\\n` stays."""
    return text.replace("\r\n", "\n")


def replace_surrogates(text: str) -> str:
    """Replace every unpaired surrogate in a text by U+FFFD."""
    return decode(text.encode(_UTF_16, "surrogatepass"), _UTF_16)


def storable_text(text: str, file_format: Format) -> str:
    """Return `text` as a file in this format can store it: unpaired surrogates become U+FFFD, except in UTF-16."""
    return text if file_format.encoding == _UTF_16 else replace_surrogates(text)


def encode(text: str, file_format: Format) -> bytes:
    """Convert a text to bytes in this format. Every `\\n` becomes the line ending of the format. An unpaired surrogate
    becomes U+FFFD, except in UTF-16. In Latin-1, each UTF-16 code unit loses its upper byte.
    """
    text = storable_text(text, file_format)
    if file_format.line_ending != "\n":
        text = (text if file_format.doubles_cr else unify_line_ends(text)).replace(
            "\n", file_format.line_ending
        )
    if file_format.byte_order_mark:
        text = f"\ufeff{without_byte_order_mark(text)}"
    if file_format.encoding == _LATIN_1:
        return text.encode(_UTF_16)[::2]
    return text.encode(file_format.encoding, "surrogatepass")


def utf16_length(text: str) -> int:
    """Return the number of UTF-16 code units of a text."""
    return len(text.encode(_UTF_16, "surrogatepass")) // 2


def split_lines(text: str) -> list[str]:
    """Return the lines of a text, split at `\\n` and `\\r\\n`. After a final line end, the last line is empty."""
    return text.replace("\r\n", "\n").split("\n")


def numbered_lines(lines: Sequence[str], prefix: str, first: float) -> str:
    """Join lines with their line numbers, starting at `first`. `prefix` formats a number, for example `{:>6}→`."""
    number = str if isinstance(first, int) else number_text
    return "\n".join(prefix.format(number(first + n)) + line for n, line in enumerate(lines))


@dataclass(frozen=True, slots=True)
class Match:
    """A replacement that Edit makes: the text to replace, as the file contains it, and the new text."""

    old: str
    new: str

    def count(self, content: str) -> int:
        """Return how often the text to replace occurs in the content of a file. Overlapping occurrences count once."""
        return content.count(self.old)


def find_match(content: str, arguments: Mapping[str, Any], behaviours: Behaviours) -> Match | None:
    """Find the argument `old_string` of an Edit in the content of a file, or return None. Without an exact match, curly
    quotes match straight quotes; without such a match, escapes such as `\\u00e9` match their characters.
    """
    old, new = arguments["old_string"], arguments["new_string"]
    if old in content:
        return Match(old, new)
    at = (
        _straighten_quotes(content).find(_straighten_quotes(old))
        if behaviours.matching.curly_quotes_match_straight
        else -1
    )
    if at >= 0:
        found = content[at : at + len(old)]
        return Match(
            found, _curl_quotes(new, like=found) if behaviours.matching.new_text_takes_curly_quotes else new
        )
    if not behaviours.matching.unicode_escapes_match_characters:
        return None
    return _match_other_spelling(content, old, new, behaviours)


def _match_other_spelling(content: str, old: str, new: str, behaviours: Behaviours) -> Match | None:
    decoded = _decode_every_escape(old, behaviours)
    if decoded in content:
        return Match(decoded, _decode_every_escape(new, behaviours))
    found = _find_escaped(old, content)
    if found is None:
        return None
    upper_case = found != _escape_non_ascii(old) and found == _escape_non_ascii(old, upper_case=True)
    return Match(found, _escape_non_ascii(new, upper_case=upper_case))


_CONTEXT_LINES = 4


def replace_text(content: str, old: str, new: str, *, everywhere: bool) -> str:
    """Return the content with the first `old`, or every `old` if `everywhere`, replaced by `new`. If `new` is empty and
    `old` does not end with a line end, the line end after `old` is also removed. If only some occurrences of `old` are
    followed by a line end, the other occurrences are not replaced.
    """
    if new == "" and not old.endswith("\n") and f"{old}\n" in content:
        old = f"{old}\n"
    return content.replace(old, new) if everywhere else content.replace(old, new, 1)


def snippet_around(content: str, old: str, new: str, prefix: str, *, everywhere: bool) -> str:
    """Return the snippet in the answer to an Edit: numbered lines, from 4 lines before the first replacement to 4 lines
    after it. `content` is the content before the change. `prefix` formats a line number.
    """
    before = content.partition(old)[0] if old else content[:1]
    first = before.count("\n")
    start, end = max(0, first - _CONTEXT_LINES), first + _CONTEXT_LINES + len(split_lines(new))
    text = "\n".join(split_lines(replace_text(content, old, new, everywhere=everywhere))[start:end])
    return numbered_lines(split_lines(text), prefix, start + 1) if text else ""


WHITESPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_LINE_ENDS_PATTERN = re.compile(r"(\r\n|\n|\r)")


def strips_whitespace(behaviours: Behaviours, file_path: str) -> bool:
    """Whether Edit and Write strip trailing whitespace from the lines of text that they insert into a file."""
    markdown = file_path.lower().endswith((".md", ".mdx"))
    return behaviours.preparation.trailing_whitespace_is_stripped and not (
        markdown and behaviours.preparation.markdown_keeps_trailing_whitespace
    )


def without_trailing_whitespace(text: str) -> str:
    """Remove whitespace at the end of each line of a text. The line endings stay unchanged."""
    parts = _LINE_ENDS_PATTERN.split(text)
    parts[::2] = [line.rstrip(WHITESPACE) for line in parts[::2]]
    return "".join(parts)


_QUOTES = (('"', "“", "”"), ("'", "‘", "’"))
_STRAIGHT_QUOTES = str.maketrans({curly: plain for plain, *both in _QUOTES for curly in both})
_BEFORE_OPENING_QUOTE = " \t\n\r([{—–"


def _straighten_quotes(text: str) -> str:
    """Replace curly quotes in a text by straight quotes."""
    return text.translate(_STRAIGHT_QUOTES)


def _curl_quotes(text: str, *, like: str) -> str:
    """Replace straight quotes by curly quotes, but only the kinds (single, double) that are curly in `like`. A quote
    opens at the beginning, after a space, an opening bracket or a dash; otherwise it closes.
    """
    for plain, opening, closing in _QUOTES:
        if opening in like or closing in like:
            text = "".join(
                (closing if at and text[at - 1] not in _BEFORE_OPENING_QUOTE else opening)
                if each == plain
                else each
                for at, each in enumerate(text)
            )
    return text


_ESCAPED_UNIT = r"\\u([0-9a-fA-F]{4})"
_ESCAPED_SURROGATE_PAIR = r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
_ESCAPE_PATTERN = re.compile(rf"{_ESCAPED_SURROGATE_PAIR}|{_ESCAPED_UNIT}")
_ESCAPE_OR_BACKSLASH_PATTERN = re.compile(rf"\\\\|{_ESCAPED_SURROGATE_PAIR}|{_ESCAPED_UNIT}")
_WINDOWS_PATH_PATTERN = re.compile(
    rf"""(?<![A-Za-z])[A-Za-z]:[\\/]|(?:\A|(?<=[{WHITESPACE}"'=]))\\\\[^\\{WHITESPACE}]+\\(?!\\)"""
)
_NON_ASCII_PATTERN = re.compile(r"[^\x00-\x7f]")


def decode_escapes(text: str, behaviours: Behaviours) -> str:
    """Replace escapes such as `\\u00e9` by characters, except after a backslash and for unpaired surrogates."""
    if behaviours.preparation.windows_paths_keep_escapes and _WINDOWS_PATH_PATTERN.search(text):
        return text
    return _ESCAPE_OR_BACKSLASH_PATTERN.sub(lambda match: _unescape_character(match, behaviours), text)


def can_be_spelled_differently(text: str) -> bool:
    """Whether a text contains an escape such as `\\u00e9`, or a character that can be written as an escape."""
    return bool(_NON_ASCII_PATTERN.search(text) or _ESCAPE_PATTERN.search(text))


def _unescape_character(match: re.Match[str], behaviours: Behaviours) -> str:
    units = "".join(group or "" for group in match.groups())
    if not units:
        return match[0]
    character = bytes.fromhex(units).decode("utf-16-be", "surrogatepass")
    kept = ("Cc", "Cs") if behaviours.preparation.control_character_escapes_are_kept else ("Cs",)
    return match[0] if unicodedata.category(character) in kept else character


def _decode_every_escape(text: str, behaviours: Behaviours) -> str:
    """Replace each escape in a text by its character, even if it follows a backslash."""
    return _ESCAPE_PATTERN.sub(lambda match: _unescape_character(match, behaviours), text)


def _escape_non_ascii(text: str, *, upper_case: bool = False) -> str:
    """Replace each non-ASCII character by its escape, with digits in lower case unless `upper_case`."""
    return _NON_ASCII_PATTERN.sub(lambda match: _escape_text(match[0], upper_case), text)


def _find_escaped(text: str, content: str) -> str | None:
    """Return the first part of the content that is `text` with escapes for all non-ASCII characters, or None."""
    pattern = "".join(
        re.escape(character) if character.isascii() else _escape_pattern(character) for character in text
    )
    found = re.search(pattern, content)
    return found[0] if found else None


def _escape_pattern(character: str) -> str:
    return "".join(rf"\\u(?i:{unit})" for unit in _code_units(character))


def _escape_text(character: str, upper_case: bool) -> str:
    return "".join(f"\\u{unit.upper() if upper_case else unit}" for unit in _code_units(character))


def _code_units(character: str) -> list[str]:
    digits = character.encode("utf-16-be", "surrogatepass").hex()
    return [digits[at : at + 4] for at in range(0, len(digits), 4)]
