import re
import sys

import pytest

from readfirst.harness.suite.selection import Selection, select
from readfirst.harness.suite.suite import Suite
from tests.command_line import Cli


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
