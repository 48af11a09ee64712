"""Lint checks of extensions, and the facts about scenarios that they need."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from readfirst.harness.lint.rule_coverage import Showing
from readfirst.harness.suite.lint_context import LintContext, at
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.yaml_io.finding import Finding, Position

Stated = Sequence[bool]
"""For each call of a scenario, whether a clause of the call is `documented`."""
Documented = Sequence[tuple[str, Position]]
"""The section that each documented clause of a scenario names, and the position of the clause."""


class Check(Protocol):
    """An additional check of a suite, from a package outside the harness. The constructor gets the suite.

    The entry points of the group `readfirst.checks` name the constructors.
    """

    findings: Sequence[Finding]
    """Findings in files that only this check reads."""

    def of_scenario(self, documented: Documented) -> Iterator[Finding]:
        """Yield findings about the documented clauses of one scenario."""
        ...

    def of_suite(
        self, stated: Callable[[str], Stated | None], shown: Mapping[str, Sequence[Showing]]
    ) -> Iterator[Finding]:
        """Yield findings that depend on several scenarios.

        `stated` returns, for each call of a scenario, whether it has a documented clause; None if the scenario cannot
        be read. It raises UnknownScenarioError. `shown` contains the contributions of scenarios to each rule.
        """
        ...


def stated_in(scenario: Scenario) -> Stated:
    """Return, for each call of a scenario, whether a clause of the call is `documented`."""
    return tuple(call.expect.documented is not None for call in scenario.calls())


def documented_in(case: LintContext) -> Documented:
    """Return the section that each documented clause of a scenario names, with the position of the clause."""
    return [
        (each.documented, at(each.position, case))
        for each, _ in case.clauses()
        if each.documented is not None
    ]
