"""On the contract `documented` the reference follows the claims of the documents that do not contradict each other."""

from collections.abc import Collection
from functools import cache, partial
from typing import Any

import pytest

from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.replay.replay import replay
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.observatory.claims.claims import Claim, Claims, Contradiction, claims_file, load_claims
from readfirst.observatory.claims.evidence import ClaimStatus, claimed_statements, judge_statements
from readfirst.reference_impl import behaviours_of
from tests.judging import SUITE

pytestmark = pytest.mark.slow

BEHAVIOURS = behaviours_of("documented")


@cache
def claims() -> Claims:
    return load_claims(claims_file(SUITE.root))


@cache
def list_contradicting_claims() -> frozenset[str]:
    return frozenset(claim_id for each in claims().contradictions for claim_id in each.claims)


def list_unmet_claims(place: WorkspacePool, *ids: str, **changed: Any) -> dict[str, list[ClaimStatus]]:
    """Return the ids of the claims that the reference does not meet, each with the statuses of the claim's scenarios.
    The reference uses the behaviours of the contract `documented`, except those in `changed`. `ids` are the claims to
    check, by default all claims that do not contradict another claim.
    """
    adapter = ReferenceAdapter(BEHAVIOURS.changed(**changed))
    judge = partial(statuses, place, adapter, {})
    held = {
        claim.id: judge(claim)
        for claim in claims()
        if claim.id in ids or (not ids and claim.id not in list_contradicting_claims())
    }
    # A scenario that shows nothing does not count if another one holds. Tools that were not offered are checked below.
    return {
        claim_id: found for claim_id, found in held.items() if found and {*found} - {"not shown"} != {"holds"}
    }


def statuses(
    place: WorkspacePool, adapter: ReferenceAdapter, kept: dict[str, Any], claim: Claim
) -> list[ClaimStatus]:
    found: list[ClaimStatus] = []
    for shown in claim.shown_by:
        scenario = SUITE.scenario(shown.scenario_id, require_expect=False)
        if scenario.needs <= adapter.traits.capabilities:
            if scenario.id not in kept:
                kept[scenario.id] = replay(scenario, adapter, place)
            said = claimed_statements(scenario, shown, claim.sources)
            found += [each.status for each in judge_statements(SUITE, scenario, said, kept[scenario.id])]
    return found


def test_the_reference_does_what_the_documents_claim(place: WorkspacePool) -> None:
    assert list_unmet_claims(place) == {}


@pytest.mark.parametrize(
    ("claim", "changed"),
    [
        ("empty-file-gives-a-warning", {"empty_file_warning": "never"}),
        ("write-writes-exactly", {"write_keeps_line_endings": True}),
        ("snippet-replaces-once", {"replace_all_answer_shows_snippet": False}),
        ("snippet-stays-in-the-file", {"edit_answer_shows_snippet": False}),
        ("links-share-a-record", {"links_share_record_with_target": False}),
        ("record-lasts-for-the-session", {"remembered_file_limit": 2}),
        ("default-limit", {"default_line_limit": None}),
        ("relative-paths-are-refused", {"relative_paths_are_accepted": True}),
    ],
)
def test_a_reference_that_does_otherwise_is_found(
    place: WorkspacePool, claim: str, changed: dict[str, Any]
) -> None:
    assert list_unmet_claims(place, claim) == {}
    assert list(list_unmet_claims(place, claim, **changed)) == [claim]


def is_explained(contradiction: Contradiction, missed: Collection[str]) -> bool:
    """Whether a contradiction is settled: the reference meets at least one of its claims, one of its claims has no
    scenario, or users have reported the real behaviour. `missed` are the claims that the reference does not meet.
    """
    shown = {claim.id for claim in claims() if claim.shown_by}
    return contradiction.reports is not None or not shown.intersection(missed) >= set(contradiction.claims)


def test_the_reference_takes_a_side_of_every_contradiction(place: WorkspacePool) -> None:
    missed = list_unmet_claims(place, *list_contradicting_claims())
    assert len(missed) > len(claims().contradictions)
    assert [each.id for each in claims().contradictions if not is_explained(each, missed)] == []


def test_a_reference_that_takes_no_side_is_found(place: WorkspacePool) -> None:
    (each,) = [each for each in claims().contradictions if each.id == "c-12-arrow-or-tab"]
    assert is_explained(each, list_unmet_claims(place, *each.claims))
    assert not is_explained(each, list_unmet_claims(place, *each.claims, line_number_format="{}: "))


def test_only_what_needs_a_tool_of_other_versions_is_left_out() -> None:
    adapter = ReferenceAdapter(BEHAVIOURS)
    for claim in claims():
        needs = [SUITE.scenario(shown.scenario_id, require_expect=False).needs for shown in claim.shown_by]
        lacking = {tool for each in needs for tool in each - adapter.traits.capabilities}
        assert lacking <= {"MultiEdit"}, claim.id
