"""Drawn scenarios are chosen for what they show and no scenario of the suite does."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from choose import FILE, text_of
from test_mutants_of_exceptions import CHECKOUT, small_checkout

from readfirst.harness.crossing.chosen import CHOSEN
from readfirst.harness.crossing.themes import THEMES


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose only scenario is an Edit of an unread file."""
    small_checkout(tmp_path, hidden=False)
    rules = CHECKOUT / "fixtures" / "rules.yaml"
    (tmp_path / "fixtures" / "rules.yaml").write_bytes(rules.read_bytes())
    return tmp_path


pytestmark = pytest.mark.mutation

CHOOSE = f"""
import json, sys
folder, former, most, least = json.loads(sys.argv[1])
sys.path[:0] = [{str(CHECKOUT)!r}, {str(CHECKOUT / "tools" / "mutation")!r}]
from pathlib import Path
import scenarios
from choose import chosen
from importing import forget
panel = scenarios.scenario_panel(Path(folder), {{}}, exceptions=True)
forget(panel)
print(json.dumps(chosen(panel, Path(folder) / "fixtures", former, 1, most, least)))
"""
"""In a process of its own: the reference is taken apart there, and nothing may have used it before."""


def choose(
    checkout: Path, former: dict[str, tuple[int, ...]], most: int, least: int
) -> list[tuple[str, int]]:
    asked = json.dumps([str(checkout), former, most, least])
    command = [sys.executable, "-c", CHOOSE, asked]
    told = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True).stdout
    return [(theme, number) for theme, number in json.loads(told)]


def test_what_shows_the_most_is_chosen_and_not_once_more(checkout: Path) -> None:
    first = choose(checkout, {}, most=2, least=1)
    assert len(set(first)) == 2
    assert {theme for theme, _ in first} <= THEMES.keys()
    again = choose(checkout, {theme: (number,) for theme, number in first}, most=1, least=1)
    assert len(again) == 1
    assert again[0] not in first


def test_what_shows_too_little_is_not_chosen(checkout: Path) -> None:
    assert choose(checkout, {}, most=1, least=10_000) == []


def test_the_file_is_written_as_it_is() -> None:
    assert text_of(CHOSEN) == FILE.read_text("utf-8")
