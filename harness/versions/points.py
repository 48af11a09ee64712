"""List every change of a behaviour of the reference between versions, with the recordings that show the change."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from packaging.version import Version

from readfirst.harness.diff.difference import Occurrence, occurrences
from readfirst.harness.diff.introduced_in import Point, contracts_of_models, version_of
from readfirst.harness.diff.observed_answers import recorded_answers, with_modes
from readfirst.harness.suite.product_versions import Releases, load_releases
from readfirst.harness.suite.suite import Suite
from readfirst.reference_impl.behaviours.versioned import ByModel, History
from readfirst.reference_impl.behaviours_by_version import behaviour_histories

Histories = Mapping[str, History]


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """A change of the product in a scenario's recordings: the versions before and after it, and the differences."""

    around: Point
    occurrences: Sequence[Occurrence]


def _iter_recorded_changes(
    suite: Suite, releases: Releases, history: History, gated: bool, version: str
) -> Iterator[RecordedChange]:
    """Yield the change between the last recording before `version` and the next recording, if they differ, for each
    scenario that shows the behaviour `history`. With `gated`, use the recordings with older models.
    """
    for scenario_id in history.shown_by:
        recording = suite.recordings.recording(scenario_id)
        names = contracts_of_models(recording, gated=gated)
        earlier = [name for name in names if Version(version_of(name)) < Version(version)]
        if not earlier or len(earlier) == len(names):
            continue
        ends = earlier[-1], names[len(earlier)]
        before, after = (recording.transcripts[name] for name in ends)
        if before != after:
            scenario = suite.scenario(scenario_id, require_expect=False)
            answers = (recorded_answers(scenario, transcript) for transcript in (before, after))
            sides = [with_modes(scenario, each) for each in answers]
            if differences := occurrences(scenario, *sides):
                yield RecordedChange(Point(*ends, releases.are_adjacent(*map(version_of, ends))), differences)


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """One change of a behaviour of the reference: from `version` on, the behaviour has a different value."""

    version: str
    behaviour: str
    meaning: str
    models: str
    """The class of models that the change concerns. Empty for both classes."""
    value_before: Any
    value_after: Any
    shown: tuple[tuple[str, Point], ...] = ()
    """The scenarios whose recordings before and after the change differ, the narrowest range of versions first."""
    sights: tuple[RecordedChange, ...] = ()
    """The differences between these recordings."""

    @property
    def point(self) -> Point | None:
        """The narrowest range of recorded versions with the change. None if the recordings do not show it."""
        return self.shown[0][1] if self.shown else None


def scenarios_of_changes() -> frozenset[str]:
    """Return the scenarios that show changed behaviours. More recordings of these scenarios give more exact dates."""
    changed = (history for history in behaviour_histories().values() if history.changes)
    return frozenset(name for history in changed for name in history.shown_by)


def change_points(suite: Suite, behaviours: Histories) -> list[ChangePoint]:
    """Return every change of the reference's `behaviours` between versions, oldest first. Raises SuiteError."""
    releases = load_releases(suite.file("releases.yaml"))
    points = []
    for name, history in behaviours.items():
        for version, gated, models, values in _iter_changes(history):
            sights = tuple(_iter_recorded_changes(suite, releases, history, gated, version))
            shown = [(sight.occurrences[0].scenario_id, sight.around) for sight in sights]
            shown.sort(
                key=lambda item: (
                    not item[1].exact,
                    _version_number(item[1].after) - _version_number(item[1].before),
                )
            )
            points.append(ChangePoint(version, name, history.meaning, models, *values, tuple(shown), sights))
    return sorted(points, key=lambda point: (Version(point.version), point.behaviour, point.models))


def _iter_changes(history: History) -> Iterator[tuple[str, bool, str, tuple[Any, Any]]]:
    """Yield each change of a behaviour: the version, whether only older models change, the name of the class of models
    that changes (empty for both classes), and the values before and after.
    """
    previous = history.first
    for version, value in history.changes.items():
        before, after = _values_by_model(previous), _values_by_model(value)
        version_name = ".".join(map(str, version))
        changed = [index for index in (0, 1) if before[index] != after[index]]
        alike = changed == [0, 1] and before[0] == before[1] and after[0] == after[1]
        for index in changed[:1] if alike else changed:
            models = "" if alike else ("newer models", "older models")[index]
            yield version_name, index == 1, models, (before[index], after[index])
        previous = value


def _values_by_model(value: Any) -> tuple[Any, Any]:
    """Return the value of a behaviour for newer models, and its value for older models."""
    return (value.relaxed, value.enforced) if isinstance(value, ByModel) else (value, value)


def _version_number(name: str) -> int:
    major, minor, patch = Version(version_of(name)).release
    return (major * 1000 + minor) * 10_000 + patch
