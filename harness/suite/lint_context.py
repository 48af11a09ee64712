"""A scenario with the data that is needed to lint it."""

from dataclasses import dataclass

from readfirst.harness.suite.scenario import Clause, ParallelCalls, Scenario, ToolCall
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import Finding, Position
from readfirst.harness.yaml_io.strict_yaml import Document, YamlPath


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
