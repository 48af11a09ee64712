"""Find the version of the reference, and the fewest changed behaviours, that explain an implementation's results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from readfirst.observatory.claims.rule_index import behaviours_by_rule
from readfirst.observatory.diagnosis.behaviour_variants import (
    BehaviourChange,
    all_values,
    change_behaviours,
    versions,
)
from readfirst.observatory.diagnosis.fingerprint import AS_EXPECTED, NO_RESULT, Fingerprint
from readfirst.observatory.diagnosis.replay_cache import ReplayCache
from readfirst.reference_impl import DEFAULT_CONTRACT, Behaviours, behaviours_of

Observed = Mapping[str, Fingerprint]
"""The results of an implementation to diagnose, by scenario id."""
Level = Literal["effects", "reason"]

_MAX_THOROUGH_SCENARIOS = 12
"""If more scenarios are unexplained, the search tries only behaviours that scenarios of the same rule show."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One changed behaviour in a diagnosis, its value before the change, and the scenarios that the change explains."""

    change: BehaviourChange
    instead_of: Any
    explains: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """An implementation, described as a `version` of the reference with changed behaviours (`differences`). Both have
    the same results in all `compared` scenarios except `unexplained`. `failures` are the scenarios that differ from the
    default contract. `alike` are the versions that explain the same results with the same changes.
    """

    level: Level
    version: str
    alike: tuple[str, ...]
    differences: tuple[Difference, ...]
    compared: tuple[str, ...]
    failures: tuple[str, ...]
    unexplained: tuple[str, ...]

    @property
    def explained(self) -> tuple[str, ...]:
        """The failures that the diagnosis explains: the changed reference has the same wrong result."""
        return tuple(each for each in self.failures if each not in set(self.unexplained))


def find_diagnosis(
    replays: ReplayCache,
    observed: Observed,
    contracts: Sequence[str],
    sample: Collection[str],
    level: Level = "effects",
) -> Diagnosis:
    """Return the version and the changed behaviours that best explain the results at a level. The search uses only the
    scenarios in `sample`. The diagnosis that is found is tested with all observed scenarios.
    """
    search = _Search(replays, observed, sample, "effects")
    guess = search.with_fewer_changes(search.refine(search.nearest(contracts)))
    if level == "reason":
        search = _Search(replays, observed, sample, "reason")
        guess = search.refine(guess)
    return search.diagnosis(guess)


@dataclass(frozen=True, slots=True)
class _Guess:
    """A candidate for the diagnosis: a version, and changes of behaviours to values that this version does not have."""

    version: str
    changes: frozenset[BehaviourChange] = frozenset()

    @property
    def behaviours(self) -> Behaviours:
        return change_behaviours(_behaviours(self.version), self.changes)

    def with_(self, change: BehaviourChange) -> _Guess:
        others = {each for each in self.changes if each.behaviour != change.behaviour}
        return self._of(self.version, {*others, change})

    def without(self, change: BehaviourChange) -> _Guess:
        return _Guess(self.version, self.changes - {change})

    def at(self, version: str) -> _Guess:
        """Return a candidate with the same changed behaviours, but a different version."""
        return self._of(version, self.changes)

    @staticmethod
    def _of(version: str, changes: Iterable[BehaviourChange]) -> _Guess:
        own = _behaviours(version)
        return _Guess(version, frozenset(each for each in changes if own.value(each.behaviour) != each.value))


def _behaviours(version: str) -> Behaviours:
    return versions()[version] if version in versions() else behaviours_of(version)


class _Search:
    """The search of `find_diagnosis` at one level."""

    def __init__(
        self, replays: ReplayCache, observed: Observed, sample: Collection[str], level: Level
    ) -> None:
        self._replays = replays
        self._observed = observed
        usual = behaviours_of(DEFAULT_CONTRACT)
        sampled = (each for each in observed if each in sample)
        self._ids = [each for each in sampled if replays(each, usual).fingerprint != NO_RESULT]
        self._level: Level = level
        self._heading = replays.suite.heading
        self._tried: dict[tuple[str, Fingerprint, BehaviourChange], bool] = {}
        """Whether a change explains a scenario, by scenario, result without the change, and change."""
        self._of_rule = behaviours_by_rule(replays.suite)

    def nearest(self, contracts: Sequence[str]) -> _Guess:
        """Return the first of the contracts that, without changed behaviours, explain the most scenarios."""
        best, least = _Guess(contracts[0]), len(self._ids) + 1
        for guess in map(_Guess, contracts):
            if (unexplained := self._unexplained_by(guess, least - 1)) is not None:
                best, least = guess, len(unexplained)
        return best

    def _equal_at_level(self, one: Fingerprint, other: Fingerprint) -> bool:
        return one == other if self._level == "reason" else one.effects == other.effects

    def _explains(self, scenario_id: str, behaviours: Behaviours) -> bool:
        return self._equal_at_level(
            self._observed[scenario_id], self._replays(scenario_id, behaviours).fingerprint
        )

    def _unexplained_by(
        self, guess: _Guess, most: int | None = None, first: Sequence[str] = ()
    ) -> list[str] | None:
        """Return the scenarios whose results `guess` does not explain. None if there are more than `most`."""
        behaviours, unexplained = guess.behaviours, []
        for each in dict.fromkeys((*first, *self._ids)):
            if not self._explains(each, behaviours):
                unexplained.append(each)
            if most is not None and len(unexplained) > most:
                self._ids.sort(key=each.__ne__)  # it will probably exclude the next guess, too
                return None
        return unexplained

    def refine(self, guess: _Guess) -> _Guess:
        """Add changes to a candidate as long as each explains more scenarios. Then remove needless changes."""
        unexplained = self._unexplained_by(guess) or []
        refused: set[BehaviourChange] = set()
        while (change := self._most_explaining_change(guess, unexplained, refused)) is not None:
            refused.add(change)
            then = guess.with_(change)
            if (left := self._unexplained_by(then, len(unexplained) - 1, unexplained)) is not None:
                guess, unexplained = then, left
        return self._without_needless_changes(guess, len(unexplained))

    def _most_explaining_change(
        self, guess: _Guess, unexplained: Sequence[str], refused: Collection[BehaviourChange]
    ) -> BehaviourChange | None:
        """Return the change, not in `refused`, that explains the most of the `unexplained` scenarios, or None."""
        behaviours, votes = guess.behaviours, Counter[BehaviourChange]()
        if len(unexplained) <= _MAX_THOROUGH_SCENARIOS:
            self._tried.clear()
        for each in unexplained:
            now = self._replays(each, behaviours)
            names = now.used
            if len(unexplained) > _MAX_THOROUGH_SCENARIOS:
                names = names.intersection(self._of_rule.get(self._heading(each).rule, ()))
            for change in (BehaviourChange(name, value) for name in names for value in all_values(name)):
                if change not in refused and change.value != behaviours.value(change.behaviour):
                    key = each, now.fingerprint, change
                    if key not in self._tried:
                        self._tried[key] = self._explains(each, change_behaviours(behaviours, [change]))
                    votes[change] += self._tried[key]
        return min(+votes, key=lambda each: (-votes[each], each.name), default=None)

    def _without_needless_changes(self, guess: _Guess, most: int) -> _Guess:
        """Remove each change whose removal leaves at most `most` scenarios unexplained. Return the result."""
        for change in sorted(guess.changes, key=lambda each: each.name):
            if self._unexplained_by(guess.without(change), most) is not None:
                guess = guess.without(change)
        return guess

    def with_fewer_changes(self, guess: _Guess) -> _Guess:
        """Try other versions, and return the candidate with the fewest changes that explains as much as `guess`."""
        unexplained = self._unexplained_by(guess) or []
        for version in versions() if guess.changes else ():
            other = guess.at(version)
            if (
                len(other.changes) < len(guess.changes)
                and self._unexplained_by(other, len(unexplained), unexplained) is not None
            ):
                guess = self._without_needless_changes(other, len(unexplained))
        return guess

    def diagnosis(self, guess: _Guess) -> Diagnosis:
        """Test the candidate `guess` in all observed scenarios, and return the diagnosis."""
        observed, behaviours = self._observed, guess.behaviours
        every = {each: self._replays(each, behaviours) for each in observed}
        did = {each: seen for each, seen in every.items() if seen.fingerprint != NO_RESULT}
        unexplained = {each for each in did if not self._explains(each, behaviours)}
        failures = {each for each in did if not self._equal_at_level(observed[each], AS_EXPECTED)}
        differences = []
        for change in guess.changes:
            without = guess.without(change).behaviours
            explains = (
                each
                for each in did.keys() & (failures | {*self._ids}) - unexplained
                if change.behaviour in did[each].used and not self._explains(each, without)
            )
            instead_of = _behaviours(guess.version).value(change.behaviour)
            differences.append(Difference(change, instead_of, tuple(sorted(explains))))
        left = [each for each in self._ids if each in unexplained]
        alike = [
            version
            for version in versions()
            if guess.at(version).changes == guess.changes
            and self._unexplained_by(guess.at(version), len(left), left) == left
        ]
        return Diagnosis(
            self._level,
            guess.version,
            tuple(alike),
            tuple(sorted(differences, key=lambda each: (-len(each.explains), each.change.name))),
            tuple(sorted(did)),
            tuple(sorted(failures)),
            tuple(sorted(unexplained)),
        )
