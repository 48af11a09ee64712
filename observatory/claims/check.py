"""Check the file of claims for `readfirst lint`: its scenarios and rules must exist and fit the claims."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from readfirst.harness.lint.check import Documented, RuleEvidence, Stated
from readfirst.harness.suite.rules import Rules
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import Finding, SuiteError
from readfirst.harness.yaml_io.yaml_validation import did_you_mean
from readfirst.observatory.claims.claims import Claims, check_claims, claims_file, load_claims


class ClaimsCheck:
    """Checks the `claims.yaml` of a suite for `readfirst lint`. If this file is missing, there is nothing to report."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._claims: Claims | None = None
        self.findings: Sequence[Finding] = ()
        file = claims_file(suite.root)
        if not file.exists():
            return
        try:
            self._claims = load_claims(file)
        except SuiteError as error:
            self.findings = error.findings
        self._sources = frozenset[str]() if self._claims is None else self._claims.sources

    def check_scenario(self, documented: Documented) -> Iterator[Finding]:
        """Yield a finding for each source in `documented` (a section of a document) that no claim names."""
        if self._claims is not None:
            for source, place in documented:
                if source not in self._sources:
                    message = f"no claim has the source {source!r}"
                    fix = f"{did_you_mean(source, self._sources)} Add the claims of a new section to claims.yaml."
                    yield Finding("orphan-documented", place, message, fix)

    def check_suite(
        self, stated: Callable[[str], Stated | None], shown: Mapping[str, Sequence[RuleEvidence]]
    ) -> Iterator[Finding]:
        """Yield a finding for each document, scenario or rule of a claim that is missing or unsuitable."""
        if self._claims is None:
            return
        yield from check_claims(self._suite, self._claims, stated)
        if self._suite.rules is not None:
            yield from check_claimed_rules(self._claims, self._suite.rules, shown)


def check_claimed_rules(
    claims: Claims, rules: Rules, shown: Mapping[str, Sequence[RuleEvidence]]
) -> Iterator[Finding]:
    """Yield a finding for each claim whose rule is unknown, or is different from the rules of all its scenarios."""
    rule_of = {each.scenario_id: rule_id for rule_id, group in shown.items() for each in group}
    for claim in claims:
        if claim.rule is None:
            continue
        if claim.rule not in rules:
            message = f"the claim {claim.id} names the rule {claim.rule!r}, which does not exist"
            yield Finding("unknown-rule", claim.position, message, rules.suggest(claim.rule, claim.says))
            continue
        theirs = [rule_of[each.scenario_id] for each in claim.shown_by if each.scenario_id in rule_of]
        if theirs and claim.rule not in theirs:
            message = f"no scenario of the claim {claim.id} belongs to the rule {claim.rule}"
            fix = f"Name one of their rules: {', '.join(sorted(set(theirs)))}."
            yield Finding("foreign-rule", claim.position, message, fix)
