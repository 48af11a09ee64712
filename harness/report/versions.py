"""Versions: what changed from one recorded version to the next, in what is expected and in what holds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from packaging.version import InvalidVersion, Version

from readfirst.harness.report.results import Results, Run
from readfirst.harness.suite.contracts import order


@dataclass(frozen=True, slots=True)
class VersionStep:
    """One step of a line: from the run before to `run`. The tuples are sorted scenario ids.

    `expected`: the versions ask for different things. `better` pass on this version and did not on the one
    before, `worse` the other way round.
    """

    run: Run
    expected: tuple[str, ...] = ()
    better: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()
    first: bool = False
    """Whether it is the oldest, which nothing is compared with."""


@dataclass(frozen=True, slots=True)
class VersionLine:
    """One target along the versions that it was compared with, oldest first."""

    name: str
    changes: tuple[VersionStep, ...]


def version_lines(results: Results, differs: Callable[[str, str, str], bool]) -> tuple[VersionLine, ...]:
    """Return a line for each target that was compared with several versions at one level.

    `differs` says whether two contracts expect different things of a scenario. A contract whose name
    is not a version (`documented`) is not on any line.
    """
    return tuple(_lines(results, differs))


def _lines(results: Results, differs: Callable[[str, str, str], bool]) -> Iterator[VersionLine]:
    groups: dict[tuple[str, str], dict[str, Run]] = {}
    for name, run in zip(results.names, results.runs, strict=True):
        if _version(run.contract) is not None:
            groups.setdefault((name, run.level), {})[run.contract] = run
    for (name, _), runs in groups.items():
        if len(runs) < 2:
            continue
        ordered = sorted(runs.values(), key=lambda run: order(run.contract))
        steps = [_change(before, after, differs) for before, after in pairwise(ordered)]
        yield VersionLine(name, (VersionStep(ordered[0], first=True), *steps))


def _version(name: str) -> Version | None:
    try:
        return Version(name)
    except InvalidVersion:
        return None


def _change(before: Run, after: Run, differs: Callable[[str, str, str], bool]) -> VersionStep:
    both = sorted(before.verdicts.keys() & after.verdicts.keys())
    status = {
        scenario_id: (before.verdicts[scenario_id][0].status, after.verdicts[scenario_id][0].status)
        for scenario_id in both
    }
    return VersionStep(
        after,
        tuple(each for each in both if differs(each, before.contract, after.contract)),
        tuple(each for each, (was, now) in status.items() if now == "passed" and was in ("failed", "broken")),
        tuple(each for each, (was, now) in status.items() if was == "passed" and now in ("failed", "broken")),
    )
