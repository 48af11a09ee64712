"""Find the private paths that a program in the sandbox needs, from its command and its variables."""

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
_SEARCHED = ("PATH", "PYTHONPATH", "NODE_PATH")
_PROJECT_FILES = ("package.json", "node_modules", "pyproject.toml", "setup.py", "go.mod", "Cargo.toml")
_MAX_LINKS = 40


@dataclass(frozen=True, slots=True)
class Covered:
    """Real paths that are empty in the sandbox: the user's `private` directories, and those of suites,
    `hidden`.
    """

    private: Sequence[Path]
    hidden: Sequence[Path]

    def contains(self, place: Path) -> bool:
        """Whether a path is below one of them."""
        return any(path in place.parents for path in (*self.private, *self.hidden))

    def forbids(self, real: Path) -> bool:
        """Whether showing a path would show too much: a whole private directory, or a suite."""
        return _is_above(real, self.private) or real in self.hidden


def shown_paths(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    own: Sequence[Path],
    writable: Sequence[Path],
    covered: Covered,
) -> dict[Path, Path]:
    """Return the paths to show below `covered`: the real path by the path of each.

    These are the installed Python and this package, the current directory, the program with its interpreter,
    and files and directories in arguments, search paths and `own`. Paths below `writable` are omitted: an
    earlier program may have put a link there.
    """
    searched = [Path(entry) for name in _SEARCHED for entry in environment.get(name, "").split(os.pathsep)]
    words = [path for word in command[1:] if (path := _path_in(word)) is not None]
    named, searched = (
        [path for path in paths if not _is_below(path, writable)] for paths in (words, searched)
    )
    program = Path(shutil.which(command[0], path=environment.get("PATH")) or command[0])
    programs = [] if _is_below(program, writable) else [program, *_interpreters(program, environment)]
    wanted = [
        Path(readfirst.__file__).parent,
        Path(readfirst.__file__).resolve().parent.parent,
        Path.cwd(),
        *own,
    ]
    wanted += [entry for entry in map(Path, sys.path) if entry.is_absolute()]
    wanted += [part for path in (Path(sys.executable), *programs, *searched, *named) for part in _parts(path)]
    wanted += [_project(path, covered) for path in (*programs[:1], *named)]
    shown: dict[Path, Path] = {}
    for path in wanted:
        real = Path(os.path.realpath(path))
        if not path.is_absolute() or not os.path.exists(real):
            continue
        for place in (real, Path(os.path.abspath(path))):
            if covered.contains(place) and not covered.forbids(real):
                shown[place] = real
    # A path with a link among its directories can only be created if these directories are not visible
    # themselves.
    return {
        place: real
        for place, real in shown.items()
        if place == real or shown.keys().isdisjoint(place.parents)
    }


def _path_in(word: str) -> Path | None:
    """Return the existing path in a word, possibly after the `=` of an option."""
    value = word if word.startswith("/") else word.partition("=")[2]
    try:
        return Path(value) if value.startswith("/") and os.path.exists(value) else None
    except ValueError:
        return None


def _parts(path: Path) -> Iterator[Path]:
    """Yield a file or directory, and for a program in a `bin` the parts of its prefix; also for targets of
    links.
    """
    for _ in range(_MAX_LINKS):
        yield path
        if path.parent.name == "bin":
            yield from (path.parent.parent / name for name in _PREFIX_PARTS)
        if not os.path.islink(path):
            return
        path = Path(os.path.realpath(path.parent)) / path.readlink()


def _interpreters(program: Path, environment: Mapping[str, str]) -> list[Path]:
    """Return the interpreter in the first line of a script."""
    try:
        with program.open("rb") as file:
            first = file.readline(256)
    except OSError:
        return []
    words = os.fsdecode(first[2:]).split() if first.startswith(b"#!") else []
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        words = [found] if words and (found := shutil.which(words[0], path=environment.get("PATH"))) else []
    return [Path(words[0])] if words else []


def _project(path: Path, covered: Covered) -> Path:
    """Return the outermost directory above a path that contains files of a project. Otherwise the path's own
    directory.

    The path itself if the directory would show too much.
    """
    real = Path(os.path.realpath(path))
    chosen, folder = real, real if os.path.isdir(real) else real.parent
    for each in (folder, *folder.parents):
        if covered.forbids(each):
            break
        if each == folder or any(os.path.exists(each / name) for name in _PROJECT_FILES):
            chosen = each
    return chosen


def _is_above(path: Path, places: Iterable[Path]) -> bool:
    return any(place == path or path in place.parents for place in places)


def _is_below(path: Path, places: Iterable[Path]) -> bool:
    return any(place == path or place in path.parents for place in places)
