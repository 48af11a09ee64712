"""The data that lint checks use, and the interface of checks that an extension adds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from readfirst.harness.suite.scenario import Clause, ParallelCalls, Scenario, ToolCall
from readfirst.harness.suite.scenario_metadata import Requirement
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import Finding, Position
from readfirst.harness.yaml_io.strict_yaml import Document, YamlPath

Stated = Sequence[bool]
"""For each call of a scenario, in order: whether its expected result has the key `documented`."""
Documented = Sequence[tuple[str, Position]]
"""For each expected result with the key `documented`: the value of the key, and the position of the result in the file.
"""


@dataclass(frozen=True, slots=True)
class LintContext:
    """The data that is passed to each lint check: one scenario, its parsed file, and its suite."""

    scenario: Scenario
    document: Document
    suite: Suite

    def finding(self, rule: str, path: YamlPath, message: str, fix: str, *, key: bool = False) -> Finding:
        """Return a finding about the value, or with `key` about its key, at the YAML path `path`."""
        return Finding(rule, self.document.position(path, key=key), message, fix)

    def clauses(self) -> list[tuple[Clause, ToolCall | ParallelCalls]]:
        """Return every expected result of the scenario, with the call or the group of calls that it belongs to."""
        return [(clause, part) for _, part in self.scenario.parts() for clause in part.expect.clauses()]


def position_or_start(position: Position | None, context: LintContext) -> Position:
    """Return `position`, or the beginning of the scenario file if it is None."""
    return position if position is not None else context.document.position()


@dataclass(frozen=True, slots=True)
class RuleEvidence:
    """The evidence that one scenario contributes for its rule. Used to check that each rule is tested sufficiently.
    `allowed` contains each tool whose last call in the scenario succeeds.
    """

    scenario_id: str
    requirement: Requirement
    allowed: frozenset[str]


class Check(Protocol):
    """A check of an extension. Its entry point `readfirst.checks` is a function that creates it for a suite."""

    findings: Sequence[Finding]
    """Findings about files that only this check reads."""

    def check_scenario(self, documented: Documented) -> Iterator[Finding]:
        """Yield findings about the expected results of one scenario that have the key `documented`."""
        ...

    def check_suite(
        self, stated: Callable[[str], Stated | None], shown: Mapping[str, Sequence[RuleEvidence]]
    ) -> Iterator[Finding]:
        """Yield findings that depend on several scenarios. `stated` returns, for a scenario id, whether each call has
        the key `documented` (see `stated_in`), or None if the scenario cannot be read. `shown` contains, by rule, the
        evidence of its scenarios. Raises UnknownScenarioError.
        """
        ...


def stated_in(scenario: Scenario) -> Stated:
    """Return for each call of a scenario whether its expected result has the key `documented`."""
    return tuple(call.expect.documented is not None for call in scenario.calls())


def documented_in(case: LintContext) -> Documented:
    """Return, for each expected result with the key `documented`, the value of the key and the result's position."""
    clauses = (clause for clause, _ in case.clauses())
    return [
        (clause.documented, position_or_start(clause.position, case))
        for clause in clauses
        if clause.documented is not None
    ]
