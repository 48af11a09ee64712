"""All changes of behaviours that the reference knows, with the recorded answers around them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from packaging.version import Version

from readfirst.harness.diff.difference import Occurrence
from readfirst.harness.diff.introduced_in import version_of
from readfirst.harness.diff.normalize_text import ChangeLevel
from readfirst.harness.report.markdown_escape import cell, code, markdown, scenario_link
from readfirst.harness.suite.suite import Suite
from readfirst.harness.versions.points import ChangePoint, Histories, change_points
from readfirst.observatory.claims.table_cells import MOST_CHARACTERS, excerpt
from readfirst.observatory.template import template
from readfirst.observatory.versions.behaviours import value_in_page
from readfirst.reference_impl.behaviours_by_version import behaviour_histories

NOT_RECORDED = "not recorded"
_WEIGHT: Mapping[ChangeLevel, int] = {"effects": 1, "reason": 2, "text": 6}
"""For the choice of an example: the higher the weight of a level, the less a difference at this level is preferred."""


@dataclass(frozen=True)
class WordedChange(ChangePoint):
    """A change of a behaviour, with the product's answers `before` and `after` it, to the call of `tool` that shows the
    change best.
    """

    tool: str = ""
    before: str = NOT_RECORDED
    after: str = NOT_RECORDED


def worded_changes(suite: Suite, known: Histories) -> list[WordedChange]:
    """Return every change of these behaviours with example answers, oldest first. Raises SuiteError, RecordingError."""
    points = change_points(suite, known)
    # A difference at many points has a different cause, which changed at the same time.
    spread = Counter(
        key for point in points for key in {_key(each) for one in point.sights for each in one.occurrences}
    )
    return [_best_example(point, spread) for point in points]


def _key(each: Occurrence) -> tuple[str, ...]:
    """Return the properties of a difference that are the same in all scenarios that show the same change."""
    change = each.change
    return each.tool, change.level, change.kind, change.subject, change.before, change.after


def _best_example(point: ChangePoint, spread: Mapping[tuple[str, ...], int]) -> WordedChange:
    """Return the change with its best example: a call with a difference that is frequent only at this change."""
    same = {each.name: getattr(point, each.name) for each in fields(point)}
    if not point.sights:
        return WordedChange(**same)
    every = [each for one in point.sights for each in one.occurrences]
    support = Counter(key for key, _ in {(_key(each), each.scenario_id) for each in every})
    best = min(
        every,
        key=lambda each: (
            _WEIGHT[each.change.level] * spread[_key(each)] / support[_key(each)],
            each.follows,
            each.scenario_id,
            each.place[0],
        ),
    )
    change = best.change
    return WordedChange(
        **same,
        tool=best.tool,
        before=_cell(change.before, change.words_before),
        after=_cell(change.after, change.words_after),
    )


def _cell(result: str, words: str) -> str:
    """Return a table cell: the result of the call, and its text unless both are the same."""
    quoted = excerpt(words, MOST_CHARACTERS)
    return f"{result}: {quoted}" if result not in ("", words) else quoted


def history_page(suite: Suite, *, every: bool = True) -> str:
    """Return docs/history.md: the changes of the reference's behaviours, counted by version. With `every`, each change
    is listed, too.

    Raises SuiteError, RecordingError.
    """
    points = worded_changes(suite, behaviour_histories())
    unsure = [point for point in points if point.point is None or not point.point.exact]
    return markdown(
        template("docs/history"),
        count=len(points),
        exact=len(points) - len(unsure),
        versions=[*_by_version(suite, points)],
        unsure=[[*_row(point)[:2], code(point.behaviour), _row(point)[5]] for point in unsure],
        every=[*map(_row, points)] if every else [],
    )


def _by_version(suite: Suite, points: Sequence[WordedChange]) -> Iterator[list[str]]:
    before = Version("0")
    for contract in suite.contracts:
        if contract.recorded and "+" not in contract.name:
            version = Version(contract.name)
            here = [point for point in points if before < Version(point.version) <= version]
            tools = [sum(point.tool == tool for point in here) for tool in ("Read", "Edit", "Write")]
            counts = map(str, (len(here), *tools, len(here) - sum(tools)))
            yield [f"**{contract.name}**", *counts, cell(contract.summary)]
            before = version


def _row(point: WordedChange) -> list[str]:
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
