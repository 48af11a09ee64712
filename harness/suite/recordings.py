"""Recordings: what the recorder keeps, in a file for each scenario, or for each theme of composed ones."""

import hashlib
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import SuiteError
from readfirst.harness.source.packed import ARCHIVE, index, packed
from readfirst.harness.source.packed import digest as packed_digest
from readfirst.harness.suite.compiled import Compiled
from readfirst.harness.suite.recording_file import (
    checked,
    decode_heading,
    encode,
    heading_of,
    read,
    recording_of,
)
from readfirst.harness.suite.seal import entry_of, is_sealed
from readfirst.harness.suite.shelf import Shelf, names_below
from readfirst.harness.suite.theme_recordings import read_one, replaced, slugs
from readfirst.harness.suite.transcript import Heading, Recording, RecordingError
from readfirst.harness.suite.transcripts import readable

MOST_BYTES = 8 * 1024 * 1024
"""Bytes of a file; a recording holds what each contract answered."""
_TICK = 100_000_000
"""Nanoseconds, many times what the clocks of file systems tell apart."""


@dataclass(frozen=True)
class Found:
    """Where the recording of a scenario is or would be; `data` is what the file holds, None where there is none."""

    scenario_id: str
    path: Path
    data: bytes | None

    @cached_property
    def value(self) -> Mapping[str, Any] | None:
        """The values of the recording, None where there is none. Raises RecordingError."""
        if self.data is None:
            return None
        with _named(self.path):
            return read(self.data) if self.path.suffix == ".yaml" else read_one(self.data, self._slug)

    @cached_property
    def recording(self) -> Recording:
        """The recording; empty where there is none. One that is not as written is read as a whole, to know damage.

        Raises RecordingError.
        """
        if self.value is None:
            return Recording()
        with readable(path=self.path):
            recording = recording_of(self.value, self.path)
            return recording if self.is_as_written else checked(recording)

    @property
    def heading(self) -> Heading:
        """What it says before its steps, which are not read where it is as written. Raises RecordingError."""
        if self.data is None or not self.is_as_written:
            recording = self.recording
            return Heading(recording.inputs, tuple(recording.transcripts), recording.unrecorded)
        with readable(path=self.path):
            return decode_heading(self.data) if self.path.suffix == ".yaml" else heading_of(self.value or {})

    @cached_property
    def is_as_written(self) -> bool:
        """Whether it is there as the recorder wrote it."""
        if self.data is None:
            return False
        return is_sealed(self.data if self.path.suffix == ".yaml" else entry_of(self.data, self._slug))

    @property
    def damage(self) -> str:
        """Why nothing may be added to it: a part of a sentence, empty where nothing is wrong with it."""
        try:
            recording = self.recording
        except RecordingError:
            return "the recording cannot be read"
        is_there = recording.transcripts or recording.unrecorded
        return "the recording was changed by hand" if is_there and not self.is_as_written else ""

    def intact(self) -> Recording:
        """Return the recording; empty where there is none. Raises RecordingError where it is damaged."""
        if damage := self.damage:
            raise RecordingError(
                f"{self.path}: {damage}; run `readfirst product record --fix {self.scenario_id}`"
            )
        return self.recording

    @property
    def _slug(self) -> str:
        return self.scenario_id.rpartition("/")[2]


class Recordings:
    """The recordings below one folder, of a suite's scenarios."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._root = os.fspath(root)
        self._shelf = Shelf(root.parent)
        self.compiled: Compiled[dict[str, Any]] | None = None
        """The values of those that were read before, if they are asked for; see `Suite.compiled`."""
        self._last: tuple[tuple[object, ...], bytes] = (), b""
        self._recent: tuple[object, Recording] = None, Recording()

    def path(self, scenario_id: str) -> Path:
        """Return where the scenario's recording is or would be: of one in the corpus, the file of its theme."""
        own = self._own(scenario_id)
        if os.path.lexists(own):
            return own
        with _named(own):
            place = self._shelf.find(scenario_id)
        if place is None or not place.composed:
            return own
        return self.root / place.file.parent.name / f"{place.file.stem}.json"

    def ids(self) -> Iterator[str]:
        """Yield the ids of all recordings, sorted. Raises RecordingError where that of a theme cannot be read."""
        yield from self.files()

    def files(self) -> Mapping[str, Path]:
        """Return the file of each recording, in the order of their ids. Raises RecordingError as `ids`.

        Those of the installed package are in an archive for each family.
        """
        if not self.root.is_dir():
            return {}
        themes = {each: file for file in self.root.glob("*/*.json") for each in self.in_file(file)}
        own = {each: self._own(each) for each in names_below(os.fspath(self.root))}
        archives = {
            f"{family}/{slug}": self.root / family / ARCHIVE
            for family, files in index(self.root).items()
            for names in files.values()
            for slug in names
        }
        return dict(sorted({**archives, **themes, **own}.items()))

    def in_file(self, path: Path) -> list[str]:
        """Return the ids of the scenarios whose recordings a file holds. Raises RecordingError."""
        name = path.relative_to(self.root).with_suffix("")
        if path.suffix == ".yaml":
            return [name.as_posix()]
        with _named(path):
            return [f"{name.parent.as_posix()}/{slug}" for slug in slugs(self._read(path) or b"{}")]

    def data(self, scenario_id: str) -> bytes:
        """Return the bytes of the file with the scenario's recording; none without one. Raises RecordingError."""
        path = self.path(scenario_id)
        with _named(path):
            return self._read(path) or b""

    def digest(self, scenario_id: str) -> bytes:
        """Return what is the same as long as the file with the scenario's recording is. Raises RecordingError."""
        path = self.path(scenario_id)
        if not os.path.lexists(path) and (found := packed_digest(path)):
            return found
        with _named(path):
            return _digest(self._read(path) or b"")

    def recording(self, scenario_id: str) -> Recording:
        """Return the scenario's recording; empty where there is none. Raises RecordingError."""
        found = None if self.compiled is not None else self.find(scenario_id)
        # Files stay as they are while what is read of them is kept.
        asked = scenario_id, self.compiled if found is None else found.data
        if self._recent[0] != asked:
            self._recent = asked, self._as_kept(scenario_id) if found is None else found.recording
        return self._recent[1]

    def _as_kept(self, scenario_id: str) -> Recording:
        """Return a recording from what was read before, or read and keep it."""
        assert self.compiled is not None
        key = self.digest(scenario_id) + scenario_id.encode("utf-8", "surrogateescape")
        if (value := self.compiled.find(key)) is not None:
            path = self.path(scenario_id)
            with readable(path=path):
                return recording_of(value, path)
        found = self.find(scenario_id)
        recording = found.recording
        if found.value is not None:
            self.compiled.keep(key, {**found.value})
        return recording

    def find(self, scenario_id: str) -> Found:
        """Return where the scenario's recording is, as its file is now. Raises RecordingError."""
        path = self.path(scenario_id)
        with _named(path):
            return Found(scenario_id, path, self._read(path))

    def of(self, scenario_id: str, inputs: str) -> Recording:
        """Return the recording of these inputs; empty where there is none.

        Raises RecordingError where it is damaged, or where the scenario was changed since.
        """
        recording = self.recording(scenario_id)
        if recording.transcripts and recording.inputs != inputs:
            raise RecordingError(
                f"{self.path(scenario_id)}: it was recorded before the scenario's files or steps were changed; "
                f"run `readfirst product record --fix {scenario_id}`"
            )
        return recording

    def written(self, scenario_id: str, recording: Recording) -> dict[Path, bytes]:
        """Return the file in which this is the scenario's recording, by its path. Raises RecordingError."""
        path = self.path(scenario_id)
        with _named(path):
            if path.suffix == ".yaml":
                return {path: encode(recording)}
            return {path: replaced(self._read(path) or b"{}", scenario_id.rpartition("/")[2], recording)}

    def _own(self, scenario_id: str) -> Path:
        return Path(f"{self._root}/{scenario_id}.yaml")

    def _read(self, path: Path) -> bytes | None:
        """Return a file's bytes; those of the last one are kept, because each contract's part is asked for in turn."""
        strict_yaml.refuse_links(path, self.root.parent)
        try:
            status = path.lstat()
        except (OSError, ValueError):
            return packed(path.parent).get(path.name)
        seen = (path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if self._last[0] != seen:
            # What is written twice within a tick of the clock looks the same, so a file that is new is not kept.
            is_settled = time.time_ns() - status.st_ctime_ns > _TICK
            self._last = seen if is_settled else (), strict_yaml.read(path, most=MOST_BYTES)
        return self._last[1]


@lru_cache(maxsize=4)
def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=20).digest()


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Say of what is wrong with a file which file it is."""
    try:
        yield
    except (SuiteError, RecordingError) as error:
        message = error.findings[0].message if isinstance(error, SuiteError) else str(error)
        named = RecordingError(f"{path}: {message.removeprefix(f'{path}: ')}")
        named.file = path
        raise named from error
