"""Compose the families `crossings` and `thresholds` of the corpus.

    python3 observatory/tools/mutation/compose.py [FAMILY ...]

writes their files; `readfirst product record --family crossings` records new scenarios. The family `thresholds` keeps
its scenarios, and gets a new one for each rule and size that lacks it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import crossings
import shown
import subjects
import thresholds
from theme import theme_text

from readfirst.harness.suite.suite import Suite
from readfirst.observatory.fuzz.scenario_values import scenario_values

ROOT = Path(__file__).resolve().parents[3]
NOTE = "Composed by observatory/tools/mutation/compose.py; what is expected is in the recordings alone."


def themes() -> dict[str, crossings.Scenarios]:
    """Return the scenarios of the family `crossings` by file and, in each file, by the last part of their ids."""
    of_files = (*crossings.EVENTS, *crossings.IN_PLAIN_EVENTS)
    return {
        "crossings/rules": dict(crossings.crossings(subjects.RULES, (*crossings.EVENTS, "mentioned"))),
        "crossings/files": dict(crossings.crossings(subjects.FILES, of_files)),
        "crossings/shown": {
            **dict(crossings.crossings(shown.SUBJECTS, shown.EVENTS)),
            **shown.by_other_ways(),
        },
        "crossings/characters": shown.half_characters(),
    }


def threshold_themes() -> dict[str, crossings.Scenarios]:
    """Return the scenarios of the family `thresholds` by file (one for each size) and, in each file, by the last part
    of their ids. Existing scenarios are kept. Prints each rule that lacks a scenario although thresholds.yaml states no
    reason, and each rule that has all scenarios although thresholds.yaml states a reason.
    """
    suite = Suite(ROOT / "fixtures")
    found: dict[str, crossings.Scenarios] = {f"thresholds/{size}": {} for size in thresholds.SIZES}
    for scenario in map(suite.scenario, [each for each in suite.ids() if each.startswith("thresholds/")]):
        family, slug = scenario.id.split("/")
        found[f"{family}/{slug.rpartition('-')[2]}"][slug] = {**scenario_values(scenario), "tags": []}
    for size, rule, values in thresholds.thresholds(suite):
        found[f"thresholds/{size}"][f"{rule}-{size}"] = {
            **{
                key: values[key]
                for key in ("title", "requirement", "rule", "given", "steps")
                if key in values
            },
            "tags": [],
        }
    assert suite.rules is not None
    reasons = thresholds.without_scenarios()
    for rule in (*suite.rules.of("safety"), *suite.rules.of("design")):
        lacking = [
            size for size in thresholds.SIZES if f"{rule.id}-{size}" not in found[f"thresholds/{size}"]
        ]
        if bool(lacking) != (rule.id in reasons):
            print(f"{rule.id}: state in thresholds.yaml why it lacks {lacking}, or remove its reason")
    return found


def main() -> None:
    """Write the scenario files of the families that the command line names, by default of both families."""
    made = {"crossings": themes, "thresholds": threshold_themes}
    for family in sys.argv[1:] or made:
        for name, scenarios in made[family]().items():
            path = ROOT / "fixtures" / "corpus" / f"{name}.yaml"
            path.parent.mkdir(exist_ok=True)
            path.write_text(theme_text(scenarios, NOTE), "utf-8")
            print(f"{name}: {len(scenarios)} scenarios")


if __name__ == "__main__":
    main()
