"""The clock of file times, and waiting for it."""

import sys
import time

_APART = 1_000_000
"""Nanoseconds by which two file times must differ so that every implementation distinguishes them."""
_FILE_CLOCK = 5 if sys.platform == "linux" else time.CLOCK_REALTIME
"""The clock of file times: CLOCK_REALTIME_COARSE of Linux, which `time` does not define."""


def pass_time(moment: int) -> None:
    """Wait until a newly written file gets a later time than all files that were written up to this moment."""
    later = moment + _APART
    while time.clock_gettime_ns(_FILE_CLOCK) < later:
        time.sleep(0.0005)
