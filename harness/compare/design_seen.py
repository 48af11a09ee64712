"""Design seen: which design an implementation shows in three sessions, whatever it declares."""

from __future__ import annotations

from collections.abc import Callable

from readfirst.harness.exit_code import ExitCode, ReadfirstError
from readfirst.harness.harm.harm import HARMS
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.replay.replay import replay
from readfirst.harness.session import Adapter, Design
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.workspace.site import SitePool

__all__ = ["DesignUnclear", "contradicted", "design_seen"]

_READ, _UNREAD, _CHANGED = "gate/edit-after-read", "gate/edit-unread", "staleness/edit-after-change"

_DOES = {
    "strict": "it refuses the Edit of a file that changed since its Read",
    "content-checked": "it edits a file that changed since its Read, and keeps the change",
    "ungated": "it edits a file that was never read",
}


class DesignUnclear(ReadfirstError):  # noqa: N818 - it names what cannot be told
    """What was seen fits no design; the message says what it was."""

    exit_code = ExitCode.NOT_CONFORMANT


def design_seen(adapter: Adapter, place: SitePool) -> Design:
    """Return the design that fits: is an Edit answered without a Read, and of a file that changed since it?

    Raises DesignUnclear where a plain Edit after a Read is refused, or an Edit harms somebody.
    """
    suite = Suite(default_root())

    def played(scenario_id: str) -> tuple[Scenario, Outcome]:
        scenario = suite.scenario(scenario_id)
        outcome = replay(scenario, adapter, place)
        if outcome.broken is not None:
            raise DesignUnclear(f"{scenario_id} ended early: {outcome.broken.message}")
        return scenario, outcome

    if not _edits(played, _READ):
        raise DesignUnclear("it refuses the Edit of a file that was just read, so no design can be told.")
    changed, unread = _edits(played, _CHANGED), _edits(played, _UNREAD)
    return "ungated" if unread else "content-checked" if changed else "strict"


def _edits(played: Callable[[str], tuple[Scenario, Outcome]], scenario_id: str) -> bool:
    """Whether the last call of a scenario, an Edit, is answered."""
    scenario, outcome = played(scenario_id)
    if harmed := [harm.line for harm in harms_of(scenario, outcome) if harm.kind in HARMS]:
        raise DesignUnclear(f"its Edit does what no design may: {harmed[0]}.")
    return not outcome.steps[-1].results[-1].is_error


def contradicted(declared: Design, adapter: Adapter, place: SitePool) -> str:
    """Say what contradicts the declared design, and what to write instead; empty where nothing does."""
    try:
        seen = design_seen(adapter, place)
    except DesignUnclear as error:
        return f"it declares the design {declared}, but {error}"
    if seen == declared:
        return ""
    return f"it declares the design {declared}, but {_DOES[seen]}. Declare {seen}."
