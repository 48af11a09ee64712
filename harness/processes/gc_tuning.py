"""Run the cyclic garbage collector rarely: data of a run are trees, and it took a tenth of the time."""

import atexit
import gc

_OBJECTS_PER_COLLECTION = 1_000_000
"""Number of new objects between two collections. Python's default of 700 suits programs with few objects."""


def collect_rarely() -> None:
    """Make the cyclic garbage collector run rarely in this process, and not at its exit. Takes a few MiB."""
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    atexit.register(gc.freeze)
