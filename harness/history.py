"""History: docs/history.md, made of the reference's table of behaviours and what was recorded around each change."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from packaging.version import Version

import harness
from harness.behaviour import evidence
from harness.behaviour.markdown import cell, code, link, table
from harness.behaviour.told import told_both
from harness.changes.answer import Answer, Place, Told, recorded_answers
from harness.changes.occurrence import Occurrence, occurrences, shown_text
from harness.changes.points import Point, chain, version_of
from harness.entry import Entry
from harness.recordings import Recordings
from harness.releases import Releases, load_releases, releases_file
from harness.scenario import Clause
from harness.suite import Suite
from harness.verdict import LEVELS
from reference_impl.contract import Behaviours, ByModel, History

__all__ = ["ChangePoint", "change_points", "history", "page_file", "telling", "the_histories"]

Histories = Mapping[str, History]

_NOT_RECORDED = "not recorded"


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """One change of one behaviour: in `version` it went from `value_before` to `value_after`.

    `models` tells for which class of models, if not for both. `shown` are the scenarios whose recordings differ
    around it, with the closest versions that do, closest first; `before` and `after` are cells with
    the product's words at the call of `tool` that shows it best.
    """

    version: str
    behaviour: str
    models: str
    value_before: Any
    value_after: Any
    shown: tuple[tuple[str, Point], ...] = ()
    tool: str = ""
    before: str = _NOT_RECORDED
    after: str = _NOT_RECORDED

    @property
    def point(self) -> Point | None:
        """The closest versions between which it was seen to change; None where nothing was recorded."""
        return self.shown[0][1] if self.shown else None


def the_histories() -> Histories:
    """Return the history of every behaviour of the reference, by name, in its order."""
    return {each.name: each.metadata["history"] for each in fields(Behaviours)}


def telling(histories: Histories | None = None) -> frozenset[str]:
    """Return the scenarios that show a change, of which the versions around it may be recorded, too."""
    found = the_histories() if histories is None else histories
    return frozenset(name for each in found.values() if each.changes for name in each.shown_by)


def page_file(suite: Suite) -> Path | None:
    """Return where the page of a suite belongs: docs/history.md beside the folder of the fixtures.

    None for the copy of the suite inside the installed package, which has no documentation beside it.
    """
    if suite.root.parent == Path(harness.__file__).parent:
        return None
    return suite.root.parent / "docs" / "history.md"


def change_points(suite: Suite, histories: Histories) -> list[ChangePoint]:
    """Return every change of these behaviours, oldest first. Raises SuiteError, RecordingError."""
    witness = _Witness(suite, Recordings(suite.recordings_root), load_releases(releases_file(suite.root)))
    changes = [
        (ChangePoint(version, name, models, *values), witness.seen(history, gated, version))
        for name, history in histories.items()
        for version, gated, models, values in _changes(history)
    ]
    # What is seen at many points is about something else that changed at the same time.
    spread = Counter(key for _, seen in changes for key in {_key(each) for each in seen.occurrences})
    found = [_told(point, seen, spread) for point, seen in changes]
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
    """What was recorded around one change: by scenario the closest versions and the answers on both sides."""

    around: Mapping[str, Point]
    answers: Mapping[str, tuple[Mapping[Place, Answer], Mapping[Place, Answer]]]
    occurrences: tuple[Occurrence, ...]


@dataclass(frozen=True, slots=True)
class _Witness:
    suite: Suite
    recordings: Recordings
    releases: Releases

    def seen(self, history: History, gated: bool, version: str) -> _Sight:
        """Return what the scenarios of a history show around a version."""
        around: dict[str, Point] = {}
        answers: dict[str, tuple[Mapping[Place, Answer], Mapping[Place, Answer]]] = {}
        found: list[Occurrence] = []
        for scenario_id in history.shown_by:
            recording = self.recordings.recording(scenario_id)
            point = self._around(chain(recording, gated=gated), version)
            if point is None or recording.transcripts[point.before] == recording.transcripts[point.after]:
                continue
            scenario = self.suite.scenario(scenario_id, require_expect=False)
            sides = tuple(
                recorded_answers(scenario, recording.transcripts[name], self.suite.vocabulary)
                for name in (point.before, point.after)
            )
            here = occurrences(scenario, sides[0], sides[1])
            if here:
                around[scenario_id] = point
                answers[scenario_id] = sides[0], sides[1]
                found += here
        return _Sight(around, answers, tuple(found))

    def _around(self, names: Sequence[str], version: str) -> Point | None:
        earlier = [name for name in names if Version(version_of(name)) < Version(version)]
        later = [name for name in names if Version(version_of(name)) >= Version(version)]
        if not (earlier and later):
            return None
        exact = self.releases.follow(version_of(earlier[-1]), version_of(later[0]))
        return Point(earlier[-1], later[0], exact)


_Key = tuple[str, ...]


def _key(each: Occurrence) -> _Key:
    """Return what is the same wherever the same thing changed."""
    change = each.change
    return each.tool, change.level, change.kind, change.subject, change.before, change.after


def _told(point: ChangePoint, seen: _Sight, spread: Mapping[_Key, int]) -> ChangePoint:
    """Return the point with the call that shows it best: with what is seen at few other points, and here often."""
    if not seen.occurrences:
        return point
    support = Counter(key for key, _ in {(_key(each), each.scenario_id) for each in seen.occurrences})
    best = min(
        seen.occurrences,
        key=lambda each: (
            spread[_key(each)],
            -support[_key(each)],
            each.follows,
            LEVELS.index(each.change.level),
            each.scenario_id,
            each.place[0],
        ),
    )
    one, other = (side[best.place] for side in seen.answers[best.scenario_id])
    before, after = _cells(best.tool, one, other)
    order = sorted(
        seen.around.items(),
        key=lambda item: (not item[1].exact, _order(item[1].after) - _order(item[1].before)),
    )
    return replace(point, shown=tuple(order), tool=best.tool, before=before, after=after)


def _cells(tool: str, one: Answer, other: Answer) -> tuple[str, str]:
    clause = Clause(
        error=(one.error or "without a name") if one.refused else None,
        text=shown_text(one.text),
        files=_entries(one),
    )
    answer = evidence.Answer(shown_text(other.text), other.refused, other.error, _entries(other))
    return told_both(evidence.Statement(1, tool, clause, answer=answer))


def _entries(answer: Answer) -> dict[str, Entry | None]:
    return {path: entry for path, entry in answer.files.items() if not isinstance(entry, Told)}


def _order(name: str) -> int:
    major, minor, patch = Version(version_of(name)).release
    return (major * 1000 + minor) * 10_000 + patch


def history(suite: Suite, histories: Histories | None = None) -> str:
    """Return the page, of the reference's behaviours unless others are given. Raises SuiteError, RecordingError."""
    known = the_histories() if histories is None else histories
    return "\n".join(_page(change_points(suite, known))) + "\n"


def _page(points: Sequence[ChangePoint]) -> Iterator[str]:
    yield "# How the file tools changed"
    yield ""
    yield (
        "Every change of Claude Code's file tools that the reference implementation follows, oldest first, with what"
        " the product answered before and after it. The versions and behaviours come from the table in"
        " `reference_impl/contract.py`, the words from the recordings of the scenarios that show the change."
    )
    yield ""
    yield (
        "- **exact**: the version and the one published before it were both recorded, and only the later one shows it."
    )
    yield (
        "- **between X and Y**: X was recorded without the change, Y with it; versions between them were not."
        " `readfirst bisect ID --from X --to Y` finds the version, and `--record` keeps what it finds."
    )
    yield (
        "- Of two long texts the part around their first difference is shown; `$WS` is the workspace, and control"
        " characters and odd blanks are escapes. *Older models* are those that must read a file before they change it"
        " (`+gated`)."
    )
    yield ""
    yield (
        "What differs between any two versions: `readfirst diff 2.1.7 2.1.328`. This page is made by `readfirst history"
        " --write`. Do not edit it: `readfirst history --check` and a test fail when it is stale."
    )
    yield ""
    exact = sum(point.point is not None and point.point.exact for point in points)
    yield f"{len(points)} change{'' if len(points) == 1 else 's'}, {exact} of them exact."
    yield ""
    if points:
        yield from table(
            ["version", "known", "behaviour", "before", "after", "scenarios"],
            [_row(point) for point in points],
        )


def _row(point: ChangePoint) -> list[str]:
    tool = f"{point.tool}: " if point.tool else ""
    return [
        f"**{point.version}**{f', {point.models}' if point.models else ''}",
        _known(point),
        f"{code(point.behaviour)} {cell(_meanings().get(point.behaviour, ''))} ({_change(point)})",
        f"{tool}{point.before}",
        f"{tool}{point.after}",
        "<br>".join(
            link(scenario_id, f"../fixtures/scenarios/{scenario_id}.yaml") for scenario_id, _ in point.shown
        ),
    ]


def _known(point: ChangePoint) -> str:
    around = point.point
    if around is None:
        return _NOT_RECORDED
    if around.exact:
        return "exact"
    return f"between {version_of(around.before)} and {version_of(around.after)}"


def _change(point: ChangePoint) -> str:
    return f"{_value(point.value_before)} → {_value(point.value_after)}"


def _value(value: Any) -> str:
    match value:
        case True:
            return "yes"
        case False:
            return "no"
        case None:
            return "none"
        case str():
            return code(value)
        case int():
            return f"{value:,}"
        case _:
            return code(str(value))


@cache
def _meanings() -> Mapping[str, str]:
    """Return what the reference says of each behaviour: the text below its declaration."""
    (definition,) = ast.parse(inspect.getsource(Behaviours)).body
    assert isinstance(definition, ast.ClassDef)
    meanings = {}
    for declared, said in zip(definition.body, definition.body[1:], strict=False):
        match declared, said:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str() as text)):
                meanings[name] = text
    return meanings
