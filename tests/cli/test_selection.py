"""The scenarios that match a selection, and the error message if no scenario matches."""

import pytest

from readfirst.harness.suite.scenario_index import ScenarioIndex
from readfirst.harness.suite.selection import Selection, SelectionError, select
from readfirst.harness.suite.suite import Suite
from tests.rows import rows


def select_scenarios(suite: Suite, **parts: object) -> list[str]:
    return select(suite, Selection(**parts))  # type: ignore[arg-type]


def test_the_id_of_a_file_of_its_own_is_known_before_any_file_is_read(
    mixed: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ScenarioIndex, "ids", lambda _: pytest.fail("all were read"))
    assert select_scenarios(mixed, ids=("reading/lines", "gate/not-read", "reading/lines")) == [
        "gate/not-read",
        "reading/lines",
    ]


@rows(
    "scenario_id",
    [
        "gate/.hidden",
        "gate/../gate/not-read",
        "gate//not-read",
        "Gate/not-read",
        "gate/table.cases",
        "gate",
        "",
    ],
)
def test_what_only_leads_to_a_file_is_no_id(mixed: Suite, scenario_id: str) -> None:
    for name in (".hidden", "table.cases"):
        (mixed.scenarios_root / "gate" / f"{name}.yaml").write_text("title: No scenario\n")
    assert not mixed.has(scenario_id)
    assert mixed.has("gate/not-read")


@rows(
    ("expression", "ids"),
    [
        ("READ", ["gate/not-read", "reading/lines", "wrong/effects", "wrong/text"]),
        ("not read", []),
        ("wrong and not carriage", ["wrong/effects"]),
        ("'carriage return' or numbered", ["reading/lines", "wrong/text"]),
        ("(gate or wrong) and refuses", ["gate/not-read"]),
        ("not not gate", ["gate/not-read"]),
        ("gate or reading and wrong", ["gate/not-read"]),
        ('"not"', ["gate/not-read"]),
    ],
)
def test_an_expression_matches_ids_and_titles_in_any_case(
    mixed: Suite, expression: str, ids: list[str]
) -> None:
    assert select_scenarios(mixed, expression=expression) == ids


@rows(
    ("expression", "message"),
    [
        ("a b", "`and` or `or` is expected before 'b'"),
        ("a and", "a word is missing at the end"),
        ("and a", "a word is expected before 'and'"),
        ("(a", "a `)` is missing"),
        ("a)", "expected before ')'"),
        ("()", "a word is expected before ')'"),
        ("'a", "the quote at character 1 is not closed"),
        ("(" * 5000 + "a" + ")" * 5000, "nested too deep"),
    ],
)
def test_an_expression_that_cannot_be_read_says_where(mixed: Suite, expression: str, message: str) -> None:
    with pytest.raises(SelectionError, match="-k") as raised:
        select_scenarios(mixed, expression=expression)
    assert message in str(raised.value)


def test_families_tags_requirements_and_paths_restrict(mixed: Suite) -> None:
    assert select_scenarios(mixed, families=("gate", "reading")) == ["gate/not-read", "reading/lines"]
    assert select_scenarios(mixed, tags=("lines", "gate")) == ["gate/not-read", "reading/lines"]
    assert select_scenarios(mixed, families=("gate",), tags=("lines", "gate")) == ["gate/not-read"]
    assert select_scenarios(mixed, families=("gate",), requirements=("should",)) == []
    assert select_scenarios(mixed, ids=("scenarios/gate/not-read.yaml",)) == ["gate/not-read"]


@rows(
    ("parts", "message"),
    [
        (
            {"ids": ("gate/not-raed",)},
            "no scenario has the id 'gate/not-raed'. Did you mean gate/not-read?",
        ),
        ({"ids": ("zzz/qqq",)}, "`readfirst list` shows what there is"),
        ({"families": ("gat",)}, "no family is called 'gat'. Did you mean gate?"),
        ({"tags": ("line",)}, "has the tag 'line'. Did you mean lines?"),
    ],
)
def test_an_unknown_name_gets_a_suggestion(
    mixed: Suite, parts: dict[str, tuple[str, ...]], message: str
) -> None:
    with pytest.raises(SelectionError) as raised:
        select_scenarios(mixed, **parts)
    assert message in str(raised.value)
