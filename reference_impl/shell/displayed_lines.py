"""Find the lines of files that a command such as `sed -n 1,5p notes.txt` displays: they may count as read."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

__all__ = ["DisplayedLines", "displayed_lines"]

_SHELL_SYNTAX_PATTERN = re.compile(r"[`\\$*?~<>|&{}\[\]!]")
_SED_RANGE_PATTERN = re.compile(r"(\d+)(?:,(\d+))?p")
_LINE_COUNT_PATTERN = re.compile(r"-(?:n|-lines=)?(\d+)")
_GREP_FLAG_PATTERN = re.compile(r"-(?:[inEFHw]+|[ABC]\d+)")
_PROGRAMS_WITHOUT_FILES = frozenset({"echo", "printf"})
"""Programs that display no file. A command such as `echo x; cat a` still counts as a command that only displays files.
"""


@dataclass(frozen=True, slots=True)
class DisplayedLines:
    """Lines of one file that a command displays: `limit` lines from line `offset` on (None: the whole file)."""

    # as in the command
    path: str
    offset: int | None = None
    limit: int | None = None
    # false for `grep`, `rg` and `tail`
    has_line_numbers: bool = True


def displayed_lines(command: str, programs: Set[str]) -> list[DisplayedLines] | None:
    """Return the lines of files that a command displays. None if the command also does anything else. `programs` are
    the programs whose output counts as a Read.
    """
    # `&&` joins simple commands; every other operator of the shell may do anything.
    joined = command.replace("&&", ";").strip().removeprefix("(").removesuffix(")")
    if _SHELL_SYNTAX_PATTERN.search(joined):
        return None
    found: list[DisplayedLines] = []
    for words in _simple_commands(joined):
        if words[0] in _PROGRAMS_WITHOUT_FILES:
            continue
        shown = _parse_display_command(words) if words[0] in programs else None
        if shown is None:
            return None
        found.append(shown)
    return found


def _simple_commands(command: str) -> Iterator[Sequence[str]]:
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";\n")
    lexer.whitespace_split = True
    words: list[str] = []
    for word in lexer:
        if set(word) <= {";", "\n"}:
            if words:
                yield words
            words = []
        else:
            words.append(word)
    if words:
        yield words


def _parse_display_command(words: Sequence[str]) -> DisplayedLines | None:
    match words:
        case ("cat" | "nl", path) | ("cat", "-n", path) if not path.startswith("-"):
            return DisplayedLines(path)
        case ("head", path) if not path.startswith("-"):
            return DisplayedLines(path, 1, 10)
        case ("head" | "tail" as program, *options, path):
            count = _line_count(options)
            if not count:
                return None
            return (
                DisplayedLines(path, 1, count)
                if program == "head"
                else DisplayedLines(path, has_line_numbers=False)
            )
        case ("sed", "-n" | "-ne", script, path):
            lines = _SED_RANGE_PATTERN.fullmatch(script)
            if lines is None:
                return None
            first, last = int(lines[1]), int(lines[2] or lines[1])
            return DisplayedLines(path, first, max(last - first + 1, 1))
        case ("grep" | "egrep" | "fgrep" | "rg", *flags, _, path) if all(map(_is_plain_flag, flags)):
            return DisplayedLines(path, has_line_numbers=False)
        case _:
            return None


def _line_count(options: Sequence[str]) -> int:
    """Return the number of lines that `head` or `tail` displays with these options. 0 if it is unknown."""
    if not options:
        return 10
    found = _LINE_COUNT_PATTERN.fullmatch("".join(options))
    return int(found[1]) if found else 0


def _is_plain_flag(word: str) -> bool:
    return _GREP_FLAG_PATTERN.fullmatch(word) is not None
