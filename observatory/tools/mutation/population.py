"""Find the exceptions that have an effect in some call, and the exceptions that the scenarios detect.

An exception is a mutant that makes one condition of the reference wrong in one circumstance.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from random import Random

from confinement import Confined
from exceptions import ALWAYS
from importing import forget
from measurement import TrialError
from mutants import Mutant
from panel import Panel
from switches import FaultPoint, Switches
from trial import MutantResult

from readfirst.harness.compare.compare import compare
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.suite.scenario import ParallelCalls, Scenario, ToolCall
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.fuzz import generate

FUZZED, LONG = 3000, 200
"""Numbers of generated scenarios and long sessions that show the possible circumstances of each condition."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The result of a run with `--exceptions`: the numbers of faults, and the faults that test cases detect."""

    rules: int  # mutants that make a condition wrong in every circumstance
    noticed: int  # mutants in `rules` that test cases detect
    exceptions: int  # mutants that make a condition in `noticed` wrong in one circumstance
    calls: int  # calls in generated scenarios
    fates: tuple[MutantResult, ...]  # results of the `exceptions` that have an effect in some call


def judged_exceptions(
    panel: Panel,
    root: Path,
    modules: Collection[str],
    scenarios: Iterable[Scenario],
    *,
    sample: tuple[int, int] | None = None,
) -> Judged:
    """Test which exceptions (conditions in `modules`, wrong in one circumstance) the test cases of the panel detect.
    Only exceptions with an effect in a test case or in one of `scenarios` are tested. `sample` contains the number of
    exceptions to test and the seed. Raises TrialError if the unchanged package fails a test case.
    """
    confined = Confined(lambda: _judge_exceptions(panel, root, modules, scenarios, sample))
    try:
        found = confined.result()
    except EOFError:
        raise TrialError("the process that tests mutants with an exception ended unexpectedly") from None
    finally:
        confined.end()
    if isinstance(found, TrialError):
        raise found
    assert isinstance(found, Judged)
    return found


def drawn_scenarios(fuzzed: int = FUZZED, long: int = LONG) -> Iterator[Scenario]:
    """Yield generated scenarios, the same in each run, to find the circumstances that occur at each condition."""
    yield from islice(generate.scenarios(0), fuzzed)
    yield from islice(generate.long_sessions(0), long)


class _Judge:
    """Tests whether test cases detect the fault at a FaultPoint. Cases that detected similar faults are run first."""

    def __init__(self, switches: Switches, suite: Suite, contract: str, cases: Iterable[str]) -> None:
        self._switches = switches
        self._suite = suite
        self._contract = suite.contracts[contract]
        own = {name: suite.scenario(name) for name in cases}
        self._scenarios = {name: each for name, each in own.items() if each.contract == contract}
        self._by: dict[FaultPoint, list[str]] = {}
        self._caught: Counter[tuple[int, bool, str]] = Counter()
        for name, scenario in self._scenarios.items():
            outcome, met = switches.met(scenario)
            if how := self._first_failure(scenario, outcome):
                raise TrialError(f"{name} fails on the unchanged package: {how}")
            for point in met:
                self._by.setdefault(point, []).append(name)

    @property
    def met(self) -> Collection[FaultPoint]:
        """The fault points that test cases reach in the fault's circumstance. Other faults cannot be detected."""
        return self._by.keys()

    def fate(self, point: FaultPoint) -> tuple[str, str, int]:
        """Return the first test case that detects the fault at a point, the failure of this case, and the number of
        cases that were run. If no case detects the fault, the case and the failure are empty texts.
        """
        of_rule = point[:2]
        names = sorted(self._by.get(point, ()), key=lambda name: -self._caught[*of_rule, name])
        for asked, name in enumerate(names, start=1):
            scenario = self._scenarios[name]
            if how := self._first_failure(scenario, self._switches.changed(scenario, point)):
                self._caught[*of_rule, name] += 1
                return name, how, asked
        return "", "", len(names)

    def _first_failure(self, scenario: Scenario, outcome: Outcome) -> str:
        verdict = compare(scenario, outcome, self._contract, "text", self._suite.vocabulary)
        if verdict.status in ("passed", "unspecified"):
            return ""
        return f"{verdict.status}: {verdict.differences[0].what if verdict.differences else verdict.reason}"


def _judge_exceptions(
    panel: Panel,
    root: Path,
    modules: Collection[str],
    scenarios: Iterable[Scenario],
    sample: tuple[int, int] | None,
) -> Judged | TrialError:
    _unimport(panel)
    contract, _, _ = panel.cases[0].partition(" ")
    switches = Switches(panel, contract, modules)
    try:
        judge = _Judge(switches, Suite(root), contract, (name.partition(" ")[2] for name in panel.cases))
    except TrialError as error:
        return error
    met, calls = set(judge.met), 0
    for scenario in scenarios:
        met |= switches.met(scenario)[1]
        calls += _calls(scenario)
    noticed = [rule for rule in switches.points if judge.fate(rule)[0]]
    every = [point for rule in noticed for point in switches.exceptions(rule)]
    chosen = [point for point in every if point in met]
    if sample is not None and sample[0] < len(chosen):
        chosen = Random(sample[1]).sample(chosen, sample[0])
    fates = tuple(MutantResult(_exception(switches, point), *judge.fate(point)) for point in chosen)
    return Judged(len(list(switches.points)), len(noticed), len(every), calls, fates)


def _unimport(panel: Panel) -> None:
    """Remove the panel's package, and the modules of readfirst that import it, from the imported modules."""
    import readfirst.harness.adapters

    forget(panel)
    sys.modules.pop("readfirst.harness.adapters.reference", None)
    vars(readfirst.harness.adapters).pop("reference", None)


def _exception(switches: Switches, point: FaultPoint) -> Mutant:
    """Return the mutant with the fault that a point identifies. The attribute `source` of the mutant is empty."""
    rule = switches.rule(point)
    after = rule.after.replace(f'when("{ALWAYS}")', f'when("{point.circumstance}")')
    return replace(rule, after=after, source="", when=point.circumstance)


def _calls(scenario: Scenario) -> int:
    return sum(
        len(step.calls) if isinstance(step, ParallelCalls) else isinstance(step, ToolCall)
        for step in scenario.steps
    )
