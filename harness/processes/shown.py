"""Find the private paths that a program in the sandbox must see, because its command or its variables contain them."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import readfirst

# `os.path` treats inaccessible paths as missing; pathlib raises.
# ruff: noqa: PTH100, PTH110, PTH112, PTH114

_PREFIX_PARTS = ("bin", "lib", "lib64", "libexec", "pyvenv.cfg")
_SEARCH_PATH_VARIABLES = ("PATH", "PYTHONPATH", "NODE_PATH")
_PROJECT_FILES = ("package.json", "node_modules", "pyproject.toml", "setup.py", "go.mod", "Cargo.toml")
_MAX_LINKS = 40


@dataclass(frozen=True, slots=True)
class Covered:
    """Directories that the sandbox hides: `private` directories of the user, `hidden` directories of suites."""

    private: Sequence[Path]
    hidden: Sequence[Path]

    def contains(self, path: Path) -> bool:
        """Whether a path is inside one of the hidden directories."""
        return any(directory in path.parents for directory in (*self.private, *self.hidden))

    def forbids(self, real: Path) -> bool:
        """Whether a path must stay invisible, because it would show a whole private directory or a suite."""
        return real in self.hidden or any(path == real or real in path.parents for path in self.private)


def shown_paths(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    own: Sequence[Path],
    writable: Sequence[Path],
    covered: Covered,
) -> dict[Path, Path]:
    """Return the paths that must be visible in the sandbox although a hidden directory (`covered`) contains them, with
    their real paths: Python, this package, the current directory, the program with its interpreter, and the files and
    directories in arguments, search paths and `own`. Paths in `writable` are omitted.
    """

    def not_writable(paths: Iterable[Path]) -> list[Path]:
        return [path for path in paths if not any(each == path or each in path.parents for each in writable)]

    variables = (environment.get(name, "") for name in _SEARCH_PATH_VARIABLES)
    searched = not_writable(Path(entry) for value in variables for entry in value.split(os.pathsep))
    named = not_writable(path for word in command[1:] if (path := _path_in(word)) is not None)
    programs = not_writable([Path(shutil.which(command[0], path=environment.get("PATH")) or command[0])])
    programs += [path for program in programs for path in _find_interpreter(program, environment)]
    package = Path(readfirst.__file__)
    needed = [package.parent, package.resolve().parent.parent, Path.cwd(), *own]
    needed += [entry for entry in map(Path, sys.path) if entry.is_absolute()]
    for path in (Path(sys.executable), *programs, *searched, *named):
        needed += _path_with_prefix(path)
    needed += [_project_directory(path, covered) for path in (*programs[:1], *named)]
    visible: dict[Path, Path] = {}
    for path in needed:
        real = Path(os.path.realpath(path))
        if not path.is_absolute() or not os.path.exists(real):
            continue
        for location in (real, Path(os.path.abspath(path))):
            if covered.contains(location) and not covered.forbids(real):
                visible[location] = real
    # A path with a link among its directories can only be created if these directories are not visible
    # themselves.
    return {
        location: real
        for location, real in visible.items()
        if location == real or visible.keys().isdisjoint(location.parents)
    }


def _path_in(word: str) -> Path | None:
    """Return the existing absolute path in a word of a command, also after a `=`. None without such a path."""
    value = word if word.startswith("/") else word.partition("=")[2]
    try:
        return Path(value) if value.startswith("/") and os.path.exists(value) else None
    except ValueError:
        return None


def _path_with_prefix(path: Path) -> Iterator[Path]:
    """Yield a path and, for a link, its targets. For a path in `bin`, also yield the directories next to `bin`."""
    for _ in range(_MAX_LINKS):
        yield path
        if path.parent.name == "bin":
            yield from (path.parent.parent / name for name in _PREFIX_PARTS)
        if not os.path.islink(path):
            return
        path = Path(os.path.realpath(path.parent)) / path.readlink()


def _find_interpreter(program: Path, environment: Mapping[str, str]) -> list[Path]:
    """Return a list with the path of the interpreter that the first line of a script names. Empty for other files."""
    try:
        with program.open("rb") as file:
            first_line = file.readline(256)
    except OSError:
        return []
    words = os.fsdecode(first_line[2:]).split() if first_line.startswith(b"#!") else []
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        interpreter = shutil.which(words[0], path=environment.get("PATH")) if words else None
        return [Path(interpreter)] if interpreter else []
    return [Path(words[0])] if words else []


def _project_directory(path: Path, covered: Covered) -> Path:
    """Return the directory of a file to show in the sandbox: the outermost parent with project files such as
    package.json, otherwise the file's directory. Return the file itself if that directory must stay invisible.
    """
    real = Path(os.path.realpath(path))
    chosen, folder = real, real if os.path.isdir(real) else real.parent
    for candidate in (folder, *folder.parents):
        if covered.forbids(candidate):
            break
        if candidate == folder or any(os.path.exists(candidate / name) for name in _PROJECT_FILES):
            chosen = candidate
    return chosen
