import re
import sys

import pytest

from readfirst.harness.suite.selection import Selection, SelectionError, select
from readfirst.harness.suite.suite import Suite
from tests.command_line import Cli


def select_scenarios(suite: Suite, *rules: str, classes: tuple[str, ...] = ()) -> list[str]:
    return select(suite, Selection(rules=rules, classes=classes))


def test_a_class_selects_the_scenarios_of_all_its_rules(ruled: Suite) -> None:
    assert select_scenarios(ruled, classes=("design",)) == ["gate/not-read"]
    assert select_scenarios(ruled, classes=("design", "wording")) == [
        "gate/not-read",
        "reading/again",
        "reading/lines",
    ]
    assert select_scenarios(ruled, "numbers", classes=("design",)) == []
    assert select_scenarios(ruled, classes=("safety",)) == []


def test_a_suite_without_rules_refuses_the_selection_of_a_class(ruled: Suite) -> None:
    (ruled.root / "rules.yaml").write_text("rules: {}\n")
    with pytest.raises(SelectionError, match="has no rules"):
        select_scenarios(Suite(ruled.root), classes=("safety",))


def test_every_selecting_command_supports_rules_and_classes(readfirst: Cli, ruled: Suite) -> None:
    fixtures = ("--fixtures", str(ruled.root))
    listed = readfirst("list", "--rule", "read-first", *fixtures)
    assert listed.out == "gate/not-read\tmust\tEdit refuses a file that was not read\n"
    assert readfirst("list", "--class", "safety", *fixtures).code == 5
    assert "1 scenario: 1 passed" in readfirst("run", "--class", "design", *fixtures).out
    assert readfirst("run", "--rule", "numbrs", *fixtures).code == 2
    assert readfirst("diff", "2.1.7", "documented", "--class", "quirk", *fixtures).code == 5


def test_a_former_name_of_a_class_is_accepted_with_a_warning(ruled: Suite, readfirst: Cli) -> None:
    fixtures = ("--fixtures", str(ruled.root))
    ran = readfirst("list", "--class", "contract", *fixtures)
    assert ran.out == readfirst("list", "--class", "design", *fixtures).out != ""
    assert "the class `contract` is now `design`" in ran.err
    file = ruled.root / "rules.yaml"
    text = file.read_text("utf-8")
    file.write_text(
        text.replace("  design: ", "  contract: ").replace("class: design", "class: contract"), "utf-8"
    )
    assert readfirst("list", "--class", "design", *fixtures).out == ran.out
    assert "the class `contract` is now `design` [former-key]" in " ".join(
        readfirst("lint", *fixtures).out.split()
    )
    file.write_text(text, "utf-8")


def test_rules_are_listed_with_class_requirement_scenarios_and_title(readfirst: Cli, ruled: Suite) -> None:
    ran = readfirst("rules", "--fixtures", str(ruled.root))
    rows = [line.split("\t") for line in ran.out.splitlines()]
    assert [row for row in rows if row[3] != "0"] == [  # the others are rules of the bundled suite
        ["read-first", "design", "must", "1", "Edit refuses a file that was not read"],
        ["numbers", "wording", "must", "2", "Read numbers the lines of a file"],
    ]
    only = readfirst("rules", "--class", "wording", "--fixtures", str(ruled.root))
    assert only.out.splitlines() == ["\t".join(row) for row in rows if row[1] == "wording"]


def test_one_rule_is_shown_with_all_its_properties(readfirst: Cli, ruled: Suite) -> None:
    printed = readfirst("rules", "read-first", "--fixtures", str(ruled.root)).out
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
    ran = readfirst("rules", "read-frist", "--fixtures", str(ruled.root))
    assert (ran.code, "Did you mean read-first?" in ran.err) == (2, True)
    (ruled.root / "rules.yaml").write_text("rules: {}\n")
    ran = readfirst("rules", "--fixtures", str(ruled.root))
    assert (ran.code, "has no rules" in ran.err) == (2, True)


def test_a_terminal_shows_a_table_of_rules(
    readfirst: Cli, ruled: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", readfirst("rules", "--fixtures", str(ruled.root)).out)
    assert shown.split()[:4] == ["rule", "class", "requirement", "scenarios"]
    assert "\t" not in shown
    assert all(len(line) <= 80 for line in shown.splitlines())
