"""Write the page docs/history.md: all changes of the reference's behaviours, with recorded answers before and after."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from packaging.version import Version

from readfirst.harness.diff.difference import Occurrence
from readfirst.harness.diff.introduced_in import version_of
from readfirst.harness.diff.normalize_text import ChangeLevel
from readfirst.harness.report.markdown_escape import cell, code
from readfirst.harness.suite.suite import Suite
from readfirst.harness.versions.points import ChangePoint, Histories, change_points
from readfirst.observatory.claims.table_cells import MAX_ANSWER_CHARS, excerpt
from readfirst.observatory.template import markdown, scenario_link, template
from readfirst.observatory.versions.behaviours import value_as_markdown
from readfirst.reference_impl.behaviours_by_version import behaviour_histories

NOT_RECORDED = "not recorded"
_LEVEL_WEIGHTS: Mapping[ChangeLevel, int] = {"effects": 1, "reason": 2, "text": 6}
"""Used to select the example of a change: a difference at a level with a lower weight is preferred."""


@dataclass(frozen=True)
class ChangeWithAnswers(ChangePoint):
    """A change of a behaviour, with its best example: the answers to a call of `tool` before and after the change."""

    tool: str = ""
    before: str = NOT_RECORDED
    after: str = NOT_RECORDED


def changes_with_answers(suite: Suite, known: Histories) -> list[ChangeWithAnswers]:
    """Return every change of the `known` behaviours, oldest first. Raises SuiteError, RecordingError."""
    points = change_points(suite, known)
    # A difference at many points has a different cause, which changed at the same time.
    points_by_key = Counter(
        key
        for point in points
        for key in {_difference_key(each) for one in point.sights for each in one.occurrences}
    )
    return [_best_example(point, points_by_key) for point in points]


def _difference_key(each: Occurrence) -> tuple[str, ...]:
    """Return the key of a difference between two answers. Equal differences in several scenarios have the same key."""
    change = each.change
    return each.tool, change.level, change.kind, change.subject, change.before, change.after


def _best_example(point: ChangePoint, points_by_key: Mapping[tuple[str, ...], int]) -> ChangeWithAnswers:
    """Return the change with its best example: a difference in many scenarios that few other changes show."""
    same = {each.name: getattr(point, each.name) for each in fields(point)}
    if not point.sights:
        return ChangeWithAnswers(**same)
    every = [each for one in point.sights for each in one.occurrences]
    support = Counter(key for key, _ in {(_difference_key(each), each.scenario_id) for each in every})
    best = min(
        every,
        key=lambda each: (
            _LEVEL_WEIGHTS[each.change.level]
            * points_by_key[_difference_key(each)]
            / support[_difference_key(each)],
            each.follows,
            each.scenario_id,
            each.place[0],
        ),
    )
    change = best.change
    return ChangeWithAnswers(
        **same,
        tool=best.tool,
        before=_answer_cell(change.before, change.words_before),
        after=_answer_cell(change.after, change.words_after),
    )


def _answer_cell(result: str, words: str) -> str:
    """Return a table cell with the result of a call, and with the text of the answer unless both are equal."""
    quoted = excerpt(words, MAX_ANSWER_CHARS)
    return f"{result}: {quoted}" if result not in ("", words) else quoted


def releases_text(versions: Iterable[str]) -> str:
    """Return the text of `releases.yaml` that lists these versions."""
    head = "# Every published version that can be installed, oldest first, according to npm.\nversions:\n"
    return head + "".join(f"  - {version}\n" for version in versions)


def history_page(suite: Suite, *, every: bool = True) -> str:
    """Return docs/history.md; with `every`, it lists each change. Raises SuiteError, RecordingError."""
    points = changes_with_answers(suite, behaviour_histories())
    unsure = [point for point in points if point.point is None or not point.point.exact]
    return markdown(
        template("docs/history"),
        count=len(points),
        exact=len(points) - len(unsure),
        versions=[*_version_rows(suite, points)],
        unsure=[[*_table_row(point)[:2], code(point.behaviour), _table_row(point)[5]] for point in unsure],
        every=[*map(_table_row, points)] if every else [],
    )


def _version_rows(suite: Suite, points: Sequence[ChangeWithAnswers]) -> Iterator[list[str]]:
    before = Version("0")
    for contract in suite.contracts:
        if contract.recorded and "+" not in contract.name:
            version = Version(contract.name)
            here = [point for point in points if before < Version(point.version) <= version]
            tools = [sum(point.tool == tool for point in here) for tool in ("Read", "Edit", "Write")]
            counts = map(str, (len(here), *tools, len(here) - sum(tools)))
            yield [f"**{contract.name}**", *counts, cell(contract.summary)]
            before = version


def _table_row(point: ChangeWithAnswers) -> list[str]:
    tool, around = f"{point.tool}: " if point.tool else "", point.point
    known = NOT_RECORDED
    if around is not None:
        between = f"between {version_of(around.before)} and {version_of(around.after)}"
        known = "exact" if around.exact else between
    before, after = map(value_as_markdown, (point.value_before, point.value_after))
    return [
        f"**{point.version}**{f', {point.models}' if point.models else ''}",
        known,
        f"{code(point.behaviour)} {cell(point.meaning)} ({before} → {after})",
        f"{tool}{point.before}",
        f"{tool}{point.after}",
        "<br>".join(scenario_link(scenario_id) for scenario_id, _ in point.shown),
    ]
