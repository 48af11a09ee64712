"""Find the versions that introduced a cause of differences, by comparing recordings of successive versions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from packaging.version import Version

from readfirst.harness.diff.cause import Cause
from readfirst.harness.diff.difference import Occurrence
from readfirst.harness.diff.normalize_text import Part, parts
from readfirst.harness.diff.observed_answers import KnownLines
from readfirst.harness.suite.contracts import Contract, contract_sort_key
from readfirst.harness.suite.product_versions import Releases, load_releases
from readfirst.harness.suite.scenario import ParallelCalls, Scenario, ToolCall
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordedResult, Recording, Transcript

_MAX_SCENARIOS = 4
"""Maximum number of scenarios of a cause whose recordings are used to find the versions that introduced it."""
_MAX_POINTS = 4
"""Maximum number of versions that are stated for a cause. With more versions, no version is stated."""


def add_versions(
    suite: Suite, before: Contract, after: Contract, causes: Sequence[Cause], well_recorded: frozenset[str]
) -> list[Cause]:
    """Return the causes with the versions that introduced them (`Cause.since`), found in the recordings of the versions
    between the two contracts. `well_recorded` contains the scenarios that were recorded on many versions.
    """
    if not (before.recorded and after.recorded) or before.version == after.version:
        return list(causes)
    releases = load_releases(suite.file("releases.yaml"))
    oldest, newest = sorted((before.name, after.name), key=contract_sort_key)

    def change_points(occurrence: Occurrence) -> Iterator[Point]:
        scenario = suite.scenario(occurrence.scenario_id)
        recording = suite.recordings.recording(scenario.id)
        every = contracts_of_models(recording, gated=newest.endswith("+gated"))
        names = [
            name
            for name in every
            if contract_sort_key(oldest) <= contract_sort_key(name) <= contract_sort_key(newest)
        ]
        return points(recording, names, _aspect_of(scenario, occurrence), releases)

    def versions_of(cause: Cause) -> tuple[str, ...]:
        first: dict[str, Occurrence] = {cause.example.scenario_id: cause.example}
        for occurrence in cause.occurrences:
            first.setdefault(occurrence.scenario_id, occurrence)
        chosen = sorted(first, key=lambda name: name not in well_recorded)[:_MAX_SCENARIOS]
        narrow_points = narrowest_points([point for name in chosen for point in change_points(first[name])])
        if len(narrow_points) > _MAX_POINTS or Point(oldest, newest, exact=False) in narrow_points:
            return ()  # the compared contracts are these versions
        return tuple(map(str, narrow_points))

    return [replace(cause, since=versions_of(cause)) for cause in causes]


def _aspect_of(scenario: Scenario, occurrence: Occurrence) -> Callable[[Transcript], Hashable]:
    """Return a function that extracts the value that differs from a transcript, such as the error name of a call."""
    step, number = occurrence.place
    row = sum(isinstance(item, ToolCall | ParallelCalls) for item in scenario.steps[:step])
    change = occurrence.change
    part = next(part for location, part in scenario.parts() if location == occurrence.place)
    arguments = part.arguments if isinstance(part, ToolCall) else {}
    known_lines = KnownLines(scenario)

    def find_result(transcript: Transcript) -> RecordedResult:
        return transcript.steps[row].results[number or 0]

    def split_text(transcript: Transcript) -> list[Part]:
        return parts(find_result(transcript).text, arguments, known_lines)

    def compare_words(transcript: Transcript) -> Hashable:
        keys = " ".join(part.key for part in split_text(transcript))
        return change.before in keys, change.after in keys

    match change.kind:
        case "refusal" | "reason":
            return lambda transcript: find_result(transcript).error
        case "file" | "path" | "mode":
            return lambda transcript: repr(sorted(transcript.steps[row].changes.items()))
        case "prefix":
            return lambda transcript: next(
                (part.prefix for part in split_text(transcript) if part.prefix), None
            )
        case "content":
            return lambda transcript: tuple(
                part.lines for part in split_text(transcript) if part.kind == "content"
            )
        case "words" | "refusal words" if change.before != change.after:
            return compare_words
        case _:
            return lambda transcript: find_result(transcript).text


FIRST_RELAXED = "2.1.208"
"""The first version that treats current models and older ones (`+gated`, must Read before an Edit) differently."""


@dataclass(frozen=True, slots=True)
class Point:
    """A change of an answer between two versions. `exact` means that no version was published between them."""

    before: str
    after: str
    exact: bool

    def __str__(self) -> str:
        start = "" if self.exact else f"{version_of(self.before)} to "
        return f"{start}{version_of(self.after)}"


def version_of(name: str) -> str:
    """Return the version in the name of a contract: `2.1.330` for `2.1.330+gated`."""
    return name.partition("+")[0]


def contracts_of_models(recording: Recording, *, gated: bool) -> list[str]:
    """Return the names of the recorded contracts for older models (`gated`) or for current models, oldest first.
    Versions before FIRST_RELAXED belong to both. Contracts without a version are excluded.
    """
    names = []
    for name in sorted(recording.transcripts, key=contract_sort_key):
        version, _ = contract_sort_key(name)
        two_classes = version >= Version(FIRST_RELAXED)
        if version != Version("0") and (not two_classes or name.endswith("+gated") == gated):
            names.append(name)
    return names


def points(
    recording: Recording, names: Sequence[str], aspect: Callable[[Transcript], Hashable], releases: Releases
) -> Iterator[Point]:
    """Yield a Point for each change between the transcripts of successive contracts (`names`, oldest first). Only the
    values that `aspect` returns are compared. `releases` are the published versions.
    """
    transcripts: Mapping[str, Transcript] = recording.transcripts
    for earlier, later in pairwise(names):
        if aspect(transcripts[earlier]) != aspect(transcripts[later]):
            exact = releases.are_adjacent(version_of(earlier), version_of(later))
            yield Point(earlier, later, exact)


def narrowest_points(all_points: Sequence[Point]) -> list[Point]:
    """Return the points, oldest first. Omit a point if its range of versions contains the range of another point."""
    distinct = sorted(
        set(all_points), key=lambda point: (contract_sort_key(point.after), contract_sort_key(point.before))
    )

    def is_within(inner: Point, outer: Point) -> bool:
        begins_earlier = contract_sort_key(outer.before) <= contract_sort_key(inner.before)
        return begins_earlier and contract_sort_key(inner.after) <= contract_sort_key(outer.after)

    return [
        point
        for point in distinct
        if not any(other != point and is_within(other, point) for other in distinct)
    ]
