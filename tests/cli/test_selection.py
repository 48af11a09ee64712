from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.suite.scenario_index import ScenarioIndex
from readfirst.harness.suite.selection import Selection, SelectionError, select
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import SuiteError
from tests.rows import rows
from tests.small_suites import small_suite

metadata = attrgetter("title", "requirement", "tags", "rule")


def select_scenarios(suite: Suite, **parts: object) -> list[str]:
    return select(suite, Selection(**parts))


def test_selection_by_id_reads_no_other_file(mixed: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ScenarioIndex, "readable", lambda _: pytest.fail("all were read"))
    ids = ("reading/lines", "gate/not-read", "reading/lines")
    assert select_scenarios(mixed, ids=ids) == ["gate/not-read", "reading/lines"]
    with pytest.raises(pytest.fail.Exception, match="all were read"):
        select_scenarios(mixed)


def test_the_path_of_a_file_is_not_accepted_as_the_id_of_a_scenario(mixed: Suite) -> None:
    for name in (".hidden", "table.cases"):
        (mixed.scenarios_root / "gate" / f"{name}.yaml").write_text("title: No scenario\n")
    wrong = (
        "",
        "gate",
        "Gate/not-read",
        "gate//not-read",
        "gate/../gate/not-read",
        "gate/.hidden",
        "gate/table.cases",
    )
    assert [scenario_id for scenario_id in ("gate/not-read", *wrong) if mixed.has(scenario_id)] == [
        "gate/not-read"
    ]


@rows(
    ("parts", "ids"),
    [
        ({"families": ("gate", "reading")}, ["gate/not-read", "reading/lines"]),
        ({"tags": ("lines", "gate")}, ["gate/not-read", "reading/lines"]),
        ({"families": ("gate",), "tags": ("lines", "gate")}, ["gate/not-read"]),
        ({"families": ("gate",), "requirements": ("should",)}, []),
        ({"ids": ("scenarios/gate/not-read.yaml",)}, ["gate/not-read"]),
        ({"expression": "READ"}, ["gate/not-read", "reading/lines", "wrong/effects", "wrong/text"]),
        ({"expression": "not read"}, []),
        ({"expression": "wrong and not carriage"}, ["wrong/effects"]),
        ({"expression": "'carriage return' or numbered"}, ["reading/lines", "wrong/text"]),
        ({"expression": "(gate or wrong) and refuses"}, ["gate/not-read"]),
        ({"expression": "not not gate"}, ["gate/not-read"]),
        ({"expression": "gate or reading and wrong"}, ["gate/not-read"]),
        ({"expression": '"not"'}, ["gate/not-read"]),
    ],
)
def test_families_tags_requirements_paths_and_expressions_select_scenarios(
    mixed: Suite, parts: dict[str, Any], ids: list[str]
) -> None:
    assert select_scenarios(mixed, **parts) == ids


@rows(
    ("parts", "message"),
    [
        ({"ids": ("gate/not-raed",)}, "no scenario has the id 'gate/not-raed'. Did you mean gate/not-read?"),
        ({"ids": ("zzz/qqq",)}, "`readfirst list` shows what there is"),
        ({"families": ("gat",)}, "no family is called 'gat'. Did you mean gate?"),
        ({"tags": ("line",)}, "has the tag 'line'. Did you mean lines?"),
        ({"expression": "a b"}, "`and` or `or` is expected before 'b'"),
        ({"expression": "a and"}, "a word is missing at the end"),
        ({"expression": "and a"}, "a word is expected before 'and'"),
        ({"expression": "(a"}, "a `)` is missing"),
        ({"expression": "a)"}, "expected before ')'"),
        ({"expression": "()"}, "a word is expected before ')'"),
        ({"expression": "'a"}, "the quote at character 1 is not closed"),
        ({"expression": "(" * 5000 + "a" + ")" * 5000}, "nested too deep"),
    ],
)
def test_an_error_in_a_selection_is_reported_with_its_position_or_an_existing_name(
    mixed: Suite, parts: dict[str, Any], message: str
) -> None:
    with pytest.raises(SelectionError) as raised:
        select_scenarios(mixed, **parts)
    assert message in str(raised.value)
    assert ("-k" in str(raised.value)) == ("expression" in parts)


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
    assert metadata(heading) == ("A", "must", ("a", "b-c"), "r")


def test_the_metadata_of_a_case_is_that_of_its_table_with_the_values_of_the_case(tmp_path: Path) -> None:
    cases = "cases:\n  b: {what: here, tags: [c]}\n  d: {what: there}\n"
    table = f"title: It is <what>\nrequirement: must\ntags: [a]\nsteps: x\n{cases}"
    suite = small_suite(tmp_path, {"a/x.cases": table})
    assert suite.ids() == ["a/b", "a/d"]
    here, there = map(suite.heading, suite.ids())
    assert (here.title, here.tags) == ("It is here", ("c",))
    assert (there.title, there.tags) == ("It is there", ("a",))


@rows("text", ["title: [A]\nrequirement: must\nsteps: []\n", "title: A\nrequirement: maybe\nsteps: []\n"])
def test_invalid_metadata_of_a_scenario_is_reported(tmp_path: Path, text: str) -> None:
    suite = small_suite(tmp_path, {"a/b": text})
    with pytest.raises(SuiteError, match=r"b\.yaml:(1:8|2:14): "):
        suite.heading("a/b")


@pytest.mark.slow
def test_the_metadata_of_every_bundled_scenario_equals_the_fully_parsed_file() -> None:
    suite = Suite()
    for scenario_id in suite.ids():
        scenario = suite.scenario(scenario_id, require_expect=False)
        assert metadata(suite.heading(scenario_id)) == metadata(scenario)
