"""Whether a claim is true is decided by recordings, not by a note of a person."""

import pytest

from readfirst.harness.adapter_api import ToolResult
from readfirst.observatory.claims.claims import check_claims, claims_file, load_claims
from readfirst.observatory.claims.evidence import ClaimStatus, Evidence, RecordingLookup, combine_statuses
from tests.rows import rows

from .conftest import (
    DONE,
    SECTION,
    UNREAD,
    UNREAD_STEPS,
    Small,
    claims,
    edit,
    read_call,
    refusal,
    step,
)

READ_THEN_EDIT = """\
  - Read: {file_path: $WS/notes.txt}
    expect: {text: shown}
  - Edit: {file_path: $WS/notes.txt, old_string: alpha, new_string: gamma}
    expect: %s
"""
CHANGED = {"notes.txt": "gamma\nbeta\n"}


def evidence(small: Small, *shown: str, sources: tuple[str, ...] = (SECTION,)) -> list[Evidence]:
    small.claims(claims(*shown, sources=sources))
    (claim,) = load_claims(claims_file(small.root))
    assert list(check_claims(small.suite, load_claims(claims_file(small.root)))) == []
    lookup = RecordingLookup(small.suite)
    return [lookup.evidence(each, claim.sources) for each in claim.shown_by]


def status(small: Small, *shown: str) -> ClaimStatus:
    return combine_statuses([each.status for each in evidence(small, *shown)])


def record_edit(small: Small, documented: str, result: ToolResult = DONE, **changes: str) -> ClaimStatus:
    """Return whether the recorded `result` of an Edit confirms the documented result. `changes` are the new contents of
    the files that it changed; `_` stands for `.` in their paths (`notes_txt`).
    """
    files = {path.replace("_", "."): text for path, text in changes.items()}
    recorded = step(edit(), results=[result], changes=files)
    small.scenario(
        "state/edit",
        READ_THEN_EDIT % f"{{documented: '{SECTION}', {documented}}}",
        step(read_call(), results=[ToolResult("shown")]),
        recorded,
    )
    return status(small, "state/edit")


NEW = 'files: {notes.txt: "gamma\\nbeta\\n"}'
OTHER_WORDS = 'error: not_read, text: "File has not been read yet. Read it first before editing it."'
GAMMA = {"notes_txt": CHANGED["notes.txt"]}


@pytest.mark.parametrize(
    ("documented", "result", "changes", "expected"),
    [
        pytest.param(NEW, DONE, GAMMA, "holds", id="what was recorded"),
        pytest.param("error: not_read", DONE, GAMMA, "does not hold", id="a refusal that did not come"),
        pytest.param(NEW, refusal(), {}, "does not hold", id="a refusal that nobody documented"),
        pytest.param(
            "error: not_read", refusal("File does not exist."), {}, "does not hold", id="another refusal"
        ),
        pytest.param(NEW.replace("gamma", "delta"), DONE, GAMMA, "does not hold", id="another content"),
        pytest.param(NEW, DONE, {**GAMMA, "other_txt": "x"}, "does not hold", id="a change beside it"),
        pytest.param(OTHER_WORDS, refusal(), {}, "in other words", id="a refusal in other words"),
        pytest.param(f"text: Done., {NEW}", DONE, GAMMA, "in other words", id="a change in other words"),
    ],
)
def test_a_claim_is_borne_out_by_what_was_recorded_or_refuted(
    small: Small, documented: str, result: ToolResult, changes: dict[str, str], expected: ClaimStatus
) -> None:
    assert record_edit(small, documented, result, **changes) == expected


def test_a_scenario_without_recording_leaves_a_claim_open(small: Small) -> None:
    small.recording("gate/unread").unlink()
    assert status(small, "gate/unread") == "not recorded"
    record_edit(small, "error: not_read", refusal())
    assert status(small, "gate/unread", "state/edit") == "not recorded"


def test_a_recording_of_other_calls_leaves_a_claim_open(small: Small) -> None:
    small.scenario("gate/unread", UNREAD_STEPS.replace("old_string: alpha", "old_string: beta"))
    assert status(small, "gate/unread") == "not recorded"
    small.record("gate/unread", step(edit("beta"), results=[refusal()]))
    assert status(small, "gate/unread") == "holds"
    small.record("gate/unread", step(read_call(), results=[refusal()]))
    assert status(small, "gate/unread") == "not recorded"


@rows(
    ("statuses", "expected"),
    [
        ([], "not recorded"),
        (["not shown", "not shown"], "not shown"),
        (["not shown", "holds"], "holds"),
        (["does not hold", "not shown", "holds"], "partly"),
        (["not shown", "not recorded"], "not recorded"),
        (["holds", "in other words"], "in other words"),
        (["holds", "in other words", "does not hold"], "partly"),
    ],
)
def test_what_scenarios_come_to_together(statuses: list[ClaimStatus], expected: ClaimStatus) -> None:
    assert combine_statuses(statuses) == expected


@pytest.mark.parametrize(
    ("said", "shown", "expected"),
    [
        ('"     1→alpha"', "1\talpha", "in other words"),
        ('"     1→alpha\\n     2→beta"', "1\talpha\n2\tbeta", "in other words"),
        ('"     1→alpha\\n     2→beta"', "1\talpha\n3\tbeta", "does not hold"),
        ('"     1→alpha\\n     2→beta"', "1\talpha\n2\tBETA", "does not hold"),
        ('{ends: "\\n     2→beta"}', "1\talpha\n2\tbeta", "in other words"),
        ('{lines: 3, ends: "\\n     2→beta"}', "1\talpha\n2\tbeta", "does not hold"),
        (f"{{sha256: {'0' * 64}}}", "1\talpha\n2\tbeta", "does not hold"),
    ],
)
def test_numbers_that_are_set_otherwise_are_other_words(
    small: Small, said: str, shown: str, expected: ClaimStatus
) -> None:
    small.scenario(
        "read/shows",
        "  - Read: {file_path: $WS/notes.txt}\n    expect: {text: shown}\n",
        step(read_call(), results=[ToolResult(shown)]),
    )
    claimed = f"{{scenario: read/shows, call: 1, expect: {{text: {said}}}%s}}"
    refused = "{scenario: gate/unread, call: 1, expect: {error: not_read, text: Read it.}%s}"
    found = evidence(small, *(each % exact for each in (claimed, refused) for exact in ("", ", exact: true")))
    assert [each.status for each in found] == [expected, "does not hold", "in other words", "does not hold"]


def test_calls_of_one_message_are_judged_one_by_one(small: Small) -> None:
    call = "{file_path: $WS/notes.txt, old_string: alpha, new_string: gamma}"
    small.scenario(
        "parallel/two",
        "  - parallel:\n"
        f"      - Edit: {call}\n        expect: {{text: done}}\n"
        f"      - Edit: {call}\n        expect: {{error: not_read, text: '{UNREAD}'}}\n"
        '    expect: {files: {notes.txt: "gamma\\nbeta\\n"}}\n',
        step(edit(), edit(), results=[ToolResult("done"), refusal()], changes=CHANGED),
    )
    found = evidence(
        small,
        "{scenario: parallel/two, call: 1, expect: {text: done}}",
        "{scenario: parallel/two, call: 2, expect: {error: not_read}}",
        "{scenario: parallel/two, call: 2, expect: {text: done}}",
    )
    assert [each.status for each in found] == ["holds", "holds", "does not hold"]


def test_a_scenario_that_says_nothing_of_a_claim_is_found(small: Small) -> None:
    small.scenario("gate/silent", "  - Read: {file_path: $WS/notes.txt}\n    expect: {text: shown}\n")
    for shown in ("gate/silent", "{scenario: gate/silent, call: 1}"):
        small.claims(claims("gate/unread", shown))
        (finding,) = check_claims(small.suite, load_claims(claims_file(small.root)))
        assert finding.rule == "silent-evidence"
        assert finding.position.line == 11


@pytest.mark.parametrize("call", [2, 1000])
def test_a_call_that_a_scenario_does_not_make_is_found(small: Small, call: int) -> None:
    small.claims(claims(f"{{scenario: gate/unread, call: {call}, expect: {{error: not_read}}}}"))
    (finding,) = check_claims(small.suite, load_claims(claims_file(small.root)))
    assert finding.rule == "unknown-evidence"
    assert finding.message == f"gate/unread has no call {call}"


def test_a_document_that_contracts_yaml_does_not_list_is_found(small: Small) -> None:
    small.claims(claims("gate/unread", sources=["behavior-spec.txt, Semantics"]))
    (finding,) = check_claims(small.suite, load_claims(claims_file(small.root)))
    assert finding.rule == "unknown-document"
    assert finding.fix == "Did you mean behaviour-spec.txt?"
