"""The crossed scenarios put every question with every pair of values, and show every rule with every value."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from readfirst.harness.crossing.coverage import FAMILY, Goals, is_about, lacking
from readfirst.harness.crossing.dimensions import DIMENSIONS, EDITS, QUESTIONS, RULES, WRITES
from readfirst.harness.crossing.meetings import meetings
from readfirst.harness.suite.load import load_scenario
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite

pytestmark = pytest.mark.slow

SUITE = Suite()
GUIDE = Path(__file__).parents[2] / "CONTRIBUTING.md"
CHECK = Path(__file__).parents[2] / "tools" / "crossing.py"
PLAIN = """\
title: T
requirement: must
rule: edits-in-a-row
given:
  files:
    docs/main.py: {text: "alpha beta\\ngamma\\n", mode: "0755"}
steps:
"""


@pytest.fixture(scope="module")
def crossed() -> list[Scenario]:
    """Return the scenarios that were composed, not drawn."""
    found = [SUITE.scenario(each) for each in SUITE.ids() if each.partition("/")[0] == FAMILY]
    return [each for each in found if each.rule != "rules-hold-for-every-file"]


def test_the_recorded_scenarios_lack_no_pair(crossed: list[Scenario]) -> None:
    assert lacking(crossed) == []


def test_without_one_question_every_pair_of_it_is_named(crossed: list[Scenario]) -> None:
    others = [each for each in crossed if not each.id.startswith(f"{FAMILY}/unread-")]
    missing = [each for each in lacking(others) if each.startswith("unread is never met by ")]
    assert "unread is never met by name bare and mode 0444" in missing
    assert "edit-refuses-unread-file is never met by edit long" in lacking(others)
    assert "edit-changed" not in " ".join(lacking(others))


def test_without_the_last_scenario_of_a_question_something_is_missing(crossed: list[Scenario]) -> None:
    """Each was written because something was missing; so it is for the last one, which nothing follows."""
    last = max(each.id for each in crossed if each.id.startswith(f"{FAMILY}/unread-"))
    assert lacking([each for each in crossed if each.id != last]) != []


def test_without_the_scenarios_of_several_files_rules_lack_pairs(crossed: list[Scenario]) -> None:
    fewer = lacking([each for each in crossed if ", +" not in each.title])
    assert "edit-refuses-unread-file is never met by name bare and mode 0444" in fewer
    assert not any(each.partition(" ")[0] in QUESTIONS for each in fewer)


def test_the_guide_says_how_many_pairs_the_rules_meet() -> None:
    asked = Goals(of_rules=True).left(RULES)
    assert f"{asked:,} pairs" in " ".join(GUIDE.read_text("utf-8").split())


def read(steps: str, tmp_path: Path) -> Scenario:
    path = tmp_path / "scenarios" / "family" / "slug.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(PLAIN + steps, "utf-8")
    return load_scenario(path, tmp_path / "scenarios", SUITE.contracts)


def met(steps: str, tmp_path: Path) -> list[Mapping[str, str]]:
    return list(meetings(read(steps, tmp_path)))


def test_values_are_read_from_the_file_the_steps_and_what_was_recorded(tmp_path: Path) -> None:
    steps = """\
  - Edit: {file_path: $WS/docs/./main.py, old_string: alpha, new_string: x}
    expect: {error: not_read, text: File has not been read yet.}
  - Read: {file_path: $WS/docs/main.py, limit: 1}
    expect: {text: x}
  - Edit: {file_path: $WS/docs/main.py, old_string: nothing, new_string: x}
    expect: {error: string_not_found, text: x}
  - modify: {docs/main.py: {text: "ALPHA beta\\ngamma\\n", mtime: +1ms}}
  - Edit: {file_path: $WS/docs/main.py, old_string: "beta\\ngamma", new_string: x, replace_all: false}
    expect: {error: modified_since_read, text: x}
"""
    unread, stale = met(steps, tmp_path)
    of_the_file = {"name": "code", "depth": "folder", "mode": "0755", "link": "none", "encoding": "ascii"}
    assert unread == of_the_file | {
        "ends": "lf",
        "content": "lines",
        "path": "dot",
        "edit": "word",
        "replace_all": "absent",
        "known": "unread",
        "since": "nothing",
        "refused": "nothing",
    }
    assert stale == unread | {
        "path": "plain",
        "edit": "lines",
        "replace_all": "false",
        "known": "range",
        "since": "millisecond",
        "refused": "missing",
    }
    assert is_about("edit-refuses-unread-file", unread)
    assert not is_about("edit-refuses-unread-file", stale)


def test_what_was_recorded_decides_how_a_file_is_known(tmp_path: Path) -> None:
    steps = """\
  - Read: {file_path: $WS/docs/main.py}
    expect: {text: x}
  - Edit: {file_path: $WS/docs/main.py, old_string: alpha, new_string: alpha and more}
    expect: {RESULT}
  - Write: {file_path: $WS/docs/main.py, content: "alpha and more beta\\ngamma\\n"}
    expect: {text: x}
"""
    allowed = met(steps.replace("RESULT", "text: x"), tmp_path / "allowed")
    refused = met(steps.replace("RESULT", "error: multiple_matches, text: x"), tmp_path / "refused")
    assert [(each["edit"], each["known"]) for each in allowed] == [("insertion", "whole"), ("same", "own")]
    assert [(each["edit"], each["known"], each["refused"]) for each in refused] == [
        ("other", "whole", "several")
    ]


def test_a_pair_that_excludes_itself_is_not_asked_for() -> None:
    missing = Goals().lacking()
    assert not any("replace_all true and" in each and " edit other" in each for each in missing)
    assert not any("known unread and since touched" in each for each in missing)
    assert any("known whole and since touched" in each for each in missing)


def test_every_rule_answers_one_question_and_is_one_of_safety_or_contract() -> None:
    rules = SUITE.rules
    assert rules is not None
    assert sorted(RULES) == sorted(rule for each in QUESTIONS.values() for rule in each)
    assert {rules[rule].class_ for rule in RULES} == {"safety", "contract"}
    assert set(EDITS) | set(WRITES) == DIMENSIONS["edit"].values.keys()
    for allowed in RULES.values():
        assert all(set(values) <= DIMENSIONS[name].values.keys() for name, values in allowed.items())


def check(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(CHECK), "--check", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_suite_meets_every_pair() -> None:
    ran = check()
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_pair_that_a_suite_lacks_is_named(tmp_path: Path) -> None:
    (tmp_path / "scenarios").mkdir()
    for name in ("rules.yaml", "contracts.yaml"):
        (tmp_path / name).write_bytes((SUITE.root / name).read_bytes())
    ran = check("--fixtures", str(tmp_path))
    assert ran.returncode == 1
    assert "unread is never met by name bare and mode 0444\n" in ran.stderr
