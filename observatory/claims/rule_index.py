"""Find the claims, behaviours, versions and scenarios that belong to a rule."""

from collections.abc import Iterator, Mapping, Sequence

from readfirst.harness.compare.level_reached import level_of
from readfirst.harness.report.rule_text import rule_lines, scenarios_by_rule
from readfirst.harness.suite.product_versions import version_spans
from readfirst.harness.suite.rules import Rule, Rules
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.claims.claims import Claim, claims_file, load_claims
from readfirst.observatory.claims.evidence import RecordingLookup
from readfirst.observatory.claims.versions import (
    describe_versions,
    results_by_version,
    rule_cells_by_version,
    statuses_by_contract,
)
from readfirst.reference_impl.behaviours_by_version import behaviour_histories, history_of


def behaviours_by_rule(suite: Suite) -> Mapping[str, Sequence[str]]:
    """Return the behaviours that each rule's scenarios show, by rule id (empty: no rule). Raises SuiteError."""
    found: dict[str, list[str]] = {}
    ids = set(suite.ids())
    for name, history in behaviour_histories().items():
        for rule_id in {suite.heading(each).rule for each in history.shown_by if each in ids}:
            found.setdefault(rule_id, []).append(name)
    return found


def claims_by_rule(suite: Suite, rule_id: str | None = None) -> Mapping[str, Sequence[tuple[Claim, str]]]:
    """Return the claims by rule id, each with the versions that confirm it: `2.0.60 to 2.1.7`. Raises SuiteError."""
    file = claims_file(suite.root)
    if not file.exists():
        return {}
    known = load_claims(file)
    wanted = {claim.id: claim for claim in known if claim.rule and rule_id in (None, claim.rule)}
    names = [contract.name for contract in suite.contracts.recorded]
    statuses = statuses_by_contract(known, wanted, names, RecordingLookup(suite))
    found: dict[str, list[tuple[Claim, str]]] = {}
    for claim in wanted.values():
        found.setdefault(claim.rule or "", []).append((claim, describe_versions(statuses[claim.id])))
    return found


def rule_report_lines(suite: Suite, known: Rules, rule: Rule) -> Iterator[str]:
    """Yield the lines of `readfirst product claims RULE`. Raises SuiteError, RecordingError."""
    yield from rule_lines(suite, known, rule)
    if claims := claims_by_rule(suite, rule.id).get(rule.id, ()):
        yield "  claims of the documents about the rule, with the versions that confirm them:"
    for claim, versions in claims:
        yield f"    {claim.id}\t{claim.says}\t{versions or 'cannot be observed'}"
    if names := behaviours_by_rule(suite).get(rule.id, ()):
        yield "  behaviours of the reference, with the versions they changed in (`readfirst product history`):"
    for name in names:
        yield f"    {name}\t{changed_in(name)}"
    yield from _versions(suite, rule, [heading.id for heading in scenarios_by_rule(suite).get(rule.id, [])])


def _versions(suite: Suite, rule: Rule, ids: Sequence[str]) -> Iterator[str]:
    if not ids:
        return
    contracts = [each for each in suite.contracts if each.recorded]
    seen = results_by_version(suite, Rules({}, {rule.id: rule}), ids)
    cells = rule_cells_by_version([rule], contracts, seen, {rule.id: ids})[rule.id]
    yield f"  versions that behave like {suite.contracts.default} at the level {level_of(rule.class_)}:"

    said = {"not claimed": "lack a capability", "unknown": "nothing is recorded", "yes": "all scenarios"}

    def describe(name: str) -> str:
        cell = cells[name]
        count = f"{cell.holding} of {cell.judged} scenarios; the shortest of the others: {cell.shortest}"
        return said.get(cell.standing, count)

    for between, what in version_spans(cells, describe):
        yield f"    {between}\t{what}"


def changed_in(name: str) -> str:
    """Return the versions that changed a behaviour, separated by commas, or "never"."""
    return ", ".join(".".join(map(str, version)) for version in history_of(name).changes) or "never"
