"""claims.yaml is read strictly: errors are reported with their position and a correction."""

import pytest

from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import SuiteError
from readfirst.observatory.claims.claims import Claims, claims_file, load_claims
from tests.rows import rows
from tests.small_suites import lint

from .conftest import SECTION, Small, claims

CLAIM = "topics: {t: {title: Topic, claims: {c: %s}}}\nquestions: {}\ncontradictions: {}\n"
QUESTION = "topics: {}\nquestions: {q: %s}\ncontradictions: {}\n"
CONTRADICTION = (
    "topics: {t: {title: Topic, claims: {one: {says: S., sources: ['a.txt, A'], unobservable: W.}}}}\n"
    "questions: {}\ncontradictions: {x: %s}\n"
)
SOURCES = f"sources: ['{SECTION}']"

MALFORMED = {
    "neither shown nor unobservable": CLAIM % f"{{says: S., {SOURCES}}}",
    "shown and unobservable": CLAIM % f"{{says: S., {SOURCES}, shown_by: [a/b], unobservable: W.}}",
    "no scenario": CLAIM % f"{{says: S., {SOURCES}, shown_by: []}}",
    "no reason": CLAIM % f"{{says: S., {SOURCES}, unobservable: ''}}",
    "no source": CLAIM % "{says: S., sources: [], shown_by: [a/b]}",
    "no section": CLAIM % "{says: S., sources: [behaviour-spec.txt], shown_by: [a/b]}",
    "no sentence": CLAIM % f"{{{SOURCES}, shown_by: [a/b]}}",
    "unknown key": CLAIM % f"{{says: S., {SOURCES}, shown_by: [a/b], verdict: holds}}",
    "claim is a string": CLAIM % "S.",
    "scenario is a number": CLAIM % f"{{says: S., {SOURCES}, shown_by: [7]}}",
    "statement without scenario": CLAIM % f"{{says: S., {SOURCES}, shown_by: [{{call: 1}}]}}",
    "call 0": CLAIM % f"{{says: S., {SOURCES}, shown_by: [{{scenario: a/b, call: 0}}]}}",
    "expect without call": CLAIM
    % f"{{says: S., {SOURCES}, shown_by: [{{scenario: a/b, expect: {{error: e}}}}]}}",
    "expect says nothing": CLAIM
    % f"{{says: S., {SOURCES}, shown_by: [{{scenario: a/b, call: 1, expect: {{}}}}]}}",
    "expect has when": CLAIM
    % f"{{says: S., {SOURCES}, shown_by: [{{scenario: a/b, call: 1, expect: {{when: {{}}}}}}]}}",
    "exact is a word": CLAIM
    % f"{{says: S., {SOURCES}, shown_by: [{{scenario: a/b, call: 1, expect: {{error: e}}, exact: yes}}]}}",
    "exact without expect": CLAIM
    % f"{{says: S., {SOURCES}, shown_by: [{{scenario: a/b, call: 1, exact: true}}]}}",
    "id in capitals": (CLAIM % f"{{says: S., {SOURCES}, shown_by: [a/b]}}").replace("c:", "C:"),
    "question with expectation": QUESTION
    % f"{{asks: W?, source: '{SECTION}', shown_by: [{{scenario: a/b, expect: {{}}}}]}}",
    "question without source": QUESTION % "{asks: W?, shown_by: [a/b]}",
    "one side": CONTRADICTION % "{about: W?, claims: [one], shown_by: [a/b]}",
    "nothing settles it": CONTRADICTION % "{about: W?, claims: [one], reports: R.}",
    "presumes nothing": CLAIM % f"{{says: S., {SOURCES}, shown_by: [a/b], presumes: []}}",
    "presumes without scenarios": CLAIM % f"{{says: S., {SOURCES}, unobservable: W., presumes: [c]}}",
    "no topics": "questions: {}\ncontradictions: {}\n",
    "a list": "[]\n",
}

BEYOND_THE_SCHEMA = {
    "presumes what nobody claims": (
        CLAIM % f"{{says: S., {SOURCES}, shown_by: [a/b], presumes: [d]}}",
        "there is no claim 'd'",
    ),
    "unknown side": (
        CONTRADICTION % "{about: W?, claims: [one, two], shown_by: [a/b]}",
        "there is no claim 'two'",
    ),
    "a topic as side": (CONTRADICTION % "{about: W?, claims: [one, t], shown_by: [a/b]}", "no claim 't'"),
    "an id twice": (
        (CLAIM % f"{{says: S., {SOURCES}, shown_by: [a/b]}}").replace("c:", "t:"),
        "the id t is already used in line 1",
    ),
}


def load_claims_text(small: Small, text: str) -> Claims:
    small.claims(text)
    return load_claims(claims_file(small.root))


@rows("text", MALFORMED.values())
def test_what_the_schema_does_not_allow_is_refused_with_its_place(small: Small, text: str) -> None:
    with pytest.raises(SuiteError) as refusal:
        load_claims_text(small, text)
    assert {each.rule for each in refusal.value.findings} <= {"schema", "unknown-key"}
    assert {each.position.file for each in refusal.value.findings} == {claims_file(small.root)}


@rows(("text", "message"), BEYOND_THE_SCHEMA.values())
def test_what_only_the_loader_can_see_passes_the_schema(small: Small, text: str, message: str) -> None:
    with pytest.raises(SuiteError) as refusal:
        load_claims_text(small, text)
    assert message in str(refusal.value)


def test_all_that_is_wrong_is_reported_at_once_in_the_order_of_the_file(small: Small) -> None:
    with pytest.raises(SuiteError) as refusal:
        load_claims_text(small, claims("7", "{call: 1}", sources=["nowhere"]))
    found = [(finding.position.line, finding.rule) for finding in refusal.value.findings]
    assert found == [(8, "schema"), (10, "schema"), (11, "schema")]


def test_broken_yaml_is_reported_with_its_place(small: Small) -> None:
    with pytest.raises(SuiteError, match=r"claims\.yaml:3:1: "):
        load_claims_text(small, "topics: {\n\t")


def test_every_document_has_claims_that_can_be_observed() -> None:
    suite = Suite()
    all_claims = list(load_claims(claims_file(suite.root)))
    for contract in suite.contracts:
        for document in contract.documents:
            made = [
                claim
                for claim in all_claims
                if any(each.startswith(f"{document}, ") for each in claim.sources)
            ]
            assert len(made) >= 10, document
            assert any(claim.shown_by for claim in made), document


def test_claims_are_linted_with_the_suite(small: Small) -> None:
    def rules() -> set[str]:
        return {finding.rule for finding in lint(Suite(small.root))} - {"schema-comment"}

    assert rules() == set()
    small.claims("topics: {}\nquestions: {}\n")
    assert rules() == {"schema"}
    small.claims(claims("gate/unread", sources=["behaviour-spec.txt, Semantic"]))
    assert rules() == {"orphan-documented"}
    claims_file(small.root).unlink()
    assert rules() == set()
