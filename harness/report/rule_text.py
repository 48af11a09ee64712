"""Write the text that `readfirst rules RULE` prints: a rule and its scenarios."""

from collections.abc import Iterator

from readfirst.harness.suite.harm_kinds import MEANING
from readfirst.harness.suite.rules import Rule, Rules
from readfirst.harness.suite.scenario_metadata import Heading
from readfirst.harness.suite.suite import Suite


def scenarios_by_rule(suite: Suite) -> dict[str, list[Heading]]:
    """Return the headings of the scenarios of each rule, in the order of their ids. Raises SuiteError."""
    headings: dict[str, list[Heading]] = {}
    for heading in map(suite.heading, suite.ids()):
        headings.setdefault(heading.rule, []).append(heading)
    return headings


def rule_lines(suite: Suite, rules: Rules, rule: Rule) -> Iterator[str]:
    """Yield the lines that `readfirst rules RULE` prints: the rule and its scenarios. Raises SuiteError."""
    yield rule.id
    yield f"  {rule.title}"
    yield f"  {rule.why}"
    yield f"  class: {rule.class_}. {rules.classes[rule.class_]}"
    harms = ", ".join(f"{kind} ({MEANING[kind]})" for kind in rule.guards)
    yield f"  guards against: {harms or 'no harm to files'}"
    yield f"  requirement: {rule.requirement}"
    yield f"  tools: {', '.join(rule.tools)}"
    if rule.always_refused is not None:
        yield f"  always refused: {rule.always_refused}"
    for source in rule.sources:
        yield f"  source: {source}"
    yield "  scenarios:"
    for heading in scenarios_by_rule(suite).get(rule.id, []):
        yield f"    {heading.id}\t{heading.requirement}\t{heading.title}"
