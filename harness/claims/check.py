"""Claims: `claims.yaml` and the scenarios' documented clauses fit together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from readfirst.harness.claims.claims import DOCUMENT_AND_SECTION, Claims, Shown
from readfirst.harness.claims.evidence import statements
from readfirst.harness.source.finding import Finding, SuiteError
from readfirst.harness.source.inspection import did_you_mean
from readfirst.harness.suite.case import Case, at
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite, UnknownScenarioError

__all__ = ["check_claims", "check_documented"]


def check_claims(suite: Suite, claims: Claims) -> Iterator[Finding]:
    """Yield what the claims of a suite name that is not there, and scenarios that say nothing of a claim."""
    documents = [name for contract in suite.contracts for name in contract.documents]
    for claim in claims:
        for source in claim.sources:
            found = DOCUMENT_AND_SECTION.fullmatch(source)
            if found is not None and found["document"] not in documents:
                message = f"there is no document {found['document']!r}"
                fix = did_you_mean(found["document"], documents)
                yield Finding("unknown-document", claim.position, message, fix)
        for shown in claim.shown_by:
            yield from _evidence(suite, shown, claim.sources, of_claim=True)
    for part in (claims.questions, claims.contradictions):
        for shown in (shown for each in part for shown in each.shown_by):
            yield from _evidence(suite, shown, (), of_claim=False)


def check_documented(case: Case, sources: Collection[str]) -> Iterator[Finding]:
    """Yield documented clauses that rest on a section which no claim has."""
    for clause, _ in case.clauses():
        if clause.documented is not None and clause.documented not in sources:
            message = f"no claim has the source {clause.documented!r}"
            fix = (
                f"{did_you_mean(clause.documented, sources)} What a new section claims goes into claims.yaml."
            )
            yield Finding("orphan-documented", at(clause.position, case), message, fix)


def _evidence(suite: Suite, shown: Shown, sources: Sequence[str], *, of_claim: bool) -> Iterator[Finding]:
    try:
        scenario = suite.scenario(shown.scenario_id, require_expect=False)
    except UnknownScenarioError as error:
        message, _, fix = str(error).rpartition(". ")
        yield Finding("unknown-evidence", shown.position, message, fix)
        return
    except SuiteError:
        return  # what is wrong with a scenario is found there
    calls = _calls(scenario)
    if shown.call is not None and shown.call > calls:
        message = f"{scenario.id} has no call {shown.call}"
        yield Finding("unknown-evidence", shown.position, message, f"Write a number from 1 to {calls}.")
    elif of_claim and not statements(scenario, shown, sources):
        of = scenario.id if shown.call is None else f"call {shown.call} of {scenario.id}"
        fix = "Add `documented:` to a clause there, or write {scenario: ..., call: ..., expect: ...} here."
        yield Finding("silent-evidence", shown.position, f"{of} does not say what is documented", fix)


def _calls(scenario: Scenario) -> int:
    return sum(1 for _ in scenario.calls())
