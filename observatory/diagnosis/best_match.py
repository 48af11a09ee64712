"""Find the version and the fewest changed behaviours that explain the results of an implementation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from readfirst.observatory.claims.rule_index import behaviours_by_rule
from readfirst.observatory.diagnosis.behaviour_variants import (
    BehaviourChange,
    values_of,
    versions,
    with_changes,
)
from readfirst.observatory.diagnosis.fingerprint import AS_EXPECTED, BROKEN, Fingerprint
from readfirst.observatory.diagnosis.replay_cache import Replays
from readfirst.reference_impl import Behaviours, behaviours_of

Observed = Mapping[str, Fingerprint]
"""The results of an implementation, by scenario id."""
Level = Literal["effects", "reason"]

_THOROUGH = 12
"""If more scenarios than this are unexplained, only behaviours that belong to the rules of these scenarios are tried.
Otherwise every behaviour that the scenarios use is tried.
"""


@dataclass(frozen=True, slots=True)
class Difference:
    """A different behaviour of the implementation and the version, and the scenarios that it explains."""

    change: BehaviourChange
    instead_of: Any
    explains: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The version and the changed behaviours (`differences`) that give the reference the same results as the
    implementation, in all scenarios except `unexplained`.

    `compared` are the observed scenarios. `failures` are the scenarios where the implementation differs from the
    default contract of the suite. `alike` are all versions, oldest first, that explain the same scenarios with the same
    differences.
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
        """The failures that the reference with these differences has, too, with the same wrong result."""
        return tuple(each for each in self.failures if each not in set(self.unexplained))


def diagnosed(
    replays: Replays,
    observed: Observed,
    contracts: Sequence[str],
    sample: Collection[str],
    level: Level = "effects",
) -> Diagnosis:
    """Return the diagnosis of the observed results at a level.

    The search starts at the contract among `contracts` that explains the most results. Version and differences are
    searched with the scenarios of the `sample`, and then tested in all observed scenarios. For the level reason, the
    search continues from the diagnosis at the level effects.
    """
    search = _Search(replays, observed, sample, "effects")
    guess = search.with_fewer_changes(search.refine(search.nearest(contracts)))
    if level == "reason":
        search = _Search(replays, observed, sample, "reason")
        guess = search.refine(guess)
    return search.diagnosis(guess)


@dataclass(frozen=True, slots=True)
class _Guess:
    """A version with changed behaviours. A change that sets the version's own value is not included."""

    version: str
    changes: frozenset[BehaviourChange] = frozenset()

    @property
    def behaviours(self) -> Behaviours:
        return with_changes(_behaviours(self.version), self.changes)

    def with_(self, change: BehaviourChange) -> _Guess:
        others = {each for each in self.changes if each.behaviour != change.behaviour}
        return self._of(self.version, {*others, change})

    def without(self, change: BehaviourChange) -> _Guess:
        return _Guess(self.version, self.changes - {change})

    def at(self, version: str) -> _Guess:
        """Return a guess with the same changes at a different version, without changes to the version's own values."""
        return self._of(version, self.changes)

    @staticmethod
    def _of(version: str, changes: Iterable[BehaviourChange]) -> _Guess:
        own = _behaviours(version)
        return _Guess(version, frozenset(each for each in changes if own.value(each.behaviour) != each.value))


def _behaviours(version: str) -> Behaviours:
    return versions()[version] if version in versions() else behaviours_of(version)


class _Search:
    """Searches the changes that explain the results at one level."""

    def __init__(self, replays: Replays, observed: Observed, sample: Collection[str], level: Level) -> None:
        self._replays = replays
        self._everything = observed
        self._ids = [each for each in observed if each in sample and not replays.is_broken(each)]
        self._level: Level = level
        self._heading = replays.suite.heading
        self._tried: dict[tuple[str, Fingerprint, BehaviourChange], bool] = {}
        """Whether a change explains a scenario, by scenario, result and change. It is reused while the scenario has the
        same result without the change.
        """
        self._of_rule = behaviours_by_rule(replays.suite)

    def nearest(self, contracts: Sequence[str]) -> _Guess:
        """Return the contract without changes that leaves the fewest scenarios unexplained. If several leave equally
        few, return the first of them.
        """
        best, least = _Guess(contracts[0]), len(self._ids) + 1
        for guess in map(_Guess, contracts):
            if (wrong := self._wrong(guess, least - 1)) is not None:
                best, least = guess, len(wrong)
        return best

    def _like(self, one: Fingerprint, other: Fingerprint) -> bool:
        return one == other if self._level == "reason" else one.effects == other.effects

    def _explains(self, scenario_id: str, behaviours: Behaviours) -> bool:
        return self._like(self._everything[scenario_id], self._replays(scenario_id, behaviours).fingerprint)

    def _wrong(self, guess: _Guess, most: int | None = None, first: Sequence[str] = ()) -> list[str] | None:
        """Return the scenarios that a guess does not explain. None if there are more than `most`.

        The scenarios `first` are tried before all others.
        """
        behaviours, wrong = guess.behaviours, []
        for each in dict.fromkeys((*first, *self._ids)):
            if not self._explains(each, behaviours):
                wrong.append(each)
            if most is not None and len(wrong) > most:
                self._ids.sort(key=each.__ne__)  # it will probably exclude the next guess, too
                return None
        return wrong

    def refine(self, guess: _Guess) -> _Guess:
        """Return the guess without needless changes, and with more that explain more scenarios than they break."""
        wrong = self._wrong(guess) or []
        refused: set[BehaviourChange] = set()
        while (change := self._best_change(guess, wrong, refused)) is not None:
            refused.add(change)
            then = guess.with_(change)
            if (left := self._wrong(then, len(wrong) - 1, wrong)) is not None:
                guess, wrong = then, left
        return self._thin_guess(guess, len(wrong))

    def _best_change(
        self, guess: _Guess, wrong: Sequence[str], refused: Collection[BehaviourChange]
    ) -> BehaviourChange | None:
        """Return the change that explains the most of the scenarios `wrong`, without the changes `refused`. None if no
        change explains a scenario.
        """
        behaviours, votes = guess.behaviours, Counter[BehaviourChange]()
        if len(wrong) <= _THOROUGH:
            self._tried.clear()
        for each in wrong:
            now = self._replays(each, behaviours)
            names = now.asked
            if len(wrong) > _THOROUGH:
                names = names.intersection(self._of_rule.get(self._heading(each).rule, ()))
            for change in (BehaviourChange(name, value) for name in names for value in values_of(name)):
                if change not in refused and change.value != behaviours.value(change.behaviour):
                    key = each, now.fingerprint, change
                    if key not in self._tried:
                        self._tried[key] = self._explains(each, with_changes(behaviours, [change]))
                    votes[change] += self._tried[key]
        return min(+votes, key=lambda each: (-votes[each], each.name), default=None)

    def _thin_guess(self, guess: _Guess, most: int) -> _Guess:
        """Return the guess without needless changes: at most `most` scenarios are unexplained without them."""
        for change in sorted(guess.changes, key=lambda each: each.name):
            if self._wrong(guess.without(change), most) is not None:
                guess = guess.without(change)
        return guess

    def with_fewer_changes(self, guess: _Guess) -> _Guess:
        """Return a guess (or this one) at the version that explains as many scenarios with the fewest changes."""
        wrong = self._wrong(guess) or []
        for version in versions() if guess.changes else ():
            other = guess.at(version)
            if len(other.changes) < len(guess.changes) and self._wrong(other, len(wrong), wrong) is not None:
                guess = self._thin_guess(other, len(wrong))
        return guess

    def diagnosis(self, guess: _Guess) -> Diagnosis:
        """Return the diagnosis for a guess: test it in all observed scenarios, and find the scenarios that each change
        explains.
        """
        observed, behaviours = self._everything, guess.behaviours
        every = {each: self._replays(each, behaviours) for each in observed}
        did = {each: seen for each, seen in every.items() if seen.fingerprint != BROKEN}
        wrong = {each for each in did if not self._explains(each, behaviours)}
        failures = {each for each in did if not self._like(observed[each], AS_EXPECTED)}
        differences = []
        for change in guess.changes:
            without = guess.without(change).behaviours
            explains = (
                each
                for each in did.keys() & (failures | {*self._ids}) - wrong
                if change.behaviour in did[each].asked and not self._explains(each, without)
            )
            instead_of = _behaviours(guess.version).value(change.behaviour)
            differences.append(Difference(change, instead_of, tuple(sorted(explains))))
        left = [each for each in self._ids if each in wrong]
        alike = [
            version
            for version in versions()
            if guess.at(version).changes == guess.changes
            and self._wrong(guess.at(version), len(left), left) == left
        ]
        return Diagnosis(
            self._level,
            guess.version,
            tuple(alike),
            tuple(sorted(differences, key=lambda each: (-len(each.explains), each.change.name))),
            tuple(sorted(did)),
            tuple(sorted(failures)),
            tuple(sorted(wrong)),
        )
