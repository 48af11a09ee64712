"""Search: find the version and the fewest changed behaviours that explain what an implementation did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from readfirst.observatory.diagnosis.behaviour_variants import (
    BehaviourChange,
    named,
    values_of,
    versions,
    with_changes,
)
from readfirst.observatory.diagnosis.fingerprint import AS_EXPECTED, BROKEN, Fingerprint
from readfirst.observatory.diagnosis.lookup_table import BASE, Table
from readfirst.observatory.diagnosis.replay_cache import Replays
from readfirst.reference_impl import Behaviours, behaviours_of

Observed = Mapping[str, Fingerprint]
"""What an implementation did, by scenario."""
Level = Literal["effects", "reason"]

_ROUNDS = 8
_THOROUGH = 12
"""Unexplained scenarios up to which everything that they ask for is tried, not only what ever mattered there."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A behaviour that the implementation does not share with the version, and the scenarios that it explains."""

    change: BehaviourChange
    instead_of: Any
    explains: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The reference at `version` with all `differences` does in each scenario what was observed, but in `unexplained`.

    `compared` are the scenarios that were observed; `failures` those of them that are not as the suite's default
    contract has them. `alike` are the versions, oldest first, of which the same can be said.
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
        """The failures that the reference with these differences has, too, to the byte."""
        return tuple(each for each in self.failures if each not in set(self.unexplained))


def diagnosed(
    table: Table,
    replays: Replays,
    observed: Observed,
    level: Level = "effects",
    candidates: Collection[str] | None = None,
    contracts: Sequence[str] = (),
) -> Diagnosis:
    """Return the diagnosis of what was observed; at the level reason that of effects goes first, and stays.

    `contracts` are those of the table, in order; `candidates` are the versions that may be named, None for all.
    Version and changes are found with the scenarios of the table, and then tried in all that were observed.
    KeyError: nothing changed in a candidate.
    """
    known = {name: each for name, each in observed.items() if name in table.rows}
    guide = _Guide(table, tuple(contracts), known)
    allowed = [name for name in contracts if candidates is None or name in candidates]
    search = _Search(guide, replays, known, "effects")
    likely, _ = min(map(search.estimated, allowed), key=lambda each: each[1])
    found = search.renamed(search.refined(likely), candidates)
    if level == "reason":
        search = _Search(guide, replays, known, "reason")
        found = search.refined(found.guess)
    return search.diagnosis(found, candidates, observed)


@dataclass(frozen=True, slots=True)
class _Guess:
    """A version with changes; what is equal to the version's own is none."""

    version: str
    changes: frozenset[BehaviourChange] = frozenset()

    @property
    def behaviours(self) -> Behaviours:
        return with_changes(_behaviours(self.version), self.changes)

    def value(self, behaviour: str) -> Any:
        return self.behaviours.value(behaviour)

    def with_(self, change: BehaviourChange) -> _Guess:
        changes = {each for each in self.changes if each.behaviour != change.behaviour}
        if _behaviours(self.version).value(change.behaviour) != change.value:
            changes.add(change)
        return _Guess(self.version, frozenset(changes))

    def without(self, change: BehaviourChange) -> _Guess:
        return _Guess(self.version, self.changes - {change})


def _behaviours(version: str) -> Behaviours:
    return versions()[version] if version in versions() else behaviours_of(version)


@dataclass(frozen=True, slots=True)
class _State:
    """What the reference does with a guess, and the scenarios in which that is not what was observed."""

    guess: _Guess
    did: Mapping[str, Fingerprint]
    wrong: frozenset[str]


@dataclass
class _Guide:
    """What the table tells, turned round: by contract, by change, and which behaviours ever mattered to a scenario."""

    table: Table
    contracts: tuple[str, ...]
    observed: Observed
    base: dict[str, Fingerprint] = field(default_factory=dict)
    in_contract: dict[str, dict[str, Fingerprint]] = field(default_factory=lambda: defaultdict(dict))
    changed: dict[BehaviourChange, dict[str, Fingerprint]] = field(default_factory=lambda: defaultdict(dict))
    matters: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    touched: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def __post_init__(self) -> None:
        for scenario_id in self.observed:
            row = self.table.rows[scenario_id]
            for name, found in row.in_contracts(self.contracts).items():
                self.in_contract[name][scenario_id] = found
            self.base[scenario_id] = self.in_contract[BASE][scenario_id]
            for name, found in row.changed.items():
                change = named(name)
                self.changed[change][scenario_id] = found
                self.note(change.behaviour, scenario_id)

    def note(self, behaviour: str, scenario_id: str) -> None:
        """Remember that a behaviour matters to a scenario."""
        self.matters[scenario_id].add(behaviour)
        self.touched[behaviour].add(scenario_id)

    def predicted(
        self, now: Fingerprint, scenario_id: str, before: BehaviourChange, after: BehaviourChange
    ) -> Fingerprint:
        """Return what a change probably makes of a scenario: the same as in the base, if it is like there before."""
        if now != self.changed.get(before, {}).get(scenario_id, self.base[scenario_id]):
            return now
        return self.changed.get(after, {}).get(scenario_id, self.base[scenario_id])


class _Search:
    """Looks for what explains the observed at one level."""

    def __init__(self, guide: _Guide, replays: Replays, observed: Observed, level: Level) -> None:
        self._guide = guide
        self._replays = replays
        self._observed = observed
        self._like: Callable[[Fingerprint, Fingerprint], bool] = (
            _same_effects if level == "effects" else tuple.__eq__
        )
        self._level: Level = level

    # What the table suggests.

    def estimated(self, version: str) -> tuple[_Guess, int]:
        """Return the changes that the table alone suggests, the best one first and so on, and what to make small."""
        now = dict(self._guide.in_contract[version])
        guess = _Guess(version)
        while (best := self._best_estimate(now, guess)) is not None:
            before = BehaviourChange(best.behaviour, guess.value(best.behaviour))
            for each in self._guide.touched[best.behaviour]:
                now[each] = self._guide.predicted(now[each], each, before, best)
            guess = guess.with_(best)
        left = sum(not self._like(self._observed[each], found) for each, found in now.items())
        return guess, left + len(guess.changes)

    def _best_estimate(self, now: Mapping[str, Fingerprint], guess: _Guess) -> BehaviourChange | None:
        best, most = None, 0
        behaviours = guess.behaviours
        wrong = {each for each, found in now.items() if not self._like(self._observed[each], found)}
        for behaviour, touched in self._guide.touched.items():
            if len(touched & wrong) <= most:
                continue
            before = BehaviourChange(behaviour, behaviours.value(behaviour))
            for value in values_of(behaviour):
                after = BehaviourChange(behaviour, value)
                if value == before.value:
                    continue
                gain = 0
                for each in touched:
                    then = self._guide.predicted(now[each], each, before, after)
                    gain += (each in wrong) - (not self._like(self._observed[each], then))
                if gain > most:
                    best, most = after, gain
        return best

    # What replays confirm.

    def state(self, guess: _Guess) -> _State:
        """Return what the reference does with a guess; by the table where no change ever mattered to a scenario."""
        known = self._guide.in_contract.get(guess.version)
        behaviours = guess.behaviours
        changed = {each.behaviour for each in guess.changes}
        did = {
            each: known[each]
            if known is not None and changed.isdisjoint(self._guide.matters[each])
            else self._replays(each, behaviours).fingerprint
            for each in self._observed
        }
        return self._state(guess, did)

    def _state(self, guess: _Guess, did: Mapping[str, Fingerprint]) -> _State:
        return _State(
            guess,
            did,
            frozenset(each for each, found in did.items() if not self._like(self._observed[each], found)),
        )

    def _moved(self, state: _State, guess: _Guess, behaviour: str) -> _State:
        """Return what the reference does with a guess that differs from a known one in one behaviour."""
        behaviours = guess.behaviours
        did = dict(state.did)
        for each in self._guide.touched[behaviour]:
            did[each] = self._replays(each, behaviours).fingerprint
        return self._state(guess, did)

    def _replayed(self, state: _State) -> _State:
        """Replay every scenario with a guess, and note which changes matter where nobody expected it."""
        behaviours = state.guess.behaviours
        did = {}
        for each in self._observed:
            seen = self._replays(each, behaviours)
            did[each] = seen.fingerprint
            if seen.fingerprint != state.did[each]:
                for change in state.guess.changes:
                    if change.behaviour in seen.asked:
                        self._guide.note(change.behaviour, each)
        return self._state(state.guess, did)

    def refined(self, guess: _Guess) -> _State:
        """Return what replays make of a first guess: changes that they ask for added, those that they do not need gone.

        What is returned was replayed in every scenario.
        """
        state = self.state(guess)
        for _ in range(_ROUNDS):
            grown = self._thinned(self._grown(state))
            replayed = self._replayed(grown)
            if replayed.did == grown.did:
                return replayed
            state = replayed
        return state

    def _grown(self, state: _State) -> _State:
        """Add the change that explains most, and so on."""
        refused: set[BehaviourChange] = set()
        while True:
            votes: dict[BehaviourChange, int] = defaultdict(int)
            behaviours = state.guess.behaviours
            for each in state.wrong:
                for change in self._plausible(state, each):
                    if change not in refused:
                        did = self._replays(each, with_changes(behaviours, [change])).fingerprint
                        votes[change] += self._like(self._observed[each], did)
            for change in sorted(
                (each for each in votes if votes[each]), key=lambda each: (-votes[each], each.name)
            ):
                refused.add(change)
                then = self._moved(state, state.guess.with_(change), change.behaviour)
                if len(then.wrong) < len(state.wrong):
                    state = then
                    break
            else:
                return state

    def _plausible(self, state: _State, scenario_id: str) -> list[BehaviourChange]:
        """Return the changes that may explain a scenario and that the table cannot tell of.

        It can where nothing that was changed matters. Of few scenarios everything that they ask for is tried.
        """
        guess, matters = state.guess, self._guide.matters[scenario_id]
        if len(state.wrong) <= _THOROUGH:
            worth = self._replays(scenario_id, guess.behaviours).asked & self._guide.touched.keys()
        elif guess.version == BASE and matters.isdisjoint(each.behaviour for each in guess.changes):
            return []
        else:
            worth = frozenset(matters)
        return [
            BehaviourChange(behaviour, value)
            for behaviour in sorted(worth)
            for value in values_of(behaviour)
            if value != guess.value(behaviour)
        ]

    def _thinned(self, state: _State) -> _State:
        """Take every change away without which no more is left unexplained."""
        for change in sorted(
            state.guess.changes, key=lambda each: (len(self._guide.touched[each.behaviour]), each.name)
        ):
            without = self._moved(state, state.guess.without(change), change.behaviour)
            if len(without.wrong) <= len(state.wrong):
                state = without
        return state

    def renamed(self, state: _State, candidates: Collection[str] | None) -> _State:
        """Return the same behaviours as fewer changes of another version, if there is one."""
        best = state
        for version in self._same(state.guess, candidates, len(state.guess.changes) - 1):
            other = self._as_changes_of(version, state.guess)
            if len(other.changes) < len(best.guess.changes):
                found = self._replayed(self.state(other))
                if len(found.wrong) <= len(best.wrong):
                    best = found
        return best

    def _same(self, guess: _Guess, candidates: Collection[str] | None, most: int) -> list[str]:
        """Return the versions from which a guess differs in this many changes at most."""
        return [
            version
            for version in versions()
            if (candidates is None or version in candidates)
            and len(self._as_changes_of(version, guess).changes) <= most
        ]

    def _as_changes_of(self, version: str, guess: _Guess) -> _Guess:
        """Return the behaviours of a guess as changes of another version, as far as they ever mattered."""
        wanted, own = guess.behaviours, _behaviours(version)
        changes = {
            BehaviourChange(name, wanted.value(name))
            for name in self._guide.touched
            if wanted.value(name) != own.value(name)
        }
        return _Guess(version, frozenset(changes))

    def diagnosis(self, state: _State, candidates: Collection[str] | None, everything: Observed) -> Diagnosis:
        """Return the diagnosis of everything that was observed, with the scenarios that each change explains."""
        guess, behaviours = state.guess, state.guess.behaviours
        did = {each: self._replays(each, behaviours) for each in everything}
        did = {each: seen for each, seen in did.items() if seen.fingerprint != BROKEN or each in state.did}
        wrong = {each for each, seen in did.items() if not self._like(everything[each], seen.fingerprint)}
        failures = {each for each in did if not self._like(everything[each], AS_EXPECTED)}
        differences = []
        for change in guess.changes:
            without = guess.without(change).behaviours
            explains = (
                each
                for each in (failures | state.did.keys()) - wrong
                if change.behaviour in did[each].asked
                and not self._like(everything[each], self._replays(each, without).fingerprint)
            )
            instead_of = _behaviours(guess.version).value(change.behaviour)
            differences.append(Difference(change, instead_of, tuple(sorted(explains))))
        alike = [
            version
            for version in self._same(guess, candidates, len(guess.changes))
            if self._as_changes_of(version, guess).changes == guess.changes
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


def _same_effects(one: Fingerprint, other: Fingerprint) -> bool:
    return one.effects == other.effects
