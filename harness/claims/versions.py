"""Versions: on which recorded contracts each claim holds, from the recordings alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache

from readfirst.harness.claims.claims import Claim, Claims
from readfirst.harness.claims.evidence import Holding, combined
from readfirst.harness.claims.witness import Witness
from readfirst.harness.suite.version_spans import version_spans

__all__ = ["by_contract", "holds_anywhere", "told_by_contract"]

_SHOWS: tuple[Holding, ...] = ("holds", "in other words")


def by_contract(
    claims: Claims, ids: Collection[str], contracts: Sequence[str], witness: Witness
) -> dict[str, dict[str, Holding]]:
    """Return for each of these claims and each contract whether the claim holds on it.

    It is `not shown` where no scenario of the claim was recorded, where every one goes astray before the call that
    counts, and where a claim that it presumes does not hold: that a Read unlocks a file shows nothing where no file
    is locked. A claim that nothing can show has no contracts.
    """
    known = {claim.id: claim for claim in claims}

    @cache
    def holding(claim_id: str, contract: str) -> Holding:
        claim = known[claim_id]
        holdings = [witness.evidence(shown, claim.sources, contract).holding for shown in claim.shown_by]
        # A contract that was not recorded for one of several scenarios is judged by the others.
        return combined([each for each in holdings if each != "not recorded"] or ["not shown"])

    def shows(claim: Claim, contract: str) -> bool:
        return all(holding(presumed, contract) in _SHOWS for presumed in claim.presumes)

    return {
        claim.id: {
            name: holding(claim.id, name) if shows(claim, name) else "not shown"
            for name in (contracts if claim.shown_by else ())
        }
        for claim in claims
        if claim.id in ids
    }


def holds_anywhere(holdings: Mapping[str, Holding]) -> bool:
    """Return whether a claim holds on some contract."""
    return "holds" in holdings.values()


def told_by_contract(holdings: Mapping[str, Holding]) -> str:
    """Return in words on which contracts a claim holds: `1.0.60 to 2.1.7; partly: 2.1.40`.

    Contracts that are not named refute it, or show nothing; `not shown` names the latter.
    """
    if not holdings:
        return ""
    spans = list(version_spans(holdings, holdings.__getitem__))
    found = {
        holding: [span for span, here in spans if here == holding]
        for holding in ("holds", "in other words", "partly", "not shown")
    }
    if set(holdings.values()) == {"holds"}:
        return "all recorded versions"
    parts = [", ".join(found["holds"]) or "no recorded version"]
    for holding in ("in other words", "partly", "not shown"):
        if found[holding]:
            parts.append(f"{holding}: {', '.join(found[holding])}")
    return "; ".join(parts)
