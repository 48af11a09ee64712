"""Tell the user early in a run whether scenarios share a server, why, and how long the run will take."""

from dataclasses import dataclass, field

from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.pluralize import pluralize
from readfirst.harness.report.progress import duration

_MIN_SAMPLES = 5
"""Minimum number of sessions whose duration is used to estimate the remaining time."""
PENDING = "servers: one for each of the first scenarios; then readfirst tests whether the other scenarios can share one"
_WORDS = {
    "shared": "shared by scenarios",
    "restarted": "shared by scenarios, with a new handshake for each",
    "process": "a separate process for each scenario",
}


@dataclass
class ServerNotice:
    """Tells the user whether scenarios share a server. The run has `total` scenarios and `jobs` processes."""

    total: int
    jobs: int = 1
    _seen: int = field(init=False, default=0)
    _seconds: dict[bool, list[float]] = field(init=False, default_factory=lambda: {True: [], False: []})
    """Durations in seconds of sessions on a shared server (True) and a separate one (False), for the estimate."""
    _is_silent: bool = field(init=False, default=False)

    def line(self, verdict: Verdict) -> str:
        """Return the line to print after a verdict, mostly empty. The first line announces a test whether scenarios can
        share a server, a later line states the decision.
        """
        self._seen += 1
        use = verdict.server
        if self._is_silent or use is None:
            return ""
        samples = self._seconds[use.shared]
        samples.append(use.seconds)
        if use.decision is None:
            is_first = sum(map(len, self._seconds.values())) == 1
            return PENDING if is_first and self.total > _MIN_SAMPLES else ""
        is_exception = use.shared != (use.decision.kind != "process")
        if is_exception or len(samples) < _MIN_SAMPLES:
            return ""
        self._is_silent = True
        remaining = self.total - self._seen
        replayed_share = sum(map(len, self._seconds.values())) / self._seen
        seconds = sum(samples) / len(samples) * replayed_share * remaining / self.jobs
        rest = ""
        if remaining > 0:
            rest = f"; about {duration(seconds)} for the other {pluralize(remaining, 'scenario')}"
        kind = use.decision.kind
        remedy = ". `readfirst docs adapters` explains --isolation" if kind == "process" else ""
        return f"servers: {_WORDS[kind]} ({use.decision.why}){rest}{remedy}"
