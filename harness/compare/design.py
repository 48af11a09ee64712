"""Design: which refusals an implementation of another design leaves out, and what it is held to instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from readfirst.harness.compare.verdict import LEVELS, Difference, Verdict
from readfirst.harness.harm.harm import Harm
from readfirst.harness.session import Design
from readfirst.harness.suite.contracts import Contract, clause_for
from readfirst.harness.suite.scenario import Scenario, calls_of

__all__ = ["LEFT_OUT", "by_design"]

_CHANGED = frozenset({"modified_since_read", "unexpectedly_modified"})
_EDITING = frozenset({"Edit", "MultiEdit", "NotebookEdit"})

LEFT_OUT: Mapping[Design, frozenset[str]] = {
    "strict": frozenset(),
    "content-checked": _CHANGED,
    "ungated": _CHANGED | {"not_read"},
}
"""The refusals, as errors.yaml names them, that each design does not claim."""

_KEEPING: Mapping[Design, frozenset[str]] = {
    "strict": frozenset(),
    "content-checked": _EDITING | {"Write"},
    "ungated": _EDITING,
}
"""The tools that lose nothing of others, though the contract refuses the call."""


def by_design(verdict: Verdict, scenario: Scenario, contract: Contract, design: Design | None) -> Verdict:
    """Return the verdict as the declared design has it; None: nothing is declared, and all is claimed.

    A scenario in which the contract refuses what the design leaves out is `unsupported`, also where it would pass: it
    lacks these refusals. It fails, at every level, if one of these calls loses what others wrote. At the level `safe`
    no design matters: there is no refusal to claim.
    """
    if design is None:
        return verdict
    verdict = replace(verdict, design=design)
    if verdict.level == "safe" or verdict.status not in ("passed", "failed"):
        return verdict
    refused = dict(_refused(scenario, contract, LEFT_OUT[design]))
    if not refused:
        return verdict
    lost = [
        harm
        for harm in verdict.harms
        if harm.kind == "lost" and refused.get((harm.step, harm.call), ("", ""))[0] in _KEEPING[design]
    ]
    nothing = dict.fromkeys(LEVELS, False)
    if lost:
        differences = tuple(_difference(scenario, design, harm) for harm in lost)
        return replace(verdict, status="failed", levels=nothing, differences=differences)
    names = sorted({error for _, error in refused.values()})
    reason = f"the design {design} does not claim to refuse with {' or '.join(names)}"
    return replace(
        verdict,
        status="unsupported",
        levels=nothing,
        differences=(),
        blame=None,
        reason=reason,
        lacks=tuple(names),
    )


def _refused(
    scenario: Scenario, contract: Contract, errors: frozenset[str]
) -> Iterator[tuple[tuple[int, int], tuple[str, str]]]:
    """Yield step and number of each call that the contract refuses in this way, with its tool and error."""
    for index, step in enumerate(scenario.steps):
        for number, call in enumerate(calls_of(step)):
            clause = clause_for(scenario, call.expect, contract)
            if clause is not None and clause.error in errors:
                yield (index, number), (call.tool, clause.error)


def _difference(scenario: Scenario, design: Design, harm: Harm) -> Difference:
    what = f"the declared design {design} does not hold: {harm.line}"
    position = scenario.steps[harm.step].position
    return Difference(harm.step, harm.call, "safe", what, harm.before, harm.after, position=position)
