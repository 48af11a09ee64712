"""The reference with all its exceptions compiled into it. Each exception can be switched on separately.

Normally, a mutant is compiled and tested in a fork. Here each condition calls `decided(number, condition)`, so one
process can record the outcomes of all conditions in a call, and can test thousands of exceptions quickly.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator
from typing import NamedTuple

from alarm import TooLongError, time_limit
from circumstances import attend, now
from exceptions import ALWAYS, MODULES, conditions_of, replace_node
from importing import compiled, install
from mutants import Mutant
from panel import Panel

from readfirst.harness.replay.outcome import Breakage, Outcome
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.workspace.workspace_dir import WorkspacePool

_SECONDS = 10.0
"""Time limit in seconds for a replay. It is needed because a wrong condition may cause an endless loop."""


class FaultPoint(NamedTuple):
    """Identifies one deliberate fault of the reference: in calls with a `circumstance` such as `name: hidden`, the
    condition with the number `condition` is wrong if its value would be `outcome`.
    """

    condition: int
    outcome: bool
    circumstance: str


class Switches:
    """The reference with a contract. Each condition of some modules can be made wrong in one circumstance, to find out
    quickly which of these faults the scenarios detect. Only one per process, because it imports the package.
    """

    def __init__(self, panel: Panel, contract: str, modules: Collection[str] = tuple(MODULES)) -> None:
        self._rules: list[tuple[Mutant, Mutant]] = []
        code = {}
        for module, source in panel.sources.items():
            text = self._switched(module, source) if module in modules else source
            code[module] = compiled(panel, module, text)
        install(panel, code)
        builtins.decided = self._decided  # type: ignore[attr-defined]
        from readfirst.harness.adapters.reference import ReferenceAdapter

        self._adapter = ReferenceAdapter(contract)
        self._place = WorkspacePool()
        self._on: FaultPoint | None = None
        self._met: set[FaultPoint] | None = None

    @property
    def points(self) -> Iterator[FaultPoint]:
        """Two fault points for every condition: one for each outcome, with the circumstance `always`."""
        for number in range(len(self._rules)):
            yield FaultPoint(number, True, ALWAYS)
            yield FaultPoint(number, False, ALWAYS)

    def rule(self, point: FaultPoint) -> Mutant:
        """Return the mutant that inverts the outcome of a point's condition in every circumstance."""
        never, always = self._rules[point.condition]
        return never if point.outcome else always

    def exceptions(self, rule: FaultPoint) -> Iterator[FaultPoint]:
        """Yield a fault point for each circumstance that could matter for the condition of the point `rule`."""
        for circumstance in dict.fromkeys(MODULES[self.rule(rule).module]):
            yield rule._replace(circumstance=circumstance)

    def met(self, scenario: Scenario) -> tuple[Outcome, set[FaultPoint]]:
        """Return the outcome on the unchanged reference, and the fault points that can affect this outcome."""
        self._met = met = set[FaultPoint]()
        try:
            return self._replayed(scenario), met
        finally:
            self._met = None

    def changed(self, scenario: Scenario, point: FaultPoint) -> Outcome:
        """Replay a scenario on the reference with the fault at a point, and return the outcome."""
        self._on = point
        try:
            return self._replayed(scenario)
        finally:
            self._on = None

    def _replayed(self, scenario: Scenario) -> Outcome:
        attend(scenario)
        try:
            with time_limit(_SECONDS):
                return replay(scenario, self._adapter, self._place)
        except TooLongError as error:
            return Outcome(scenario.id, (), Breakage("implementation", str(error), 0))

    def _decided(self, number: int, condition: object) -> object:
        outcome, on = bool(condition), self._on
        if self._met is not None:
            self._met.update(FaultPoint(number, outcome, each) for each in now())
        turned = on is not None and on[:2] == (number, outcome) and on.circumstance in now()
        return not outcome if turned else condition

    def _switched(self, module: str, source: str) -> str:
        found = []
        for node, never, always in conditions_of(module, source):
            found.append((node, len(self._rules)))
            self._rules.append((never, always))
        text = source
        for node, number in sorted(found, key=lambda each: (-each[0].lineno, -each[0].col_offset)):
            text = replace_node(text, node, f"decided({number}, ({ast.get_source_segment(source, node)}))")
        return text
