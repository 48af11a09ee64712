"""Files: composed scenarios as the files of the corpus, one of each theme, and whether those of a suite are these."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from readfirst.harness.crossing.chosen import CHOSEN
from readfirst.harness.crossing.composition import crossed_scenarios
from readfirst.harness.crossing.draw import drawn
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.values import values_of
from readfirst.harness.suite.written import theme_text

__all__ = ["FAMILY", "files_of", "planned", "stale"]

FAMILY = "crossed"

_NOTE = "Written by `python3 tools/crossing.py --write`; what is expected is in the recordings alone."


def planned(suite: Suite) -> dict[str, Scenario]:
    """Return every crossed scenario by its id, without expectations."""
    if suite.rules is None:
        raise ValueError(f"{suite.root} has no rules.yaml")
    rules = suite.rules
    chosen = (drawn(theme, number, rules) for theme, numbers in CHOSEN.items() for number in numbers)
    return {each.id: each for each in (*crossed_scenarios(rules), *chosen)}


def stale(suite: Suite) -> list[str]:
    """Return the ids of which the suite has another scenario than is made, or only one of the two has any."""
    wanted = {each: values_of(scenario) for each, scenario in planned(suite).items()}
    present = {each: _values(suite, each) for each in suite.ids() if each.partition("/")[0] == FAMILY}
    return sorted(each for each in {*wanted, *present} if wanted.get(each) != present.get(each))


def files_of(suite: Suite) -> dict[Path, bytes]:
    """Return what is made of each theme, by the path of its file."""
    themes: dict[str, dict[str, dict[str, Any]]] = {}
    for scenario_id, scenario in planned(suite).items():
        slug = scenario_id.partition("/")[2]
        themes.setdefault(slug.rpartition("-")[0], {})[slug] = values_of(scenario)
    folder = suite.root / "corpus" / FAMILY
    return {folder / f"{theme}.yaml": theme_text(made, _NOTE).encode() for theme, made in themes.items()}


def _values(suite: Suite, scenario_id: str) -> dict[str, Any]:
    return values_of(suite.scenario(scenario_id, require_expect=False))
