"""Versions: what changed from one recorded version to the next, in what is expected and in what holds."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from packaging.version import Version

from readfirst.harness.report.results import Results, Run
from readfirst.harness.report.visible import visible
from readfirst.harness.suite.contracts import order

_FAILS = ("failed", "broken")


def version_lines(results: Results, differs: Callable[[str, str, str], bool]) -> list[dict[str, Any]]:
    """Return a line for each target that was compared with several versions at one level: its name and the `changes`.

    They are oldest first, with what each comes to and `lists` of scenario ids: which versions ask for different
    things, as `differs` says of two contracts, and which pass on this version and not on the one before, or the other
    way round. A contract whose name is not a version (`documented`) is not on any line.
    """
    groups: dict[tuple[str, str], dict[str, Run]] = {}
    for name, run in zip(results.names, results.runs, strict=True):
        if order(run.contract)[0] > Version("0"):
            groups.setdefault((name, run.level), {})[run.contract] = run
    return [
        {"target": visible(name), "changes": [*_changes(runs.values(), differs)]}
        for (name, _), runs in groups.items()
        if len(runs) > 1
    ]


def _changes(runs: Iterable[Run], differs: Callable[[str, str, str], bool]) -> Iterator[dict[str, Any]]:
    before: Run | None = None
    for run in sorted(runs, key=lambda each: order(each.contract)):
        passed, judged = run.total.passed, run.total.judged
        lists = {} if before is None else _lists(before, run, differs)
        yield {
            "contract": visible(run.contract),
            "passed": passed,
            "judged": judged,
            "tone": "good" if passed == judged else "bad",
            "lists": lists,
            "same": before is not None and not lists,
        }
        before = run


def _lists(before: Run, after: Run, differs: Callable[[str, str, str], bool]) -> dict[str, list[str]]:
    both = sorted(before.verdicts.keys() & after.verdicts.keys())
    was, now = ({each: run.verdicts[each][0].status for each in both} for run in (before, after))
    found = {
        "scenarios with another expectation": [
            each for each in both if differs(each, before.contract, after.contract)
        ],
        "newly hold": [each for each in both if now[each] == "passed" and was[each] in _FAILS],
        "no longer hold": [each for each in both if was[each] == "passed" and now[each] in _FAILS],
    }
    return {label: ids for label, ids in found.items() if ids}
