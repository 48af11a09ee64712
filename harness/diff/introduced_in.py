"""Dating: between which recorded versions answers changed, and which versions brought the causes of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from packaging.version import Version

from readfirst.harness.diff.cause import Cause
from readfirst.harness.diff.difference import Occurrence
from readfirst.harness.diff.normalize_text import Part, parts
from readfirst.harness.diff.observed_answers import KnownLines, asked
from readfirst.harness.suite.contracts import Contract, order
from readfirst.harness.suite.product_versions import Releases, load_releases
from readfirst.harness.suite.scenario import ParallelCalls, Scenario, ToolCall
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordedResult, Recording, Transcript

_MOST_SCENARIOS = 4
"""Scenarios of each cause that are looked at."""
_MOST_POINTS = 4
"""A cause that changes more often than this is given no versions."""


def dated(
    suite: Suite, one: Contract, other: Contract, causes: Sequence[Cause], well_recorded: frozenset[str]
) -> list[Cause]:
    """Return the causes with the versions that brought them, as far as recordings between the two tell.

    `well_recorded` are scenarios of which more versions were recorded. Raises SuiteError, RecordingError.
    """
    if not (one.recorded and other.recorded) or one.version == other.version:
        return list(causes)
    releases = load_releases(suite.file_about_contracts("releases.yaml"))
    oldest, newest = sorted((one.name, other.name), key=order)

    def seen(occurrence: Occurrence) -> Iterator[Point]:
        scenario = suite.scenario(occurrence.scenario_id)
        recording = suite.recordings.recording(scenario.id)
        names = [
            name
            for name in chain(recording, gated=newest.endswith("+gated"))
            if order(oldest) <= order(name) <= order(newest)
        ]
        return points(recording, names, _aspect(scenario, occurrence), releases)

    def since(cause: Cause) -> tuple[str, ...]:
        first: dict[str, Occurrence] = {cause.example.scenario_id: cause.example}
        for each in cause.occurrences:
            first.setdefault(each.scenario_id, each)
        chosen = sorted(first, key=lambda name: name not in well_recorded)[:_MOST_SCENARIOS]
        found = narrowest([point for name in chosen for point in seen(first[name])])
        if len(found) > _MOST_POINTS or Point(oldest, newest, exact=False) in found:
            return ()  # it says no more than the comparison itself
        return tuple(map(str, found))

    return [replace(cause, since=since(cause)) for cause in causes]


def _aspect(scenario: Scenario, occurrence: Occurrence) -> Callable[[Transcript], Hashable]:
    """Return what to look at in a transcript to see whether it is on one side of a change or on the other."""
    step, number = occurrence.place
    row = sum(isinstance(each, ToolCall | ParallelCalls) for each in scenario.steps[:step])
    change = occurrence.change
    call = next(each.call for each in asked(scenario) if each.place == occurrence.place)
    arguments = call.arguments if call is not None else {}
    known = KnownLines(scenario)

    def result(transcript: Transcript) -> RecordedResult:
        return transcript.steps[row].results[number or 0]

    def said(transcript: Transcript) -> list[Part]:
        return parts(result(transcript).text, arguments, known)

    def words(transcript: Transcript) -> Hashable:
        keys = " ".join(part.key for part in said(transcript))
        return change.before in keys, change.after in keys

    match change.kind:
        case "refusal" | "reason":
            return lambda seen: result(seen).error
        case "file" | "path" | "mode":
            return lambda seen: repr(sorted(seen.steps[row].changes.items()))
        case "prefix":
            return lambda seen: next((part.prefix for part in said(seen) if part.prefix), None)
        case "content":
            return lambda seen: tuple(part.lines for part in said(seen) if part.kind == "content")
        case "words" | "refusal words" if change.before != change.after:
            return words
        case _:
            return lambda seen: result(seen).text


FIRST_RELAXED = "2.1.208"
"""From here on a version has two classes of models: `+gated` is the one that must read first."""


@dataclass(frozen=True, slots=True)
class Point:
    """A change after `before`, in `after` at the latest. `exact`: nothing was published between the two."""

    before: str
    after: str
    exact: bool

    def __str__(self) -> str:
        return (
            version_of(self.after) if self.exact else f"{version_of(self.before)} to {version_of(self.after)}"
        )


def version_of(name: str) -> str:
    """Return the version of a contract."""
    return name.partition("+")[0]


def chain(recording: Recording, *, gated: bool) -> list[str]:
    """Return what was recorded for one class of models, oldest first; versions before the classes are of both.

    What is called otherwise than a version belongs to none.
    """
    names = []
    for name in sorted(recording.transcripts, key=order):
        version, _ = order(name)
        two_classes = version >= Version(FIRST_RELAXED)
        if version != Version("0") and (not two_classes or name.endswith("+gated") == gated):
            names.append(name)
    return names


def points(
    recording: Recording,
    names: Sequence[str],
    aspect: Callable[[Transcript], Hashable],
    releases: Releases,
) -> Iterator[Point]:
    """Yield where an aspect of the recorded answers changes along these names."""
    transcripts: Mapping[str, Transcript] = recording.transcripts
    for earlier, later in pairwise(names):
        if aspect(transcripts[earlier]) != aspect(transcripts[later]):
            exact = releases.follow(version_of(earlier), version_of(later))
            yield Point(earlier, later, exact)


def narrowest(found: Sequence[Point]) -> list[Point]:
    """Return the points, oldest first, without those that another one lies within."""
    distinct = sorted(set(found), key=lambda point: (order(point.after), order(point.before)))

    def within(inner: Point, outer: Point) -> bool:
        return order(outer.before) <= order(inner.before) and order(inner.after) <= order(outer.after)

    return [
        point for point in distinct if not any(other != point and within(other, point) for other in distinct)
    ]
