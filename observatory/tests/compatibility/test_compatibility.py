"""The table of rules by implementations and versions is counted from scenarios. The committed table is up to date."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from readfirst.harness.compare.level_reached import Reach, ScenarioResult, cell_of, reach_of
from readfirst.harness.compare.verdict import LEVELS, Level, Status, Verdict
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.report.compatibility import (
    compatibility_page,
    count_text,
    for_contract,
    short_cell,
)
from readfirst.observatory.survey.compatibility import (
    compatibility_data,
    implementations_data,
    json_with_cell_lines,
)
from readfirst.observatory.survey.packed_results import pack_results, unpack_results
from tests.judging import SUITE
from tests.rows import rows

HARM = {"2.1.7": {"sessions": 3, "any": 2, "counts": {"lost": 2}, "shortest": {"lost": "gate/long"}}}
CHECKOUT = Path(__file__).resolve().parents[3]


def validator() -> Draft202012Validator:
    schema = json.loads((CHECKOUT / "fixtures" / "schema" / "compatibility.schema.json").read_text())
    return Draft202012Validator(schema)


@pytest.fixture
def data(suite: Suite, survey: dict[str, Any]) -> dict[str, Any]:
    assert suite.rules is not None
    return compatibility_data(suite, suite.rules, survey, HARM)


def cell(data: dict[str, Any], rule: str, of: str, column: str) -> dict[str, Any]:
    found: dict[str, Any] = for_contract(data, "2.1.7")["rules"][rule][of][column]
    return found


def test_a_rule_holds_partly_and_names_the_shortest_scenario_that_fails(data: dict[str, Any]) -> None:
    assert cell(data, "read-first", "implementations", "mine@1.0") == {
        "holds": "partly",
        "scenarios": 2,
        "judged": 2,
        "holding": 1,
        "shortest": "gate/short",
    }


def test_what_is_not_claimed_and_what_was_not_run_are_distinguished(data: dict[str, Any]) -> None:
    assert cell(data, "read-first", "implementations", "other@2.0")["holds"] == "not claimed"
    assert cell(data, "read-first", "versions", "2.0.76")["holds"] == "unknown"
    harm = {"sessions": 0, "counts": {}, "scenarios": {}, "shortest": {}}
    survey = {
        "date": "",
        "contracts": ["2.1.7"],
        "targets": [{**_target(data), "harm": harm, "reach": {}}],
    }
    assert SUITE.rules is not None
    found = implementations_data(SUITE.rules, [], survey)
    assert (
        for_contract(found, "2.1.7")["rules"]["ambiguous-match"]["implementations"]["mine@1.0"]["holds"]
        == "unknown"
    )


def _target(data: dict[str, Any]) -> dict[str, Any]:
    return {"target": "mine@1.0", "level": "reason", **data["implementations"]["mine@1.0"]}


def test_the_words_decide_on_a_rule_of_fidelity_alone(data: dict[str, Any]) -> None:
    # The lines are right at `effects` and `reason`, and the wording differs.
    assert cell(data, "numbers", "implementations", "mine@1.0")["holds"] == "no"
    # A target that is judged only up to `effects` does not claim the wording, even if it agrees.
    assert cell(data, "numbers", "implementations", "other@2.0")["holds"] == "not claimed"


def test_a_version_that_does_otherwise_falls_short_and_shows_since_when(data: dict[str, Any]) -> None:
    assert cell(data, "read-first", "versions", "2.1.228") == {
        "holds": "partly",
        "scenarios": 2,
        "judged": 2,
        "holding": 1,
        "shortest": "gate/long",
        "since": "2.1.228",
    }
    assert cell(data, "numbers", "versions", "2.1.7") == {
        "holds": "yes",
        "scenarios": 1,
        "judged": 1,
        "holding": 1,
        "since": "2.0.76",
    }
    assert cell(data, "numbers", "versions", "2.1.228")["holds"] == "no"


def test_rules_are_counted_by_class_and_never_over_all(data: dict[str, Any]) -> None:
    classes = for_contract(data, "2.1.7")["implementations"]["mine@1.0"]["classes"]
    assert classes["safety"] == {"yes": 0, "partly": 1, "no": 0, "not claimed": 0, "unknown": 0}
    assert [count_text(each) for each in classes.values()] == ["0/1", "-", "0/1", "-"]
    other = for_contract(data, "2.1.7")["implementations"]["other@2.0"]["classes"]
    assert count_text(other["safety"]) == "- (1 not claimed)"


@rows(
    ("each", "shown"),
    [
        ({"holds": "yes", "judged": 3, "holding": 3}, "✓ 3"),
        ({"holds": "partly", "judged": 3, "holding": 1}, "1/3"),
        ({"holds": "no", "judged": 3, "holding": 0}, "✗ 0/3"),
        ({"holds": "not claimed", "judged": 0, "holding": 0}, "–"),
        ({"holds": "unknown", "judged": 0, "holding": 0}, "?"),
    ],
)
def test_a_cell_says_whether_and_in_how_many_scenarios(each: dict[str, Any], shown: str) -> None:
    assert short_cell(each) == shown


def test_the_shortest_is_by_length_and_then_by_name() -> None:
    seen = [
        ScenarioResult("b/x", 3, False),
        ScenarioResult("a/x", 4, False),
        ScenarioResult("a/y", 3, True),
        ScenarioResult("c/x", 3, False),
    ]
    assert cell_of(seen).shortest == "b/x"
    assert cell_of([replace(each, holds=None) for each in seen]).standing == "unknown"


@rows(
    ("status", "holds", "reach"),
    [
        ("passed", LEVELS, "text"),
        ("failed", ("effects",), "effects"),
        ("failed", ("effects", "reason"), "reason"),
        ("failed", ("text",), "nothing"),  # a level holds only if those before it do
        ("error", (), "error"),
        ("unsupported", (), "unsupported"),
        ("unspecified", (), "unspecified"),
    ],
)
def test_a_verdict_reaches_as_far_as_its_levels_hold(
    status: Status, holds: tuple[Level, ...], reach: Reach
) -> None:
    verdict = Verdict("a/b", "2.1.7", "text", status, {level: level in holds for level in LEVELS})
    assert reach_of(verdict) == reach


def test_what_a_survey_keeps_can_be_read_again() -> None:
    reaches: dict[str, Reach] = {"a/x": "text", "a/y": "nothing", "b/x": "unsupported", "a/z": "nothing"}
    stored = pack_results(reaches)
    assert stored == {"nothing": {"a": "y z"}, "text": {"a": "x"}, "unsupported": {"b": "x"}}
    assert unpack_results(stored) == reaches
    with pytest.raises(ValueError, match="'some' is not a known result of a scenario"):
        unpack_results({"some": {"a": "x"}})


def test_the_data_follow_their_schema_and_the_schema_refuses_others(data: dict[str, Any]) -> None:
    check = validator()
    check.validate(data)
    for spoilt in (
        {**data, "format": 2},
        {**data, "date": 1},
        {name: value for name, value in data.items() if name != "rules"},
        {**data, "rules": {"read-first": {**data["rules"]["read-first"], "class": "severe"}}},
        {**data, "versions": {"2.1.7": {"recorded": True, "summary": "", "classes": {}}}},
    ):
        assert not check.is_valid(spoilt)


def test_the_file_has_one_line_for_each_cell(data: dict[str, Any]) -> None:
    text = json_with_cell_lines(data)
    assert json.loads(text) == data
    assert sum('"holding"' in line for line in text.splitlines()) == text.count('"holding"')


def test_the_page_has_harm_first_and_implementations_before_versions(data: dict[str, Any]) -> None:
    text = compatibility_page(data)
    shown = [
        'src="map.svg"',
        "| mine@1.0 | 0/1 | - | 0/1 | - |",
        "| 2.1.228 | 0/1 | - | 0/1 | - |",
    ]
    places = [text.index(each) for each in shown]
    assert places == sorted(places)


def test_harm_is_counted_once_for_a_session_and_by_kind(data: dict[str, Any], survey: dict[str, Any]) -> None:
    assert data["versions"]["2.1.7"]["harm"] == HARM["2.1.7"]
    assert "harm" not in data["versions"]["2.1.228"]
    assert data["implementations"]["mine@1.0"]["harm"] == {
        "sessions": 2,
        "any": 1,
        "counts": {"lost": 1, "altered": 1, "blind": 2},
        "shortest": {"lost": "gate/long"},
    }
