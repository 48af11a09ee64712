"""Rank failures by severity, and find the mistake that most failures share."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from readfirst.harness.compare.failure_signature import kind, kind_of_harm, signature
from readfirst.harness.compare.verdict import LEVELS, Verdict, up_to
from readfirst.harness.suite.harm_kinds import HARMS, NON_HARM_KINDS
from readfirst.harness.suite.scenario_metadata import REQUIREMENTS, is_generated

_KINDS_BY_SEVERITY = (*HARMS, "error", *NON_HARM_KINDS)
"""Kinds of failures, the worst first: harm, `error` (a replay that ended early), findings that are not harm."""


@dataclass(frozen=True, slots=True, order=True)
class FailureRank:
    """Sort key that puts the worst failure first. The fields are compared in order."""

    level: int
    """Index of the level in LEVELS."""
    is_overcautious: bool
    """Whether the failure is only an unnecessary refusal."""
    requirement: int
    """Index in REQUIREMENTS."""
    kind: int
    """Index in the kinds of harm."""
    is_generated: bool
    length: int
    """Number of given files and steps."""


def worst(verdict: Verdict) -> FailureRank:
    """Return the rank of a failed verdict or an error. An unknown requirement counts as `must`."""
    is_error, requested = verdict.status == "error", up_to(verdict.level)
    requirement = 0 if verdict.requirement is None else REQUIREMENTS.index(verdict.requirement)
    kinds = ["error"] if is_error else [harm.kind for harm in verdict.harms]
    kind = min(map(_KINDS_BY_SEVERITY.index, kinds), default=len(_KINDS_BY_SEVERITY))
    holds = [not is_error and verdict.levels.get(level, True) for level in requested]
    level = len(requested) - 1 if all(holds) else holds.index(False)
    return FailureRank(
        level, _is_overcautious(verdict), requirement, kind, is_generated(verdict.scenario_id), verdict.length
    )


def _is_overcautious(verdict: Verdict) -> bool:
    """Whether the implementation did no harm, but refused a call that every contract answers."""
    kinds = {harm.kind for harm in verdict.harms}
    return verdict.status != "error" and "overcautious" in kinds and not kinds & {*HARMS}


_MIN_FAILURES = 10
"""Minimum number of failures that must share a mistake before a report calls the mistake dominant."""
_EXAMPLE_CHARS = 60
"""Maximum characters of each value, expected and actual, in the example of a mistake."""
_UNSPECIFIC_KINDS = ("text", "verbatim", "error")
"""Prefixes of kinds of mistakes that are never reported as the dominant mistake, because they are too general."""


class Failure(NamedTuple):
    """The set of mistakes in a failed verdict. `mistakes` contains the kind of each difference up to the requested
    level, with the index of its level in LEVELS. `is_overcautious` means that the implementation did no harm, but
    refused a call that every contract answers.
    """

    mistakes: frozenset[tuple[str, int]]
    is_overcautious: bool

    def level(self, fixed: str | None = None) -> int | None:
        """Return the lowest failing level (index in LEVELS), or None. Mistakes named `fixed` are ignored."""
        return min((level for name, level in self.mistakes if name != fixed), default=None)

    def severity(self, fixed: str | None = None) -> int:
        """Return a number to sort failures, the lowest for the worst: harm, different effects, overcautious refusals,
        different reasons, different words. Mistakes named `fixed` are ignored.
        """
        level = self.level(fixed)
        if level is None:
            return 2 * len(LEVELS)
        return OVERCAUTIOUS if self.is_overcautious and level <= _EFFECTS_INDEX else 2 * level

    def names(self, fixed: str | None = None) -> set[str]:
        """Return the names of the mistakes at the lowest failing level. Mistakes named `fixed` are ignored."""
        lowest = self.level(fixed)
        return {name for name, level in self.mistakes if level == lowest and name != fixed}

    def has_only(self, name: str) -> bool:
        """Whether `name` is the only mistake at the lowest failing level. Mistakes at higher levels are ignored."""
        return self.names() == {name}


_EFFECTS_INDEX = LEVELS.index("effects")
OVERCAUTIOUS = 2 * _EFFECTS_INDEX + 1
"""Severity of a failure with only unnecessary refusals: between different effects and different reasons."""


def failure_of(verdict: Verdict) -> Failure:
    """Return the mistakes of a failed verdict or error: at the level `safe` kinds of harm, else of differences."""
    requested, lowest = LEVELS.index(verdict.level), worst(verdict).level
    if verdict.level == "safe":
        repeated = _repeated_strays(verdict)
        mistakes = [
            (kind_of_harm(difference), lowest)
            for difference in verdict.differences
            if difference.level == "safe" and difference.what not in repeated
        ]
    else:
        mistakes = [
            (kind(difference), lowest if level == _EFFECTS_INDEX else level)
            for difference in verdict.differences
            if difference.level != "safe" and (level := LEVELS.index(difference.level)) <= requested
        ]
    if verdict.status == "error" or not mistakes:
        mistakes = [(signature(verdict), lowest)]
    return Failure(frozenset(mistakes), _is_overcautious(verdict))


def _repeated_strays(verdict: Verdict) -> set[str]:
    """Return the descriptions of `stray` harms to ignore. Only the first `stray` harm at a path is a mistake."""
    paths: set[str] = set()
    first_lines: set[str] = set()
    strays = [harm for harm in verdict.harms if harm.kind == "stray"]
    for harm in strays:
        if harm.path not in paths:
            first_lines.add(harm.line)
        paths.add(harm.path)
    return {harm.line for harm in strays} - first_lines


@dataclass(frozen=True, slots=True)
class DominantMistake:
    """The most frequent mistake of a run, which explains many failures at once."""

    kind: str
    failing: int
    """Number of failures with this mistake."""
    alone: int
    """Number of failures with only this mistake at their lowest failing level."""
    total_failures: int
    """Number of all failures."""
    shortest: Verdict
    """The shortest verdict among the failures with only this mistake."""
    is_overcautious: bool = False

    @property
    def hides(self) -> bool:
        """Whether some failures have other mistakes, too. Reports then ignore this mistake in the list of failures."""
        return self.alone < self.total_failures

    @property
    def example(self) -> str:
        """A one-line example: the first difference with this mistake in the shortest failure, or the mistake's kind."""
        name_of = kind_of_harm if self.kind.startswith("safe: ") else kind
        difference = next(
            (difference for difference in self.shortest.differences if name_of(difference) == self.kind), None
        )
        if difference is None:
            return self.kind
        if difference.level == "safe":
            return difference.what
        excerpts = (
            f"{text[:_EXAMPLE_CHARS]}..." if len(text) > _EXAMPLE_CHARS else text
            for text in (difference.expected, difference.got)
        )
        return f"{difference.label}: expected {next(excerpts)}, got {next(excerpts)}"


RankedVerdict = tuple[tuple[bool, int, bool, int, FailureRank, str], Verdict]
"""A verdict with its sort key. The key puts unaccepted failures first, then the worst failures, then the shortest."""


def find_dominant_mistake(
    fails: Mapping[Failure, int], shortest: Iterable[Mapping[Failure, RankedVerdict]]
) -> DominantMistake | None:
    """Return the most frequent mistake. None if it occurs in fewer than _MIN_FAILURES failures, or is the only mistake
    in at most a quarter of the failures. `fails` contains the number of scenarios by failure. `shortest` contains, for
    each rule, the shortest verdict by failure.
    """
    total = sum(fails.values())
    frequent: Counter[str] = Counter()
    for failure, number in fails.items():
        mistakes = {name for name, _ in failure.mistakes if name.partition(":")[0] not in _UNSPECIFIC_KINDS}
        frequent.update(dict.fromkeys(mistakes, number))
    if not frequent:
        return None
    [(most_frequent, failing)] = frequent.most_common(1)
    alone = sum(number for failure, number in fails.items() if failure.has_only(most_frequent))
    if failing < _MIN_FAILURES or 4 * alone <= total:
        return None
    candidates = [
        (ranked, failure)
        for by_failure in shortest
        for failure, ranked in by_failure.items()
        if failure.has_only(most_frequent) and not ranked[0][0]
    ]
    (_, verdict), failure = min(candidates, key=lambda candidate: candidate[0][0])
    return DominantMistake(most_frequent, failing, alone, total, verdict, failure.is_overcautious)
