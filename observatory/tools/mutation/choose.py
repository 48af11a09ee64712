"""Select generated scenarios for the suite that detect faults of the reference that the suite does not detect.

    python3 observatory/tools/mutation/choose.py [--seed N] [--drawn N] [--most N] [--least N]
    readfirst product record --family crossed

Each of these faults is an exception: one condition of the reference is wrong in one circumstance.

Generates scenarios as `readfirst fuzz` does, including long sessions, and adds the selected ones to the corpus, as
`crossed/drawn-SEED-NUMBER` or `crossed/long-SEED-NUMBER`. The reference decides which scenarios are useful; the real
product provides the expectations.
"""

from __future__ import annotations

# ruff: noqa: E402 - the checkout must be importable first
import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from heapq import heapify, heappop, heappush
from itertools import islice
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(CHECKOUT))

from confinement import Confined
from panel import Panel
from scenarios import scenario_panel
from switches import FaultPoint, Switches
from theme import theme_text

from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.observatory.fuzz import generate
from readfirst.observatory.fuzz.disagreement import disagreements
from readfirst.observatory.fuzz.scenario_values import scenario_values

FAMILY = "crossed"
RULE = "rules-hold-for-every-file"
"""The rule of all selected scenarios. Each scenario tests many rules together, so it belongs to none of these rules."""
_NOTE = (
    "Chosen by `python3 observatory/tools/mutation/choose.py`; what is expected is in the recordings alone."
)
_LONG_SESSION_INTERVAL = 20
"""One in this number of generated scenarios is a long session of 30 to 60 steps."""
_MAX_ATTEMPTS = 9
"""A fault that this many scenarios of a kind (`drawn-SEED`, `long-SEED`) missed is not tried with more of this kind."""
_VALUE_DECAY = 0.6
"""Each scenario that does not detect a fault multiplies the fault's value by this factor. High values come first."""


def main() -> int:
    """Write selected scenarios that detect faults of the reference that no scenario of the suite detects."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the generated scenarios")
    parser.add_argument("--drawn", type=int, default=2000, help="number of generated scenarios")
    parser.add_argument("--most", type=int, default=60, help="maximum number of selected scenarios")
    parser.add_argument(
        "--least",
        type=int,
        default=2,
        help="minimum number of faults that a selected scenario detects and no earlier scenario detects",
    )
    options = parser.parse_args()
    panel = scenario_panel(CHECKOUT, {}, exceptions=True)
    fixtures = CHECKOUT / "fixtures"
    pool = list(draw_scenarios(options.seed, options.drawn))
    confined = Confined(lambda: choose_scenarios(panel, fixtures, pool, options.most, options.least))
    try:
        found: list[Scenario] = confined.result()
    finally:
        confined.end()
    write_all(files_of(Suite(fixtures), found))
    print(f"{len(found)} more are chosen", file=sys.stderr)
    return 0


def files_of(suite: Suite, found: Iterable[Scenario]) -> dict[Path, bytes]:
    """Return the new content of the files in the corpus that contain the selected scenarios, by path."""
    new = {each.id: each for each in found}
    themes = {name.rpartition("-")[0] for name in new}
    held = [each for each in suite.ids() if each.rpartition("-")[0] in themes]
    every = {**{each: suite.scenario(each, require_expect=False) for each in held}, **new}
    return {
        suite.root / "corpus" / f"{theme}.yaml": theme_text(
            {
                name.partition("/")[2]: scenario_values(each)
                for name, each in every.items()
                if name.rpartition("-")[0] == theme
            },
            _NOTE,
        ).encode()
        for theme in themes
    }


def draw_scenarios(seed: int, number: int) -> Iterator[Scenario]:
    """Yield `number` generated scenarios with the id, title, rule and tags that they get in the suite."""
    kinds = (
        ("drawn", generate.scenarios(seed), number - number // _LONG_SESSION_INTERVAL),
        ("long", generate.long_sessions(seed), number // _LONG_SESSION_INTERVAL),
    )
    for kind, scenarios, most in kinds:
        for index, each in enumerate(islice(scenarios, most)):
            names = sorted(each.given.files) or ["a missing file"]
            title = f"Every rule holds in a generated session about {names[0]}"
            yield replace(each, id=f"{FAMILY}/{kind}-{seed}-{index}", title=title, rule=RULE, tags=("chain",))


def choose_scenarios(
    panel: Panel, root: Path, drawn: Iterable[Scenario], most: int, least: int
) -> list[Scenario]:
    """Select at most `most` of the generated scenarios `drawn`. Each selected scenario detects at least `least` faults
    of the reference that no other scenario detects. A fault is one condition that is wrong in one circumstance.
    """
    suite = Suite(root)
    contract = panel.cases[0].partition(" ")[0]
    switches = Switches(panel, contract)

    def shows(scenario: Scenario, outcome: Outcome, point: FaultPoint) -> bool:
        changed = switches.changed(scenario, point)
        return changed.error is not None or (
            any(disagreements(scenario, outcome, changed, "text", suite.vocabulary))
        )

    known = [suite.scenario(name.partition(" ")[2]) for name in panel.cases]
    seen = [(each, *switches.met(each)) for each in known]

    by: dict[FaultPoint, list[int]] = {}
    for index, (_, _, met) in enumerate(seen):
        for point in met:
            by.setdefault(point, []).append(index)
    caught: Counter[tuple[int, bool, int]] = Counter()

    def is_shown(point: FaultPoint) -> bool:
        """Whether a scenario of the suite detects the fault that `point` identifies. Scenarios that detected other
        faults of the same condition are tried first.
        """
        of_rule = point[:2]
        for index in sorted(by.get(point, ()), key=lambda index: -caught[*of_rule, index]):
            scenario, outcome, _ = seen[index]
            if shows(scenario, outcome, point):
                caught[*of_rule, index] += 1
                return True
        return False

    noticed = [rule for rule in switches.points if is_shown(rule)]
    left = {point for rule in noticed for point in switches.exceptions(rule) if not is_shown(point)}
    held = set(suite.ids())
    pool: dict[str, tuple[Scenario, Outcome, set[FaultPoint]]] = {}
    for scenario in drawn:
        outcome, met = switches.met(scenario)
        if outcome.error is None and scenario.id not in held:
            pool[scenario.id] = scenario, outcome, met & left
    taken: list[Scenario] = []
    failed: Counter[tuple[FaultPoint, str]] = Counter()

    def kind(name: str) -> str:
        return name.rpartition("-")[0]

    def tried_at(name: str) -> set[FaultPoint]:
        return {point for point in pool[name][2] & left if failed[point, kind(name)] < _MAX_ATTEMPTS}

    def worth(name: str) -> float:
        return sum(_VALUE_DECAY ** failed[point, kind(name)] for point in tried_at(name))

    # The worth of a scenario only falls, so the first scenario with an unchanged worth is the best.
    best = [(-worth(name), name) for name in pool]
    heapify(best)
    while best and len(taken) < most:
        before, name = heappop(best)
        tried = sorted(tried_at(name))
        if len(tried) < least:
            continue
        if -worth(name) > before:
            heappush(best, (-worth(name), name))
            continue
        scenario, outcome, _ = pool[name]
        shown = {point for point in tried if shows(scenario, outcome, point)}
        failed.update((point, kind(name)) for point in tried if point not in shown)
        if len(shown) >= least:
            taken.append(scenario)
            left -= shown
    return taken


if __name__ == "__main__":
    sys.exit(main())
