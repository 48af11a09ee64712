"""claims.yaml is read strictly: what is wrong in it is told with its place and how to put it right."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from readfirst.harness.claims.claims import Claims, claims_file, load_claims
from readfirst.harness.lint.walk import lint
from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import SuiteError
from readfirst.harness.suite.scenario import TextDigest
from readfirst.harness.suite.suite import Suite, default_root

from .conftest import SECTION, Small, claims

CLAIM = "topics: {t: {title: Topic, claims: {c: %s}}}\nquestions: {}\ncontradictions: {}\n"
QUESTION = "topics: {}\nquestions: {q: %s}\ncontradictions: {}\n"
CONTRADICTION = (
    "topics: {t: {title: Topic, claims: {one: {says: S., sources: ['a.txt, A'], unobservable: W.}}}}\n"
    "questions: {}\ncontradictions: {x: %s}\n"
)
SOURCES = f"sources: ['{SECTION}']"

MALFORMED = {
    "neither shown nor unobservable": (CLAIM % f"{{says: S., {SOURCES}}}", "shown_by or unobservable"),
    "shown and unobservable": (
        CLAIM % f"{{says: S., {SOURCES}, shown_by: [a/b], unobservable: W.}}",
        "one of the two",
    ),
    "no scenario": (CLAIM % f"{{says: S., {SOURCES}, shown_by: []}}", "must be a list, not empty"),
    "no reason": (CLAIM % f"{{says: S., {SOURCES}, unobservable: ''}}", "must be a string, not empty"),
    "no source": (CLAIM % "{says: S., sources: [], shown_by: [a/b]}", "has no source"),
    "no section": (
        CLAIM % "{says: S., sources: [behaviour-spec.txt], shown_by: [a/b]}",
        "does not say where to look",
    ),
    "no sentence": (CLAIM % f"{{{SOURCES}, shown_by: [a/b]}}", "lacks the key 'says'"),
    "unknown key": (CLAIM % f"{{says: S., {SOURCES}, shown_by: [a/b], verdict: holds}}", "no key 'verdict'"),
    "claim is a string": (CLAIM % "S.", "must be a mapping"),
    "scenario is a number": (CLAIM % f"{{says: S., {SOURCES}, shown_by: [7]}}", "must be a mapping"),
    "statement without scenario": (
        CLAIM % f"{{says: S., {SOURCES}, shown_by: [{{call: 1}}]}}",
        "lacks the key 'scenario'",
    ),
    "call 0": (
        CLAIM % f"{{says: S., {SOURCES}, shown_by: [{{scenario: a/b, call: 0}}]}}",
        "must be a whole number, not 0",
    ),
    "expect without call": (
        CLAIM % f"{{says: S., {SOURCES}, shown_by: [{{scenario: a/b, expect: {{error: e}}}}]}}",
        "expect needs call",
    ),
    "expect says nothing": (
        CLAIM % f"{{says: S., {SOURCES}, shown_by: [{{scenario: a/b, call: 1, expect: {{}}}}]}}",
        "says nothing",
    ),
    "expect has when": (
        CLAIM % f"{{says: S., {SOURCES}, shown_by: [{{scenario: a/b, call: 1, expect: {{when: {{}}}}}}]}}",
        "no key 'when'",
    ),
    "exact is a word": (
        CLAIM
        % f"{{says: S., {SOURCES}, shown_by: [{{scenario: a/b, call: 1, expect: {{error: e}}, exact: yes}}]}}",
        "exact must be true or false, not a string",
    ),
    "exact without expect": (
        CLAIM % f"{{says: S., {SOURCES}, shown_by: [{{scenario: a/b, call: 1, exact: true}}]}}",
        "exact needs expect",
    ),
    "id in capitals": ((CLAIM % f"{{says: S., {SOURCES}, shown_by: [a/b]}}").replace("c:", "C:"), "'C'"),
    "question with expectation": (
        QUESTION % f"{{asks: W?, source: '{SECTION}', shown_by: [{{scenario: a/b, expect: {{}}}}]}}",
        "no key 'expect'",
    ),
    "question without source": (QUESTION % "{asks: W?, shown_by: [a/b]}", "lacks the key 'source'"),
    "one side": (CONTRADICTION % "{about: W?, claims: [one], shown_by: [a/b]}", "fewer than two sides"),
    "nothing settles it": (
        CONTRADICTION % "{about: W?, claims: [one], reports: R.}",
        "needs shown_by or unobservable",
    ),
    "presumes nothing": (
        CLAIM % f"{{says: S., {SOURCES}, shown_by: [a/b], presumes: []}}",
        "presumes nothing",
    ),
    "presumes without scenarios": (
        CLAIM % f"{{says: S., {SOURCES}, unobservable: W., presumes: [c]}}",
        "presumes nothing",
    ),
    "no topics": ("questions: {}\ncontradictions: {}\n", "lacks the key 'topics'"),
    "a list": ("[]\n", "must be a mapping"),
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


def schema() -> Any:
    path = default_root() / "schema/claims.schema.json"
    return Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))


def loaded(small: Small, text: str) -> Claims:
    small.claims(text)
    return load_claims(claims_file(small.root))


def value(small: Small) -> Any:
    path = claims_file(small.root)
    return strict_yaml.load(strict_yaml.read(path), path).value


@pytest.mark.parametrize(("text", "message"), MALFORMED.values(), ids=MALFORMED)
def test_what_is_malformed_is_refused_by_loader_and_schema(small: Small, text: str, message: str) -> None:
    with pytest.raises(SuiteError) as refusal:
        loaded(small, text)
    assert message in str(refusal.value)
    assert not schema().is_valid(value(small))


@pytest.mark.parametrize(("text", "message"), BEYOND_THE_SCHEMA.values(), ids=BEYOND_THE_SCHEMA)
def test_what_only_the_loader_can_see_passes_the_schema(small: Small, text: str, message: str) -> None:
    with pytest.raises(SuiteError) as refusal:
        loaded(small, text)
    assert message in str(refusal.value)
    assert schema().is_valid(value(small))


def test_all_that_is_wrong_is_reported_at_once_in_the_order_of_the_file(small: Small) -> None:
    with pytest.raises(SuiteError) as refusal:
        loaded(small, claims("7", "{call: 1}", sources=["nowhere"]))
    found = [(finding.position.line, finding.rule) for finding in refusal.value.findings]
    assert found == [(8, "schema"), (10, "schema"), (11, "schema")]


def test_broken_yaml_is_reported_with_its_place(small: Small) -> None:
    with pytest.raises(SuiteError, match=r"claims\.yaml:3:1: "):
        loaded(small, "topics: {\n\t")


def test_a_claim_keeps_what_is_written(small: Small) -> None:
    statement = "{scenario: a/b, call: 3, expect: {text: {starts: x}, files: {}}, exact: true}"
    (claim,) = loaded(small, claims("gate/unread", statement))
    alone, stated = claim.shown_by
    assert (claim.id, claim.says, claim.sources) == ("unread-files", "Unread files are safe.", (SECTION,))
    assert (alone.scenario_id, alone.call, alone.clause) == ("gate/unread", None, None)
    assert (stated.scenario_id, stated.call, stated.states_files, stated.exact) == ("a/b", 3, True, True)
    assert stated.clause is not None
    assert stated.clause.text == TextDigest(starts="x")


def test_the_claims_of_the_suite_pass_loader_and_schema() -> None:
    path = claims_file(default_root())
    load_claims(path)
    schema().validate(strict_yaml.load(strict_yaml.read(path), path).value)


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
