"""Recordings: one file per scenario (`recordings/<family>/<slug>.yaml`), written by the recorder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from readfirst.harness.source import strict_yaml
from readfirst.harness.suite.recording_file import decode
from readfirst.harness.suite.suite import ids_below
from readfirst.harness.suite.transcript import Recording, RecordingError, Transcript

__all__ = ["Recordings"]

_MOST = 8 * 1024 * 1024
"""Bytes of a file; a recording holds what each contract answered."""


class Recordings:
    """The recordings below one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, scenario_id: str) -> Path:
        """Return where the scenario's recording is or would be."""
        return self.root / f"{scenario_id}.yaml"

    def ids(self) -> Iterator[str]:
        """Yield the ids of all recordings, sorted."""
        if self.root.is_dir():
            yield from sorted(ids_below(os.fspath(self.root)))

    def recording(self, scenario_id: str) -> Recording:
        """Return the scenario's recording; empty where there is none. Raises RecordingError."""
        path = self.path(scenario_id)
        try:
            strict_yaml.refuse_links(path, self.root.parent)
            if not os.path.lexists(path):
                return Recording()
            return decode(strict_yaml.read(path, most=_MOST))
        except strict_yaml.StrictYamlError as error:
            raise RecordingError(f"{path}: {error.findings[0].message}") from error
        except RecordingError as error:
            raise RecordingError(f"{path}: {error}") from error

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

    def load(self, scenario_id: str, contract: str) -> Transcript | None:
        """Return one contract's transcript of a scenario, None where it was not recorded. Raises RecordingError."""
        return self.recording(scenario_id).transcripts.get(contract)
