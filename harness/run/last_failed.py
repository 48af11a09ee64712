"""Store which scenarios a target failed in its last run, so that the next run can start with these scenarios."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import platformdirs

from readfirst.harness.report.jsonl import read_stream
from readfirst.harness.yaml_io.atomic_write import write_all


def default_folder() -> Path:
    """Return the directory that is used to store the failed scenarios of all targets."""
    return platformdirs.user_cache_path("readfirst") / "last-failed"


class LastFailed:
    """The stored failures of a target on one suite and contract, for later runs in the same directory."""

    def __init__(self, target: str, roots: Sequence[Path], contract: str, folder: Path | None = None) -> None:
        suites = ",".join(str(root.resolve()) for root in roots)
        key_parts = target, suites, str(Path.cwd()), contract
        key = hashlib.sha256(repr(key_parts).encode()).hexdigest()
        self._file = (default_folder() if folder is None else folder) / f"{key[:16]}.json"

    def ids(self) -> list[str] | None:
        """Return the sorted ids of the scenarios that failed in the last run. None before the first run."""
        stored = self._read_ids()
        return None if stored is None else stored[0]

    def untested(self) -> list[str]:
        """Return the ids of scenarios that an interrupted run did not reach, sorted."""
        stored = self._read_ids()
        return [] if stored is None else stored[1]

    def store(self, failed: Mapping[str, bool], selected: Collection[str] = ()) -> None:
        """Store for each scenario of a run whether it failed. `selected` are all scenarios of the run. Scenarios
        without a result are stored as not tested. Stored results of other scenarios do not change.
        """
        before = self._read_ids() or ([], [])
        ids = {*before[0]} - failed.keys() | {each for each, is_failing in failed.items() if is_failing}
        untested = {*before[1], *selected} - failed.keys()
        with suppress(OSError):  # a cache: the next run reports that it is missing
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_all({self._file: json.dumps([sorted(ids), sorted(untested)], indent=0).encode()})

    def _read_ids(self) -> tuple[list[str], list[str]] | None:
        """Return the stored ids of failed scenarios, and of untested scenarios. None without a valid file."""
        try:
            match json.loads(self._file.read_bytes()):
                case [list(failed), list(untested)] if all(
                    isinstance(each, str) for each in failed + untested
                ):
                    return failed, untested
        except (OSError, ValueError):
            pass
        return None


def failed_in(file: Path) -> list[str]:
    """Return the sorted ids of failed scenarios in a result file. Raises StreamError, UnreadableStreamError."""
    judged = (judged for run in read_stream(file) for judged in run.judged)
    return sorted({verdict.scenario_id for verdict, ruling in judged if not ruling.conformant})
