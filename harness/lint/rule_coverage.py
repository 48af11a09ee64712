"""Lint checks of rules: every scenario has a rule, and each rule's scenarios test allowed and refused calls."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from readfirst.harness.lint.check import LintContext, RuleEvidence
from readfirst.harness.lint.check_metadata import check_source, check_title
from readfirst.harness.suite.rules import Rule
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import Finding

_MIN_SCENARIOS = 2


def rule_evidence(scenario: Scenario) -> RuleEvidence:
    """Return the evidence that a scenario contributes for its rule, according to its own contract."""
    last_allowed: dict[str, bool] = {}
    for call in scenario.calls():
        recorded = call.expect.recorded
        last_allowed[call.tool] = recorded is not None and recorded.error is None
    allowed = frozenset(tool for tool, is_allowed in last_allowed.items() if is_allowed)
    return RuleEvidence(scenario.id, scenario.requirement, allowed)


def check_rule_of_scenario(case: LintContext) -> Iterator[Finding]:
    """Yield a finding if a scenario names an unknown rule, or no rule although its suite has rules."""
    rules = case.suite.rules
    if rules is None:
        return
    scenario = case.scenario
    if not scenario.rule:
        if not case.suite.has_own("rules.yaml"):
            return
        fix = f"Add rule: with the id of the rule that the title shows. {rules.suggest('', scenario.title)}"
        yield case.finding("missing-rule", (), "the scenario belongs to no rule", fix)
    elif scenario.rule not in rules:
        fix = rules.suggest(scenario.rule, scenario.title)
        yield case.finding("unknown-rule", ("rule",), f"there is no rule {scenario.rule!r}", fix)


def check_rules(
    suite: Suite, rules: Iterable[Rule], shown: Mapping[str, Sequence[RuleEvidence]]
) -> Iterator[Finding]:
    """Yield findings about rules, for example with too few scenarios. `shown` contains the evidence by rule id."""
    documents = [name for contract in suite.contracts for name in contract.documents]
    titles: dict[str, str] = {}
    for rule in rules:
        yield from _check_rule_metadata(rule, documents)
        if suite.needs_recordings and not rule.sources:
            fix = "Add sources: with the threads or documents that state the rule."
            yield Finding("source-form", rule.position, f"the rule {rule.id} has no sources", fix)
        first = titles.setdefault(rule.title.casefold(), rule.id)
        if first != rule.id:
            fix = "Say how this one differs, or merge the two."
            yield Finding("duplicate-title", rule.position, f"the rule {first} has the same title", fix)
        yield from _check_evidence(rule, shown.get(rule.id, ()))


def _check_rule_metadata(rule: Rule, documents: Sequence[str]) -> Iterator[Finding]:
    if rule.former_class:
        fix = f"Write `class: {rule.class_}`; the next release removes the old name."
        message = f"the class `{rule.former_class}` is now `{rule.class_}`"
        yield Finding("former-key", rule.position, message, fix)
    yield from check_title(rule.title, rule.position, f"the title of the rule {rule.id}")
    for source in rule.sources:
        yield from check_source(source, documents, rule.position, f"rule {rule.id}: ")


def _check_evidence(rule: Rule, shown: Sequence[RuleEvidence]) -> Iterator[Finding]:
    """Yield findings if a rule has too few scenarios, no scenario of its requirement, or none with an allowed call."""
    if len(shown) < _MIN_SCENARIOS:
        subject = f"only {shown[0].scenario_id} shows" if shown else "no scenario shows"
        fix = f"Add a scenario with `rule: {rule.id}`, or let another rule take it in."
        yield Finding("lonely-rule", rule.position, f"{subject} the rule {rule.id}", fix)
        return
    if rule.requirement not in {showing.requirement for showing in shown}:
        requirements = sorted({showing.requirement for showing in shown})
        message = f"no scenario of the rule {rule.id} is {rule.requirement!r}"
        fix = f"Write {' or '.join(requirements)}, or add a scenario."
        yield Finding("unshown-requirement", rule.position, message, fix)
    for tool in rule.tools:
        allowed = [showing.scenario_id for showing in shown if tool in showing.allowed]
        if rule.always_refused is None and not allowed:
            message = f"no scenario of the rule {rule.id} ends with a call of {tool} that is allowed"
            fix = (
                "Add a scenario that distinguishes this rule from refusing everything; if there can be none, "
                "say why in always_refused:."
            )
            yield Finding("one-sided-rule", rule.position, message, fix)
        elif rule.always_refused is not None and allowed:
            message = f"the rule {rule.id} says always_refused:, and {tool} is allowed in {allowed[0]}"
            fix = "Remove always_refused:, or give the scenario the rule that it shows."
            yield Finding("needless-excuse", rule.position, message, fix)
