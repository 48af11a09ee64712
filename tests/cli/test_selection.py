from pathlib import Path

import pytest

from readfirst.harness.suite.scenario_index import ScenarioIndex
from readfirst.harness.suite.selection import Selection, SelectionError, select
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import SuiteError
from tests.rows import rows
from tests.small_suites import small_suite


def select_scenarios(suite: Suite, **parts: object) -> list[str]:
    return select(suite, Selection(**parts))


def test_a_scenario_is_selected_by_its_id_without_reading_all_files(
    mixed: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ScenarioIndex, "readable", lambda _: pytest.fail("all were read"))
    assert select_scenarios(mixed, ids=("reading/lines", "gate/not-read", "reading/lines")) == [
        "gate/not-read",
        "reading/lines",
    ]
    with pytest.raises(pytest.fail.Exception, match="all were read"):
        select_scenarios(mixed)


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
def test_the_path_of_a_file_is_not_accepted_as_the_id_of_a_scenario(mixed: Suite, scenario_id: str) -> None:
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
def test_the_expression_of_the_option_k_matches_ids_and_titles(
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
def test_an_invalid_expression_is_reported_with_the_position_of_the_error(
    mixed: Suite, expression: str, message: str
) -> None:
    with pytest.raises(SelectionError, match="-k") as raised:
        select_scenarios(mixed, expression=expression)
    assert message in str(raised.value)


def test_families_tags_requirements_and_paths_select_scenarios(mixed: Suite) -> None:
    assert select_scenarios(mixed, families=("gate", "reading")) == ["gate/not-read", "reading/lines"]
    assert select_scenarios(mixed, tags=("lines", "gate")) == ["gate/not-read", "reading/lines"]
    assert select_scenarios(mixed, families=("gate",), tags=("lines", "gate")) == ["gate/not-read"]
    assert select_scenarios(mixed, families=("gate",), requirements=("should",)) == []
    assert select_scenarios(mixed, ids=("scenarios/gate/not-read.yaml",)) == ["gate/not-read"]


@rows(
    ("parts", "message"),
    [
        ({"ids": ("gate/not-raed",)}, "no scenario has the id 'gate/not-raed'. Did you mean gate/not-read?"),
        ({"ids": ("zzz/qqq",)}, "`readfirst list` shows what there is"),
        ({"families": ("gat",)}, "no family is called 'gat'. Did you mean gate?"),
        ({"tags": ("line",)}, "has the tag 'line'. Did you mean lines?"),
    ],
)
def test_for_a_misspelt_name_the_error_suggests_an_existing_name(
    mixed: Suite, parts: dict[str, tuple[str, ...]], message: str
) -> None:
    with pytest.raises(SelectionError) as raised:
        select_scenarios(mixed, **parts)
    assert message in str(raised.value)


@rows(
    "text",
    [
        "title: A\nrequirement: must\nrule: r\ntags: [a, b-c]\nsteps: x\n",
        "steps: x\nrule: r\ntags:\n  - a\n  - 'b-c'\nrequirement: must\ntitle: A\n",
        '# A comment\ntitle: "\\x41"\nabout: B\nrequirement: must\nrule: r\ntags: [a, b-c]\ngiven: [\n',
    ],
)
def test_the_metadata_of_a_scenario_is_read_without_checking_its_steps(tmp_path: Path, text: str) -> None:
    heading = small_suite(tmp_path, {"a/b": text}).heading("a/b")
    assert (heading.title, heading.requirement, heading.tags, heading.rule) == (
        "A",
        "must",
        ("a", "b-c"),
        "r",
    )


def test_the_metadata_of_a_case_is_that_of_its_table_with_the_values_of_the_case(tmp_path: Path) -> None:
    cases = "cases:\n  b: {what: here, tags: [c]}\n  d: {what: there}\n"
    table = f"title: It is <what>\nrequirement: must\ntags: [a]\nsteps: x\n{cases}"
    suite = small_suite(tmp_path, {"a/x.cases": table})
    assert suite.ids() == ["a/b", "a/d"]
    assert [(each.title, each.tags) for each in map(suite.heading, suite.ids())] == [
        ("It is here", ("c",)),
        ("It is there", ("a",)),
    ]


@rows("text", ["title: [A]\nrequirement: must\nsteps: []\n", "title: A\nrequirement: maybe\nsteps: []\n"])
def test_invalid_metadata_of_a_scenario_is_reported(tmp_path: Path, text: str) -> None:
    suite = small_suite(tmp_path, {"a/b": text})
    with pytest.raises(SuiteError, match=r"b\.yaml:(1:8|2:14): "):
        suite.heading("a/b")


@pytest.mark.slow
def test_the_metadata_of_every_bundled_scenario_equals_the_fully_parsed_file() -> None:
    suite = Suite()
    for scenario_id in suite.ids():
        heading, scenario = suite.heading(scenario_id), suite.scenario(scenario_id, require_expect=False)
        whole = (scenario.title, scenario.requirement, scenario.tags, scenario.rule)
        assert (heading.title, heading.requirement, heading.tags, heading.rule) == whole
