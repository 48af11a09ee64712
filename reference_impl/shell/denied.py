"""Find the part of a command that deny rules forbid, as far as the product understands the command."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Denied", "denied_part", "needs_approval"]

_READERS = frozenset({"cat", "head", "tail", "grep", "egrep", "fgrep", "rg", "sort", "wc", "nl", "ls"})
_SEARCHERS = frozenset({"grep", "egrep", "fgrep", "rg"})
_CHANGERS = frozenset({"rm", "touch"})
_QUIET = frozenset({"cd", "echo", "false", "printf", "pwd", "true"})
"""Programs that change no file."""
_JOINING = frozenset({"&&", "||", ";", "|"})


@dataclass(frozen=True, slots=True)
class Denied:
    """A denied part of a command, and the absolute `path` that is denied.

    `redirected`: the output of the part goes to the path. `moved`: a `cd` in the same command determined the
    directory of the path.
    """

    text: str
    path: str
    program: str = ""
    redirected: bool = False
    moved: bool = False


def denied_part(
    command: str,
    directory: str,
    denies: Callable[[str, str], bool],
    *,
    checks: frozenset[str],
    redirected: bool,
) -> Denied | None:
    """Return the first part of a command that `denies` forbids; `denies` gets an action (`Read` or `Edit`) and an
    absolute path. None if no part is forbidden.

    In a pipeline the result contains only the forbidden part, in other combinations the whole command. Files on
    standard input are not checked, except with `inputs`. `checks` contains further kinds of checked files: files
    that `sed -i` (`sed-i`) or any `sed` names, new names of copies and moves (`copies`), sources of copies
    (`inputs`), and files that `tee` writes. `redirected`: files of redirected output are checked, too.
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
                return Denied(text, path, program, redirected=True)
        read = [("Read", each) for each in inputs] if "inputs" in checks else []
        for action, operand in (*_checked_files(plain, checks), *read):
            path = posixpath.normpath(posixpath.join(directory, operand))
            if denies(action, path):
                return Denied(text, path, program, moved=moved)
    return None


def needs_approval(command: str, directory: str, allows: Callable[[str], bool]) -> bool:
    """Whether a command changes files that need a permission; `allows` output to an absolute path."""
    for words, _ in _simple_commands(command):
        plain, targets, _ = _without_redirections(words)
        if not all(allows(posixpath.join(directory, target)) for target in targets):
            return True
        only_shows = plain[0] in _READERS | _QUIET or (plain[0] == "sed" and "-i" not in plain)
        if not only_shows:
            return True
    return False


def _simple_commands(command: str) -> Iterator[tuple[list[str], bool]]:
    """Yield the words of each simple command, and whether it is part of a pipeline."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";|&<>")
    lexer.whitespace_split = True
    parts: list[tuple[list[str], str]] = [([], "")]
    for word in lexer:
        if word in _JOINING:
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
    """Return the words without redirections, the output files, and the input files."""
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
    """Yield the checked files of a simple command, each with its action, `Read` or `Edit`."""
    program, *others = words or [""]
    operands = [each for each in others if not each.startswith("-")]
    if program in _SEARCHERS:
        yield from (("Read", each) for each in operands[1:])
    elif program in _READERS:
        yield from (("Read", each) for each in operands)
    elif program in _CHANGERS or program in checks & {"tee"}:
        yield from (("Edit", each) for each in operands)
    elif program == "mv":
        yield from (("Edit", each) for each in (operands if "copies" in checks else operands[:1]))
    elif program == "cp" and "copies" in checks and len(operands) > 1:
        yield from (("Read", each) for each in operands[:-1] if "inputs" in checks)
        yield "Edit", operands[-1]
    elif program == "sed" and ("sed" in checks or ("sed-i" in checks and "-i" in others)):
        yield from (("Edit" if "-i" in others else "Read", each) for each in operands[1:])
