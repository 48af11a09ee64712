"""History: every change of a behaviour that the reference knows, what was recorded around it, and its page."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from packaging.version import Version

from readfirst.harness.changes.answer import Answer, ReportedEntry, recorded_answers, with_modes
from readfirst.harness.changes.dating import Point, chain, version_of
from readfirst.harness.changes.occurrence import Occurrence, occurrences, shown_text
from readfirst.harness.changes.wording import ChangeLevel
from readfirst.harness.claims import evidence
from readfirst.harness.claims.cells import describe_both
from readfirst.harness.difference import first_difference
from readfirst.harness.report.markup import cell, code, markdown, scenario_link
from readfirst.harness.suite.entry import Entry, RegularFile
from readfirst.harness.suite.releases import Releases, load_releases, releases_file
from readfirst.harness.suite.scenario import CallIndex, Clause
from readfirst.harness.suite.suite import Suite
from readfirst.harness.versions.behaviours import value_in_page
from readfirst.reference_impl.behaviours.history import ByModel, History
from readfirst.reference_impl.contract import histories

Histories = Mapping[str, History]

NOT_RECORDED = "not recorded"
_WEIGHT: Mapping[ChangeLevel, int] = {"effects": 1, "reason": 2, "text": 6}
"""How much more often other words may be seen elsewhere: what a tool does tells a change better than what it says."""
_FEW_BYTES = 90
"""Of longer contents that differ the part around the first difference is shown."""


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """One change of one behaviour, which has this `meaning`: in `version` it went from `value_before` to `value_after`.

    `models` tells for which class of models, if not for both. `shown` are the scenarios whose recordings differ
    around it, with the closest versions that do, closest first; `before` and `after` are cells with
    the product's words at the call of `tool` that shows it best.
    """

    version: str
    behaviour: str
    meaning: str
    models: str
    value_before: Any
    value_after: Any
    shown: tuple[tuple[str, Point], ...] = ()
    tool: str = ""
    before: str = NOT_RECORDED
    after: str = NOT_RECORDED

    @property
    def point(self) -> Point | None:
        """The closest versions between which it was seen to change; None where nothing was recorded."""
        return self.shown[0][1] if self.shown else None


def scenarios_of_changes() -> frozenset[str]:
    """Return the scenarios that show a change, of which the versions around it may be recorded, too."""
    return frozenset(name for each in histories().values() if each.changes for name in each.shown_by)


def change_points(suite: Suite, known: Histories) -> list[ChangePoint]:
    """Return every change of these behaviours, oldest first. Raises SuiteError, RecordingError."""
    releases = load_releases(releases_file(suite.root))
    changes = [
        (
            ChangePoint(version, name, history.meaning, models, *values),
            list(_seen(suite, releases, history, gated, version)),
        )
        for name, history in known.items()
        for version, gated, models, values in _changes(history)
    ]
    # What is seen at many points is about something else that changed at the same time.
    spread = Counter(
        key for _, seen in changes for key in {_key(each) for one in seen for each in one.occurrences}
    )
    found = [_worded(point, seen, spread) for point, seen in changes]
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


@dataclass(frozen=True, slots=True)
class _Sight:
    """What a scenario's recordings show of a change: the closest versions, the answers on both sides, what differs."""

    around: Point
    sides: Sequence[Mapping[CallIndex, Answer]]
    occurrences: Sequence[Occurrence]


def _seen(suite: Suite, releases: Releases, history: History, gated: bool, version: str) -> Iterator[_Sight]:
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
                yield _Sight(Point(*ends, releases.follow(*map(version_of, ends))), sides, here)


def _key(each: Occurrence) -> tuple[str, ...]:
    """Return what is the same wherever the same thing changed."""
    change = each.change
    return each.tool, change.level, change.kind, change.subject, change.before, change.after


def _worded(point: ChangePoint, seen: Sequence[_Sight], spread: Mapping[tuple[str, ...], int]) -> ChangePoint:
    """Return the point with the call that shows it best: with what is seen at few other points, and here often."""
    if not seen:
        return point
    every = [(each, one) for one in seen for each in one.occurrences]
    support = Counter(key for key, _ in {(_key(each), each.scenario_id) for each, _ in every})
    best, where = min(
        every,
        key=lambda item: (
            _WEIGHT[item[0].change.level] * spread[_key(item[0])] / support[_key(item[0])],
            item[0].follows,
            item[0].scenario_id,
            item[0].place[0],
        ),
    )
    before, after = _cells(best.tool, *(side[best.place] for side in where.sides))
    shown = [(one.occurrences[0].scenario_id, one.around) for one in seen]
    shown.sort(key=lambda item: (not item[1].exact, _order(item[1].after) - _order(item[1].before)))
    return replace(point, shown=tuple(shown), tool=best.tool, before=before, after=after)


def _cells(tool: str, one: Answer, other: Answer) -> tuple[str, str]:
    before, after = _entries(one, other), _entries(other, one)
    clause = Clause(
        error=(one.error or "without a name") if one.refused else None,
        text=shown_text(one.text),
        files=before,
    )
    answer = evidence.RecordedAnswer(shown_text(other.text), other.refused, other.error, after)
    cells = describe_both(evidence.Statement(1, tool, clause, answer=answer))
    modes = [_modes(one, other), _modes(other, one)]
    return cells[0] + modes[0], cells[1] + modes[1]


def _entries(answer: Answer, other: Answer) -> dict[str, Entry | None]:
    """Return what one side writes; of a long content that the other writes otherwise, the part that differs."""
    entries: dict[str, Entry | None] = {}
    for path, entry in answer.files.items():
        match entry, other.files.get(path):
            case ReportedEntry(), _:
                pass
            case RegularFile(data=data), RegularFile(data=theirs) if (
                data != theirs and len(data) > _FEW_BYTES
            ):
                text, against = data.decode("utf-8", "replace"), theirs.decode("utf-8", "replace")
                start = max((first_difference(text, against) or 0) - _FEW_BYTES // 3, 0)
                entries[path] = RegularFile(f"{'…' if start else ''}{text[start:]}".encode())
            case _:
                entries[path] = entry
    return entries


def _modes(answer: Answer, other: Answer) -> str:
    """Return the modes of files that the other side gives another mode."""
    modes = ""
    for path, entry in sorted(answer.files.items()):
        match entry, other.files.get(path):
            case RegularFile(mode=int() as mode), RegularFile(mode=int() as theirs) if mode != theirs:
                modes += f"; mode {code(f'{mode:04o}')} of {code(path)}"
    return modes


def _order(name: str) -> int:
    major, minor, patch = Version(version_of(name)).release
    return (major * 1000 + minor) * 10_000 + patch


def history_page(suite: Suite, *, every: bool = True) -> str:
    """Return the changes of the reference's behaviours counted, and `every` one. Raises SuiteError, RecordingError."""
    points = change_points(suite, histories())
    unsure = [point for point in points if point.point is None or not point.point.exact]
    return markdown(
        "docs/history",
        count=len(points),
        exact=len(points) - len(unsure),
        versions=[*_by_version(suite, points)],
        unsure=[[*_row(point)[:2], code(point.behaviour), _row(point)[5]] for point in unsure],
        every=[*map(_row, points)] if every else [],
    )


def _by_version(suite: Suite, points: Sequence[ChangePoint]) -> Iterator[list[str]]:
    before = Version("0")
    for contract in suite.contracts:
        if contract.recorded and "+" not in contract.name:
            version = Version(contract.name)
            here = [point for point in points if before < Version(point.version) <= version]
            tools = [sum(point.tool == tool for point in here) for tool in ("Read", "Edit", "Write")]
            counts = map(str, (len(here), *tools, len(here) - sum(tools)))
            yield [f"**{contract.name}**", *counts, cell(contract.summary)]
            before = version


def changes_between(suite: Suite, before: str, after: str) -> Iterator[str]:
    """Yield a line for each change after one version, up to and with another. Raises ValueError for what is none."""
    first, last = Version(before), Version(after)
    for point in change_points(suite, histories()):
        if first < Version(point.version) <= last:
            models = f", {point.models}" if point.models else ""
            tool = f"{point.tool}: " if point.tool else ""
            shown = f"  [{point.shown[0][0]}]" if point.shown else ""
            yield f"{point.version}{models}  {tool}{' '.join(point.meaning.split())} ({_change(point)}){shown}"


def _row(point: ChangePoint) -> list[str]:
    tool, around = f"{point.tool}: " if point.tool else "", point.point
    known = NOT_RECORDED
    if around is not None:
        between = f"between {version_of(around.before)} and {version_of(around.after)}"
        known = "exact" if around.exact else between
    return [
        f"**{point.version}**{f', {point.models}' if point.models else ''}",
        known,
        f"{code(point.behaviour)} {cell(point.meaning)} ({_change(point)})",
        f"{tool}{point.before}",
        f"{tool}{point.after}",
        "<br>".join(scenario_link(scenario_id) for scenario_id, _ in point.shown),
    ]


def _change(point: ChangePoint) -> str:
    return f"{value_in_page(point.value_before)} → {value_in_page(point.value_after)}"
