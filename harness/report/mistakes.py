"""Rank failures by severity, and find the mistake that most failures share."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from readfirst.harness.compare.failure_signature import kind, kind_of_harm, signature
from readfirst.harness.compare.verdict import LEVELS, Verdict, up_to
from readfirst.harness.suite.harm_kinds import BESIDE, HARMS
from readfirst.harness.suite.scenario_metadata import REQUIREMENTS

_ORDER = (*HARMS, "broken", *BESIDE)
"""Kinds of failures, the worst first. For a broken replay the kind is unknown."""


@dataclass(frozen=True, slots=True, order=True)
class Worst:
    """Sort key of failures, the worst first. The fields are compared in order.

    `level`, `requirement` and `kind` are indexes in LEVELS, REQUIREMENTS and the kinds of harm. Harm comes
    before unnecessary refusals (`is_overcautious`). For equal harm, scenarios written by people precede
    generated ones, and shorter scenarios (`length`: given files and steps) precede longer ones.
    """

    level: int
    is_overcautious: bool
    requirement: int
    kind: int
    made: bool
    length: int


def worst(verdict: Verdict) -> Worst:
    """Return the rank of a failed or broken verdict. An unknown requirement counts as `must`."""
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
    """Whether a verdict contains no harm, but a refusal of a call that every contract answers."""
    kinds = {harm.kind for harm in verdict.harms}
    return verdict.status != "broken" and "overcautious" in kinds and not kinds & {*HARMS}


def is_made(scenario_id: str) -> bool:
    """Whether a program generated the scenario; its files are long and its name is not descriptive."""
    return scenario_id.startswith("crossed/")


_FEWEST = 10
"""Minimum number of failures that a mistake must explain to be listed first."""
_EXAMPLE_CHARS = 60
"""Maximum characters of the expected and the actual value."""
_ALIKE = ("text", "verbatim", "broken")
"""Levels at which many failures are similar without sharing a mistake."""


class Failure(NamedTuple):
    """The mistakes in a failed verdict.

    `mistakes` are names of differences up to the requested level, each with the index of its level in LEVELS.
    `is_overcautious` means that the implementation did no harm, but refused a call that every contract answers.
    """

    mistakes: frozenset[tuple[str, int]]
    is_overcautious: bool

    def level(self, fixed: str | None = None) -> int | None:
        """Return the index of the lowest failing level if the mistake `fixed` counts as fixed. None if no level
        fails.
        """
        return min((level for name, level in self.mistakes if name != fixed), default=None)

    def severity(self, fixed: str | None = None) -> int:
        """Return the severity for sorting, the worst first: harm, effects, overcautious refusals, reasons,
        words.
        """
        level = self.level(fixed)
        if level is None:
            return 2 * len(LEVELS)
        return OVERCAUTIOUS if self.is_overcautious and level <= _EFFECTS else 2 * level

    def names(self, fixed: str | None = None) -> set[str]:
        """Return the mistakes at the lowest failing level."""
        lowest = self.level(fixed)
        return {name for name, level in self.mistakes if level == lowest and name != fixed}

    def has_only(self, name: str) -> bool:
        """Whether the failure has only one mistake of its severity; others, such as words, are less severe."""
        return self.names() == {name}


_EFFECTS = LEVELS.index("effects")
OVERCAUTIOUS = 2 * _EFFECTS + 1
"""Severity of unnecessary refusals."""


def failure_of(verdict: Verdict) -> Failure:
    """Return the mistakes of a failed or broken verdict.

    Above the level `safe`, harm with a different effect counts as that difference.
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
    """The most frequent mistake: the number of failures with it, and of failures with no other mistake as
    severe.

    `shortest` is the verdict of the shortest of these.
    """

    kind: str
    failing: int
    alone: int
    of: int
    shortest: Verdict
    is_overcautious: bool = False

    @property
    def hides(self) -> bool:
        """Whether there are other failures."""
        return self.alone < self.of

    @property
    def example(self) -> str:
        """The difference with this mistake in the shortest failure, in one line."""
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
"""A verdict after its sort key: unaccepted ones first, then the worst, then the shortest."""


def dominant_of(
    fails: Mapping[Failure, int], shortest: Iterable[Mapping[Failure, Ranked]]
) -> Dominant | None:
    """Return the mistake that explains more than a quarter of the failures. None if there is none."""
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
