"""Commands: the small language of `Bash` steps, read into frozen values; whatever is not in it is refused.

A command is words of a listed program with its listed options, joined by `;`, `&&`, `||` and `|`, with `<`, `>` and
`>>` to a plain name. A shell gives it no other meaning: nothing is expanded but `$WS` and a `*` at the end of a name.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from getopt import GetoptError, gnu_getopt
from typing import Any

from readfirst.harness.suite.programs import (
    PROGRAMS,
    Kind,
    Program,
    is_file_pattern,
    is_plain_file,
    word_problem,
)

_MOST_CHARACTERS = 1000
_MOST_COMMANDS = 20
_OPERATORS = ("&&", "||", ">>", ";", "|", "<", ">")
_JOINING = frozenset({"&&", "||", ";", "|"})
_PIECE = re.compile(
    r"""(?P<plain>(?:[A-Za-z0-9_./+,:@%=-]|\$WS(?![A-Za-z0-9_]))+)
    |(?P<star>\*)
    |'(?P<single>[^'\x00-\x1f\x7f-\x9f\ud800-\udfff]*)'
    |"(?P<double>(?:[^"$`\\!\x00-\x1f\x7f-\x9f\ud800-\udfff]|\$WS(?![A-Za-z0-9_]))*)\"""",
    re.VERBOSE,
)


class CommandError(ValueError):
    """A command is not in the language. `fix` says what to write instead."""

    def __init__(self, problem: str, fix: str) -> None:
        super().__init__(problem)
        self.fix = fix


class Word(str):
    """One word as the program gets it. `star`: it holds a `*` that the shell expands."""

    star: bool = False


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One program and its words. `joint` is what joins it to the command before it, empty for the first.

    `redirections` are `<`, `>` or `>>`, each with the plain name of a file.
    """

    joint: str
    program: str
    words: tuple[Word, ...]
    redirections: tuple[tuple[str, str], ...]


def parse_command(command: str) -> tuple[SimpleCommand, ...]:
    """Read a command. Raises CommandError for what is not in the language."""
    if len(command) > _MOST_CHARACTERS:
        raise CommandError(f"is longer than {_MOST_CHARACTERS} characters", "Make it several steps.")
    commands = tuple(_simple_commands(list(_tokens(command))))
    if len(commands) > _MOST_COMMANDS:
        raise CommandError(f"runs more than {_MOST_COMMANDS} programs", "Make it several steps.")
    for pipeline in _pipelines(commands):
        _check_loop(pipeline)
    return commands


def _tokens(command: str) -> Iterator[Word | str]:
    """Yield words, and operators as strings."""
    at = 0
    while at < len(command):
        if command[at] in " \t":
            at += 1
            continue
        operator = next((each for each in _OPERATORS if command.startswith(each, at)), None)
        if operator is not None:
            yield operator
            at += len(operator)
            continue
        start, text, star = at, "", False
        while (piece := _PIECE.match(command, at)) is not None:
            text += piece[piece.lastgroup or 0]
            star = star or piece.lastgroup == "star"
            at = piece.end()
        if at == start or (at < len(command) and command[at] not in " \t;&|<>"):
            raise _no_sign(command[at:])
        if text.isdecimal() and command[at : at + 1] in ("<", ">"):
            raise CommandError(f"redirects the stream {text}", "Redirect standard input or output.")
        word = Word(text)
        word.star = star
        yield word


def _no_sign(rest: str) -> CommandError:
    sign = rest[0]
    if sign in "'\"":
        fix = "Close the quotes; in double quotes $WS alone may follow $, and no `, \\ or ! may be there."
        return CommandError(f"has {sign!r} without plain text up to the next", fix)
    where = "" if len(rest) == 1 else f" before {rest[1:21]!r}"
    fix = "Use words, quotes, | || && ; < > >> and $WS; put other signs of a text in single quotes."
    return CommandError(f"has {sign!r} in it{where}, which a shell may expand", fix)


def _simple_commands(tokens: Sequence[Word | str]) -> Iterator[SimpleCommand]:
    joint, words, redirections, operator = "", list[Word](), list[tuple[str, str]](), ""
    for token in (*tokens, None):
        if operator:
            if not isinstance(token, Word) or token.star or not is_plain_file(token):
                named = repr(token) if isinstance(token, Word) else "no name"
                fix = "Write a plain name after it: notes.txt, sub/notes.txt or $WS/notes.txt."
                raise CommandError(f"redirects with {operator} to {named}", fix)
            redirections.append((operator, token))
            operator = ""
        elif isinstance(token, Word):
            words.append(token)
        elif token is None or token in _JOINING:
            yield _checked(SimpleCommand(joint, *_program(words), tuple(redirections)))
            joint, words, redirections = token or "", [], []
        elif not words:
            raise CommandError(f"begins with {token}", "Write the program first.")
        else:
            operator = token


def _program(words: list[Word]) -> tuple[str, tuple[Word, ...]]:
    if not words:
        raise CommandError(
            "lacks a program", "Write one before and after each ; | && and ||, none at the end."
        )
    if words[0] not in PROGRAMS:
        fix = f"Use one of: {', '.join(PROGRAMS)}."
        raise CommandError(f"runs {words[0][:40]!r}", fix)
    return words[0], tuple(words[1:])


def _checked(command: SimpleCommand) -> SimpleCommand:
    """Return a command whose options and operands are those of its program."""
    program = PROGRAMS[command.program]
    operators = [operator[0] for operator, _ in command.redirections]
    if len(operators) > len(set(operators)):
        raise CommandError("redirects one stream twice", "Redirect it once.")
    if ">>" in (operator for operator, _ in command.redirections) and not program.says:
        fix = "Append with echo or printf: what reads and appends may never end."
        raise CommandError(f"appends what {command.program} prints", fix)
    operands = []
    for kind, word in _arguments(command.program, program, command.words):
        if word.star and not (kind == "file" and program.globs and is_file_pattern(word)):
            fix = "Put a * at the end of a file's name: cat notes.*, or put it in quotes."
            raise CommandError(f"has * in {word[:60]!r}, which a shell may expand", fix)
        if not word.star and (problem := word_problem(kind, word)):
            raise CommandError(f"has {command.program} take {word[:60]!r}, {problem[0]}", problem[1])
        if kind == "file":
            operands.append(word)
    if (
        command.program == "sed"
        and "i" in _flags(command)
        and any("/" in file and not file.startswith("$WS/") for file in operands)
    ):
        fix = "Begin it with $WS/: some sed take what follows -i for a suffix, and the file for the script."
        raise CommandError("has sed -i change a file by a relative path", fix)
    least, most = program.files
    if not least <= len(operands) <= most:
        fix = f"Name {least} of them." if least == most else f"Name at least {least}."
        raise CommandError(f"names {len(operands)} files for {command.program}", fix)
    return command


def _arguments(name: str, program: Program, words: Sequence[Word]) -> Iterator[tuple[Kind, Word]]:
    """Yield the words that are no option, and the values of options, each with what it must be."""
    first, operands = program.first, list(words)
    if not program.says:
        options, operands = _parted(name, program, words)
        for option, value in options:
            if kind := program.values.get(option[1]):
                if kind is first:  # `grep -e a`: the pattern is no operand then
                    first = None
                yield kind, value if isinstance(value, Word) else Word(value)
    if first is not None:
        if not operands:
            raise CommandError(f"gives {name} no {first}", f"Write its {first}.")
        yield first, operands.pop(0)
    yield from (("text" if program.says else "file", word) for word in operands)


def _parted(name: str, program: Program, words: Sequence[Word]) -> tuple[list[tuple[str, str]], list[Word]]:
    """Return options, each with its value, and operands."""
    for word in words:
        if program.last and (glued := re.match(rf"-[{program.flags}]*([{program.last}])(.+)", word)):
            fix = f"Write -{glued[1]} as a word of its own, or last: -n -{glued[1]}."
            raise CommandError(f"has {name} take {glued[2][:40]!r} for the value of -{glued[1]}", fix)
        if word.star and word.startswith("-"):
            fix = "Put it in quotes."
            raise CommandError(f"has * in {word[:60]!r}, which a shell may expand", fix)
    flags = program.flags + ("0123456789" if program.counts else "")
    try:
        found: Any = gnu_getopt(words, flags + "".join(f"{letter}:" for letter in program.values))
    except GetoptError as error:
        if error.opt in program.values:
            raise CommandError(f"gives -{error.opt} of {name} no value", "Write one.") from None
        known = [*(f"-{letter}" for letter in program.flags), *(f"-{letter} …" for letter in program.values)]
        fix = f"{name} has: {', '.join(known)}." if known else f"{name} has no options here."
        raise CommandError(f"gives {name} the option {f'-{error.opt}'[:40]!r}", fix) from None
    options, operands = found
    return options, operands


def _pipelines(commands: Sequence[SimpleCommand]) -> Iterator[list[SimpleCommand]]:
    pipeline: list[SimpleCommand] = []
    for command in commands:
        if command.joint != "|" and pipeline:
            yield pipeline
            pipeline = []
        pipeline.append(command)
    yield pipeline


def _check_loop(pipeline: Sequence[SimpleCommand]) -> None:
    """Refuse a pipeline that writes a file that it may read, however it is spelled: it may never end."""
    written, read, starred = set[str](), set[str](), False
    for command in pipeline:
        for operator, file in command.redirections:
            (read if operator == "<" else written).add(_last(file))
        files = {_last(word) for word in command.words}
        if PROGRAMS[command.program].writes_operands:
            written |= files
        else:
            read |= files
            starred = starred or any(word.star for word in command.words) or _searches(command)
    if written and (starred or written & read):
        fix = "Write to a file with another name, and name each file that is read."
        raise CommandError("writes a file that it may still read", fix)


def _searches(command: SimpleCommand) -> bool:
    """Whether it reads files that it does not name."""
    return command.program == "rg" or (command.program.endswith("grep") and "r" in _flags(command))


def _flags(command: SimpleCommand) -> str:
    return "".join(word for word in command.words if word.startswith("-"))


def _last(file: str) -> str:
    return file.rpartition("/")[2].casefold()
