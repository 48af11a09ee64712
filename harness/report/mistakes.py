"""Mistakes: what a failure shows, how bad it is, and the mistake that most failures have in common."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from readfirst.harness.compare.failure_signature import kind, kind_of_harm, signature
from readfirst.harness.compare.verdict import LEVELS, Verdict, up_to
from readfirst.harness.suite.harm_kinds import BESIDE, HARMS
from readfirst.harness.suite.scenario_metadata import REQUIREMENTS

_ORDER = (*HARMS, "broken", *BESIDE)
"""What went wrong, the worst first; of a replay that ended early nobody knows."""


@dataclass(frozen=True, slots=True, order=True)
class Worst:
    """What failures sort by, the worst first; the fields in the order in which they count.

    `level`, `requirement` and `kind` are places in LEVELS, REQUIREMENTS and the kinds of harm. Harm comes before
    refusals without need (`is_overcautious`). Of equal harm one that a person wrote comes before one that was made, and
    the shorter, of `length` given files and steps, before the longer: it is the easiest to look into.
    """

    level: int
    is_overcautious: bool
    requirement: int
    kind: int
    made: bool
    length: int


def worst(verdict: Verdict) -> Worst:
    """Return the rank of a failed or broken verdict. A requirement that is not known counts as `must`."""
    broken, asked = verdict.status == "broken", up_to(verdict.level)
    requirement = 0 if verdict.requirement is None else REQUIREMENTS.index(verdict.requirement)
    kinds = ["broken"] if broken else [harm.kind for harm in verdict.harms]
    kind = min(map(_ORDER.index, kinds), default=len(_ORDER))
    failing = (at for at, level in enumerate(asked) if broken or not verdict.levels.get(level, True))
    level = next(failing, len(asked) - 1)
    return Worst(
        level, _is_overcautious(verdict), requirement, kind, is_made(verdict.scenario_id), verdict.length
    )


def _is_overcautious(verdict: Verdict) -> bool:
    """Whether a verdict shows no harm, but a refusal of a call that every contract answers."""
    kinds = {harm.kind for harm in verdict.harms}
    return verdict.status != "broken" and "overcautious" in kinds and not kinds & {*HARMS}


def is_made(scenario_id: str) -> bool:
    """Whether a program made the scenario from dimensions; its files are long and its names say little."""
    return scenario_id.startswith("crossed/")


_FEWEST = 10
"""Failures that a mistake must explain to be listed before all others."""
_EXAMPLE_CHARS = 60
"""Characters of what was expected and of what came."""
_ALIKE = ("text", "verbatim", "broken")
"""Levels at which many failures are alike without being one mistake."""


class Failure(NamedTuple):
    """What a failed verdict shows.

    `mistakes` are names of differences up to the level that was asked for, each with the index of its level in LEVELS.
    `is_overcautious`: the implementation did no harm, but refused a call that every contract answers.
    """

    mistakes: frozenset[tuple[str, int]]
    is_overcautious: bool

    def level(self, fixed: str | None = None) -> int | None:
        """Return the index of the lowest level that fails if the mistake `fixed` counts as fixed; None if none does."""
        return min((level for name, level in self.mistakes if name != fixed), default=None)

    def severity(self, fixed: str | None = None) -> int:
        """Return a number to sort by, the worst first: harm, then effects, overcautious refusals, reasons, words."""
        level = self.level(fixed)
        if level is None:
            return 2 * len(LEVELS)
        return OVERCAUTIOUS if self.is_overcautious and level <= _EFFECTS else 2 * level

    def names(self, fixed: str | None = None) -> set[str]:
        """Return the mistakes at the lowest level that fails."""
        lowest = self.level(fixed)
        return {name for name, level in self.mistakes if level == lowest and name != fixed}

    def has_only(self, name: str) -> bool:
        """Whether the failure is of one mistake: the others, such as words, are not as bad."""
        return self.names() == {name}


_EFFECTS = LEVELS.index("effects")
OVERCAUTIOUS = 2 * _EFFECTS + 1
"""The severity of refusals without need."""


def failure_of(verdict: Verdict) -> Failure:
    """Return what a failed or broken verdict shows.

    Above the level `safe`, harm that comes with a difference in effects is that difference's.
    """
    asked, lowest = LEVELS.index(verdict.level), worst(verdict).level
    if verdict.level == "safe":
        found = [(kind_of_harm(each), lowest) for each in verdict.differences if each.level == "safe"]
    else:
        found = [
            (kind(each), lowest if level == _EFFECTS else level)
            for each in verdict.differences
            if each.level != "safe" and (level := LEVELS.index(each.level)) <= asked
        ]
    if verdict.status == "broken" or not found:
        found = [(signature(verdict), lowest)]
    return Failure(frozenset(found), _is_overcautious(verdict))


@dataclass(frozen=True, slots=True)
class Dominant:
    """The most frequent mistake: in how many of all failures it is, and how many show nothing else that is as bad.

    `shortest` is the verdict on the shortest of these.
    """

    kind: str
    failing: int
    alone: int
    of: int
    shortest: Verdict
    is_overcautious: bool = False

    @property
    def hides(self) -> bool:
        """Whether there are other failures beside it."""
        return self.alone < self.of

    @property
    def example(self) -> str:
        """The difference that is the mistake, in the shortest failure, in one line."""
        name_of = kind_of_harm if self.kind.startswith("safe: ") else kind
        found = next((each for each in self.shortest.differences if name_of(each) == self.kind), None)
        if found is None:
            return self.kind
        if found.level == "safe":
            return found.what
        shown = (
            f"{text[:_EXAMPLE_CHARS]}..." if len(text) > _EXAMPLE_CHARS else text
            for text in (found.expected, found.got)
        )
        return f"{found.label}: expected {next(shown)}, got {next(shown)}"


Ranked = tuple[tuple[bool, int, bool, int, Worst, str], Verdict]
"""A verdict after a key to sort by: unaccepted ones first, then the worst, then the shortest."""


def dominant_of(
    fails: Mapping[Failure, int], shortest: Iterable[Mapping[Failure, Ranked]]
) -> Dominant | None:
    """Return the mistake that alone explains more than a quarter of the failures; None if there is none."""
    total = sum(fails.values())
    frequent: Counter[str] = Counter()
    for failure, number in fails.items():
        named = {name for name, _ in failure.mistakes if name.partition(":")[0] not in _ALIKE}
        frequent.update(dict.fromkeys(named, number))
    if not frequent:
        return None
    [(most, failing)] = frequent.most_common(1)
    alone = sum(number for failure, number in fails.items() if failure.has_only(most))
    if failing < _FEWEST or 4 * alone <= total:
        return None
    shown = [
        (ranked, failure)
        for by_failure in shortest
        for failure, ranked in by_failure.items()
        if failure.has_only(most) and not ranked[0][0]
    ]
    (_, verdict), failure = min(shown, key=lambda each: each[0][0])
    return Dominant(most, failing, alone, total, verdict, failure.is_overcautious)
