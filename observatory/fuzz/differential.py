"""Replay generated scenarios on the reference and on a target until enough steps were made."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
from pathlib import Path

from readfirst.harness.adapter_api import Adapter, AdapterError
from readfirst.harness.adapter_traits import traits_of
from readfirst.harness.compare.verdict import Level
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.error_names import Vocabulary
from readfirst.harness.suite.scenario import Scenario, calls_of
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.observatory.fuzz.disagreement import Cause, Disagreement, disagreements
from readfirst.observatory.fuzz.shrink import SECONDS, shrink

_SHRUNK_PER_CAUSE = 3
_MOST_BROKEN = 5


FindingKey = tuple[Cause, tuple[str, ...]]
"""A cause, and the names of the tools and events in a scenario. The search reports one finding for each key."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A disagreement between target and reference, with a minimal scenario."""

    scenario: Scenario
    disagreement: Disagreement
    again: bool = True  # whether a second replay also disagreed
    rule: str = ""  # the probably broken rule, or empty
    shown_by: str = ""  # a scenario of the suite with the same disagreement, or empty

    @property
    def key(self) -> FindingKey:
        """The disagreement's cause, and the scenario's tools and events. Only one finding is reported for each key."""
        names = (
            getattr(step, "tool", None) or getattr(step, "kind", None) or "parallel"
            for step in self.scenario.steps
        )
        return self.disagreement.cause, tuple(sorted({*names}))


@dataclass(slots=True)
class Tally:
    """The numbers of steps, scenarios and calls of a search so far, and of the differences that were found."""

    steps: int = 0
    scenarios: int = 0
    calls: int = 0  # calls on both implementations
    other_effects: int = 0  # scenarios that end because changed files or refusals differ
    other_texts: int = 0  # steps that differ only in the answers
    changing_calls: int = 0  # at the level `safe`: calls that would change files
    accepted_calls: int = 0  # at the level `safe`: `changing_calls` that were not refused
    disagreed: int = 0  # scenarios with a disagreement
    explained: int = 0  # scenarios with an accepted disagreement
    gone: tuple[Path, ...] = ()  # scenario files of accepted disagreements that no longer occur


@dataclass
class DifferentialRunner:
    """Replays scenarios on target and reference, and counts the disagreements in `tally`."""

    reference: Adapter
    target: Adapter
    place: WorkspacePool
    level: Level
    vocabulary: Vocabulary
    reference_name: str = "the reference"  # the name of the reference in messages
    apart: bool = False  # whether the target is restarted for each scenario, so that it forgets earlier files
    tally: Tally = field(default_factory=Tally, init=False)
    broken_in_a_row: int = field(default=0, init=False)

    def __call__(self, scenario: Scenario) -> Disagreement | None:
        """Return the first disagreement in a scenario, or None. Raises the errors of `differences`."""
        return next(iter(self.differences(scenario)), None)

    def differences(self, scenario: Scenario) -> Sequence[Disagreement]:
        """Return one disagreement for each differing step, up to the first step whose effects differ. Raises
        AdapterError if the reference fails, or the target fails several times in a row.
        """
        self.tally.scenarios += 1
        ours = replay(scenario, self.reference, self.place)
        if ours.error is not None:
            # A change was impossible in the state after the previous calls: replay only the steps before it.
            if ours.error.blame not in ("harness", "environment"):
                raise _breakage_error(self.reference_name, ours)
            scenario = replace(scenario, steps=scenario.steps[: len(ours.steps)])
            if not ours.steps or next(scenario.calls(), None) is None:
                return ()
        theirs = self._on_target(scenario)
        if theirs.error is not None and theirs.error.blame in ("unsupported", "machine"):
            # The target does not support a call: compare only the steps before it.
            scenario = replace(scenario, steps=scenario.steps[: len(theirs.steps)])
            theirs = replace(theirs, error=None)
        found = [*disagreements(scenario, ours, theirs, self.level, self.vocabulary)]
        apart = bool(found) and found[-1].cause.level == "effects"
        steps = found[-1].step + 1 if apart else len(theirs.steps)
        self.tally.steps += steps
        self.tally.calls += sum(len(calls_of(step)) for step in scenario.steps[:steps])
        self.tally.other_effects += apart
        self.tally.other_texts += len(found) - apart
        return found

    def _on_target(self, scenario: Scenario) -> Outcome:
        """Replay a scenario on the target. After an error, retry once: a process of the target may have been killed."""
        for _ in range(2):
            if self.apart:
                traits_of(self.target).reset()
            outcome = replay(scenario, self.target, self.place)
            if outcome.error is None or outcome.error.blame in ("harness", "unsupported", "machine"):
                self.broken_in_a_row = 0
                return outcome
            self.broken_in_a_row += 1
            if self.broken_in_a_row > _MOST_BROKEN:
                raise _breakage_error("the target", outcome)
        return outcome


def _breakage_error(side: str, outcome: Outcome) -> AdapterError:
    broken = outcome.error
    assert broken is not None
    return AdapterError(
        f"{side} failed at step {broken.step + 1}: {broken.message}",
        blame=broken.blame,
        details=broken.details,
    )


@dataclass
class Campaign:
    """Searches for disagreements. Findings with an `accepted` key are skipped; `named` adds the probable rule."""

    runner: DifferentialRunner
    scenarios: Iterable[Scenario]
    _: KW_ONLY
    steps: int | None
    seconds: InitVar[float | None] = None
    accepted: frozenset[FindingKey] = frozenset()
    clock: Callable[[], float] = time.monotonic
    tally: Tally = field(default_factory=Tally, init=False)

    def __post_init__(self, seconds: float | None) -> None:
        self.deadline = math.inf if seconds is None else self.clock() + seconds
        self.named: Callable[[Finding], Finding] = lambda finding: finding

    def is_late(self) -> bool:
        """Whether the time limit of the search has passed."""
        return self.clock() >= self.deadline

    def perform(self, progress: Callable[[], None] = lambda: None) -> Iterator[Finding]:
        """Yield a finding for each new `key` until the limit of steps or time. Calls `progress` after each scenario."""
        reported: set[FindingKey] = set()
        shrunk: Counter[Cause] = Counter()
        for scenario in self.scenarios:
            if (self.steps is not None and self.tally.steps >= self.steps) or self.is_late():
                return
            every = self._play_scenario(scenario)
            progress()
            self.tally.disagreed += bool(every)
            explained = False
            for found in every:
                if shrunk[found.cause] == _SHRUNK_PER_CAUSE or (found is not every[0] and self.is_late()):
                    continue
                finding = self._shrunk(scenario, found)
                if finding.key in self.accepted:
                    explained = True
                    continue
                shrunk[found.cause] += 1
                if finding.key not in reported:
                    reported.add(finding.key)
                    yield self.named(finding)
            self.tally.explained += explained

    def _play_scenario(self, scenario: Scenario) -> Sequence[Disagreement]:
        """Return the disagreements of a generated scenario, and count its steps. Replays for shrinking do not count."""
        self.runner.tally = self.tally
        try:
            return self.runner.differences(scenario)
        finally:
            self.runner.tally = Tally()

    def _shrunk(self, scenario: Scenario, found: Disagreement) -> Finding:
        cut = replace(scenario, steps=scenario.steps[: found.step + 1])
        latest = found

        def shows(candidate: Scenario) -> bool:
            nonlocal latest
            seen = next(
                (each for each in self.runner.differences(candidate) if each.cause == found.cause), None
            )
            latest = seen or latest
            return seen is not None

        if not shows(cut):
            return Finding(cut, found, again=False)
        seconds = min(SECONDS, self.deadline - self.clock())
        return Finding(shrink(cut, shows, seconds=seconds), latest)
