"""Run options: how an implementation is run, one value from the command line to the adapter."""

from dataclasses import dataclass
from pathlib import Path

from readfirst.harness.adapter_api import TIME_LIMIT


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options for running an implementation. They do not depend on the contract.

    `jobs` is the number of worker processes; 0: `jobs_for` decides. `time_limit` is in seconds per call. `settle` is in
    seconds, for writes after the last answer. `confine`: the implementation writes only to its workspace and home, and
    has no network. `keep` is the folder for the workspaces of scenarios that fail.
    """

    jobs: int = 1
    time_limit: float = TIME_LIMIT
    settle: float = 0.0
    confine: bool = False
    keep: Path | None = None

    def words(self) -> list[str]:
        """Return the options of a command line that change a verdict."""
        words = [] if self.time_limit == TIME_LIMIT else ["--time-limit", f"{self.time_limit:g}"]
        words += ["--settle", f"{self.settle * 1000:g}"] if self.settle else []
        return [*words, "--confine"] if self.confine else words


DEFAULT = RunOptions()
