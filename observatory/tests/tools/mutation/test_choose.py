"""Generated scenarios are selected if they show an outcome of a condition that no scenario of the suite shows."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from test_mutants_of_exceptions import CHECKOUT, small_checkout

from readfirst.harness.suite.suite import Suite


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The directory of a checkout whose suite has one scenario: an Edit of an unread file."""
    small_checkout(tmp_path, hidden=False)
    rules = CHECKOUT / "fixtures" / "rules.yaml"
    (tmp_path / "fixtures" / "rules.yaml").write_bytes(rules.read_bytes())
    return tmp_path


pytestmark = pytest.mark.mutation

CHOOSE = f"""
import json, sys
folder, seed, most, least = json.loads(sys.argv[1])
sys.path[:0] = [{str(CHECKOUT)!r}, {str(CHECKOUT / "observatory" / "tools" / "mutation")!r}]
from pathlib import Path
import scenarios
from choose import choose_scenarios, draw_scenarios, files_of
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.harness.suite.suite import Suite
from importing import forget
panel = scenarios.scenario_panel(Path(folder), {{}}, exceptions=True)
forget(panel)
found = choose_scenarios(panel, Path(folder) / "fixtures", list(draw_scenarios(seed, 60)), most, least)
files = files_of(Suite(Path(folder) / "fixtures"), found)
for file in files:
    file.parent.mkdir(parents=True, exist_ok=True)
write_all(files)
print(json.dumps([each.id for each in found]))
"""
"""Runs `choose_scenarios` in a separate process, because it replaces the modules of the reference."""


def choose(checkout: Path, seed: int, most: int, least: int) -> list[str]:
    """Add at most `most` generated scenarios to the corpus, and return their ids. Each must detect at least `least`
    faults that no other scenario detects.
    """
    asked = json.dumps([str(checkout), seed, most, least])
    command = [sys.executable, "-c", CHOOSE, asked]
    printed = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True).stdout
    return [str(each) for each in json.loads(printed)]


def test_what_shows_the_most_is_chosen_and_not_what_the_suite_has(checkout: Path) -> None:
    first = choose(checkout, 0, most=2, least=1)
    assert len(set(first)) == 2
    suite = Suite(checkout / "fixtures")
    read = [suite.scenario(each, require_expect=False) for each in first]
    assert {each.rule for each in read} == {"rules-hold-for-every-file"}
    again = choose(checkout, 0, most=2, least=1)
    assert not set(first) & set(again)
    assert {*first, *again} <= set(Suite(checkout / "fixtures").ids())


def test_what_shows_too_little_is_not_chosen(checkout: Path) -> None:
    assert choose(checkout, 0, most=1, least=10_000) == []
