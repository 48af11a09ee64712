"""The options for running an implementation, which are passed as one value from the command line to the adapter."""

from dataclasses import dataclass
from pathlib import Path

from readfirst.harness.adapter_api import TIME_LIMIT


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options for running an implementation on any contract."""

    jobs: int = 1
    """Number of worker processes. 0 means that `jobs_for` determines it."""
    time_limit: float = TIME_LIMIT
    """Seconds per call."""
    settle: float = 0.0
    """Seconds to wait for writes after the last answer."""
    confine: bool = False
    """Whether the implementation can write only to its workspace and home, and has no network."""
    keep: Path | None = None
    """The directory for the workspaces of failing scenarios."""

    def words(self) -> list[str]:
        """Return these options as words of a command line. Options that have no influence on a verdict are omitted."""
        words = [] if self.time_limit == TIME_LIMIT else ["--time-limit", f"{self.time_limit:g}"]
        words += ["--settle", f"{self.settle * 1000:g}"] if self.settle else []
        return [*words, "--confine"] if self.confine else words


DEFAULT = RunOptions()
