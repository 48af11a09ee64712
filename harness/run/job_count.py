"""Determine how many processes a run uses."""

import os

AUTO = 0
"""The value of `--jobs` that uses one process per processor."""
_SINGLE_PROCESS_KINDS = ("claude-code", "agent")
"""Kinds that run in one process by default, because each further process would start a complete product."""
_MIN_SCENARIOS_PER_PROCESS = 50
"""Minimum number of scenarios for each worker process. Fewer scenarios take less time than the start of a worker."""


def processors() -> int:
    """Return the number of processors that this process can use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def jobs_for(jobs: int, target: str, scenarios: int) -> int:
    """Return the number of processes of a run: `jobs` or, for AUTO, a number that suits `target` and `scenarios`."""
    if jobs != AUTO:
        return jobs
    if target.partition(":")[0] in _SINGLE_PROCESS_KINDS:
        return 1
    return max(1, min(processors(), scenarios // _MIN_SCENARIOS_PER_PROCESS))
