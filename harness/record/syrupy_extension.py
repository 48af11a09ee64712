"""Recordings as syrupy snapshots: `assert transcript == snapshot(name="<scenario id>@<contract>")`.

syrupy's own serializers replace CR and CRLF by LF; this extension stores through `recordings`, which keeps every
byte, and writes contracts with equal answers as one copy. `readfirst product record`
compares and writes by it, too.
"""

# syrupy passes these arguments by name, needed or not.
# ruff: noqa: ARG002, ARG003

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from syrupy.data import Snapshot, SnapshotCollection, SnapshotCollections
from syrupy.extensions.base import AbstractSyrupyExtension

from readfirst.harness.suite.recording_file import format_recording, parse_recording
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.transcript import Recording, Transcript
from readfirst.harness.yaml_io.atomic_write import write_all

_ANY = "any"
"""The contract of a transcript that names none."""


class RecordingExtension(AbstractSyrupyExtension):
    """Set `root` in a subclass to the folder of recordings.

    `inputs` has the digests of scenarios that may have changed: what was recorded of other inputs is dropped.
    """

    root: ClassVar[Path]
    inputs: ClassVar[Mapping[str, str]] = {}
    file_extension = "json"

    def serialize(self, data: Any, **_: Any) -> str:
        """Return a transcript as text that is equal for equal transcripts only. Raises TypeError for anything else."""
        if not isinstance(data, Transcript):
            raise TypeError(f"a recording holds a Transcript, not {type(data).__name__}")
        return format_recording(Recording("", {_ANY: data})).decode("utf-8")

    @classmethod
    def get_location(cls, *, test_location: Any, index: Any) -> str:
        """Return the scenario's recording file."""
        return str(Recordings(cls.root).path(_scenario_and_contract(index)[0]))

    @classmethod
    def matches_test_location(cls, *, test_location: Any, snapshot_location: str) -> bool:
        """A recording belongs to its scenario, whichever test asks for it."""
        return Path(snapshot_location).is_relative_to(cls.root)

    def discover_snapshots(self, *, test_location: Any, ignore_extensions: Any = None) -> SnapshotCollections:
        """Return none: a recording that no test used is not unused. Orphans are found by `readfirst lint`."""
        return SnapshotCollections()

    def read_snapshot_collection(self, *, snapshot_location: str) -> SnapshotCollection:
        """Read the recordings in one file."""
        collection = SnapshotCollection(location=snapshot_location)
        path = Path(snapshot_location)
        for scenario_id in self._recordings().ids_in(path) if path.is_file() else ():
            for contract, transcript in self._recordings().recording(scenario_id).transcripts.items():
                collection.add(Snapshot(name=f"{scenario_id}@{contract}", data=self.serialize(transcript)))
        return collection

    def read_snapshot_data_from_location(
        self, *, snapshot_location: str, snapshot_name: str, session_id: str
    ) -> str | None:
        """Return one contract's transcript, serialized, None where it was not recorded."""
        scenario_id, contract = _scenario_and_contract(snapshot_name)
        transcript = self._recordings().recording(scenario_id).transcripts.get(contract)
        return None if transcript is None else self.serialize(transcript)

    @classmethod
    def _recordings(cls) -> Recordings:
        return Recordings(cls.root)

    @classmethod
    def write_snapshot_collection(cls, *, snapshot_collection: SnapshotCollection, **_: Any) -> None:
        """Add the contracts' transcripts to the scenario's file, which is replaced as a whole."""
        for scenario_id, transcripts in _by_scenario(snapshot_collection).items():
            write_all(recording_files(cls.root, scenario_id, cls.inputs.get(scenario_id), transcripts))

    def delete_snapshots(self, *, snapshot_location: str, snapshot_names: set[str]) -> None:
        """Remove contracts from the file, and the file together with its last recording."""
        recordings = self._recordings()
        for name in snapshot_names:
            scenario_id, contract = _scenario_and_contract(name)
            write_all(
                recordings.written(scenario_id, recordings.find(scenario_id).intact().without(contract))
            )
            path = recordings.path(scenario_id)
            if not recordings.ids_in(path):
                path.unlink()


def _by_scenario(collection: SnapshotCollection) -> dict[str, dict[str, Transcript]]:
    found: dict[str, dict[str, Transcript]] = {}
    for snapshot in collection:
        scenario_id, contract = _scenario_and_contract(snapshot.name)
        transcript = parse_recording(str(snapshot.data).encode("utf-8")).transcripts[_ANY]
        found.setdefault(scenario_id, {})[contract] = transcript
    return found


def _scenario_and_contract(name: object) -> tuple[str, str]:
    """Split `<scenario id>@<contract>`, with or without the test's name and brackets around it."""
    scenario, separator, contract = str(name).rpartition("[")[2].removesuffix("]").rpartition("@")
    if not separator:
        raise ValueError(f"name the snapshot <scenario id>@<contract>, not {name!r}")
    return scenario, contract


_EXTENSION = RecordingExtension()


def same_transcript(one: Transcript, other: Transcript) -> bool:
    """Whether a transcript matches the snapshot of another."""
    written, kept = (_EXTENSION.serialize(each) for each in (one, other))
    return _EXTENSION.matches(serialized_data=written, snapshot_data=kept)


def recording_files(
    root: Path, scenario_id: str, inputs: str | None, transcripts: Mapping[str, Transcript]
) -> dict[Path, bytes]:
    """Return the recording of a scenario with these transcripts added or replaced, by its path.

    What was recorded of other inputs is left out, and what is damaged; None: of the same, and nothing may be damaged,
    or RecordingError is raised.
    """
    recordings = Recordings(root)
    found = recordings.find(scenario_id)
    recording = Recording() if inputs is not None and found.damage else found.intact()
    if inputs is not None and inputs != recording.inputs:
        recording = Recording(inputs, packed=recording.packed)
    for contract, transcript in transcripts.items():
        recording = recording.with_transcript(contract, transcript)
    return recordings.written(scenario_id, recording)
