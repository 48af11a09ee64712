"""Rule links: the claims, behaviours and scenarios that belong to a rule, so that they meet in one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from readfirst.harness.claims.claims import Claim, claims_file, load_claims
from readfirst.harness.claims.versions import by_contract, versions_in_words
from readfirst.harness.claims.witness import Witness
from readfirst.harness.suite.heading import Heading
from readfirst.harness.suite.suite import Suite
from readfirst.reference_impl.behaviours.history import History
from readfirst.reference_impl.contract import histories


def scenarios_by_rule(suite: Suite) -> dict[str, list[Heading]]:
    """Return the scenarios of each rule, in the order of their ids. Raises SuiteError."""
    found: dict[str, list[Heading]] = {}
    for heading in map(suite.heading, suite.ids()):
        found.setdefault(heading.rule, []).append(heading)
    return found


def behaviours_by_rule(
    suite: Suite, known: Mapping[str, History] | None = None
) -> Mapping[str, Sequence[str]]:
    """Return the behaviours that each rule is about, in the order of the reference; of another suite, those it shows.

    Raises SuiteError.
    """
    found: dict[str, list[str]] = {}
    ids = set(suite.ids())
    for name, history in (histories() if known is None else known).items():
        for rule_id in {suite.heading(each).rule for each in history.shown_by if each in ids} - {""}:
            found.setdefault(rule_id, []).append(name)
    return found


def claims_by_rule(suite: Suite, rule_id: str | None = None) -> Mapping[str, Sequence[tuple[Claim, str]]]:
    """Return the claims about each rule, or about one, each with the versions on which it holds, in words.

    The words are empty where nothing can show the claim. Empty for a suite without claims. Raises SuiteError.
    """
    file = claims_file(suite.root)
    if not file.exists():
        return {}
    known = load_claims(file)
    wanted = {claim.id: claim for claim in known if claim.rule and rule_id in (None, claim.rule)}
    names = [contract.name for contract in suite.contracts.recorded]
    with Witness(suite) as witness:
        holdings = by_contract(known, wanted, names, witness)
    found: dict[str, list[tuple[Claim, str]]] = {}
    for claim in wanted.values():
        found.setdefault(claim.rule or "", []).append((claim, versions_in_words(holdings[claim.id])))
    return found
