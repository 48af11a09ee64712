"""Compiled: values that were made of a suite's files before, kept in the user's cache while the files stay the same.

A kept value is found by a digest of all that it was made of. Each state of the program that makes such values has a
file of its own; the last few of these stay.
"""

import fcntl
import hashlib
import importlib
import io
import os
import pickle
import sys
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache, cached_property
from operator import attrgetter
from pathlib import Path, PurePath
from typing import IO, Any, Generic, TypeVar

import platformdirs

from readfirst.harness.source.atomic import write_all

_WORTH_WRITING = 50
"""Values that take longer to make than the whole file to write."""
_LONG = 64 * 1024
"""Bytes of one from which it is kept compressed: it holds texts that are written as repetitions."""
_PRESSED = b"pressed"
"""What a compressed one begins with, and no other."""
_MOST = 32 * 1024 * 1024
"""Bytes of all; with more, what was not needed this time is dropped."""
_PROGRAMS = 4
"""Files that stay: several checkouts may be in use."""
Value = TypeVar("Value")


def compiled_root() -> Path:
    """Return the folder of the user's cache with a folder for each kind of values."""
    return platformdirs.user_cache_path("readfirst") / "compiled"


class Compiled(Generic[Value]):
    """Values of one kind, each made once as long as nothing changes. What is damaged is as good as nothing."""

    def __init__(
        self,
        name: str,
        kind: type[Value],
        packages: Collection[str],
        root: Path,
        folder: Path | None = None,
        *,
        worth_writing: int | None = None,
    ) -> None:
        """Take what is kept below a folder, by default that of the user's cache.

        `name` says what the values are, `kind` is their class. `packages` are those of the harness that make them and
        have all classes that they consist of. Paths in them are below `root`, the folder of the suite. New ones are
        written once there are as many as are `worth_writing`.
        """
        self._kind = kind
        self._worth_writing = _WORTH_WRITING if worth_writing is None else worth_writing
        self._reducers = _Reducers(root)
        self._folder = (compiled_root() if folder is None else folder) / name
        self._file = self._folder / program(*packages)
        self._used: set[bytes] = set()
        self._new: dict[bytes, bytes] = {}
        self._packages = frozenset(packages)
        self._paths = _Paths(root)

    @property
    def is_empty(self) -> bool:
        """Whether none is kept."""
        return not self._kept

    def find(self, key: bytes) -> Value | None:
        """Return the value of this key, None where none is kept."""
        self._used.add(key)
        with suppress(Exception):  # whatever a damaged file makes of itself
            if (data := self._kept.get(key)) is not None:
                return self._loaded(data)
        return None

    def keep(self, key: bytes, value: Value) -> None:
        """Keep a value, once `close` is called."""
        self._new[key] = self._dumped(value)

    def get(self, key: bytes, make: Callable[[], Value]) -> Value:
        """Return the value of this key, made and kept where there is none yet. Raises what `make` raises."""
        value = self.find(key)
        if value is None:
            value = make()
            self.keep(key, value)
        return value

    def close(self) -> None:
        """Write what is new, if it is much. Where it cannot be written, it is made again the next time."""
        if len(self._new) < self._worth_writing:
            return
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            with _alone(self._folder):
                known = self._read()  # another process may have written meanwhile
                if sum(map(len, known.values())) > _MOST:
                    known = {key: data for key, data in known.items() if key in self._used}
                write_all({self._file: pickle.dumps({**known, **self._new})})
                for old in sorted(self._folder.iterdir(), key=lambda file: -file.stat().st_mtime)[_PROGRAMS:]:
                    old.unlink()
        self._new = {}

    @cached_property
    def _kept(self) -> Mapping[bytes, bytes]:
        return self._read()

    def _read(self) -> dict[bytes, bytes]:
        with suppress(Exception), self._file.open("rb") as stream:
            found = _Unpacked(stream, self._packages, self._paths).load()
            return {key: data for key, data in found.items() if isinstance(data, bytes)}
        return {}

    def _dumped(self, value: Value) -> bytes:
        stream = io.BytesIO()
        pickler = pickle.Pickler(stream, pickle.HIGHEST_PROTOCOL)
        pickler.dispatch_table = self._reducers
        pickler.dump(value)
        data = stream.getvalue()
        return data if len(data) < _LONG else _PRESSED + zlib.compress(data, 1)

    def _loaded(self, data: bytes) -> Value:
        if data.startswith(_PRESSED):
            data = zlib.decompress(data[len(_PRESSED) :])
        value = _Unpacked(io.BytesIO(data), self._packages, self._paths).load()
        if not isinstance(value, self._kind):
            raise pickle.UnpicklingError(f"no {self._kind.__name__}")
        return value


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other process writes to a folder, and keep others waiting. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks: what another one kept meanwhile may be lost
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


class _Paths(dict[str, Path]):
    """Paths below a folder by their names from there."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def __missing__(self, name: str) -> Path:
        return self.setdefault(name, self._folder / name)


@cache
def _class(packages: frozenset[str], module: str, name: str) -> Any:
    """Return a class of values in one of these packages of the harness, or that of fractions, and refuse any other."""
    if (module, name) == (Fraction.__module__, Fraction.__name__):
        return Fraction
    outer, _, package = module.rpartition(".")[0].rpartition(".")
    if outer == "readfirst.harness" and package in packages:
        found = getattr(importlib.import_module(module), name)
        is_value = isinstance(found, type) and (is_dataclass(found) or issubclass(found, str | tuple))
        if is_value and found.__module__ == module:
            return found
    raise pickle.UnpicklingError(f"{module}.{name} is no class of values")


@cache
def program(*packages: str) -> str:
    """Return a digest of Python's version and of the modules in these packages of the harness."""
    harness = Path(__file__).parent.parent
    digest = hashlib.blake2b(sys.version.encode(), digest_size=16)
    for package in packages:
        for file in sorted((harness / package).glob("*.py")):
            digest.update(hashlib.blake2b(file.read_bytes()).digest())
    return digest.hexdigest()


class _Below:
    """What a path relative to the suite is made by, because several checkouts share a cache."""


def _values_of(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what gives the values of these attributes."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda thing: tuple([getattr(thing, name) for name in names])


class _Reducers(dict[type, Callable[[Any], Any]]):
    """How each class of values is written, worked out once: pickle asks a table in much less time than a method."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self._root = root

    def __missing__(self, kind: type) -> Callable[[Any], Any]:
        """Let values be made by their classes, which is faster than to fill them in; add what is worked out of them."""
        if issubclass(kind, PurePath):
            return self.setdefault(kind, lambda path: (_Below, (path.relative_to(self._root).as_posix(),)))
        if not is_dataclass(kind):
            raise KeyError(kind)
        values = _values_of([each.name for each in fields(kind)])
        derived = [name for name, each in vars(kind).items() if isinstance(each, cached_property)]

        def reduced(thing: Any) -> Any:
            made = kind, values(thing)
            return (*made, {name: getattr(thing, name) for name in derived}) if derived else made

        return self.setdefault(kind, reduced)


class _Unpacked(pickle.Unpickler):
    """Makes what such values consist of, the values of this package, and nothing that another class would make."""

    def __init__(self, stream: IO[bytes], packages: frozenset[str], paths: _Paths) -> None:
        super().__init__(stream)
        self._packages = packages
        self._paths = paths

    def find_class(self, module: str, name: str) -> Any:
        """Return a class of values, or what makes a path, and refuse any other."""
        if (module, name) == (_Below.__module__, _Below.__name__):
            return self._paths.__getitem__
        return _class(self._packages, module, name)
