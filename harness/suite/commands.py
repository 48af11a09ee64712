"""Commands: what a Bash call of a scenario may run: simple commands of a short list, on files of the workspace."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from readfirst.harness.source.inspection import Inspection
from readfirst.harness.source.strict_yaml import YamlPath

__all__ = ["PROGRAMS", "note_command", "problems_of"]

PROGRAMS = (
    *(
        "cat",
        "cd",
        "cp",
        "echo",
        "egrep",
        "false",
        "fgrep",
        "grep",
        "head",
        "ls",
        "mv",
        "nl",
        "printf",
        "pwd",
    ),
    *("rg", "rm", "sed", "sort", "tail", "tee", "touch", "true", "wc"),
)
"""Programs that a command may run."""

_BETWEEN = frozenset({"|", "||", "&&", ";", "(", ")"})
_REDIRECTIONS = frozenset({"<", ">", ">>"})
_FORBIDDEN = re.compile(r"[`\\{}#~\n]|(?<!&)&(?!&)|\$(?!WS\b)")
_SED = re.compile(r"(?:\d+(?:,\d+)?)?[pd]|s/[^/]*/[^/]*/g?|")
_FILE = re.compile(r"(?:\$WS/)?[\w-]+(?:/[\w-]+)*\.\w+")


def note_command(look: Inspection, place: YamlPath, command: object) -> None:
    """Note what keeps a command from being run by everybody who replays the scenario."""
    problem = next(problems_of(command), "") if isinstance(command, str) else ""
    if problem:
        fix = f"Use simple commands on files of the workspace, with | || && ; < > >> between: {', '.join(PROGRAMS)}."
        look.note(place, f"the command {problem}", fix, rule="unsafe-command")


def problems_of(command: str) -> Iterator[str]:
    """Yield what a command does that none of a scenario may do: it runs on the machine of whoever replays it."""
    if found := _FORBIDDEN.search(command):
        yield f"has {found[0]!r} in it, which may start or name anything"
        return
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError as error:
        yield f"cannot be read: {error}"
        return
    program, redirected = "", False
    for word in words:
        if word in _BETWEEN:
            program = ""
        elif word in _REDIRECTIONS:
            redirected = True
        elif not program and not redirected:
            program = word
            if word not in PROGRAMS:
                yield f"runs {word!r}"
        else:
            if not _is_inside(word):
                yield f"names {word!r}, which may lie outside the workspace"
            if program == "sed" and not (redirected or _is_harmless_to_sed(word)):
                yield f"has sed do {word!r}"
            redirected = False


def _is_inside(word: str) -> bool:
    return not word.startswith("/") and ".." not in word.split("/")


def _is_harmless_to_sed(word: str) -> bool:
    if word.startswith("-"):
        return word in ("-i", "-n", "-e", "-ne", "-E", "--")
    return _SED.fullmatch(word) is not None or _FILE.fullmatch(word) is not None
