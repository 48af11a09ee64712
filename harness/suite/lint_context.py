"""One scenario with the data that lint checks use."""

from dataclasses import dataclass

from readfirst.harness.suite.scenario import Clause, ParallelCalls, Scenario, ToolCall
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import Finding, Position
from readfirst.harness.yaml_io.strict_yaml import Document, YamlPath


@dataclass(frozen=True, slots=True)
class LintContext:
    """One scenario with its document and its suite, for lint checks."""

    scenario: Scenario
    document: Document
    suite: Suite

    def finding(self, rule: str, path: YamlPath, message: str, fix: str, *, key: bool = False) -> Finding:
        """Return a finding about the value at the YAML path `path` of the file, or about the key of this value."""
        return Finding(rule, self.document.position(path, key=key), message, fix)

    def clauses(self) -> list[tuple[Clause, ToolCall | ParallelCalls]]:
        """Return every clause of the scenario, with the call or group that it belongs to."""
        return [(clause, part) for _, part in self.scenario.parts() for clause in part.expect.clauses()]


def at(position: Position | None, context: LintContext) -> Position:
    """Return a position in the scenario's file. None stands for the beginning of the file."""
    return position if position is not None else context.document.position()
