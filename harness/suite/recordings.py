"""Find and read the recordings of a suite: JSON files in the same directory structure as the scenario files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from readfirst.harness.suite.recording_file import (
    MAX_FILE_BYTES,
    RECORD_FILE_AGAIN,
    decode_recording,
    decode_whole,
    encode_recording,
    format_entries,
    has_valid_digest,
    read_entries,
)
from readfirst.harness.suite.scenario_index import ScenarioIndex, ScenarioLocation, names_below
from readfirst.harness.suite.transcript import Recording, RecordingError
from readfirst.harness.suite.transcript_loader import errors_as_unreadable
from readfirst.harness.yaml_io import strict_yaml
from readfirst.harness.yaml_io.finding import SuiteError


@dataclass(frozen=True)
class RecordingLocation:
    """The recording file of a scenario. `data` are the bytes of the file; None if the file does not exist."""

    scenario_id: str
    path: Path
    data: bytes | None

    @cached_property
    def value(self) -> Mapping[str, Any] | None:
        """The recording of the scenario as JSON values. None without a recording. Raises RecordingError."""
        if self.data is None:
            return None
        with _errors_with_path(self.path):
            return read_entries(self.data).get(_slug(self.scenario_id))

    @cached_property
    def recording(self) -> Recording:
        """The recording of the scenario. Empty if the scenario was not recorded. Raises RecordingError."""
        return Recording() if self.value is None else decode_recording(self.value, self.path)

    @cached_property
    def is_as_written(self) -> bool:
        """Whether the recording exists and matches its digest, so that no user edited it. Raises RecordingError."""
        return isinstance(self.value, dict) and has_valid_digest(self.value)

    def check_edited(self) -> bool:
        """Whether a user edited the recording. If so, check that all transcripts decode. Raises RecordingError."""
        _ = self.recording
        if self.value is None or self.is_as_written:
            return False
        recording = decode_whole(self.value, self.path)
        return bool(recording.transcripts or recording.unrecorded)

    @property
    def damage(self) -> str:
        """The reason why no answer can be added to the recording: an edit by hand, or damage. Empty if intact."""
        try:
            return "the recording was changed by hand" if self.check_edited() else ""
        except RecordingError:
            return "the recording cannot be read"

    def intact(self) -> Recording:
        """Return the recording (or an empty one) to add to it. Raises RecordingError if it was edited or damaged."""
        if damage := self.damage:
            raise RecordingError(
                f"{self.path}: {damage}; run `readfirst product record --fix {self.scenario_id}`"
            )
        return self.recording


class _LastFileCache:
    """Reads recording files. Caches the last file until it changes."""

    def __init__(self, suite: Path) -> None:
        self._suite = suite
        self._last: tuple[tuple[object, ...], bytes] = (), b""

    def read(self, path: Path) -> bytes | None:
        """Return the bytes of a file. None if the file does not exist. Raises SuiteError if the file cannot be read."""
        try:
            status = os.lstat(path)  # a link has another inode than the file that was read
        except (OSError, ValueError):
            strict_yaml.refuse_links(path, self._suite)
            return None
        state = (path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if self._last[0] != state:
            self._last = state, strict_yaml.read(path, max_bytes=MAX_FILE_BYTES, suite=self._suite)
        return self._last[1]


class Recordings:
    """The recordings of a suite's scenarios. `root` is the directory with the recording files. The recordings of
    `scenarios/FAMILY/NAME.yaml` and `corpus/FAMILY/NAME.yaml` are in `FAMILY/NAME.json`.
    """

    def __init__(
        self,
        root: Path,
        find_location: Callable[[str], ScenarioLocation | None] | None = None,
        base: Recordings | None = None,
        remedy: Callable[[str], str] = "run `readfirst product record --fix {}`".format,
    ) -> None:
        """Use the recordings in the directory `root`. `find_location` finds the file of a scenario by its id (default:
        in the suite above `root`). `base` contains the recordings of all other scenarios. `remedy` returns the advice,
        by scenario id, in the error message about a scenario that changed since its recording.
        """
        self._remedy = remedy
        self.root = root
        self._base = base
        self._find_location = find_location or ScenarioIndex(root.parent).find
        self._files = _LastFileCache(root.parent)
        self._last: tuple[object, Recording] = None, Recording()

    def path(self, scenario_id: str) -> Path:
        """Return the path of the recording file of a scenario, which may be missing. Raises RecordingError."""
        return self._recordings_with(scenario_id)._path(scenario_id)[0]

    def _recordings_with(self, scenario_id: str) -> Recordings:
        """Return the recordings of the suite that contains the scenario: `self`, or the recordings of a base suite."""
        if self._base is None:
            return self
        with _errors_with_path(self.root):
            is_own = self._find_location(scenario_id) is not None
        return self if is_own else self._base._recordings_with(scenario_id)

    def _path(self, scenario_id: str) -> tuple[Path, bool]:
        """Return the path of a scenario's recording file, and whether it contains only this scenario."""
        own = Path(f"{self.root}/{scenario_id}.json")
        with _errors_with_path(own):
            location = self._find_location(scenario_id)
        if location is None or not location.case:
            return own, True
        return own.with_name(f"{location.file.stem}.json"), False

    def located(self) -> list[tuple[str, Path]]:
        """Return the scenario id and the file of each recording, sorted. Raises RecordingError."""
        if not self.root.is_dir():
            return []
        files = (self.root / f"{name}.json" for name in names_below(os.fspath(self.root), ".json"))
        return sorted((scenario_id, file) for file in files for scenario_id in self.ids_in(file))

    def ids_in(self, path: Path) -> list[str]:
        """Return the ids of the scenarios that have a recording in the file `path`. Raises RecordingError."""
        family = path.parent.relative_to(self.root)
        with _errors_with_path(path):
            return [(family / slug).as_posix() for slug in read_entries(self._files.read(path) or b"{}")]

    def recording(self, scenario_id: str) -> Recording:
        """Return the recording of a scenario. Empty if the scenario was not recorded. Raises RecordingError."""
        location = self.find(scenario_id)
        # The key contains the bytes, so a changed file is decoded again.
        key = scenario_id, location.data
        if self._last[0] != key:
            self._last = key, location.recording
        return self._last[1]

    def find(self, scenario_id: str) -> RecordingLocation:
        """Return the recording of a scenario with its file, as it is now on disk. Raises RecordingError."""
        recordings = self._recordings_with(scenario_id)
        path, _ = recordings._path(scenario_id)
        with _errors_with_path(path):
            return RecordingLocation(scenario_id, path, recordings._files.read(path))

    def of(self, scenario_id: str, inputs: str) -> Recording:
        """Return the recording of a scenario. Empty if not recorded. `inputs` is the digest of its current files and
        steps. Raises RecordingError if the recording is damaged, or if the scenario has changed.
        """
        recording = self.recording(scenario_id)
        if recording.transcripts and recording.inputs != inputs:
            raise RecordingError(
                f"{self.path(scenario_id)}: it was recorded before the scenario's files or steps were changed; "
                f"{self._remedy(scenario_id)}"
            )
        return recording

    def written(self, scenario_id: str, recording: Recording) -> dict[Path, bytes]:
        """Return the path and the new bytes of a recording file, with `recording` in place of the scenario's old
        recording. If `recording` is empty, the old recording is removed. Raises RecordingError if a damaged file
        contains several scenarios, or if the new file would be too large.
        """
        (path, is_own), slug = self._path(scenario_id), _slug(scenario_id)
        with _errors_with_path(path):
            data = self._files.read(path) or b"{}"
            try:
                entries = {**read_entries(data)}
            except RecordingError:
                if not is_own:
                    raise
                entries = {}
            entries.pop(slug, None)
            if recording.transcripts or recording.unrecorded:
                entries[slug] = encode_recording(recording)
            with errors_as_unreadable(RECORD_FILE_AGAIN):
                return {path: format_entries(entries)}

    def rewritten(self, path: Path, change: Callable[[Recording], Recording]) -> bytes:
        """Return a recording file after applying `change` to each of its recordings. Raises RecordingError."""
        with _errors_with_path(path):
            entries = {**read_entries(self._files.read(path) or b"{}")}
            for slug, value in entries.items():
                recording = decode_recording(value, path)
                if (changed := change(recording)) is not recording:
                    entries[slug] = encode_recording(changed)
            with errors_as_unreadable(RECORD_FILE_AGAIN):
                return format_entries(entries)


def _slug(scenario_id: str) -> str:
    return scenario_id.rpartition("/")[2]


@contextmanager
def _errors_with_path(path: Path) -> Iterator[None]:
    """Convert errors that occur inside the `with` block to RecordingError. Its message names the file `path`."""
    try:
        yield
    except (SuiteError, RecordingError) as error:
        message = error.findings[0].message if isinstance(error, SuiteError) else str(error)
        named = RecordingError(f"{path}: {message.removeprefix(f'{path}: ')}")
        named.file = path
        raise named from error
