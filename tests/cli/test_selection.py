import re
import sys
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.suite.scenario_index import ScenarioIndex
from readfirst.harness.suite.selection import Selection, SelectionError, select
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import SuiteError
from tests.command_line import Cli
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
    slashes = ("gate//not-read", "gate/../gate/not-read")
    for scenario_id in ("", "gate", "Gate/not-read", *slashes, "gate/.hidden", "gate/table.cases"):
        assert not mixed.has(scenario_id)
    assert mixed.has("gate/not-read")


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
def test_every_condition_selects_scenarios(mixed: Suite, parts: dict[str, Any], ids: list[str]) -> None:
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
def test_an_error_in_a_selection_is_explained(mixed: Suite, parts: dict[str, Any], message: str) -> None:
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


def test_a_class_selects_the_scenarios_of_all_its_rules(ruled: Suite) -> None:
    every = ["gate/not-read", "reading/again", "reading/lines"]
    for classes, ids in ((("design",), every[:1]), (("design", "wording"), every), (("safety",), [])):
        assert select(ruled, Selection(classes=classes)) == ids
    assert select(ruled, Selection(rules=("numbers",), classes=("design",))) == []


def test_every_selecting_command_supports_rules_and_classes(readfirst: Cli, ruled: Suite) -> None:
    fixtures = ("--fixtures", ruled.root)
    listed = readfirst("list", "--rule", "read-first", *fixtures)
    assert listed.out == "gate/not-read\tmust\tEdit refuses a file that was not read\n"
    assert readfirst("list", "--class", "safety", *fixtures).code == 5
    assert "1 scenario: 1 passed" in readfirst("run", "--class", "design", *fixtures).out
    assert readfirst("run", "--rule", "numbrs", *fixtures).code == 2
    assert readfirst("diff", "2.1.7", "documented", "--class", "quirk", *fixtures).code == 5


def test_a_former_name_of_a_class_is_accepted_with_a_warning(ruled: Suite, readfirst: Cli) -> None:
    fixtures = ("--fixtures", ruled.root)
    ran = readfirst("list", "--class", "contract", *fixtures)
    assert ran.out == readfirst("list", "--class", "design", *fixtures).out != ""
    assert "the class `contract` is now `design`" in ran.err
    file = ruled.root / "rules.yaml"
    text = file.read_text("utf-8")
    file.write_text(re.sub(r"(  |class: )design\b", r"\1contract", text), "utf-8")
    assert readfirst("list", "--class", "design", *fixtures).out == ran.out
    linted = readfirst("lint", *fixtures).out
    assert "the class `contract` is now `design` [former-key]" in " ".join(linted.split())


def test_rules_are_listed_with_class_requirement_scenarios_and_title(readfirst: Cli, ruled: Suite) -> None:
    ran = readfirst("rules", "--fixtures", ruled.root)
    rows = [line.split("\t") for line in ran.out.splitlines()]
    assert [row for row in rows if row[3] != "0"] == [  # the others are rules of the bundled suite
        ["read-first", "design", "must", "1", "Edit refuses a file that was not read"],
        ["numbers", "wording", "must", "2", "Read numbers the lines of a file"],
    ]
    only = readfirst("rules", "--class", "wording", "--fixtures", ruled.root)
    assert only.out.splitlines() == ["\t".join(row) for row in rows if row[1] == "wording"]


def test_one_rule_is_shown_with_all_its_properties(readfirst: Cli, ruled: Suite) -> None:
    printed = readfirst("rules", "read-first", "--fixtures", ruled.root).out
    for part in (
        "Edit refuses a file that was not read\n",
        "A model guesses what is in it.\n",
        "class: design. What may be relied on.\n",
        "requirement: must\n",
        "tools: Edit\n",
        "always refused: It is enough here.\n",
        "source: behaviour-spec.txt, State Tracking\n",
        "    gate/not-read\tmust\tEdit refuses a file that was not read\n",
    ):
        assert part in printed
    assert "numbers" not in printed


def test_an_unknown_rule_and_a_suite_without_rules_exit_2(readfirst: Cli, ruled: Suite) -> None:
    ran = readfirst("rules", "read-frist", "--fixtures", ruled.root)
    assert (ran.code, "Did you mean read-first?" in ran.err) == (2, True)
    (ruled.root / "rules.yaml").write_text("rules: {}\n")
    for words in (["rules"], ["list", "--class", "safety"]):
        ran = readfirst(*words, "--fixtures", ruled.root)
        assert (ran.code, "has no rules" in ran.err) == (2, True)


def test_rules_are_a_table_on_a_terminal(
    readfirst: Cli, ruled: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", readfirst("rules", "--fixtures", ruled.root).out)
    assert shown.split()[:4] == ["rule", "class", "requirement", "scenarios"]
    assert "\t" not in shown
    assert all(len(line) <= 80 for line in shown.splitlines())
