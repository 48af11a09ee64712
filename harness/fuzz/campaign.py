"""Campaign: generated scenarios side by side on the reference and a target until enough steps were made."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import hypothesis
from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st

from harness.fuzz.disagree import Cause, Disagreement, first_disagreement
from harness.fuzz.shrink import shrink
from harness.outcome import Outcome
from harness.replay import replay
from harness.scenario import Scenario
from harness.session import Adapter, BrokenAdapter
from harness.verdict import Level
from harness.vocabulary import Vocabulary
from harness.workspace import Place

__all__ = ["Campaign", "Duel", "Finding", "generated"]

_BATCH = 200
_SHRUNK_PER_CAUSE = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """A minimal scenario on which the two disagree, and how that shows. `again`: it did so a second time."""

    scenario: Scenario
    disagreement: Disagreement
    again: bool = True

    @property
    def group(self) -> tuple[Cause, tuple[str, ...]]:
        """What makes two findings one: the cause, and the kinds of steps that are needed for it."""
        return self.disagreement.cause, tuple(_kind(step) for step in self.scenario.steps)


def _kind(step: object) -> str:
    return str(getattr(step, "tool", None) or getattr(step, "kind", None) or "parallel")


class Duel:
    """Replays one scenario on both sides and tells the first disagreement; counts what was made."""

    def __init__(
        self, reference: Adapter, target: Adapter, place: Place, level: Level, vocabulary: Vocabulary
    ) -> None:
        self.reference = reference
        self.target = target
        self.place = place
        self.level: Level = level
        self.vocabulary = vocabulary
        self.steps = 0
        self.scenarios = 0

    def __call__(self, scenario: Scenario) -> Disagreement | None:
        """Replay. Raises BrokenAdapter where the target broke and the reference did not."""
        ours = replay(scenario, self.reference, self.place)
        if ours.broken is not None:
            # A change could not be made in the state that the calls before had left: replay what comes before.
            if ours.broken.blame != "harness":
                raise _broken("reference", ours)
            scenario = replace(scenario, steps=scenario.steps[: len(ours.steps)])
            if not any(True for _ in scenario.calls()):
                return None
        theirs = replay(scenario, self.target, self.place)
        found = first_disagreement(scenario, ours, theirs, self.level, self.vocabulary)
        if found is None and theirs.broken is not None:
            raise _broken("target", theirs)
        self.scenarios += 1
        self.steps += len(theirs.steps) if found is None else found.step + 1
        return found


def _broken(side: str, outcome: Outcome) -> BrokenAdapter:
    broken = outcome.broken
    assert broken is not None
    return BrokenAdapter(
        f"the {side} broke at step {broken.step + 1}: {broken.message}", blame=broken.blame, details=broken.details
    )


class Campaign:
    """One run: `perform` yields each new finding; `steps`, `scenarios` and `causes` tell what was made so far."""

    def __init__(self, duel: Duel, strategy: st.SearchStrategy[Scenario], *, steps: int, seed: int) -> None:
        self.duel = duel
        self.strategy = strategy
        self.most_steps = steps
        self.seed = seed
        self.steps = 0
        self.scenarios = 0
        self.causes: Counter[Cause] = Counter()

    def perform(self, progress: Callable[[int], None] | None = None) -> Iterator[Finding]:
        """Yield the findings, one for each group; stops when enough steps were made on both sides."""
        groups = set()
        for scenario in generated(self.strategy, self.seed):
            if self.steps >= self.most_steps:
                return
            found = self.duel(scenario)
            self.steps, self.scenarios = self.duel.steps, self.scenarios + 1
            if progress is not None:
                progress(self.steps)
            if found is None:
                continue
            self.causes[found.cause] += 1
            if self.causes[found.cause] > _SHRUNK_PER_CAUSE:
                continue
            finding = self._shrunk(scenario, found)
            self.duel.steps = self.steps  # what shrinking makes is no volume
            if finding.group not in groups:
                groups.add(finding.group)
                yield finding

    def _shrunk(self, scenario: Scenario, found: Disagreement) -> Finding:
        cut = replace(scenario, steps=scenario.steps[: found.step + 1])
        latest = found

        def shows(candidate: Scenario) -> bool:
            nonlocal latest
            seen = self.duel(candidate)
            same = seen is not None and seen.cause == found.cause
            if same and seen is not None:
                latest = seen
            return same

        if not shows(cut):
            return Finding(cut, found, again=False)
        return Finding(shrink(cut, shows), latest)


def generated(strategy: st.SearchStrategy[Scenario], seed: int) -> Iterator[Scenario]:
    """Yield scenarios without end; the same seed gives the same ones."""
    for number in itertools.count():
        yield from _batch(strategy, f"{seed}.{number}")


def _batch(strategy: st.SearchStrategy[Scenario], seed: str) -> list[Scenario]:
    batch: list[Scenario] = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=_BATCH,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(strategy)
    def collect(scenario: Scenario) -> None:
        batch.append(scenario)

    collect()
    return batch
