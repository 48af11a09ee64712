"""Breakage: what ended a replay early, and the party to blame."""

import traceback
from collections.abc import Callable

from readfirst.harness.adapter_api import BrokenAdapter
from readfirst.harness.replay.outcome import Breakage
from readfirst.harness.workspace.guarded_directory import SpoiltError
from readfirst.harness.workspace.world_events import WorldEventError

_DETAILS = 8192
"""Maximum characters of a traceback."""


def breakage_of(error: BaseException, step: int, normalise: Callable[[str], str]) -> Breakage:
    """Return what ended a replay at a step, from 0, with the party to blame."""
    details = ""
    match error:
        case BrokenAdapter():
            blame, message, details = error.blame, str(error), error.details
        case SpoiltError():
            blame, message = "implementation", str(error)
        case WorldEventError():
            blame, message = "harness", str(error)
        case _:
            blame, message = "adapter", f"the adapter raised {type(error).__name__}: {error}"
            details = "".join(traceback.format_exception(error))[-_DETAILS:]
    return Breakage(blame, normalise(message), step, normalise(details))
