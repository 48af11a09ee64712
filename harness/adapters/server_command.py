"""Parse the command that starts a server. File names in it are relative to the directory where the user entered it."""

import os
import re
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import get_args

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.adapters.server_pool import Isolation

_OPTION_PATTERN = re.compile(r"(--?[A-Za-z][\w-]*=)(.+)", re.DOTALL)
_FILE_PATTERN = re.compile(r"(\.{0,2}|~)/.+|[^@:$\s]*[^@:$\s/]\.[A-Za-z]\w{0,4}")
_EXAMPLE = "mcp:node server.js or 'mcp:--isolation=directory node server.js'"


@dataclass(frozen=True, slots=True)
class Command:
    """The command that starts a server. Its words may be names of files in `directory`, such as `server.mjs`."""

    words: tuple[str, ...]
    directory: Path
    isolation: Isolation = "auto"
    is_literal: bool = False
    """Whether all words are used unchanged, even if a file with this name exists."""

    def with_absolute_paths(self) -> list[str]:
        """Return the words of the command, with absolute paths for file names and for a program in the PATH."""
        if self.is_literal:
            return [*self.words]
        program, *rest = self._with_files(str)
        program_path = shutil.which(program)
        return [os.path.abspath(program_path) if program_path else program, *rest]  # noqa: PTH100 - links stay links

    def relative_to(self, directory: Path) -> list[str]:
        """Return the words with file names relative to `directory`. Absolute paths stay unchanged."""
        if self.is_literal or directory.absolute() == self.directory.absolute():
            return [*self.words]
        program, *rest = self._with_files(lambda path: os.path.relpath(path, directory), relative=True)
        program_path = program == self.words[0] or "/" in program
        return [program if program_path else f"./{program}", *rest]

    def explain_error(self, error: AdapterError) -> AdapterError:
        """Return the error of a server that did not start, with advice on a likely mistake in the command."""
        advice = "" if self.is_literal else self._advice()
        return (
            AdapterError(f"{error}\n{advice}", blame=error.blame, details=error.details) if advice else error
        )

    def _with_files(self, format_path: Callable[[Path], str], *, relative: bool = False) -> list[str]:
        """Return the words. Apply `format_path` to file names. If `relative`, absolute paths stay unchanged."""
        # Directories are not changed: `.` means the start directory of the server, `serve` may be a subcommand.
        words = []
        for number, word in enumerate(self.words):
            name, value = _split_option(word) if number else ("", word)
            is_unchanged = (not number and "/" not in word) or (relative and value.startswith(("/", "~/")))
            file = None if is_unchanged else self._file(value)
            words.append(name + format_path(file) if file else word)
        return words

    def _advice(self) -> str:
        advice = []
        for previous, word in pairwise(self.words):
            _, value = _split_option(word)
            path = self._path(value)
            if previous == "-m" and (path.is_dir() or path.with_name(f"{path.name}.py").is_file()):
                advice.append(
                    f"The server starts in another directory and does not find {word!r}; name its file instead."
                )
            elif path.is_dir():
                advice.append(
                    f"{value!r} is a directory in {self.directory}; the server starts in another directory: "
                    "write an absolute path."
                )
            elif _FILE_PATTERN.fullmatch(value) and not path.is_file():
                advice.append(f"There is no file {value!r} in {self.directory}.")
        return "\n".join(advice)

    def _file(self, name: str) -> Path | None:
        path = self._path(name)
        try:
            return Path(os.path.abspath(path)) if path.is_file() else None  # noqa: PTH100 - links stay links
        except (OSError, ValueError):  # longer than any file name, or with a NUL character
            return None

    def _path(self, name: str) -> Path:
        return Path(name).expanduser() if name.startswith("~/") else self.directory / name


def parse_command(text: str, directory: Path) -> Command:
    """Parse a connect string after `mcp:`, such as `--isolation=process -- node server.mjs`. Raises ValueError."""
    isolation: Isolation = "auto"
    for name in get_args(Isolation):
        if text.startswith(f"--isolation={name} "):
            isolation, text = name, text.partition(" ")[2]
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{error}. Write the command as in a shell.") from error
    is_literal = words[:1] == ["--"]
    if is_literal:
        del words[0]
    if not words or words[0].startswith("-"):
        raise ValueError(f"write mcp:COMMAND, for example {_EXAMPLE}.")
    if shutil.which(words[0]) is None:
        raise ValueError(_missing_program_message(words[0], directory))
    return Command(tuple(words), directory, isolation, is_literal)


def _missing_program_message(name: str, directory: Path) -> str:
    if "/" in name:
        if Path(name).is_file():
            return (
                f"{directory / name} is not executable. Make it so, or start with the program that runs it."
            )
        return f"there is no file {directory / name}."
    if (directory / name).is_file():
        return f"there is no program {name!r} on the PATH. Write ./{name} for the file here."
    return f"there is no program {name!r} on the PATH."


def _split_option(word: str) -> tuple[str, str]:
    """Split `--file=a.txt` into `--file=` and `a.txt`. For other words, return an empty string and the word."""
    option = _OPTION_PATTERN.fullmatch(word)
    return (option[1], option[2]) if option else ("", word)
