"""Change points: every change of a behaviour of the reference, and the recordings that differ around it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from packaging.version import Version

from readfirst.harness.diff.difference import Occurrence, occurrences
from readfirst.harness.diff.introduced_in import Point, chain, version_of
from readfirst.harness.diff.observed_answers import recorded_answers, with_modes
from readfirst.harness.suite.product_versions import Releases, load_releases
from readfirst.harness.suite.suite import Suite
from readfirst.reference_impl.behaviours.versioned import ByModel, History
from readfirst.reference_impl.behaviours_by_version import behaviour_histories

Histories = Mapping[str, History]


@dataclass(frozen=True, slots=True)
class Sight:
    """A change in the recordings of a scenario: the closest versions, and the differences between them."""

    around: Point
    occurrences: Sequence[Occurrence]


def _seen(suite: Suite, releases: Releases, history: History, gated: bool, version: str) -> Iterator[Sight]:
    """Yield what the scenarios of a history show around a version."""
    for scenario_id in history.shown_by:
        recording = suite.recordings.recording(scenario_id)
        names = chain(recording, gated=gated)
        earlier = [name for name in names if Version(version_of(name)) < Version(version)]
        if not earlier or len(earlier) == len(names):
            continue
        ends = earlier[-1], names[len(earlier)]
        before, after = (recording.transcripts[name] for name in ends)
        if before != after:
            scenario = suite.scenario(scenario_id, require_expect=False)
            sides = [with_modes(scenario, recorded_answers(scenario, each)) for each in (before, after)]
            if here := occurrences(scenario, *sides):
                yield Sight(Point(*ends, releases.follow(*map(version_of, ends))), here)


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """One change of one behaviour, which has this `meaning`: in `version` it went from `value_before` to `value_after`.

    `models` names the class of models, empty for both classes. `shown` are the scenarios whose recordings differ around
    the change, with the closest versions that do, closest first; `sights` are the same with the differences.
    """

    version: str
    behaviour: str
    meaning: str
    models: str
    value_before: Any
    value_after: Any
    shown: tuple[tuple[str, Point], ...] = ()
    sights: tuple[Sight, ...] = ()

    @property
    def point(self) -> Point | None:
        """The closest recorded versions around the change. None if there are no recordings."""
        return self.shown[0][1] if self.shown else None


def scenarios_of_changes() -> frozenset[str]:
    """Return the scenarios that show a change, of which the versions around it may be recorded, too."""
    return frozenset(
        name for each in behaviour_histories().values() if each.changes for name in each.shown_by
    )


def change_points(suite: Suite, known: Histories) -> list[ChangePoint]:
    """Return every change of these behaviours, oldest first. Raises SuiteError, RecordingError."""
    releases = load_releases(suite.file_about_contracts("releases.yaml"))
    found = []
    for name, history in known.items():
        for version, gated, models, values in _changes(history):
            sights = tuple(_seen(suite, releases, history, gated, version))
            shown = [(one.occurrences[0].scenario_id, one.around) for one in sights]
            shown.sort(key=lambda item: (not item[1].exact, _order(item[1].after) - _order(item[1].before)))
            found.append(ChangePoint(version, name, history.meaning, models, *values, tuple(shown), sights))
    return sorted(found, key=lambda point: (Version(point.version), point.behaviour, point.models))


def _changes(history: History) -> Iterator[tuple[str, bool, str, tuple[Any, Any]]]:
    """Yield each change: the version, whether to look at older models, what to call them, and the values."""
    former = history.first
    for version, value in history.changes.items():
        before, after = _by_model(former), _by_model(value)
        named = ".".join(map(str, version))
        changed = [place for place in (0, 1) if before[place] != after[place]]
        alike = changed == [0, 1] and before[0] == before[1] and after[0] == after[1]
        for place in changed[:1] if alike else changed:
            models = "" if alike else ("newer models", "older models")[place]
            yield named, place == 1, models, (before[place], after[place])
        former = value


def _by_model(value: Any) -> tuple[Any, Any]:
    """Return what newer models get, and what older ones do."""
    return (value.relaxed, value.enforced) if isinstance(value, ByModel) else (value, value)


def _order(name: str) -> int:
    major, minor, patch = Version(version_of(name)).release
    return (major * 1000 + minor) * 10_000 + patch
