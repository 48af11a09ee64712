"""Lint checks of extensions, and the facts about scenarios that they need."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from readfirst.harness.lint.rule_coverage import Showing
from readfirst.harness.suite.lint_context import LintContext, at
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.yaml_io.finding import Finding, Position

Stated = Sequence[bool]
"""For each call of a scenario, whether it has a documented clause."""
Documented = Sequence[tuple[str, Position]]
"""The section of each documented clause of a scenario, and the position of the clause."""


class Check(Protocol):
    """A check of one suite, which is the only argument of its constructor.

    The entry points of the group `readfirst.checks` name the constructors.
    """

    findings: Sequence[Finding]
    """Findings in files that only this check reads."""

    def of_scenario(self, documented: Documented) -> Iterator[Finding]:
        """Yield findings in the documented clauses of one scenario."""
        ...

    def of_suite(
        self, stated: Callable[[str], Stated | None], shown: Mapping[str, Sequence[Showing]]
    ) -> Iterator[Finding]:
        """Yield findings that need all scenarios.

        `stated` returns the calls of a scenario. None if the scenario cannot be read. It raises
        UnknownScenarioError. `shown` contains the scenarios of each rule.
        """
        ...


def stated_in(scenario: Scenario) -> Stated:
    """Return for each call of a scenario whether it has a documented clause."""
    return tuple(call.expect.documented is not None for call in scenario.calls())


def documented_in(case: LintContext) -> Documented:
    """Return the section of each documented clause of a scenario."""
    return [
        (each.documented, at(each.position, case))
        for each, _ in case.clauses()
        if each.documented is not None
    ]
