"""Garbage collector tuning: run the cyclic GC rarely.

Scenarios, outcomes and verdicts are trees without cycles. The GC took a tenth of a run.
"""

import atexit
import gc

_OBJECTS_PER_COLLECTION = 1_000_000
"""Number of new objects between two collections. Python's default of 700 suits programs with few objects."""


def collect_rarely() -> None:
    """Make the cyclic garbage collector run rarely in this process, and not at its exit. Takes a few MiB."""
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    atexit.register(gc.freeze)
