"""Draw: whole scenarios drawn at random in which unusual files meet every kind of call, refused ones included.

The scenarios of `composition` put the questions of the gate and of staleness. These take the other rules to the same
files: what is found and replaced, what is shown, what is made anew, denied, or changed while a call runs. A scenario
depends on its theme and number alone; `chosen` names those that the suite has.
"""

from __future__ import annotations

import posixpath
from random import Random

from readfirst.harness.crossing.drawn_files import DrawnFiles
from readfirst.harness.crossing.moves import Moves
from readfirst.harness.crossing.themes import THEMES, Theme
from readfirst.harness.fuzz.sketch import Sketch
from readfirst.harness.suite.rules import Rules
from readfirst.harness.suite.scenario import Given, Scenario, Step, ToolCall, WorldEvent

__all__ = ["RULE", "drawn"]

RULE = "rules-hold-for-every-file"
"""Whose scenarios these are: each meets too many rules to show one of them."""
_STEPS = 14
_DENIED = ("Edit(closed/**)", "Read(closed/unread/**)")
_NEEDS_FRESH = frozenset(
    (
        "edit",
        "invalid",
        "quotes",
        "told_again",
        "straight",
        "ended",
        "returned",
        "several",
        "everywhere",
        "missing",
        "write",
        "race",
        "spaced",
    )
)
"""Moves before which a file is mostly read."""


def drawn(theme: str, number: int, rules: Rules) -> Scenario:
    """Return a scenario without expectations. KeyError: no such theme. Raises UnknownRuleError."""
    about, random = THEMES[theme], Random(f"{theme} {number}")
    given = DrawnFiles(about, random)
    first = posixpath.basename(next(iter(given.files)))[:20].strip()
    return Scenario(
        id=f"crossed/{theme}-{number}",
        title=f"{about.sentence}: {first} and others, drawn as number {number}",
        requirement=rules[RULE].requirement,
        given=Given(given.files, _DENIED if about.denied else ()),
        steps=_steps(about, random, given),
        tags=about.tags,
        rule=RULE,
    )


def _steps(theme: Theme, random: Random, given: DrawnFiles) -> tuple[Step, ...]:
    sketch = Sketch()
    sketch.give(given.files)
    moves = Moves(theme, random, sketch)
    names, weights = zip(*theme.moves.items(), strict=True)
    steps: list[Step] = []
    while len(steps) < _STEPS:
        path = random.choice(given.paths)
        name = random.choices(names, weights)[0]
        there = path in sketch.files or sketch.links.get(path, "") in sketch.files
        if name in _NEEDS_FRESH and there and not sketch.is_fresh(path) and moves.often():
            steps.append(moves.called(moves.read(path), path))
        made = getattr(moves, name)(path)
        match made:
            case ToolCall():
                steps.append(moves.called(made, path))
            case WorldEvent():
                sketch.event(made)
                steps.append(made)
            case list():
                steps += made
            case _:
                pass
    return tuple(steps)
