"""Jobs: how many processes share the scenarios of a run."""

import os

AUTO = 0
"""A number of jobs: as many as there are processors."""
_ONE_AT_A_TIME = ("claude-code", "agent")
"""Kinds whose every process is a complete product beside its model."""
_WORTH_A_PROCESS = 50
"""Scenarios that take longer to replay than a worker takes to start."""


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def jobs_for(asked: int, target: str, scenarios: int) -> int:
    """Return how many processes replay so many scenarios on a target; `asked` is obeyed unless it is AUTO."""
    if asked != AUTO:
        return asked
    if target.partition(":")[0] in _ONE_AT_A_TIME:
        return 1
    return max(1, min(processors(), scenarios // _WORTH_A_PROCESS))
