"""Find the part of a command that deny rules forbid. Only commands that the product recognises are found."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

__all__ = ["DeniedCommand", "find_denied_command", "needs_approval", "output_files"]

_READING_PROGRAMS = frozenset(
    {"cat", "head", "tail", "grep", "egrep", "fgrep", "rg", "sort", "wc", "nl", "ls"}
)
_SEARCH_PROGRAMS = frozenset({"grep", "egrep", "fgrep", "rg"})
_CHANGING_PROGRAMS = frozenset({"rm", "touch"})
_HARMLESS_PROGRAMS = frozenset({"cd", "echo", "false", "printf", "pwd", "true"})
"""Programs that never change files. A command that uses only these programs needs no permission."""
_OPERATORS = frozenset({"&&", "||", ";", "|"})


@dataclass(frozen=True, slots=True)
class DeniedCommand:
    """The part of a command that a deny rule forbids, and the absolute `path` of the denied file."""

    text: str
    path: str
    program: str = ""
    # the output of `program` is redirected to the file
    redirected: bool = False
    # a `cd` in the command determined the directory of the file
    after_cd: bool = False


def find_denied_command(
    command: str,
    directory: str,
    denies: Callable[[str, str], bool],
    *,
    checks: frozenset[str],
    redirected: bool,
) -> DeniedCommand | None:
    """Return the first command of a pipeline that accesses a denied file (outside of a pipeline, the whole command
    line). None if the command may run. `denies` returns whether an action (`Read` or `Edit`) on an absolute path is
    denied.

    `checks` selects further files to check: files that `sed -i` (`sed-i`) or any `sed` (`sed`) names, new names of
    copies and moves (`copies`), sources of copies and standard input (`inputs`), and files that `tee` writes (`tee`).
    `redirected`: also check the target files of redirected output.
    """
    began = directory
    for words, piped in _simple_commands(command):
        if words[:1] == ["cd"] and len(words) > 1:
            directory = posixpath.join(directory, words[1])
            continue
        plain, targets, inputs = _without_redirections(words)
        text, moved = shlex.join(words) if piped else command, "tee" in checks and directory != began
        program = plain[0] if plain else ""
        for target in targets if redirected else ():
            path = posixpath.join(directory, target)
            if denies("Edit", path):
                return DeniedCommand(text, path, program, redirected=True)
        read = [("Read", each) for each in inputs] if "inputs" in checks else []
        for action, operand in (*_checked_files(plain, checks), *read):
            path = posixpath.normpath(posixpath.join(directory, operand))
            if denies(action, path):
                return DeniedCommand(text, path, program, after_cd=moved)
    return None


def output_files(command: str, directory: str) -> list[str]:
    """Return the absolute paths of the files that receive redirected output of a command."""
    targets = (_without_redirections(words)[1] for words, _ in _simple_commands(command))
    return [posixpath.join(directory, target) for part in targets for target in part]


def needs_approval(
    command: str, directory: str, allows: Callable[[str], bool], *, reads_need_approval: bool
) -> bool:
    """Whether the user must permit a command, because it may change files or, with `reads_need_approval`, shows files.
    `allows` returns whether the command may write its output to an absolute path.
    """
    for words, _ in _simple_commands(command):
        program, *others = _without_redirections(words)[0]
        only_shows = program in _READING_PROGRAMS or (program == "sed" and "-i" not in others)
        if program not in _HARMLESS_PROGRAMS and (reads_need_approval or not only_shows):
            return True
    return not all(map(allows, output_files(command, directory)))


def _simple_commands(command: str) -> Iterator[tuple[list[str], bool]]:
    """Split a command into simple commands. Yield the words of each command, and whether it is part of a pipeline."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";|&<>")
    lexer.whitespace_split = True
    parts: list[tuple[list[str], str]] = [([], "")]
    for word in lexer:
        if word in _OPERATORS:
            parts[-1] = (parts[-1][0], word)
            parts.append(([], ""))
        else:
            parts[-1][0].append(word)
    before = ""
    for words, after in parts:
        if words:
            yield words, "|" in (before, after)
        before = after


def _without_redirections(words: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Split the words of a command into the words without redirections, the output files and the input files."""
    plain, targets, inputs = [], [], []
    rest = iter(words)
    for word in rest:
        if word in (">", ">>"):
            targets.append(next(rest, ""))
        elif word == "<":
            inputs.append(next(rest, ""))
        else:
            plain.append(word)
    return plain, targets, inputs


def _checked_files(words: Sequence[str], checks: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield the files of a simple command that deny rules may forbid, each with its action: `Read` or `Edit`."""
    program, *others = words or [""]
    operands = [each for each in others if not each.startswith("-")]
    if program in _SEARCH_PROGRAMS:
        yield from (("Read", each) for each in operands[1:])
    elif program in _READING_PROGRAMS:
        yield from (("Read", each) for each in operands)
    elif program in _CHANGING_PROGRAMS or program in checks & {"tee"}:
        yield from (("Edit", each) for each in operands)
    elif program == "mv":
        yield from (("Edit", each) for each in (operands if "copies" in checks else operands[:1]))
    elif program == "cp" and "copies" in checks and len(operands) > 1:
        yield from (("Read", each) for each in operands[:-1] if "inputs" in checks)
        yield "Edit", operands[-1]
    elif program == "sed" and ("sed" in checks or ("sed-i" in checks and "-i" in others)):
        yield from (("Edit" if "-i" in others else "Read", each) for each in operands[1:])
