"""Bisect: find the first published version in which what a scenario gives changed, by installing and replaying."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from packaging.version import Version

from harness.contracts import Contract
from harness.entry import Entry
from harness.host_text import answer_of
from harness.recordings import Transcript
from harness.scenario import Scenario
from harness.session import Adapter
from harness.suite import Suite
from harness.takes import NUMBERS, TakeJob, Takes
from harness.verdict import Level
from harness.vocabulary import Vocabulary

__all__ = ["BisectError", "Bisection", "Found", "Replayed", "between", "facts"]

Facts = tuple[Any, ...]


class BisectError(Exception):
    """The search cannot go on; the message names the version and says why."""


@dataclass(frozen=True, slots=True)
class Found:
    """`before` is the last version like the first one, `after` the first that is not; None, where nothing changed.

    `again`: the newest version gives something else once more, so there are further changes after `after`.
    `replayed` counts the versions that were installed or known for it.
    """

    before: str | None
    after: str | None
    again: bool
    replayed: int


@dataclass
class Replayed:
    """What one scenario gives in a version: taken twice, and kept as takes, so that a search can be resumed.

    `variant` is `` or `+gated`, the class of the model.
    """

    suite: Suite
    scenario: Scenario
    takes: Takes
    connect: Callable[[Contract], Callable[[], Adapter]]
    variant: str = ""

    def __call__(self, version: str) -> Transcript:
        """Return what the scenario gives. Raises BisectError, and BrokenAdapter where it cannot be installed."""
        contract = self.suite.contracts.find(version + self.variant)
        transcripts = []
        for number in NUMBERS:
            job = TakeJob(self.suite.root, self.takes.root, contract.name, number, self.connect(contract))
            with job.bench() as take:
                done = take(self.scenario.id)
            if done.status in ("broken", "unsupported"):
                raise BisectError(f"{contract.name}: {done.message}")
            transcripts.append(self.takes.get(self.scenario, contract, number))
        if transcripts[0] is None or transcripts[0] != transcripts[1]:
            self.takes.drop(self.scenario.id, contract.name)
            raise BisectError(f"{contract.name}: two replays gave different transcripts")
        return transcripts[0]


@dataclass
class Bisection:
    """A binary search over `versions`, oldest first. `facts_of` says what of a version is compared."""

    versions: Sequence[str]
    facts_of: Callable[[str], Facts]
    _known: dict[str, Facts] = field(default_factory=dict)

    def search(self) -> Found:
        """Return where the facts change, seen from the oldest version. Raises what `facts_of` raises."""
        if len(self.versions) < 2:
            raise BisectError("there are no two published versions between the two ends")
        low, high = 0, len(self.versions) - 1
        first, last = self._facts(low), self._facts(high)
        if first == last:
            return Found(None, None, False, len(self._known))
        while high - low > 1:
            middle = (low + high) // 2
            if self._facts(middle) == first:
                low = middle
            else:
                high = middle
        again = self._facts(high) != last
        return Found(self.versions[low], self.versions[high], again, len(self._known))

    def _facts(self, place: int) -> Facts:
        version = self.versions[place]
        if version not in self._known:
            self._known[version] = self.facts_of(version)
        return self._known[version]


def between(versions: Sequence[str], oldest: str, newest: str) -> list[str]:
    """Return the published versions from `oldest` to `newest`, both included. Raises BisectError."""
    for end in (oldest, newest):
        if end not in versions:
            raise BisectError(f"{end} is not published, or refused; choose a neighbour")
    if Version(oldest) >= Version(newest):
        raise BisectError(f"{oldest} is not older than {newest}")
    return [version for version in versions if Version(oldest) <= Version(version) <= Version(newest)]


def facts(transcript: Transcript, level: Level, vocabulary: Vocabulary) -> Facts:
    """Return what two transcripts are compared by at a level."""
    return tuple(
        (
            tuple(
                _of_result(tool, result.text, result.is_error, level, vocabulary)
                for (tool, _), result in zip(step.calls, step.results, strict=True)
            ),
            _of_changes(step.changes),
        )
        for step in transcript.steps
    )


def _of_result(tool: str, text: str, is_error: bool, level: Level, vocabulary: Vocabulary) -> Facts:
    answer = answer_of(text)
    match level:
        case "effects":
            return (is_error,)
        case "reason":
            return (is_error, vocabulary.name_of(tool, answer) if is_error else None)
        case "text":
            return (is_error, answer)
        case "verbatim":
            return (is_error, text)


def _of_changes(changes: Mapping[str, Entry | None]) -> Facts:
    return tuple(sorted(changes.items()))
