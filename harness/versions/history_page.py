"""History page: docs/history.md, one line for each change of the file tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from packaging.version import Version

from readfirst.harness.changes.dating import version_of
from readfirst.harness.counted import counted
from readfirst.harness.report.markup import cell, code, scenario_link, table
from readfirst.harness.suite.suite import Suite
from readfirst.harness.versions import history
from readfirst.harness.versions.behaviours import value_in_page
from readfirst.harness.versions.history import NOT_RECORDED, ChangePoint, Histories

__all__ = ["changes_between", "history_page"]


def history_page(suite: Suite, histories: Histories | None = None) -> str:
    """Return the page, of the reference's behaviours unless others are given. Raises SuiteError, RecordingError."""
    known = history.the_histories() if histories is None else histories
    return "\n".join(_page(history.change_points(suite, known))) + "\n"


def changes_between(
    suite: Suite, before: str, after: str, histories: Histories | None = None
) -> Iterator[str]:
    """Yield a line for each change after one version, up to and with another. Raises ValueError for what is none."""
    first, last = Version(before), Version(after)
    known = history.the_histories() if histories is None else histories
    for point in history.change_points(suite, known):
        if first < Version(point.version) <= last:
            models = f", {point.models}" if point.models else ""
            tool = f"{point.tool}: " if point.tool else ""
            shown = f"  [{point.shown[0][0]}]" if point.shown else ""
            yield f"{point.version}{models}  {tool}{' '.join(point.meaning.split())} ({_change(point)}){shown}"


def _page(points: Sequence[ChangePoint]) -> Iterator[str]:
    yield "# How the file tools changed"
    yield ""
    yield (
        "Every change of Claude Code's file tools that the reference implementation follows, oldest first, with what"
        " the product answered before and after it. The versions and behaviours come from the tables in"
        " `reference_impl/behaviours`, the words from the recordings of the scenarios that show the change."
    )
    yield ""
    yield (
        "- **exact**: the version and the one published before it were both recorded, and only the later one shows it."
    )
    yield (
        "- **between X and Y**: X was recorded without the change, Y with it; versions between them were not. The"
        " version is then the one that the reference takes. `readfirst product bisect ID --from X --to Y` finds it, and"
        " `--record` keeps what it finds."
    )
    yield (
        "- Of two long texts the part around their first difference is shown; `$WS` is the workspace, `[…]` data of"
        " the product's own, and control characters and odd whitespace are escapes. *Older models* are those that must"
        " read a file before they change it (`+gated`)."
    )
    yield ""
    yield (
        "What differs between any two versions: `readfirst diff 2.1.7 2.1.328`. This page is made by"
        " `readfirst product history --write`. Do not edit it:"
        " `readfirst product history --check` and a test fail when it is stale."
    )
    yield ""
    exact = sum(point.point is not None and point.point.exact for point in points)
    yield f"{counted(len(points), 'change')}, {exact} of them exact."
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
        f"{code(point.behaviour)} {cell(point.meaning)} ({_change(point)})",
        f"{tool}{point.before}",
        f"{tool}{point.after}",
        "<br>".join(scenario_link(scenario_id) for scenario_id, _ in point.shown),
    ]


def _known(point: ChangePoint) -> str:
    around = point.point
    if around is None:
        return NOT_RECORDED
    if around.exact:
        return "exact"
    return f"between {version_of(around.before)} and {version_of(around.after)}"


def _change(point: ChangePoint) -> str:
    return f"{value_in_page(point.value_before)} → {value_in_page(point.value_after)}"
