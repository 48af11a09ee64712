"""Find the lines of files that a command shows, if the product understands the command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

__all__ = ["Shown", "shown_by"]

_NOT_SIMPLE = re.compile(r"[`\\$*?~<>|&{}\[\]!]")
_LINES = re.compile(r"(\d+)(?:,(\d+))?p")
_LAST_LINES = re.compile(r"-(?:n|-lines=)?(\d+)")
_GREP_FLAGS = re.compile(r"-(?:[inEFHw]+|[ABC]\d+)")
_QUIET = frozenset({"echo", "printf"})
"""Commands that may accompany those that show a file."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Lines of one file, whose `path` is written as in the command: `limit` lines from line `offset` on.

    None has the meaning of a Read without this argument. `known`: the line numbers are known; false for a search.
    """

    path: str
    offset: int | None = None
    limit: int | None = None
    known: bool = True


def shown_by(command: str, programs: Set[str]) -> list[Shown] | None:
    """Return the lines of files that a command shows. None if the command does something else, too.

    `programs` are the programs that count.
    """
    # `&&` joins simple commands; every other operator of the shell may do anything.
    joined = command.replace("&&", ";").strip().removeprefix("(").removesuffix(")")
    if _NOT_SIMPLE.search(joined):
        return None
    found: list[Shown] = []
    for words in _simple_commands(joined):
        if words[0] in _QUIET:
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


def _parse_display_command(words: Sequence[str]) -> Shown | None:
    match words:
        case ("cat" | "nl", path) | ("cat", "-n", path) if not path.startswith("-"):
            return Shown(path)
        case ("head", path) if not path.startswith("-"):
            return Shown(path, 1, 10)
        case ("head" | "tail" as program, *options, path):
            count = _line_count(options)
            if not count:
                return None
            return Shown(path, 1, count) if program == "head" else Shown(path, known=False)
        case ("sed", "-n" | "-ne", script, path):
            lines = _LINES.fullmatch(script)
            if lines is None:
                return None
            first, last = int(lines[1]), int(lines[2] or lines[1])
            return Shown(path, first, max(last - first + 1, 1))
        case ("grep" | "egrep" | "fgrep" | "rg", *flags, _, path) if all(map(_is_plain_flag, flags)):
            return Shown(path, known=False)
        case _:
            return None


def _line_count(options: Sequence[str]) -> int:
    """Return the number of lines that `head` or `tail` shows. 0 if it is unclear."""
    if not options:
        return 10
    found = _LAST_LINES.fullmatch("".join(options))
    return int(found[1]) if found else 0


def _is_plain_flag(word: str) -> bool:
    return _GREP_FLAGS.fullmatch(word) is not None
