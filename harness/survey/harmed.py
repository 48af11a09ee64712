"""Harmed: in how many sessions a target harmed somebody, by kind, and the shortest scenario that shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from readfirst.harness.compare.reach import by_family, in_families
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.report.by_rule import is_made
from readfirst.harness.suite.harm_kinds import KINDS, Kind
from readfirst.harness.suite.suite import Suite

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, order=True)
class Shortest:
    """The scenario that shows a kind in the fewest steps: at which of them (from 1), and the harm in one line.

    One that a person wrote comes before one that was `made`.
    """

    made: bool
    steps: int
    scenario: str
    step: int
    line: str
    title: str


@dataclass(slots=True)
class Harmed:
    """The sessions that were tried, and those in which something was harmed."""

    sessions: set[str] = field(default_factory=set)
    by_kind: dict[Kind, set[str]] = field(default_factory=dict)
    shortest: dict[Kind, Shortest] = field(default_factory=dict)

    def note(self, verdict: Verdict, suite: Suite) -> None:
        """Count a verdict; a scenario that several contracts judge is one session."""
        if verdict.status not in ("passed", "failed") and not verdict.left_out:
            return
        self.sessions.add(verdict.scenario_id)
        for harm in verdict.harms:
            self.by_kind.setdefault(harm.kind, set()).add(verdict.scenario_id)
            known = self.shortest.get(harm.kind)
            if known is None or known.made or known.steps > 1:
                scenario = suite.scenario(verdict.scenario_id)
                made, steps = is_made(scenario.id), len(scenario.steps)
                found = Shortest(made, steps, scenario.id, harm.step + 1, harm.line, scenario.title)
                self.shortest[harm.kind] = found if known is None else min(known, found)

    def data(self) -> dict[str, Any]:
        """Return it in JSON types, the worst kind first."""
        return {
            "sessions": len(self.sessions),
            "counts": {kind: len(self.by_kind.get(kind, ())) for kind in KINDS},
            "scenarios": {kind: by_family(self.by_kind[kind]) for kind in KINDS if kind in self.by_kind},
            "shortest": {
                kind: {
                    "scenario": each.scenario,
                    "title": each.title,
                    "steps": each.steps,
                    "step": each.step,
                    "line": each.line,
                }
                for kind, each in _ordered(self.shortest)
            },
        }

    @classmethod
    def of(cls, data: Mapping[str, Any], tried: set[str], again: frozenset[str] = frozenset()) -> Harmed:
        """Return what `data` gave, of sessions with these scenarios, without those that are run `again`."""
        scenarios = data["scenarios"]
        return cls(
            tried - again,
            {kind: set(in_families(scenarios[kind])) - again for kind in KINDS if kind in scenarios},
            {
                kind: Shortest(
                    is_made(each["scenario"]),
                    each["steps"],
                    each["scenario"],
                    each["step"],
                    each["line"],
                    each["title"],
                )
                for kind, each in _ordered(data["shortest"])
                if each["scenario"] not in again
            },
        )


def _ordered(by_kind: Mapping[Any, _Value]) -> Iterator[tuple[Kind, _Value]]:
    return ((kind, by_kind[kind]) for kind in KINDS if kind in by_kind)
