"""At the start of a run, report the assignment of servers to scenarios, the reason, and the estimated time."""

from dataclasses import dataclass, field

from readfirst.harness.adapter_traits import IsolationDecision
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.pluralize import pluralize
from readfirst.harness.report.progress import duration

_FEWEST_SAMPLES = 5
"""Minimum number of sessions that are used to estimate the remaining time."""
PENDING = "servers: one for each of the first scenarios; then readfirst tests whether the other scenarios can share one"
_WORDS = {
    "shared": "shared by scenarios",
    "restarted": "shared by scenarios, with a new handshake for each",
    "process": "a separate process for each scenario",
}


@dataclass
class ServerNotice:
    """Watches the verdicts of a run of `total` scenarios in `jobs` processes."""

    total: int
    jobs: int = 1
    _seen: int = field(init=False, default=0)
    _seconds: dict[bool, list[float]] = field(init=False, default_factory=lambda: {True: [], False: []})
    """Seconds of sessions on a shared server (True) and on a separate server (False)."""
    _is_silent: bool = field(init=False, default=False)

    def line(self, verdict: Verdict) -> str:
        """Return the line to print after a verdict: once, that a test will decide whether servers are shared, and once
        its decision. Empty after all other verdicts.
        """
        self._seen += 1
        use = verdict.server
        if self._is_silent or use is None:
            return ""
        samples = self._seconds[use.shared]
        samples.append(use.seconds)
        if use.decision is None:
            is_first = sum(map(len, self._seconds.values())) == 1
            return PENDING if is_first and self.total > _FEWEST_SAMPLES else ""
        is_exception = use.shared != (use.decision.kind != "process")
        if is_exception or len(samples) < _FEWEST_SAMPLES:
            return ""
        self._is_silent = True
        return decision_line(
            use.decision, self._remaining(sum(samples) / len(samples)), self.total - self._seen
        )

    def _remaining(self, seconds: float) -> float:
        """Return the estimated seconds for the rest at `seconds` a session, without scenarios that are not replayed."""
        replayed = sum(map(len, self._seconds.values())) / self._seen
        return seconds * replayed * (self.total - self._seen) / self.jobs


def decision_line(decision: IsolationDecision, seconds: float, scenarios: int) -> str:
    """Return a line with the decision about servers, its reason, and the estimated time for the remaining scenarios."""
    rest = (
        f"; about {duration(seconds)} for the other {pluralize(scenarios, 'scenario')}"
        if scenarios > 0
        else ""
    )
    remedy = ". `readfirst docs adapters` explains --isolation" if decision.kind == "process" else ""
    return f"servers: {_WORDS[decision.kind]} ({decision.why}){rest}{remedy}"
