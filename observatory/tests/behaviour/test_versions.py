"""Recordings decide whether a claim holds for a version. If they show nothing, the claim does not hold."""

import pytest

from readfirst.harness.adapter_api import ToolResult
from readfirst.observatory.claims.claims import claims_file, load_claims
from readfirst.observatory.claims.evidence import ClaimStatus, RecordingLookup
from readfirst.observatory.claims.versions import describe_versions, statuses_by_contract
from tests.rows import rows

from .conftest import DONE, SECTION, Small, claim_of_multi_edit, claims, edit, read_call, refusal, step

READ_THEN_EDIT = f"""\
  - Read: {{file_path: $WS/notes.txt}}
    expect: {{text: shown}}
  - Edit: {{file_path: $WS/notes.txt, old_string: alpha, new_string: gamma}}
    expect: {{documented: '{SECTION}', files: {{notes.txt: "gamma\\nbeta\\n"}}}}
"""
CHANGED = {"notes.txt": "gamma\nbeta\n"}
SHOWN = ToolResult("shown")


def on(small: Small, claim_id: str = "unread-files") -> dict[str, ClaimStatus]:
    known = load_claims(claims_file(small.root))
    names = [contract.name for contract in small.suite.contracts.recorded]
    return statuses_by_contract(known, [claim_id], names, RecordingLookup(small.suite))[claim_id]


@pytest.fixture
def unlocking(small: Small) -> Small:
    """A suite with the claim that a Read allows an Edit. It presumes that an Edit of an unread file is refused;
    according to the recordings, only 2.1.228 allows such an Edit.
    """
    small.offer("2.1.40", "2.1.228", "2.1.228+gated")
    small.scenario("gate/read-first", READ_THEN_EDIT)
    for name in ("2.1.7", "2.1.40", "2.1.228", "2.1.228+gated"):
        done = step(edit(), results=[DONE], changes=CHANGED)
        small.record(
            "gate/unread", done if name == "2.1.228" else step(edit(), results=[refusal()]), contract=name
        )
        small.record("gate/read-first", step(read_call(), results=[SHOWN]), done, contract=name)
    unlocks = (
        "      unlocks:\n        says: A Read unlocks a file.\n        presumes: [unread-files]\n"
        f"        sources: ['{SECTION}']\n        shown_by: [gate/read-first]\nquestions:"
    )
    small.claims(claims("gate/unread").replace("questions:", unlocks))
    return small


def test_what_holds_where_nothing_is_locked_shows_no_key(unlocking: Small) -> None:
    assert on(unlocking, "unlocks")["2.1.228"] == "not shown"
    assert on(unlocking, "unlocks")["2.1.228+gated"] == "holds"
    file = claims_file(unlocking.root)
    file.write_text(file.read_text().replace("        presumes: [unread-files]\n", ""))
    assert on(unlocking, "unlocks")["2.1.228"] == "holds"


def test_a_call_after_one_that_went_another_way_shows_nothing(unlocking: Small) -> None:
    unlocking.record(
        "gate/read-first",
        step(read_call(), results=[refusal()]),
        step(edit(), results=[DONE], changes=CHANGED),
        contract="2.1.40",
    )
    assert on(unlocking, "unlocks")["2.1.40"] == "not shown"


def test_a_version_that_lacks_an_argument_shows_nothing(unlocking: Small) -> None:
    lacking = "InputValidationError: Edit failed due to the following issue:\nAn unexpected parameter `x` was provided"
    unlocking.record(
        "gate/read-first",
        step(read_call(), results=[SHOWN]),
        step(edit(), results=[refusal(lacking)]),
        contract="2.1.40",
    )
    assert on(unlocking, "unlocks")["2.1.40"] == "not shown"
    unlocking.record(
        "gate/read-first",
        step(read_call(), results=[SHOWN]),
        step(edit(), results=[refusal()]),
        contract="2.1.40",
    )
    assert on(unlocking, "unlocks")["2.1.40"] == "does not hold"


def test_a_version_without_the_tool_shows_nothing(small: Small) -> None:
    claim_of_multi_edit(small)
    assert on(small) == {"1.0.126": "holds", "2.1.7": "not shown"}


@rows(
    ("statuses", "expected"),
    [
        ("hhhh", "all recorded versions"),
        ("h-hh", "1, 3, 1+gated"),
        ("hh--", "1 to 2"),
        ("----", "no recorded version"),
        ("-wwp", "no recorded version; in other words: 2 to 3; partly: 1+gated"),
        ("hh.p", "1 to 2; partly: 1+gated; not shown: 3"),
    ],
)
def test_versions_are_named_in_spans_without_gaps(statuses: str, expected: str) -> None:
    words: dict[str, ClaimStatus] = {
        **{"h": "holds", "-": "does not hold", "w": "in other words"},
        **{"p": "partly", ".": "not shown"},
    }
    found = dict(zip(("1", "2", "3", "1+gated"), (words[each] for each in statuses), strict=True))
    assert describe_versions(found) == expected


def test_a_claim_that_nothing_shows_has_no_versions() -> None:
    assert describe_versions({}) == ""
