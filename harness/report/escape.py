"""Escape control characters and unusual whitespace, so that every character is visible and unambiguous."""

import shlex
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

from readfirst.harness.first_difference import first_difference
from readfirst.harness.terminal import escape_character, escape_ci_commands, is_visible

MAX_ESCAPED_CHARS = 4000
"""Maximum characters that `visible` returns for one text, including escapes."""

_CONTEXT_LINES = 2
"""Number of equal lines that a comparison shows before and after each difference."""
_MAX_LINE_CHARS = 160
"""Maximum characters of one line of a comparison. For a longer line, only an excerpt around the difference is shown."""
_MAX_DIFF_LINES = 40
"""Maximum number of lines that are shown for one difference. For further lines, only their number is shown."""


def _escape_character(character: str) -> str:
    if character == "\\":
        return "\\\\"
    is_unusual = character != " " and unicodedata.category(character) == "Zs"
    return escape_character(character) if is_unusual or not is_visible(character) else character


def visible(text: str) -> str:
    """Return the text on one line with each character visible. Control characters, unusual whitespace, backslashes,
    spaces at the end and commands of CI systems (`##[error]`) are escaped. Different texts stay different. After
    MAX_ESCAPED_CHARS characters, only the number of omitted characters follows.
    """
    escaped_text = _escape_text(text[:MAX_ESCAPED_CHARS])
    if len(escaped_text) <= MAX_ESCAPED_CHARS >= len(text):
        return escaped_text
    kept_chars = bisect_right(
        list(accumulate(len(_escape_character(character)) for character in text[:MAX_ESCAPED_CHARS])),
        MAX_ESCAPED_CHARS,
    )
    return f"{_escape_text(text[:kept_chars])} [{len(text) - kept_chars:,} characters]"


def _escape_text(text: str) -> str:
    stripped = text.rstrip(" ")
    spaces = len(text) - len(stripped)
    if not (stripped.isascii() and stripped.isprintable() and "\\" not in stripped):
        stripped = "".join(map(_escape_character, stripped))
    return escape_ci_commands(stripped) + "\\x20" * spaces


def visible_command(words: Sequence[str]) -> str:
    """Return a command line for a shell. Words with control characters or CI commands are quoted as `$'...'`."""
    return " ".join(map(_quote_word, words))


def _quote_word(word: str) -> str:
    if word.isprintable() and escape_ci_commands(word) == word:
        return shlex.quote(word)
    return f"$'{escape_ci_commands(''.join(map(_escape_in_quotes, word)))}'"


def _escape_in_quotes(character: str) -> str:
    code = ord(character)
    if character.isprintable():
        return f"\\{character}" if character in "\\'" else character
    if 0xDC80 <= code <= 0xDCFF:  # an invalid byte of UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible_lines(text: str) -> list[str]:
    """Return the escaped lines of a text. Only `\\n` ends a line. A final `\\n` is shown in the last line."""
    lines = text.split("\n")
    if len(lines) > 1 and lines[-1] == "":
        return [*map(_escape_text, lines[:-2]), _escape_text(lines[-2]) + "\\n"]
    return [_escape_text(line) for line in lines]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a comparison of texts. `sign` is `-` (expected), `+` (actual), a space (both) or `?` (a remark)."""

    sign: str
    text: str


def _cut_line(line: str, position: int) -> str:
    """Truncate a long line to the characters around `position`, with the number of omitted characters on each side."""
    if len(line) <= _MAX_LINE_CHARS:
        return line
    start = max(0, min(position - _MAX_LINE_CHARS // 2, len(line) - _MAX_LINE_CHARS))
    end = start + _MAX_LINE_CHARS
    before = f"[{start:,} characters] " if start else ""
    after = f" [{len(line) - end:,} characters]" if end < len(line) else ""
    return f"{before}{line[start:end]}{after}"


def _compare_blocks(expected: list[str], actual: list[str]) -> list[DiffLine]:
    """Compare two different blocks of lines. A mark below similar lines shows their first difference."""
    if len(expected) == len(actual) == 1:
        position = first_difference(expected[0], actual[0]) or 0
        lines = [
            DiffLine("-", _cut_line(expected[0], position)),
            DiffLine("+", _cut_line(actual[0], position)),
        ]
        if max(len(expected[0]), len(actual[0])) <= _MAX_LINE_CHARS and position > 0:
            lines.append(DiffLine("?", " " * position + "^"))
        return lines
    return [
        *(DiffLine("-", _cut_line(line, 0)) for line in expected),
        *(DiffLine("+", _cut_line(line, 0)) for line in actual),
    ]


def _find_opcodes(expected: list[str], actual: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """Return the opcodes of `SequenceMatcher` for two lists. To save time, only the ends of long lists are compared."""
    if len(expected) + len(actual) <= 2000:
        return SequenceMatcher(None, expected, actual, autojunk=False).get_opcodes()
    shorter = min(len(expected), len(actual))
    head = next((n for n in range(shorter) if expected[n] != actual[n]), shorter)
    rest = range(shorter - head)
    tail = next((n for n in rest if expected[-1 - n] != actual[-1 - n]), len(rest))
    expected_end, actual_end = len(expected) - tail, len(actual) - tail
    return [
        ("equal", 0, head, 0, head),
        ("replace", head, expected_end, head, actual_end),
        ("equal", expected_end, len(expected), actual_end, len(actual)),
    ]


def compare_lines(expected: str, got: str) -> list[DiffLine]:
    """Compare two texts exactly. Return all different lines, and a few equal lines around them."""
    expected_lines, actual_lines = visible_lines(expected), visible_lines(got)
    lines: list[DiffLine] = []
    all_codes = _find_opcodes(expected_lines, actual_lines)
    codes = [code for code in all_codes if code[2] > code[1] or code[4] > code[3]]
    for number, (kind, a, b, c, d) in enumerate(codes):
        if kind != "equal":
            lines += _compare_blocks(expected_lines[a:b], actual_lines[c:d])
            continue
        before = _CONTEXT_LINES if number else 0
        after = _CONTEXT_LINES if number < len(codes) - 1 else 0
        if b - a <= before + after + 1:
            lines += [DiffLine(" ", _cut_line(line, 0)) for line in expected_lines[a:b]]
            continue
        lines += [DiffLine(" ", _cut_line(line, 0)) for line in expected_lines[a : a + before]]
        lines.append(DiffLine("?", f"[{b - a - before - after:,} equal lines]"))
        lines += [DiffLine(" ", _cut_line(line, 0)) for line in expected_lines[b - after : b]]
    if len(lines) > _MAX_DIFF_LINES:
        rest = len(lines) - _MAX_DIFF_LINES
        lines = [*lines[:_MAX_DIFF_LINES], DiffLine("?", f"[{rest:,} more lines]")]
    return lines
