"""Judge implementations by the design that they declare, and detect the design by replaying a few scenarios."""

from collections.abc import Mapping
from dataclasses import replace

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.adapter_traits import Design
from readfirst.harness.compare.refusals import iter_calls
from readfirst.harness.compare.verdict import LEVELS, Difference, Verdict
from readfirst.harness.errors import ExitCode, ReadfirstError
from readfirst.harness.harm.harm import Harm
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.contracts import Contract, clause_for
from readfirst.harness.suite.harm_kinds import HARMS
from readfirst.harness.suite.scenario import Scenario, ToolCall
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.workspace.workspace_dir import WorkspacePool

_REFUSED_CHANGED = frozenset({"modified_since_read", "unexpectedly_modified"})
_EDITING = frozenset({"Edit", "MultiEdit", "NotebookEdit"})

OMITTED_REFUSALS: Mapping[Design, frozenset[str]] = {
    "strict": frozenset(),
    "hash-checked": _REFUSED_CHANGED,
    "content-checked": _REFUSED_CHANGED,
    "ungated": _REFUSED_CHANGED | {"not_read"},
}
"""The error names of the refusals that a design does not require. `hash-checked` must refuse changed content."""

_CHANGE_KEEPING_TOOLS: Mapping[Design, frozenset[str]] = {
    "strict": frozenset(),
    "hash-checked": frozenset(),
    "content-checked": _EDITING | {"Write"},
    "ungated": _EDITING,
}
"""For each design, the tools that must not overwrite other programs' changes, even in calls that the contract refuses.
"""


def apply_design(
    verdict: Verdict, scenario: Scenario, contract: Contract, outcome: Outcome, design: Design | None
) -> Verdict:
    """Return the verdict after taking the declared design into account. If the contract refuses a call that the design
    may answer, the scenario becomes `unsupported`. The scenario fails at every level if such a call loses changes of
    other programs. At the level `safe`, and without a design, the verdict is not changed.
    """
    if design is None:
        return verdict
    verdict = replace(verdict, design=design)
    if verdict.level == "safe" or verdict.status not in ("passed", "failed"):
        return verdict
    refused = {
        place: (part.tool, clause.error)
        for place, part in scenario.parts()
        if isinstance(part, ToolCall)
        and (clause := clause_for(scenario, part.expect, contract)) is not None
        and clause.error in OMITTED_REFUSALS[design]
    }
    if design == "hash-checked":
        if not verdict.levels["safe"]:
            return verdict  # a new time of a file does not justify harm
        touched = {made.place for made in iter_calls(scenario, outcome) if made.has_known(same=True)}
        refused = {place: names for place, names in refused.items() if place in touched}
    if not refused:
        return verdict
    keeping = {place for place, (tool, _) in refused.items() if tool in _CHANGE_KEEPING_TOOLS[design]}
    lost = [harm for harm in verdict.harms if harm.kind == "lost" and (harm.step, harm.call) in keeping]
    if lost:
        differences = tuple(_difference_from_harm(scenario, design, harm) for harm in lost)
        levels = dict.fromkeys(LEVELS, False)
        return replace(verdict, status="failed", levels=levels, differences=differences)
    names = sorted({error for _, error in refused.values()})
    reason = f"the design {design} does not claim to refuse with {' or '.join(names)}"
    return verdict.as_unsupported(reason, names)


def _difference_from_harm(scenario: Scenario, design: Design, harm: Harm) -> Difference:
    what = f"the declared design {design} does not hold: {harm.line}"
    position = scenario.steps[harm.step].position
    return Difference(harm.step, harm.call, "safe", what, harm.before, harm.after, position=position)


_READ, _UNREAD, _CHANGED = "gate/edit-after-read", "gate/edit-unread", "staleness/edit-after-change"
_TOUCHED = "staleness/edit-after-touch-full-read"

OBSERVED_BEHAVIOURS: Mapping[Design, str] = {
    "strict": "it refuses the Edit of a file that changed since its Read",
    "hash-checked": "it refuses the Edit of a file that changed since its Read, but not of a file with only a new time",
    "content-checked": "it edits a file that changed since its Read, and keeps the change",
    "ungated": "it edits a file that was never read",
}
"""Description of the behaviour that identifies each design. Used in messages about a wrong declaration."""


class DesignUnclear(ReadfirstError):  # noqa: N818 - the name is the finding
    """No design fits the observed behaviour of an implementation. The message describes the behaviour."""

    exit_code = ExitCode.NOT_CONFORMANT


def design_seen(adapter: Adapter, place: WorkspacePool) -> Design:
    """Replay a few scenarios with an implementation, and return the design that fits its behaviour. Raises
    DesignUnclear if a scenario ends early, if an Edit just after a Read is refused, or if an Edit does harm.
    """
    suite = Suite(default_root())

    def is_edit_answered(scenario_id: str) -> bool:
        scenario = suite.scenario(scenario_id)
        outcome = replay(scenario, adapter, place)
        if outcome.error is not None:
            raise DesignUnclear(f"{scenario_id} ended early: {outcome.error.message}")
        if harms := [harm.line for harm in harms_of(scenario, outcome) if harm.kind in HARMS]:
            raise DesignUnclear(f"an Edit does harm, which no design allows: {harms[0]}.")
        return not outcome.steps[-1].results[-1].is_error

    if not is_edit_answered(_READ):
        raise DesignUnclear(
            "the Edit of a file that was just read is refused, so the design cannot be determined."
        )
    changed, unread = is_edit_answered(_CHANGED), is_edit_answered(_UNREAD)
    if unread or changed:
        return "ungated" if unread else "content-checked"
    return "hash-checked" if is_edit_answered(_TOUCHED) else "strict"


def find_contradiction(declared: Design, adapter: Adapter, place: WorkspacePool) -> str:
    """Replay a few scenarios. Return a message with the fitting design if the design `declared` does not fit the
    behaviour. Otherwise return an empty text.
    """
    try:
        seen = design_seen(adapter, place)
    except DesignUnclear as error:
        return f"it declares the design {declared}, but {error}"
    # `strict` claims more than `hash-checked`: a run shows the refusals that are missing.
    if seen == declared or (declared, seen) == ("strict", "hash-checked"):
        return ""
    return f"it declares the design {declared}, but {OBSERVED_BEHAVIOURS[seen]}. Declare {seen}."
