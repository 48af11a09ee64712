"""The options for running an implementation, which are passed as one value from the command line to the adapter."""

from dataclasses import dataclass
from pathlib import Path

from readfirst.harness.adapter_api import TIME_LIMIT


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options for running an implementation on any contract. `jobs` is the number of worker processes; 0 means that
    `jobs_for` determines it. `time_limit` is in seconds per call. `settle` is the number of seconds to wait for writes
    after the last answer. With `confine`, the implementation runs in a sandbox without network. `keep` is the directory
    for the workspaces of failing scenarios.
    """

    jobs: int = 1
    time_limit: float = TIME_LIMIT
    settle: float = 0.0
    confine: bool = False
    keep: Path | None = None

    def words(self) -> list[str]:
        """Return these options as words of a command line. Options that have no influence on a verdict are omitted."""
        words = [] if self.time_limit == TIME_LIMIT else ["--time-limit", f"{self.time_limit:g}"]
        words += ["--settle", f"{self.settle * 1000:g}"] if self.settle else []
        return [*words, "--confine"] if self.confine else words


DEFAULT = RunOptions()
