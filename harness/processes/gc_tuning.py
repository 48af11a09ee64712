"""Collection: how often Python looks for objects that hold each other and nobody else holds.

Scenarios, outcomes and verdicts are trees, which need no such search: it took a tenth of a run.
"""

import atexit
import gc

_OBJECTS = 1_000_000
"""New objects between two searches; Python's own 700 are for programs that make few."""


def collect_rarely() -> None:
    """Let this process search seldom, and not at its end; its memory grows by a few MiB."""
    gc.set_threshold(_OBJECTS)
    atexit.register(gc.freeze)
