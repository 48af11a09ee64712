"""Claims: `claims.yaml` and the scenarios' documented clauses fit together."""

from collections.abc import Callable, Collection, Iterator, Sequence

from readfirst.harness.claims.claims import DOCUMENT_AND_SECTION, Claims, Shown
from readfirst.harness.source.finding import Finding, SuiteError
from readfirst.harness.source.inspection import did_you_mean
from readfirst.harness.suite.case import Case, at
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite, UnknownScenarioError

Stated = Sequence[bool]
"""Of each call of a scenario, whether it has a clause that rests on a document."""


def stated_in(scenario: Scenario) -> Stated:
    """Return of each call of a scenario whether the documents state something of it."""
    return tuple(call.expect.documented is not None for call in scenario.calls())


def check_claims(
    suite: Suite, claims: Claims, stated: Callable[[str], Stated | None] | None = None
) -> Iterator[Finding]:
    """Yield what the claims of a suite name that is not there, and scenarios that say nothing of a claim.

    `stated` answers for a scenario, where all were read already: None of one that nobody can read. It raises
    UnknownScenarioError.
    """
    stated = stated or (lambda scenario_id: _read(suite, scenario_id))
    documents = [name for contract in suite.contracts for name in contract.documents]
    for claim in claims:
        for source in claim.sources:
            found = DOCUMENT_AND_SECTION.fullmatch(source)
            if found is not None and found["document"] not in documents:
                message = f"there is no document {found['document']!r}"
                fix = did_you_mean(found["document"], documents)
                yield Finding("unknown-document", claim.position, message, fix)
        for shown in claim.shown_by:
            yield from _evidence(stated, shown, of_claim=True)
    for part in (claims.questions, claims.contradictions):
        for shown in (shown for each in part for shown in each.shown_by):
            yield from _evidence(stated, shown, of_claim=False)


def check_documented(case: Case, sources: Collection[str]) -> Iterator[Finding]:
    """Yield documented clauses that rest on a section which no claim has."""
    for clause, _ in case.clauses():
        if clause.documented is not None and clause.documented not in sources:
            message = f"no claim has the source {clause.documented!r}"
            fix = (
                f"{did_you_mean(clause.documented, sources)} What a new section claims goes into claims.yaml."
            )
            yield Finding("orphan-documented", at(clause.position, case), message, fix)


def _read(suite: Suite, scenario_id: str) -> Stated | None:
    try:
        return stated_in(suite.scenario(scenario_id, require_expect=False))
    except SuiteError:
        return None  # what is wrong with a scenario is found there


def _evidence(stated: Callable[[str], Stated | None], shown: Shown, *, of_claim: bool) -> Iterator[Finding]:
    try:
        calls = stated(shown.scenario_id)
    except UnknownScenarioError as error:
        message, _, fix = str(error).rpartition(". ")
        yield Finding("unknown-evidence", shown.position, message, fix)
        return
    if calls is None:
        return
    if shown.call is not None and shown.call > len(calls):
        message = f"{shown.scenario_id} has no call {shown.call}"
        yield Finding("unknown-evidence", shown.position, message, f"Write a number from 1 to {len(calls)}.")
        return
    chosen = calls if shown.call is None else calls[shown.call - 1 : shown.call]
    if of_claim and not (chosen if shown.clause is not None else any(chosen)):
        of = shown.scenario_id if shown.call is None else f"call {shown.call} of {shown.scenario_id}"
        fix = "Add `documented:` to a clause there, or write {scenario: ..., call: ..., expect: ...} here."
        yield Finding("silent-evidence", shown.position, f"{of} does not say what is documented", fix)
