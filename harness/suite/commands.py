"""Commands: the small language of `Bash` steps, read into frozen values; whatever is not in it is refused.

A command is words of a listed program with its listed options, joined by `;`, `&&`, `||` and `|`, with `<`, `>` and
`>>` to a plain name. A shell gives it no other meaning: nothing is expanded but `$WS` and a `*` at the end of a name.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Word:
    """One word as the program gets it. `star`: it holds a `*` that the shell expands."""

    text: str
    star: bool = False


@dataclass(frozen=True, slots=True)
class Redirection:
    """`operator` is `<`, `>` or `>>`, `file` a plain name."""

    operator: str
    file: str


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One program and its words. `joint` is what joins it to the command before it, empty for the first."""

    joint: str
    program: str
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...]


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
        yield Word(text, star)


def _no_sign(rest: str) -> CommandError:
    sign = rest[0]
    if sign in "'\"":
        fix = "Close the quotes; in double quotes $WS alone may follow $, and no `, \\ or ! may be there."
        return CommandError(f"has {sign!r} without plain text up to the next", fix)
    where = "" if len(rest) == 1 else f" before {rest[1:21]!r}"
    fix = "Use words, quotes, | || && ; < > >> and $WS; put other signs of a text in single quotes."
    return CommandError(f"has {sign!r} in it{where}, which a shell may expand", fix)


def _simple_commands(tokens: Sequence[Word | str]) -> Iterator[SimpleCommand]:
    joint, words, redirections, operator = "", list[Word](), list[Redirection](), ""
    for token in (*tokens, None):
        if operator:
            if not isinstance(token, Word) or token.star or not is_plain_file(token.text):
                named = repr(token.text) if isinstance(token, Word) else "no name"
                fix = "Write a plain name after it: notes.txt, sub/notes.txt or $WS/notes.txt."
                raise CommandError(f"redirects with {operator} to {named}", fix)
            redirections.append(Redirection(operator, token.text))
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
    if words[0].text not in PROGRAMS:
        fix = f"Use one of: {', '.join(PROGRAMS)}."
        raise CommandError(f"runs {words[0].text[:40]!r}", fix)
    return words[0].text, tuple(words[1:])


def _checked(command: SimpleCommand) -> SimpleCommand:
    """Return a command whose options and operands are those of its program."""
    program = PROGRAMS[command.program]
    operators = [each.operator[0] for each in command.redirections]
    if len(operators) > len(set(operators)):
        raise CommandError("redirects one stream twice", "Redirect it once.")
    if ">>" in (each.operator for each in command.redirections) and not program.says:
        fix = "Append with echo or printf: what reads and appends may never end."
        raise CommandError(f"appends what {command.program} prints", fix)
    operands = []
    for kind, word in _arguments(command.program, program, command.words):
        if word.star and not (kind is Kind.FILE and program.globs and is_file_pattern(word.text)):
            fix = "Put a * at the end of a file's name: cat notes.*, or put it in quotes."
            raise CommandError(f"has * in {word.text[:60]!r}, which a shell may expand", fix)
        if not word.star and (problem := word_problem(kind, word.text)):
            raise CommandError(f"has {command.program} take {word.text[:60]!r}, {problem[0]}", problem[1])
        if kind is Kind.FILE:
            operands.append(word)
    if (
        command.program == "sed"
        and "i" in _flags(command)
        and any("/" in file.text and not file.text.startswith("$WS/") for file in operands)
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
    first: Kind | None = program.first
    rest = list(words)
    options = not program.says
    while rest:
        word = rest.pop(0)
        if program.says:
            yield first or Kind.TEXT, word
            first = None
        elif options and word.text == "--":
            options = False
        elif options and word.text.startswith("-"):
            for kind, value in _values(name, program, word, rest):
                if kind is first:  # `grep -e a`: the pattern is no operand then
                    first = None
                yield kind, value
        elif first is not None:
            yield first, word
            first = None
        else:
            yield Kind.FILE, word
    if first is not None:
        raise CommandError(f"gives {name} no {first.value}", f"Write its {first.value}.")


def _values(name: str, program: Program, word: Word, rest: list[Word]) -> Iterator[tuple[Kind, Word]]:
    """Yield the value of the options in one word, if one of them has one; it may be the next word."""
    letters = word.text[1:]
    if program.counts and letters.isdecimal():
        yield Kind.NUMBER, Word(letters)
        return
    for number, letter in enumerate(letters):
        if letter in program.last and letters[number + 1 :]:
            fix = f"Write -{letter} as a word of its own, or last: -n -{letter}."
            raise CommandError(
                f"has {name} take {letters[number + 1 :][:40]!r} for the value of -{letter}", fix
            )
        if letter in program.flags:
            continue
        if letter in program.values:
            if value := letters[number + 1 :]:
                yield program.values[letter], Word(value, word.star)
            elif rest:
                yield program.values[letter], rest.pop(0)
            else:
                raise CommandError(f"gives -{letter} of {name} no value", "Write one.")
            return
        raise _no_option(name, program, word)
    if not letters:
        raise _no_option(name, program, word)


def _no_option(name: str, program: Program, word: Word) -> CommandError:
    known = [*(f"-{letter}" for letter in program.flags), *(f"-{letter} …" for letter in program.values)]
    fix = f"{name} has: {', '.join(known)}." if known else f"{name} has no options here."
    return CommandError(f"gives {name} the option {word.text[:40]!r}", fix)


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
        for redirection in command.redirections:
            (read if redirection.operator == "<" else written).add(_last(redirection.file))
        files = {_last(word.text) for word in command.words}
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
    return "".join(word.text for word in command.words if word.text.startswith("-"))


def _last(file: str) -> str:
    return file.rpartition("/")[2].casefold()
