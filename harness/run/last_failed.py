"""Last failed: the scenarios that a target failed when it was last run, so that the next run can begin with them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import platformdirs

from readfirst.harness.report.jsonl import read_stream
from readfirst.harness.yaml_io.atomic_write import write_all


def default_folder() -> Path:
    """Return the folder that they are kept in unless another is named."""
    return platformdirs.user_cache_path("readfirst") / "last-failed"


class LastFailed:
    """What a target, as it is written in one folder, failed on one suite and contract; kept in the user's cache."""

    def __init__(self, target: str, roots: Sequence[Path], contract: str, folder: Path | None = None) -> None:
        suites = ",".join(str(root.resolve()) for root in roots)
        what = target, suites, str(Path.cwd()), contract
        key = hashlib.sha256(repr(what).encode()).hexdigest()
        self._file = (default_folder() if folder is None else folder) / f"{key[:16]}.json"

    def ids(self) -> list[str] | None:
        """Return the ids, sorted; None if the target was not run."""
        try:
            ids = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return None
        return ids if isinstance(ids, list) and all(isinstance(each, str) for each in ids) else None

    def note(self, failed: Mapping[str, bool]) -> None:
        """Take over which scenarios failed in a run; of those that it did not test stays what was known."""
        known = set(self.ids() or ())
        ids = sorted((known - failed.keys()) | {each for each, is_failing in failed.items() if is_failing})
        with suppress(OSError):  # a cache: without it the next run tells that there was none
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_all({self._file: json.dumps(ids, indent=0).encode()})


def failed_in(file: Path) -> list[str]:
    """Return the scenarios that are not conformant in a stream of `--format jsonl`, on any contract, sorted.

    Raises StreamError, UnreadableStreamError.
    """
    judged = (each for run in read_stream(file) for each in run.judged)
    return sorted({verdict.scenario_id for verdict, ruling in judged if not ruling.conformant})
