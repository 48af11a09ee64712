"""The command that starts a server. Files in it are relative to the directory of the user's command line."""

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

_OPTION = re.compile(r"(--?[A-Za-z][\w-]*=)(.+)", re.DOTALL)
_LOOKS_LIKE_A_FILE = re.compile(r"(\.{0,2}|~)/.+|[^@:$\s]*[^@:$\s/]\.[A-Za-z]\w{0,4}")
_EXAMPLE = "mcp:node server.js or 'mcp:--isolation=directory node server.js'"


@dataclass(frozen=True, slots=True)
class Command:
    """The command that starts a server: its words, and the base directory (`folder`) of its file names.

    A word, or the value of an option after `=`, names a file if `folder` contains a regular file of this name; `~/`
    stands for the home directory. Names of directories stay unchanged, because `.` means the directory where the
    server starts, and `serve` may be a subcommand. With `as_it_stands`, no word is treated as a file.
    """

    words: tuple[str, ...]
    folder: Path
    isolation: Isolation = "auto"
    as_it_stands: bool = False

    def located(self) -> list[str]:
        """Return the words with absolute paths instead of names of files, because the server starts in a different
        directory.

        A program without a slash is looked up on the PATH, as in a shell.
        """
        if self.as_it_stands:
            return [*self.words]
        program, *rest = self._with_files(str)
        found = shutil.which(program)
        return [os.path.abspath(found) if found else program, *rest]  # noqa: PTH100 - links stay links

    def seen_from(self, folder: Path) -> list[str]:
        """Return the words with paths of files relative to another directory. Absolute paths stay unchanged."""
        if self.as_it_stands or folder.absolute() == self.folder.absolute():
            return [*self.words]
        program, *rest = self._with_files(lambda path: os.path.relpath(path, folder), relative=True)
        found = program == self.words[0] or "/" in program
        return [program if found else f"./{program}", *rest]

    def explained(self, error: AdapterError) -> AdapterError:
        """Return the error of a server that did not start, with advice if its command contains a likely mistake."""
        advice = "" if self.as_it_stands else self._advice()
        return (
            AdapterError(f"{error}\n{advice}", blame=error.blame, details=error.details) if advice else error
        )

    def _with_files(self, shown: Callable[[Path], str], *, relative: bool = False) -> list[str]:
        """Return the words, with `shown` applied to the path of each file, or of relative paths only (`relative`)."""
        words = []
        for number, word in enumerate(self.words):
            name, value = _split_option(word) if number else ("", word)
            kept = (not number and "/" not in word) or (relative and value.startswith(("/", "~/")))
            file = None if kept else self._file(value)
            words.append(name + shown(file) if file else word)
        return words

    def _advice(self) -> str:
        advice = []
        for former, word in pairwise(self.words):
            _, value = _split_option(word)
            path = self._path(value)
            if former == "-m" and (path.is_dir() or path.with_name(f"{path.name}.py").is_file()):
                advice.append(
                    f"The server starts in another directory and does not find {word!r}; name its file instead."
                )
            elif path.is_dir():
                advice.append(
                    f"{value!r} is a directory in {self.folder}; the server starts in another: write an absolute path."
                )
            elif _LOOKS_LIKE_A_FILE.fullmatch(value) and not path.is_file():
                advice.append(f"There is no file {value!r} in {self.folder}.")
        return "\n".join(advice)

    def _file(self, name: str) -> Path | None:
        path = self._path(name)
        try:
            return Path(os.path.abspath(path)) if path.is_file() else None  # noqa: PTH100 - links stay links
        except (OSError, ValueError):  # longer than any file name, or with a NUL character
            return None

    def _path(self, name: str) -> Path:
        return Path(name).expanduser() if name.startswith("~/") else self.folder / name


def parse_command(text: str, folder: Path) -> Command:
    """Parse the text after `mcp:`: `--isolation=...`, `--` and the command, split as in a shell.

    Raises ValueError, also for a missing program; the message describes the remedy.
    """
    isolation: Isolation = "auto"
    for name in get_args(Isolation):
        if text.startswith(f"--isolation={name} "):
            isolation, text = name, text.partition(" ")[2]
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{error}. Write the command as in a shell.") from error
    as_it_stands = words[:1] == ["--"]
    if as_it_stands:
        del words[0]
    if not words or words[0].startswith("-"):
        raise ValueError(f"write mcp:COMMAND, for example {_EXAMPLE}.")
    if shutil.which(words[0]) is None:
        raise ValueError(_no_program(words[0], folder))
    return Command(tuple(words), folder, isolation, as_it_stands)


def _no_program(name: str, folder: Path) -> str:
    if "/" in name:
        if Path(name).is_file():
            return f"{folder / name} is not executable. Make it so, or start with the program that runs it."
        return f"there is no file {folder / name}."
    if (folder / name).is_file():
        return f"there is no program {name!r} on the PATH. Write ./{name} for the file here."
    return f"there is no program {name!r} on the PATH."


def _split_option(word: str) -> tuple[str, str]:
    """Split `--file=a.txt` into the name with its `=` and the value. Other words: an empty string and the word."""
    option = _OPTION.fullmatch(word)
    return (option[1], option[2]) if option else ("", word)
