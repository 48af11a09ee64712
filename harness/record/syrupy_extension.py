"""Store recordings as snapshots of the library syrupy: `assert transcript == snapshot(name="<scenario
id>@<contract>")`.

The serializers of syrupy replace CR and CRLF by LF. This extension keeps every byte, and stores equal answers of
several contracts once. `readfirst product record` uses it to compare and to write.
"""

# syrupy passes these arguments by name, even if they are not used.
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

_NO_CONTRACT = "any"
"""Used as the contract's name when a single transcript is serialized, because a transcript contains no name."""


class RecordingExtension(AbstractSyrupyExtension):
    """Extension of the snapshot library syrupy that stores recordings in the directory `root`, which a subclass must
    set. `inputs` contains the current digests of scenarios. Writing a recording removes transcripts with a different
    digest.
    """

    root: ClassVar[Path]
    inputs: ClassVar[Mapping[str, str]] = {}
    file_extension = "json"

    def serialize(self, data: Any, **_: Any) -> str:
        """Return a transcript as text. Equal texts mean equal transcripts. Raises TypeError for other values."""
        if not isinstance(data, Transcript):
            raise TypeError(f"a recording must be a Transcript, not {type(data).__name__}")
        return format_recording(Recording("", {_NO_CONTRACT: data})).decode("utf-8")

    @classmethod
    def get_location(cls, *, test_location: Any, index: Any) -> str:
        """Return the path of the scenario's recording file."""
        return str(Recordings(cls.root).path(_scenario_and_contract(index)[0]))

    @classmethod
    def matches_test_location(cls, *, test_location: Any, snapshot_location: str) -> bool:
        """Whether a file is in `root`. A recording belongs to a scenario, so `test_location` does not matter."""
        return Path(snapshot_location).is_relative_to(cls.root)

    def discover_snapshots(self, *, test_location: Any, ignore_extensions: Any = None) -> SnapshotCollections:
        """Return an empty collection, so that syrupy reports no unused recordings: `readfirst lint` reports them."""
        return SnapshotCollections()

    def read_snapshot_collection(self, *, snapshot_location: str) -> SnapshotCollection:
        """Read all transcripts in a recording file."""
        collection = SnapshotCollection(location=snapshot_location)
        path = Path(snapshot_location)
        for scenario_id in Recordings(self.root).ids_in(path) if path.is_file() else ():
            for contract, transcript in Recordings(self.root).recording(scenario_id).transcripts.items():
                collection.add(Snapshot(name=f"{scenario_id}@{contract}", data=self.serialize(transcript)))
        return collection

    def read_snapshot_data_from_location(
        self, *, snapshot_location: str, snapshot_name: str, session_id: str
    ) -> str | None:
        """Return the serialized transcript of one contract. None if the file does not contain it."""
        scenario_id, contract = _scenario_and_contract(snapshot_name)
        transcript = Recordings(self.root).recording(scenario_id).transcripts.get(contract)
        return None if transcript is None else self.serialize(transcript)

    @classmethod
    def write_snapshot_collection(cls, *, snapshot_collection: SnapshotCollection, **_: Any) -> None:
        """Add transcripts to the recording file of a scenario. The whole file is replaced at once."""
        for scenario_id, transcripts in _transcripts_by_scenario(snapshot_collection).items():
            write_all(recording_files(cls.root, scenario_id, cls.inputs.get(scenario_id), transcripts))

    def delete_snapshots(self, *, snapshot_location: str, snapshot_names: set[str]) -> None:
        """Remove the named transcripts (`<scenario id>@<contract>`), and recording files that become empty."""
        recordings = Recordings(self.root)
        for name in snapshot_names:
            scenario_id, contract = _scenario_and_contract(name)
            write_all(
                recordings.written(scenario_id, recordings.find(scenario_id).intact().without(contract))
            )
            path = recordings.path(scenario_id)
            if not recordings.ids_in(path):
                path.unlink()


def _transcripts_by_scenario(collection: SnapshotCollection) -> dict[str, dict[str, Transcript]]:
    transcripts: dict[str, dict[str, Transcript]] = {}
    for snapshot in collection:
        scenario_id, contract = _scenario_and_contract(snapshot.name)
        transcript = parse_recording(str(snapshot.data).encode("utf-8")).transcripts[_NO_CONTRACT]
        transcripts.setdefault(scenario_id, {})[contract] = transcript
    return transcripts


def _scenario_and_contract(name: object) -> tuple[str, str]:
    """Return the scenario id and the contract in a snapshot's name, such as `test_name[SCENARIO@CONTRACT]`."""
    scenario, separator, contract = str(name).rpartition("[")[2].removesuffix("]").rpartition("@")
    if not separator:
        raise ValueError(f"name the snapshot <scenario id>@<contract>, not {name!r}")
    return scenario, contract


_EXTENSION = RecordingExtension()


def same_transcript(left: Transcript, right: Transcript) -> bool:
    """Whether two transcripts are equal."""
    serialized, stored = (_EXTENSION.serialize(each) for each in (left, right))
    return _EXTENSION.matches(serialized_data=serialized, snapshot_data=stored)


def recording_files(
    root: Path, scenario_id: str, inputs: str | None, transcripts: Mapping[str, Transcript]
) -> dict[Path, bytes]:
    """Return the new content of a scenario's recording file with these transcripts, as bytes by path. Recorded
    transcripts with different `inputs` are dropped. Without `inputs`, all recorded transcripts are kept, and a
    damaged file raises RecordingError.
    """
    recordings = Recordings(root)
    location = recordings.find(scenario_id)
    recording = Recording() if inputs is not None and location.damage else location.intact()
    if inputs is not None and inputs != recording.inputs:
        recording = Recording(inputs, packed=recording.packed)
    for contract, transcript in transcripts.items():
        recording = recording.with_transcript(contract, transcript)
    return recordings.written(scenario_id, recording)
