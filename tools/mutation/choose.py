"""Choose drawn scenarios for the suite: those in which exceptions of rules show that no scenario shows yet.

    python3 tools/mutation/choose.py [--per-theme N] [--most N] [--least N]
    python3 tools/crossing.py --write
    readfirst product record --family crossed

Writes harness/crossing/chosen.py: what it names stays, and what is chosen is added. The reference decides what is worth
recording, the real product what is expected.
"""

from __future__ import annotations

# ruff: noqa: E402 - the checkout must be importable first
import argparse
import sys
from collections import Counter
from collections.abc import Collection, Mapping
from heapq import heapify, heappop, heappush
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(CHECKOUT))

from confinement import Confined
from panel import Panel
from scenarios import scenario_panel
from switches import Point, Switches

from readfirst.harness.crossing.chosen import CHOSEN
from readfirst.harness.crossing.draw import drawn
from readfirst.harness.crossing.themes import THEMES
from readfirst.harness.fuzz.disagree import first_disagreement
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.source.atomic import write_all
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite

FILE = CHECKOUT / "harness" / "crossing" / "chosen.py"
_ATTEMPTS = 9
"""After how many scenarios of a theme in which a point does not show it is given up there."""
_FADES = 0.6
"""What a point is worth after each of them."""

Place = tuple[str, int]
"""A theme and a number."""


def main() -> int:
    """Choose, and write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--per-theme", type=int, default=100, help="how many are drawn of each theme")
    parser.add_argument("--most", type=int, default=60, help="how many are chosen at most")
    parser.add_argument("--least", type=int, default=2, help="how many exceptions each has to show")
    options = parser.parse_args()
    panel = scenario_panel(CHECKOUT, {}, exceptions=True)
    confined = Confined(
        lambda: chosen(panel, CHECKOUT / "fixtures", CHOSEN, options.per_theme, options.most, options.least)
    )
    try:
        found: list[Place] = confined.result()
    finally:
        confined.end()
    numbers = {
        theme: sorted({*CHOSEN.get(theme, ()), *(number for each, number in found if each == theme)})
        for theme in THEMES
    }
    write_all({FILE: text_of(numbers).encode()})
    print(f"{len(found)} more are chosen", file=sys.stderr)
    return 0


def text_of(numbers: Mapping[str, Collection[int]]) -> str:
    """Return the module that names these."""
    before = FILE.read_text("utf-8").partition("= {\n")[0]
    rows = [
        f'    "{theme}": ({", ".join(map(str, each))}{"," * (len(each) == 1)}),\n'
        for theme, each in numbers.items()
        if each
    ]
    return f"{before}= {{\n{''.join(rows)}}}\n"


def chosen(
    panel: Panel, root: Path, former: Mapping[str, Collection[int]], per_theme: int, most: int, least: int
) -> list[Place]:
    """Return places of drawn scenarios that show what neither the panel's cases nor those at `former` places show."""
    suite = Suite(root)
    rules = suite.rules
    if rules is None:
        raise ValueError(f"{root} has no rules.yaml")
    contract = panel.cases[0].partition(" ")[0]
    switches = Switches(panel, contract)

    def shows(scenario: Scenario, outcome: Outcome, point: Point) -> bool:
        changed = switches.changed(scenario, point)
        return changed.broken is not None or (
            first_disagreement(scenario, outcome, changed, "text", suite.vocabulary) is not None
        )

    places = [(theme, number) for number in range(per_theme) for theme in THEMES]
    known = [suite.scenario(name.partition(" ")[2]) for name in panel.cases]
    names = {each.id for each in known}
    for theme, numbers in former.items():
        known += [each for number in numbers if (each := drawn(theme, number, rules)).id not in names]
    seen = [(each, *switches.met(each)) for each in known]

    by: dict[Point, list[int]] = {}
    for index, (_, _, met) in enumerate(seen):
        for point in met:
            by.setdefault(point, []).append(index)
    told: Counter[tuple[int, bool, int]] = Counter()

    def is_shown(point: Point) -> bool:
        """Ask first the scenarios that show others of the same rule."""
        of_rule = point[:2]
        for index in sorted(by.get(point, ()), key=lambda index: -told[*of_rule, index]):
            scenario, outcome, _ = seen[index]
            if shows(scenario, outcome, point):
                told[*of_rule, index] += 1
                return True
        return False

    noticed = [rule for rule in switches.points if is_shown(rule)]
    left = {point for rule in noticed for point in switches.exceptions(rule) if not is_shown(point)}
    pool: dict[Place, tuple[Scenario, Outcome, set[Point]]] = {}
    for place in places:
        scenario = drawn(*place, rules)
        outcome, met = switches.met(scenario)
        if outcome.broken is None and place[1] not in former.get(place[0], ()):
            pool[place] = scenario, outcome, met & left
    taken: list[Place] = []
    failed: Counter[tuple[Point, str]] = Counter()

    def tried_at(place: Place) -> set[Point]:
        return {point for point in pool[place][2] & left if failed[point, place[0]] < _ATTEMPTS}

    def worth(place: Place) -> float:
        return sum(_FADES ** failed[point, place[0]] for point in tried_at(place))

    # What a place is worth only ever falls, so the best is the first that is still worth what it was.
    best = [(-worth(place), place) for place in pool]
    heapify(best)
    while best and len(taken) < most:
        before, place = heappop(best)
        tried = sorted(tried_at(place))
        if len(tried) < least:
            continue
        if -worth(place) > before:
            heappush(best, (-worth(place), place))
            continue
        scenario, outcome, _ = pool[place]
        shown = {point for point in tried if shows(scenario, outcome, point)}
        failed.update((point, place[0]) for point in tried if point not in shown)
        if len(shown) >= least:
            taken.append(place)
            left -= shown
    return taken


if __name__ == "__main__":
    sys.exit(main())
