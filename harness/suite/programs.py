"""Programs: what a command of a scenario may run, with which options, on what kind of words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

Kind = Literal["file", "number", "pattern", "script", "format", "text"]
"""What a word may be, as messages name it."""

_NONE: Mapping[str, Kind] = MappingProxyType({})
_ANY = 200
"""More operands than a command has room for."""


@dataclass(frozen=True, slots=True)
class Program:
    """`flags` are options without a value, `values` those with one, `first` the operand before the files.

    `files` are the least and the most that may be named, `globs`: a `*` may name them, `counts`: `-5` is an option,
    `says`: all its words are text that it prints, `writes_operands`: it writes the files that it names.
    `last` are flags after which a word ends: the program takes what follows there for a suffix of file names.
    """

    flags: str = ""
    values: Mapping[str, Kind] = field(default_factory=lambda: _NONE)
    first: Kind | None = None
    files: tuple[int, int] = (0, _ANY)
    globs: bool = False
    counts: bool = False
    says: bool = False
    writes_operands: bool = False
    last: str = ""


_LINES: Mapping[str, Kind] = {"n": "number", "c": "number"}
_GREP = Program(
    "cEFHhilnoqrsvwx",
    {"e": "pattern", "m": "number", "A": "number", "B": "number", "C": "number"},
    first="pattern",
    globs=True,
)

PROGRAMS: Mapping[str, Program] = MappingProxyType(
    {
        "cat": Program("Abensv", globs=True),
        "cd": Program(files=(1, 1)),
        "cp": Program("fp", files=(2, 2), writes_operands=True),
        "echo": Program(says=True),
        "egrep": _GREP,
        "false": Program(files=(0, 0)),
        "fgrep": _GREP,
        "grep": _GREP,
        "head": Program("qv", _LINES, globs=True, counts=True),
        "ls": Program("1AaFlp", globs=True),
        "mv": Program("fn", files=(2, 2), writes_operands=True),
        "nl": Program("", {"b": "pattern"}, globs=True),
        "printf": Program(first="format", says=True),
        "pwd": Program(files=(0, 0)),
        "rg": Program("FNciHlnovw", {"e": "pattern", "m": "number"}, first="pattern", globs=True),
        "rm": Program("fr", files=(1, _ANY), writes_operands=True),
        "sed": Program("Ein", {"e": "script"}, first="script", last="i"),
        "sort": Program("bfnru", {"k": "number"}, globs=True),
        "tail": Program("qv", _LINES, globs=True, counts=True),
        "tee": Program(files=(1, _ANY), writes_operands=True),
        "touch": Program("acm", files=(1, _ANY), writes_operands=True),
        "true": Program(files=(0, 0)),
        "wc": Program("clmw", globs=True),
    }
)
"""Every program that a command may run."""

_NAME = r"(?!\.+(?:/|\Z))[\w.][\w .+,:@%=()-]*"
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}", re.ASCII)
_FORMAT = re.compile(r"(?!-)(?:[^%\\]|%[%cs]|\\[nt])+")
_PLAIN_FILE = re.compile(rf"(?![A-Za-z]:)(?:\$WS/)?{_NAME}(?:/{_NAME})*")
_FILE_PATTERN = re.compile(r"(?:\$WS/)?(?:[A-Za-z0-9_][\w.-]*/)*[A-Za-z0-9_][\w.*-]*", re.ASCII)
_LONG = r"\\?\{[0-9,]|\\[1-9]"
"""Numbers of repetitions, and what was found before: a few of them in one pattern are searched for without end."""
_PATTERN = re.compile(rf"(?:(?!{_LONG})(?:[^\\]|\\.))*", re.DOTALL)
_TEXT = r"(?:[^/\\\[\n]|\\[^\n]|\[\^?[^\[\]/\\\n]+\])"
_SOUGHT = rf"(?:(?!{_LONG}){_TEXT})*"
_ADDRESS = rf"(?:[0-9]+|\$|/{_SOUGHT}/)"
_SED_COMMAND = rf"(?:{_ADDRESS}(?:,{_ADDRESS})?)?(?:[pdq]|s/{_SOUGHT}/{_TEXT}*/[giIp0-9]*)"
_SCRIPT = re.compile(rf"{_SED_COMMAND}(?:; ?{_SED_COMMAND})*")


def is_plain_file(word: str) -> bool:
    """Whether a word names a file of the workspace plainly: no `..`, nothing that a program may read otherwise."""
    return _PLAIN_FILE.fullmatch(word) is not None


def is_file_pattern(word: str) -> bool:
    """Whether a word names files of one folder by the beginning of their names, so never `..` nor an option."""
    return _FILE_PATTERN.fullmatch(word) is not None


def word_problem(kind: Kind, word: str) -> tuple[str, str] | None:
    """Say what is wrong with a word that is to be of this kind, and what to write instead; None if nothing is."""
    match kind:
        case "file" if not is_plain_file(word) and word != "$WS":
            return (
                "which is no plain name in the workspace",
                "Write notes.txt, sub/notes.txt or $WS/notes.txt.",
            )
        case "number" if _NUMBER.fullmatch(word) is None:
            return "which is no number", "Write digits."
        case "pattern" if _PATTERN.fullmatch(word) is None:
            return "which may take long to look for", r"Leave out {2}, {1,3} and \1."
        case "script" if "$WS" in word or _SCRIPT.fullmatch(word) is None:
            return "which may do more than show and replace", "Write 1,2p, $d, /text/d or s/old/new/g."
        case "format" if "$WS" in word or _FORMAT.fullmatch(word) is None:
            return "which is no plain format", r"Write text with %s, %c, %%, \n and \t, no - first."
        case _:
            return None
