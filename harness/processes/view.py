"""View: the part of the file system that a confined program sees, from what its command needs to run."""

import os
import pwd
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import readfirst

# `os.path` takes what nobody may look at for something that is not there; pathlib raises.
# ruff: noqa: PTH110, PTH112, PTH114


Place = tuple[str, ...]
"""What is done with an absolute path: `show` and `write` (as it is), `hide` (an empty folder), `close` (an empty file),
`folder` (make it), `link` (to the path that follows)."""

_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/nix/store",
    "/gnu/store",
)
_MARKS = ("package.json", "node_modules", "pyproject.toml", "setup.py", "go.mod", "Cargo.toml")
"""What the folder of a project holds."""
_VENV = "pyvenv.cfg"
_OF_A_PREFIX = ("bin", "lib", "lib64", "libexec", _VENV)
_SEARCHED = ("PATH", "PYTHONPATH", "NODE_PATH")
_HOPS = 40
_OPTIONAL = Path("/opt")
"""Where what does not come with the system is, each in a folder of its own."""
_SETTINGS = ("/etc", "/usr/local/etc")
_ENVIRONMENTS = ("build/lib", *(f"{above}lib/python3*/*-packages" for above in ("", "*/", "*/*/")))
"""Where packages of Python are below a folder: where they are built, and in environments."""


class View:
    """The places of one program. `own` are those of its own that are not the system's, sorted."""

    def __init__(self, shown: Iterable[Path], own: Iterable[Path], hidden: Iterable[Path]) -> None:
        self._private = frozenset(map(_real, _private()))
        self._links: dict[Path, Path] = {}
        found = [folder for path in shown for folder in self._needed(path)]
        self._shared = _outermost(self._straight(found))
        self._hidden = frozenset(map(_real, (*hidden, *_copies(self._shared))))
        projects = [*self._straight([folder for path in own for folder in self._project(path)])]
        self._program = _outermost(projects)
        self._hidden |= frozenset(map(_real, _copies(self._program)))
        # A project shows none of what is hidden in it, so what is the program's own there is shown by itself.
        self._inside = {path for path in projects if not self._hidden.isdisjoint(path.parents)}
        self.own = _outermost([*self._shared, *self._program])

    def places(self, directory: Path, writable: Sequence[Path]) -> list[Place]:
        """Return them in the order in which they are to be made."""
        made: list[Place] = [*_system()]
        made += [("show", str(path)) for path in (*self._shared, *self._program) if path not in self._inside]
        made += [_emptied(path) for path in (*sorted(self._hidden), *_closed())]
        made += [("show", str(path)) for path in sorted(self._inside)]
        made += [("folder", str(path)) for path in (directory, "/tmp", "/run")]
        made += [("link", str(link), str(target)) for link, target in self._links.items()]
        return [*made, *(("write", str(path)) for path in writable)]

    def _straight(self, paths: Iterable[Path]) -> Iterator[Path]:
        """Yield what may be shown of these, a folder once: a link to one stays a link (`lib64` of an environment)."""
        for path in paths:
            place = path
            if os.path.islink(path) and os.path.isdir(path):
                place = self._links[path] = _real(path)
            if not _is_above(place, self._private):
                yield place

    def _needed(self, path: Path) -> Iterator[Path]:
        """Yield what a program or a folder needs that is found by others: its prefix, its interpreter's."""
        for hop in self._hops(path):
            if os.path.isdir(hop):
                yield hop
                continue
            prefix = hop.parent.parent
            if hop.parent.name != "bin":
                continue
            yield from (prefix / name for name in _OF_A_PREFIX if os.path.exists(prefix / name))
            for each in _of_an_environment(prefix):
                yield from [each] if os.path.isdir(each) else self._needed(each)

    def _project(self, path: Path) -> Iterator[Path]:
        """Yield the folder of the project that a file or folder is in, or itself where that would show too much."""
        for hop in self._hops(path):
            if _below(hop, _SYSTEM) or _is_above(hop, self._private):
                continue
            if _OPTIONAL in hop.parents:
                yield _OPTIONAL / hop.parts[len(_OPTIONAL.parts)]
                continue
            chosen, folder = hop, hop if os.path.isdir(hop) else hop.parent
            for each in (folder, *folder.parents):
                if each in self._hidden or _is_above(each, self._private):
                    break
                if each == folder or any(os.path.exists(each / mark) for mark in _MARKS):
                    chosen = each
            yield chosen

    def _hops(self, path: Path) -> Iterator[Path]:
        """Yield a path and where its links lead, each without links among its folders."""
        for _ in range(_HOPS):
            path = Path(os.path.abspath(path))  # noqa: PTH100 - links stay
            for folder in reversed(path.parents):
                if os.path.islink(folder) and not _below(folder, _SYSTEM):
                    self._links[folder] = _real(folder)
            path = _real(path.parent) / path.name
            if not os.path.exists(path):
                return
            yield path
            if not os.path.islink(path):
                return
            path = path.parent / path.readlink()


def view(
    command: Sequence[str],
    environment: Mapping[str, str],
    directory: Path,
    *,
    own: Sequence[Path] = (),
    hidden: Sequence[Path] = (),
    writable: Sequence[Path] = (),
) -> View:
    """Return what a command needs: its program with all that belongs to it, and what its words and variables name.

    `own` are further files and folders of its own. `hidden` stays empty whatever shows it, but for its own folder.
    What is below `writable` is there anyway, and leads nowhere: a program before it may have put links there.
    """
    program = shutil.which(command[0], path=environment.get("PATH")) or command[0]
    named = [path for word in command[1:] if (path := _named(word)) is not None and path != directory]
    searched = [
        Path(entry)
        for name in _SEARCHED
        for entry in environment.get(name, "").split(os.pathsep)
        if entry.startswith("/") and not _below(Path(entry), _SYSTEM)
    ]
    programs = [Path(program), *_interpreters(Path(program), environment)]
    mine = [str(folder) for folder in writable]
    named, searched = ([path for path in paths if not _below(path, mine)] for paths in (named, searched))
    return View([*programs, *searched], [*programs[:1], *named, *own], [*_of_the_suite(), *hidden])


def _named(word: str) -> Path | None:
    """Return the file or folder that a word names by its absolute path, perhaps after the `=` of an option."""
    value = word if word.startswith("/") else word.partition("=")[2]
    try:
        path = Path(value)
        return path if value.startswith("/") and os.path.exists(path) else None
    except (OSError, ValueError):
        return None


def _interpreters(program: Path, environment: Mapping[str, str]) -> list[Path]:
    """Return the programs that a script's first line names."""
    try:
        with program.open("rb") as file:
            first = file.readline(256)
    except OSError:
        return []
    if not first.startswith(b"#!"):
        return []
    words = os.fsdecode(first[2:]).split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        found = shutil.which(words[0], path=environment.get("PATH")) if words else None
        words = [found] if found else []
    return [Path(words[0])] if words else []


def _of_an_environment(prefix: Path) -> Iterator[Path]:
    """Yield the Python that a virtual environment was made with, and the folders that are installed by their paths."""
    try:
        lines = (prefix / _VENV).read_text("utf-8").splitlines()
    except (OSError, ValueError):
        lines = []
    for line in lines:
        name, _, value = line.partition("=")
        if name.strip() == "home":
            yield from (path for path in [Path(value.strip()) / "python3"] if os.path.exists(path))
    for file in prefix.glob("lib/python3*/site-packages/*.pth"):
        try:
            entries = [Path(line) for line in file.read_text("utf-8").splitlines() if line.startswith("/")]
            yield from (entry for entry in entries if os.path.isdir(entry))
        except (OSError, ValueError):
            continue


def _emptied(path: Path) -> Place:
    return ("hide" if os.path.isdir(path) else "close", str(path))


def _is_above(path: Path, places: Iterable[Path]) -> bool:
    return any(place == path or path in place.parents for place in places)


def _below(path: Path, places: Iterable[str]) -> bool:
    return any(str(path) == place or str(path).startswith(f"{place}/") for place in places)


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """Return the paths that are below no other, and not the system's."""
    found = {path for path in paths if not _below(path, _SYSTEM)}
    return sorted(path for path in found if found.isdisjoint(path.parents))


@cache
def _system() -> tuple[Place, ...]:
    links = [("link", each, str(Path(each).readlink())) for each in _SYSTEM if Path(each).is_symlink()]
    return (
        *(("show", each) for each in _SYSTEM if Path(each).is_dir() and not Path(each).is_symlink()),
        *links,
    )


@cache
def _closed() -> tuple[Path, ...]:
    """Return what of the system's settings not everybody may read.

    Root may, also without any right against modes, and so may whoever owns it.
    """
    found, folders = list[Path](), [*_SETTINGS]
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as listing:
            for entry in listing:
                if entry.is_symlink():
                    continue
                if not entry.stat(follow_symlinks=False).st_mode & (0o001 if entry.is_dir() else 0o004):
                    found.append(Path(entry.path))
                elif entry.is_dir():
                    folders.append(entry.path)
    return tuple(found)


def _private() -> Iterator[Path]:
    """Yield the folders of which only parts are shown."""
    yield Path(tempfile.gettempdir())
    with suppress(RuntimeError, KeyError):  # in a container a user may have no home, and be unknown
        yield Path.home()
        yield Path(pwd.getpwuid(os.getuid()).pw_dir)
    yield from map(
        Path, ("/root", "/home", "/tmp", "/var", "/run", "/dev", "/proc", "/sys", "/opt", "/nix", "/gnu")
    )


def _copies(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield the scenarios of other copies of this package that are installed there, or by the system."""
    found = [(folder, _ENVIRONMENTS) for folder in folders]
    for folder, patterns in (*found, *((Path(lib), ()) for lib in ("/usr/lib", "/usr/local/lib"))):
        for pattern in ("", "python3*/*-packages", *patterns):
            for place in folder.glob(pattern) if pattern else (folder,):
                copies = [place / "readfirst" / name for name in ("fixtures", "docs")]
                yield from (copy for copy in copies if os.path.isdir(copy))


@cache
def _of_the_suite() -> tuple[Path, ...]:
    """Return where this project's scenarios, recordings and reports of them are."""
    package = Path(readfirst.__file__).parent.resolve()
    places = [package / "fixtures", package / "docs"]
    if (package.parent / "fixtures" / "contracts.yaml").is_file():
        places += [package.parent / name for name in ("fixtures", "docs", "tests", "build", "dist", ".git")]
    return tuple(places)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
