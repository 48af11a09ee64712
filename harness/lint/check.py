"""The interface of lint checks that an extension adds, and functions that such checks use."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from readfirst.harness.lint.rule_coverage import RuleEvidence
from readfirst.harness.suite.lint_context import LintContext, position_or_start
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.yaml_io.finding import Finding, Position

Stated = Sequence[bool]
"""For each call of a scenario, in order: whether its expected result has the key `documented`."""
Documented = Sequence[tuple[str, Position]]
"""For each expected result with `documented`: the section of the document, and its position in the file."""


class Check(Protocol):
    """A check that an extension adds. The entry points `readfirst.checks` name functions that create it for a suite."""

    findings: Sequence[Finding]
    """Findings about files that only this check reads."""

    def check_scenario(self, documented: Documented) -> Iterator[Finding]:
        """Yield findings about the expected results of one scenario that have the key `documented`."""
        ...

    def check_suite(
        self, stated: Callable[[str], Stated | None], shown: Mapping[str, Sequence[RuleEvidence]]
    ) -> Iterator[Finding]:
        """Yield findings that depend on several scenarios. `stated` returns the value of `stated_in` for a scenario id,
        or None if the scenario cannot be read; it raises UnknownScenarioError. `shown` contains, by rule, the evidence
        that its scenarios contribute.
        """
        ...


def stated_in(scenario: Scenario) -> Stated:
    """Return for each call of a scenario whether its expected result has the key `documented`."""
    return tuple(call.expect.documented is not None for call in scenario.calls())


def documented_in(case: LintContext) -> Documented:
    """Return the section and the position in the file for each expected result with the key `documented`."""
    clauses = (clause for clause, _ in case.clauses())
    return [
        (clause.documented, position_or_start(clause.position, case))
        for clause in clauses
        if clause.documented is not None
    ]
