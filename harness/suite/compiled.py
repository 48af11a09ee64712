"""Compiled: scenarios as they were read before, kept in the user's cache while what they are read from stays the same.

A kept scenario is found by a digest of its file, of the recording that says what a composed one expects, and of
contracts and vocabulary. Each state of the program that reads them has a file of its own; the last few of these stay.
"""

import hashlib
import importlib
import io
import pickle
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache, cached_property
from pathlib import Path, PurePath
from typing import IO, Any

import platformdirs

from readfirst.harness.source import strict_yaml
from readfirst.harness.source.atomic import write_all
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite

_WORTH_WRITING = 50
"""Scenarios that take longer to read than the whole file to write."""
_LONG = 64 * 1024
"""Bytes of one from which it is kept compressed: it holds texts that are written as repetitions."""
_PRESSED = b"pressed"
"""What a compressed one begins with, and no other."""
_MOST = 32 * 1024 * 1024
"""Bytes of all; with more, what this suite does not need is dropped."""
_PROGRAMS = 4
"""Files that stay: several checkouts may be in use."""
_MODULES = {
    "fractions",
    "readfirst.harness.source.finding",
    "readfirst.harness.suite.entry",
    "readfirst.harness.suite.ownership",
    "readfirst.harness.suite.permissions",
    "readfirst.harness.suite.repeated",
    "readfirst.harness.suite.scenario",
}
"""Where the classes are of which a scenario consists."""


class Compiled:
    """The scenarios of the bundled suite, each read once as long as nothing changes; others are read every time."""

    def __init__(self, suite: Suite, folder: Path | None = None) -> None:
        """Take what is kept in a folder, by default of the user's cache. What is damaged is as good as nothing."""
        self._suite = suite
        self._folder = platformdirs.user_cache_path("readfirst") / "scenarios" if folder is None else folder
        self._file = self._folder / program()
        self._kept: Mapping[bytes, bytes] | None = None
        self._used: set[bytes] = set()
        self._new: dict[bytes, bytes] = {}
        self._digests: dict[Path, bytes] = {}
        self._paths = _Paths(suite.root)

    def scenario(self, scenario_id: str) -> Scenario:
        """Return a scenario as `Suite.scenario` does, and raise what that raises."""
        if not self._suite.bundled:
            return self._suite.scenario(scenario_id)
        if self._kept is None:
            self._kept = self._read()
        place = self._suite.place(scenario_id)
        key = self._key(scenario_id, place.file, composed=place.composed)
        self._used.add(key)
        with suppress(Exception):  # whatever a damaged file makes of itself
            if (data := self._kept.get(key)) is not None:
                return _loaded(data, self._paths)
        scenario = self._suite.scenario(scenario_id)
        self._new[key] = _dumped(scenario, self._suite.root)
        return scenario

    def close(self) -> None:
        """Keep what was read anew, if it is much. Where it cannot be written, the next run reads it again."""
        if len(self._new) < _WORTH_WRITING:
            return
        known = self._read()  # another process may have written meanwhile
        if sum(map(len, known.values())) > _MOST:
            known = {key: data for key, data in known.items() if key in self._used}
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            write_all({self._file: pickle.dumps({**known, **self._new})})
            for old in sorted(self._folder.iterdir(), key=lambda file: -file.stat().st_mtime)[_PROGRAMS:]:
                old.unlink()
        self._new = {}

    def _read(self) -> dict[bytes, bytes]:
        with suppress(Exception), self._file.open("rb") as stream:
            found = _Unpacked(stream, self._paths).load()
            return {key: data for key, data in found.items() if isinstance(data, bytes)}
        return {}

    def _key(self, scenario_id: str, file: Path, *, composed: bool) -> bytes:
        """Return what is the same as long as the scenario is."""
        digest = hashlib.blake2b(self._shared, digest_size=20)
        digest.update(scenario_id.encode("utf-8", "surrogateescape"))
        digest.update(self._digest(file))
        if composed:
            recording = self._suite.recordings.path(scenario_id)
            if recording not in self._digests:  # in an installed package it is in an archive
                data = self._suite.recordings.data(scenario_id)
                self._digests[recording] = hashlib.blake2b(data).digest()
            digest.update(self._digests[recording])
        return digest.digest()

    def _digest(self, file: Path) -> bytes:
        found = self._digests.get(file)
        if found is None:
            data = strict_yaml.read(file, most=_MOST, suite=self._suite.root)
            found = self._digests[file] = hashlib.blake2b(data).digest()
        return found

    @cached_property
    def _shared(self) -> bytes:
        root = self._suite.root
        return b"".join(map(self._digest, (root / "contracts.yaml", root / "errors.yaml")))


def _dumped(scenario: Scenario, root: Path) -> bytes:
    stream = io.BytesIO()
    _Packed(stream, root).dump(scenario)
    data = stream.getvalue()
    return data if len(data) < _LONG else _PRESSED + zlib.compress(data, 1)


class _Paths(dict[str, Path]):
    """Paths below a folder by their names from there."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def __missing__(self, name: str) -> Path:
        return self.setdefault(name, self._folder / name)


def _loaded(data: bytes, paths: _Paths) -> Scenario:
    if data.startswith(_PRESSED):
        data = zlib.decompress(data[len(_PRESSED) :])
    scenario = _Unpacked(io.BytesIO(data), paths).load()
    if not isinstance(scenario, Scenario):
        raise pickle.UnpicklingError("no scenario")
    return scenario


@cache
def _class(module: str, name: str) -> Any:
    found = getattr(importlib.import_module(module), name)
    if not isinstance(found, type):
        raise pickle.UnpicklingError(f"{module}.{name} is no class")
    return found


@cache
def program() -> str:
    """Return a digest of the modules that read scenarios."""
    harness = Path(__file__).parent.parent
    digest = hashlib.blake2b(digest_size=16)
    for folder in ("source", "suite"):
        for file in sorted((harness / folder).glob("*.py")):
            digest.update(hashlib.blake2b(file.read_bytes()).digest())
    return digest.hexdigest()


class _Packed(pickle.Pickler):
    """Writes paths relative to the suite, because several checkouts share a cache."""

    def __init__(self, stream: io.BytesIO, root: Path) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._root = root

    def reducer_override(self, thing: Any) -> Any:
        """Let values be made by their classes, which is faster than to fill them in."""
        if is_dataclass(thing) and not isinstance(thing, type):
            return type(thing), tuple(getattr(thing, each.name) for each in fields(thing))
        return NotImplemented

    def persistent_id(self, thing: Any) -> str | None:
        """Name a path."""
        return thing.relative_to(self._root).as_posix() if isinstance(thing, PurePath) else None


class _Unpacked(pickle.Unpickler):
    """Makes what a scenario consists of, the values of this package, and nothing that another class would make."""

    def __init__(self, stream: IO[bytes], paths: _Paths) -> None:
        super().__init__(stream)
        self._paths = paths

    def find_class(self, module: str, name: str) -> Any:
        """Return a class of a scenario's values, and refuse any other."""
        if module not in _MODULES or "." in name:
            raise pickle.UnpicklingError(f"{module}.{name}")
        return _class(module, name)

    def persistent_load(self, name: str) -> Path:
        """Return a path by its name."""
        return self._paths[name]
