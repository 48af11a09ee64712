"""Drawn scenarios are chosen for what they show and no scenario of the suite does."""

from pathlib import Path

import pytest
import scenarios
from choose import FILE, chosen, text_of
from confinement import Confined
from importing import forget
from test_exceptions import CHECKOUT, small_checkout

from readfirst.harness.crossing.chosen import CHOSEN
from readfirst.harness.crossing.themes import THEMES


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose only scenario is an Edit of an unread file."""
    small_checkout(tmp_path, hidden=False)
    rules = CHECKOUT / "fixtures" / "rules.yaml"
    (tmp_path / "fixtures" / "rules.yaml").write_bytes(rules.read_bytes())
    return tmp_path


def choose(
    checkout: Path, former: dict[str, tuple[int, ...]], most: int, least: int
) -> list[tuple[str, int]]:
    panel = scenarios.scenario_panel(checkout, {}, exceptions=True)

    def found() -> list[tuple[str, int]]:
        forget(panel)
        return chosen(panel, checkout / "fixtures", former, 1, most, least)

    confined = Confined(found)
    try:
        return list(confined.result())
    finally:
        confined.end()


@pytest.mark.slow
def test_what_shows_the_most_is_chosen_and_not_once_more(checkout: Path) -> None:
    first = choose(checkout, {}, most=2, least=1)
    assert len(set(first)) == 2
    assert {theme for theme, _ in first} <= THEMES.keys()
    again = choose(checkout, {theme: (number,) for theme, number in first}, most=1, least=1)
    assert len(again) == 1
    assert again[0] not in first


@pytest.mark.slow
def test_what_shows_too_little_is_not_chosen(checkout: Path) -> None:
    assert choose(checkout, {}, most=1, least=10_000) == []


def test_the_file_is_written_as_it_is() -> None:
    assert text_of(CHOSEN) == FILE.read_text("utf-8")
