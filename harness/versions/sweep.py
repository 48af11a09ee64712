"""Sweep: hold the reference to the product in any published version: a few scenarios, and random sequences."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import islice

from readfirst.harness.agents.claude_code.own_session import needs_own_session
from readfirst.harness.compare.verdict import Level
from readfirst.harness.difference import first_difference
from readfirst.harness.fuzz.campaign import Duel
from readfirst.harness.fuzz.disagree import Disagreement
from readfirst.harness.fuzz.generate import scenarios as scenarios_of
from readfirst.harness.fuzz.known import claimed
from readfirst.harness.report.visible import visible
from readfirst.harness.run.connect import ConnectError
from readfirst.harness.session import Adapter, BrokenAdapter
from readfirst.harness.suite.contracts import Contract, Contracts, order
from readfirst.harness.suite.scenario import Scenario, TextDigest, WorldEvent
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import Recording
from readfirst.harness.versions.history import ChangePoint, Histories
from readfirst.harness.versions.quick import UNSTEADY, able_to, telling_set
from readfirst.harness.workspace.site import SitePool

_SHOWN = 120
"""Of answers that differ so many characters are kept, around the first difference."""
_REPLAYS = 4
"""How often the two must differ in the same way: what follows from a clock seldom does."""
_ALONE = 8.0
"""How many scenarios of a shared session take as long as one with a session of its own."""
_CLOCKED = "1.0.114"
"""From here on a file counts as changed by its own time; before, whoever is slower than a stamp sees no change."""
_FAR = 3600
"""Seconds that no replay takes."""
_SLOWER = "it agrees where changes are stamped an hour later: the product was slower than the stamps"
_OVERFLOW = "Maximum call stack size exceeded"
"""What the product answers where its Node has no stack left for a list of so many lines."""
_NO_STACK = "the product's Node ran out of stack: how much it has does not depend on the version"
_DRAWS = 2
"""Of what cannot be compared the next sequence takes the place, until so many times as many were drawn."""
_SAMPLE = 20
"""Sequences that tell whether the generator still draws the same."""

Connect = Callable[[Contract], tuple[Adapter, Adapter]]
"""Opens the reference and the product in one version. Raises ConnectError, BrokenAdapter."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the product first differs from the reference: in `asked`, a scenario or `sequence N`, at `step` (from 1).

    `made` is what each made of the call of `tool`, the reference first: an error's name, or `done`. `what` is `answer`,
    or which file; `said` the part of both around the first character that differs.
    """

    asked: str
    step: int
    tool: str
    level: Level
    what: str
    made: tuple[str, str]
    said: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Swept:
    """What came of one version: how many `scenarios` and `sequences` were compared, and where the two differ.

    `unasked` says of scenarios and sequences why there was nothing to compare, and `explained`, of those that differ,
    what somebody found out. Where `failed` says why the version could not be asked at all, the rest is empty.
    `inputs` is a digest of what was asked.
    """

    version: str
    inputs: str
    scenarios: int = 0
    sequences: int = 0
    differences: tuple[Difference, ...] = ()
    unasked: Mapping[str, str] = field(default_factory=dict)
    failed: str = ""
    explained: Mapping[str, str] = field(default_factory=dict)

    @property
    def agrees(self) -> bool:
        """Whether it was compared, and nothing differs."""
        return not self.failed and not self.differences

    def with_reasons(self, reasons: Mapping[str, str]) -> Swept:
        """Return this with the reasons of what differs here, beside those that it has."""
        differing = {each.asked for each in self.differences}
        kept = {asked: why for asked, why in reasons.items() if asked in differing}
        return replace(self, explained={**self.explained, **kept})


@dataclass
class Sweep:
    """Asks versions. `points` are the changes of the reference's behaviours, of which each is shown by a scenario.

    `sequences` is the number of random sequences to compare in each version.
    `quick` leaves out the scenarios that need a session of their own, which take most of the time.
    """

    suite: Suite
    histories: Histories
    points: Sequence[ChangePoint]
    connect: Connect
    sequences: int
    quick: bool = False
    _chosen: dict[tuple[frozenset[str], tuple[str, ...]], tuple[str, ...]] = field(default_factory=dict)

    def inputs(self, version: str) -> str:
        """Return a digest of what a version is asked. Raises UnknownContractError, SuiteError."""
        ids = self._ids(self.suite.contracts.find(version))
        asked = [f"{name} {self.suite.scenario(name, require_expect=False).inputs}" for name in ids]
        inputs = "\n".join([*asked, f"{self.sequences} sequences", self._generator])
        return hashlib.sha256(inputs.encode()).hexdigest()[:16]

    def __call__(self, version: str) -> Swept:
        """Ask a version; one that cannot be asked is `failed`. Raises UnknownContractError, SuiteError."""
        inputs = self.inputs(version)
        try:
            return self._answered(version, inputs)
        except (BrokenAdapter, ConnectError) as error:
            return Swept(version, inputs, failed=" ".join(str(error).split()))

    def _answered(self, version: str, inputs: str) -> Swept:
        contract = self.suite.contracts.find(version)
        with ExitStack() as stack:
            place = stack.enter_context(SitePool())
            sides = self.connect(contract)
            for side in sides:
                stack.callback(getattr(side, "close", lambda: None))
            ignored = contract.ignores_outer_whitespace
            duel = Duel(*sides, place, "text", self.suite.vocabulary, ignores_outer_whitespace=ignored)
            seen = _Seen(duel)
            for name in self._ids(contract):
                seen.ask(name, self.suite.scenario(name, require_expect=False))
            scenarios, seen.compared = seen.compared, 0
            seen.clocked = order(version) < order(_CLOCKED)
            seed = int("".join(part.zfill(3) for part in version.partition("+")[0].split(".")))
            for number, sequence in enumerate(islice(scenarios_of(seed), self.sequences * _DRAWS)):
                if seen.compared == self.sequences:
                    break
                for each in claimed([sequence], sides):
                    seen.ask(f"sequence {number}", each)
        if not scenarios or (self.sequences and not seen.compared):
            kind = "sequence" if scenarios else "scenario"
            why = next(iter(seen.unasked.values()), "none that shows a change can be asked of it")
            raise BrokenAdapter(f"no {kind} could be compared: {why}", blame="environment")
        return Swept(version, inputs, scenarios, seen.compared, tuple(seen.differences), seen.unasked)

    def _ids(self, contract: Contract) -> tuple[str, ...]:
        key = contract.capabilities, contract.tools
        if key not in self._chosen:
            able = able_to(self.suite, contract.capabilities)

            @cache
            def comparable(name: str) -> bool:
                if not able(name) or (self.quick and self._cost(name) == _ALONE):
                    return False
                scenario = self.suite.scenario(name, require_expect=False)
                return is_comparable(scenario, self.suite.recordings.recording(name), contract)

            found = telling_set(self.histories, self.points, comparable, self._cost)
            self._chosen[key] = tuple(sorted(found))
        return self._chosen[key]

    def _cost(self, scenario_id: str) -> float:
        return _ALONE if needs_own_session(self.suite.scenario(scenario_id, require_expect=False)) else 1.0

    @cached_property
    def _generator(self) -> str:
        """What tells whether sequences are still those of an earlier sweep."""
        return repr([(each.given, each.steps) for each in islice(scenarios_of(0), _SAMPLE)])


class _Seen:
    """What a duel has shown so far. `clocked`: what the product does may depend on how fast it is."""

    def __init__(self, duel: Duel) -> None:
        self._duel = duel
        self.clocked = False
        self.compared = 0
        self.differences: list[Difference] = []
        self.unasked: dict[str, str] = {}
        self._runs = False

    def ask(self, name: str, scenario: Scenario) -> None:
        """Replay, several times where the two differ: only what is steady counts.

        BrokenAdapter: the product ended, as it did when it was asked before, or has not answered yet.
        """
        runs, self._runs = self._runs, False
        try:
            self._ask(name, scenario)
        except BrokenAdapter as error:
            if not runs:
                raise
            self.unasked[name] = " ".join(str(error).split())
            self._duel.broken_in_a_row = 0
        else:
            self._runs = True

    def _ask(self, name: str, scenario: Scenario) -> None:
        before = self._duel.made.steps
        found = self._duel(scenario)
        if found is not None:
            short = replace(scenario, steps=scenario.steps[: found.step + 1])
            for _ in range(_REPLAYS - 1):
                again = self._duel(short)
                if again is None or again.cause != found.cause:
                    self.unasked[name] = UNSTEADY
                    return
            if found.cause.target == "broken":
                self.unasked[name] = " ".join(found.target.split())
                return
            if _OVERFLOW in found.target and _OVERFLOW not in found.reference:
                self.unasked[name] = _NO_STACK
                return
            if self.clocked and (later := _stamped_later(scenario)) != scenario and not self._duel(later):
                self.unasked[name] = _SLOWER
                return
            self.differences.append(_difference(name, found))
        elif self._duel.made.steps == before:
            self.unasked[name] = "the product has no way to make its first step"
            return
        self.compared += 1


def _stamped_later(scenario: Scenario) -> Scenario:
    """Return a scenario whose changes are stamped so much later that no replay catches up with them."""
    later = [
        replace(step, mtime=step.mtime + _FAR)
        if isinstance(step, WorldEvent) and step.mtime is not None and step.mtime > 0
        else step
        for step in scenario.steps
    ]
    return replace(scenario, steps=tuple(later))


def _difference(asked: str, found: Disagreement) -> Difference:
    cause = found.cause
    start = max(0, (first_difference(found.reference, found.target) or 0) - _SHOWN // 3)

    def cut(text: str) -> str:
        before, after = "…" if start else "", "…" if text[start + _SHOWN :] else ""
        return f"{before}{visible(text[start : start + _SHOWN])}{after}"

    made, said = (cause.reference, cause.target), (cut(found.reference), cut(found.target))
    return Difference(asked, found.step + 1, cause.tool, cause.level, found.what, made, said)


def followed(contract: Contract, contracts: Contracts) -> Contract:
    """Return what the reference follows to be held to a version: of those before the oldest contract, that one."""
    oldest = contracts.recorded[0]
    return oldest if order(contract.name) < order(oldest.name) else contract


def is_comparable(scenario: Scenario, recording: Recording, contract: Contract) -> bool:
    """Tell whether both sides can be asked, and all of what they answer is the suite's subject.

    It is not where the scenario, or any contract's recording, keeps the beginning of an answer only.
    """
    calls = list(scenario.calls())
    clauses = (clause for call in calls for clause in call.expect.clauses())
    pinned = any(isinstance(each.text, TextDigest) and each.text.sha256 is None for each in clauses)
    steps = (step for transcript in recording.transcripts.values() for step in transcript.steps)
    cut = any(result.cut is not None for step in steps for result in step.results)
    return not (pinned or cut) and all(call.tool in contract.tools for call in calls)


def spread(versions: Sequence[str], contracts: Contracts) -> list[str]:
    """Return versions, those that tell most first: the middle of each gap between contracts, then of each half.

    Contracts come last, because they were recorded. `versions` are oldest first, and so are those of one round.
    """
    edges = [each.name for each in contracts.recorded if "+" not in each.name]
    gaps = [[each for each in versions if order(each) < order(edges[0])]]
    for low, high in zip(edges, [*edges[1:], None], strict=True):
        inside = [each for each in versions if order(low) < order(each)]
        gaps.append([each for each in inside if high is None or order(each) < order(high)])
    found: list[str] = []
    while gaps := [gap for gap in gaps if gap]:
        found += [gap[len(gap) // 2] for gap in gaps]
        gaps = [half for gap in gaps for half in (gap[: len(gap) // 2], gap[len(gap) // 2 + 1 :])]
    return found + [each for each in versions if each in edges]
