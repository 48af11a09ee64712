"""Coverage: which pairs of values each question has to meet, and which of them scenarios lack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, combinations_with_replacement

from readfirst.harness.crossing.dimensions import DIMENSIONS, QUESTIONS, RULES, Pair, Point, Values, possible
from readfirst.harness.crossing.meetings import meetings
from readfirst.harness.suite.scenario import Scenario

__all__ = ["FAMILY", "Goals", "is_about", "lacking"]

FAMILY = "crossed"
"""The scenarios that meet the pairs."""

_TOGETHER = "any rule"
"""In place of a question or a rule: a pair that one of them has to meet, whichever."""

_SINGLE = ("path", "relative")
"""A value that they have to meet together only: each such scenario needs a session of the product of its own."""

_POINTS: tuple[Point, ...] = tuple(
    (name, value) for name, each in DIMENSIONS.items() for value in each.values
)
_NUMBERS = {point: number for number, point in enumerate(_POINTS)}
_MANY = len(_POINTS)


class Goals:
    """What has still to be met: by each question pairs of values, by each rule values; at first all that can be.

    Questions and rules are both asked for by name. `of_rules`: each rule has to meet the pairs itself, and nothing else
    is asked.
    """

    def __init__(self, *, of_rules: bool = False) -> None:
        self._open: dict[str, set[int]] = {name: set() for name in (*QUESTIONS, *RULES, _TOGETHER)}
        for question, rules in QUESTIONS.items():
            for rule in rules:
                for pair in _pairs(RULES[rule]):
                    if of_rules:
                        self._open[rule].update(() if _SINGLE in pair else (_number(pair),))
                    elif _SINGLE in pair:
                        self._open[_TOGETHER].add(_number(pair))
                    else:
                        self._open[question].add(_number(pair))
                        self._open[rule].update(_number((point, point)) for point in pair)

    def left(self, names: Iterable[str]) -> int:
        """Return how much these have still to meet."""
        return sum(len(self._open[name]) for name in names)

    def meet(self, values: Values) -> None:
        """Note a call with these values."""
        numbers = _all(values)
        for name in _asked(values):
            self._open[name].difference_update(numbers)

    def meet_all(self, scenarios: Iterable[Scenario]) -> None:
        """Note the calls of scenarios, by what they expect."""
        for scenario in scenarios:
            for values in meetings(scenario):
                self.meet(values)

    def lacking(self) -> list[str]:
        """Return a sentence for each thing that is still to be met, by questions and rules."""
        return [
            f"{name} is never met by {' and '.join(f'{one} {other}' for one, other in _named(pair))}"
            for name, pairs in self._open.items()
            for pair in sorted(pairs)
        ]


def lacking(scenarios: Iterable[Scenario]) -> list[str]:
    """Return a sentence for each pair or value that a question or a rule does not meet in the scenarios."""
    known = list(scenarios)
    found = []
    for goals in (Goals(), Goals(of_rules=True)):
        goals.meet_all(known)
        found += goals.lacking()
    return found


def is_about(rule: str, values: Values) -> bool:
    """Whether a call with these values is about a rule of `RULES`."""
    return all(values[name] in among for name, among in RULES[rule].items())


def _asked(values: Values) -> list[str]:
    """Return the names of the questions and rules that a call with these values is about."""
    names = []
    for question, rules in QUESTIONS.items():
        about = [rule for rule in rules if is_about(rule, values)]
        names += [question, *about] if about else []
    return [*names, _TOGETHER] if names else []


def _all(values: Values) -> list[int]:
    """Return the numbers of all values, and of all pairs of them."""
    numbers = [_NUMBERS[name, values[name]] for name in DIMENSIONS if name in values]
    return [one * _MANY + other for one, other in combinations_with_replacement(numbers, 2)]


def _named(pair: int) -> list[Point]:
    """Return the values of a number, one or two."""
    return list(dict.fromkeys((_POINTS[pair // _MANY], _POINTS[pair % _MANY])))


def _number(pair: Pair) -> int:
    one, other = pair
    return _NUMBERS[one] * _MANY + _NUMBERS[other]


_EXCLUDED = frozenset(
    _number((one, other))
    for one, other in combinations(_POINTS, 2)
    if one[0] != other[0] and not possible(one, other)
)


def _pairs(allowed: Mapping[str, tuple[str, ...]]) -> Iterator[Pair]:
    """Yield the pairs that leave a value to every other dimension."""
    points = {
        name: [(name, value) for value in allowed.get(name, each.values)] for name, each in DIMENSIONS.items()
    }
    for one, other in combinations(points, 2):
        rest = [values for name, values in points.items() if name not in (one, other)]
        for first in points[one]:
            for second in points[other]:
                if _fits(first, second) and all(
                    any(_fits(each, first) and _fits(each, second) for each in values) for values in rest
                ):
                    yield first, second


def _fits(one: Point, other: Point) -> bool:
    first, second = sorted((_NUMBERS[one], _NUMBERS[other]))
    return first * _MANY + second not in _EXCLUDED
