"""History page: one line for each change of the file tools, and docs/history.md, which counts them."""

from collections.abc import Iterator, Sequence

from packaging.version import Version

from readfirst.harness.changes.dating import version_of
from readfirst.harness.counted import counted
from readfirst.harness.report.markup import cell, code, document, scenario_link, table
from readfirst.harness.suite.suite import Suite
from readfirst.harness.versions import history
from readfirst.harness.versions.behaviours import value_in_page
from readfirst.harness.versions.history import NOT_RECORDED, ChangePoint

_TOOLS = ("Read", "Edit", "Write")
_BETWEEN = "`readfirst product bisect ID --from X --to Y` finds it, and `--record` keeps what it finds."


def history_page(suite: Suite) -> str:
    """Return every change of the reference's behaviours. Raises SuiteError, RecordingError."""
    return document(_page(suite, history.change_points(suite, history.the_histories())))


def history_summary(suite: Suite) -> str:
    """Return the page of the repository: the changes counted. Raises the same as `history_page`."""
    return document(_summary(suite, history.change_points(suite, history.the_histories())))


def changes_between(suite: Suite, before: str, after: str) -> Iterator[str]:
    """Yield a line for each change after one version, up to and with another. Raises ValueError for what is none."""
    first, last = Version(before), Version(after)
    for point in history.change_points(suite, history.the_histories()):
        if first < Version(point.version) <= last:
            models = f", {point.models}" if point.models else ""
            tool = f"{point.tool}: " if point.tool else ""
            shown = f"  [{point.shown[0][0]}]" if point.shown else ""
            yield f"{point.version}{models}  {tool}{' '.join(point.meaning.split())} ({_change(point)}){shown}"


def _page(suite: Suite, points: Sequence[ChangePoint]) -> Iterator[str]:
    """Yield the whole page: what the shorter one has, then each change."""
    yield from _summary(suite, points)
    if not points:
        return
    yield "## Every change"
    yield (
        "- Before and after it the product's words, of the scenarios that show the change; the versions come from the"
        " tables in `reference_impl/behaviours`.\n"
        "- **between X and Y**: X was recorded without the change, Y with it; the version is then the one that the"
        " reference takes.\n"
        "- Of two long texts the part around their first difference is shown; `$WS` is the workspace, `[…]` data of"
        " the product's own, and control characters and odd whitespace are escapes. *Older models* are those that must"
        " read a file before they change it (`+gated`)."
    )
    yield table(
        ["version", "known", "behaviour", "before", "after", "scenarios"],
        [_row(point) for point in points],
    )


def _summary(suite: Suite, points: Sequence[ChangePoint]) -> Iterator[str]:
    yield "# How the file tools changed"
    yield (
        "The changes of Claude Code's file tools that the reference implementation follows. `readfirst product history`"
        " prints each with the product's words before and after it and the scenarios that show it; the site has the"
        " same as a page. `readfirst diff 2.1.7 2.1.328` shows what differs between any two versions."
    )
    yield from _counted(points)
    if not points:
        return
    rows, before = [], Version("0")
    for contract in suite.contracts:
        if contract.recorded and "+" not in contract.name:
            version = Version(contract.name)
            here = [point for point in points if before < Version(point.version) <= version]
            tools = [sum(point.tool == tool for point in here) for tool in _TOOLS]
            other = len(here) - sum(tools)
            rows.append(
                [f"**{contract.name}**", *map(str, (len(here), *tools, other)), cell(contract.summary)]
            )
            before = version
    yield "A change counts for the first recorded version that has it, and for the tool whose answer shows it best."
    yield table(["version", "changes", *_TOOLS, "others", "what is new"], rows)
    unsure = [point for point in points if point.point is None or not point.point.exact]
    if unsure:
        yield "## Not exact"
        yield (
            "An exact change was recorded with its version and with the one published before it. For these, versions"
            f" between were not recorded. {_BETWEEN}"
        )
        yield table(
            ["version", "known", "behaviour", "scenarios"],
            [[row[0], row[1], code(point.behaviour), row[5]] for point in unsure for row in (_row(point),)],
        )


def _counted(points: Sequence[ChangePoint]) -> Iterator[str]:
    exact = sum(point.point is not None and point.point.exact for point in points)
    yield f"{counted(len(points), 'change')}, {exact} of them exact."


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
