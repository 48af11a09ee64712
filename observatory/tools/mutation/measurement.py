"""Measure which lines every test case executes, and how long it takes, on the unchanged package."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from confinement import Confined
from importing import clear_caches, compiled, install
from panel import Panel, module_at


class TrialError(Exception):
    """Mutants cannot be judged, for example because a test case fails on the unchanged package."""


Line = tuple[str, int]
"""A line of code: the name of its module, and its number in the module."""


@dataclass(frozen=True, slots=True)
class Cases:
    """The seconds of each test case, the fastest case first, and the lines of code that the cases execute."""

    seconds: Mapping[str, float]
    reached: Mapping[Line, int]  # cases by line, as a bit set: bit n is set if case n executes the line
    imported: frozenset[Line]  # the lines that an import of the package executes

    def that_execute(self, lines: Collection[Line]) -> int:
        """Return the cases that execute at least one of the lines, as a bit set: all, if an import executes a line."""
        if not self.imported.isdisjoint(lines):
            return (1 << len(self.seconds)) - 1
        found = 0
        for line in lines:
            found |= self.reached.get(line, 0)
        return found

    def names(self, cases: int) -> list[str]:
        """Return the names of the test cases in a bit set. Bit n stands for case n in the order of `seconds`."""
        names, found = list(self.seconds), []
        while cases:
            lowest = cases & -cases
            found.append(names[lowest.bit_length() - 1])
            cases ^= lowest
        return found

    def ways(self, modules: Collection[str]) -> list[int]:
        """Return groups of the test cases that execute the same lines of `modules`. Each group is a bit set."""
        groups = [(1 << len(self.seconds)) - 1]
        for (module, _), there in self.reached.items():
            if module in modules:
                groups = [part for group in groups for part in (group & there, group & ~there) if part]
        return groups


def measure(panel: Panel) -> Cases:
    """Run all test cases on the unchanged package, and measure them. Raises TrialError if a case fails."""
    confined = Confined(lambda: _measure_cases(panel))
    try:
        cases, failing = confined.result()
    except EOFError:
        raise TrialError(
            "the process that runs the tests on the unchanged package ended unexpectedly"
        ) from None
    finally:
        confined.end()
    if failing:
        listed = "\n".join(f"  {name}: {how}" for name, how in failing.items())
        raise TrialError(f"{len(failing)} test cases fail on the unchanged package:\n{listed}")
    assert isinstance(cases, Cases)
    return cases


def _measure_cases(panel: Panel) -> tuple[Cases, dict[str, str]]:
    from coverage import Coverage

    coverage = Coverage(data_file=None, include=[f"{panel.folder}/*"], messages=False)
    seconds, failing = {}, {}
    coverage.start()
    install(panel, {module: compiled(panel, module, source) for module, source in panel.sources.items()})
    judge = panel.open_judge({})
    for name in panel.cases:
        clear_caches(panel)
        coverage.switch_context(name)
        started = time.perf_counter()
        if how := judge(name):
            failing[name] = how
        seconds[name] = time.perf_counter() - started
    coverage.stop()
    seconds = dict(sorted(seconds.items(), key=lambda each: each[1]))
    bits = {name: 1 << n for n, name in enumerate(seconds)}
    imported: set[Line] = set()
    reached: dict[Line, int] = {}
    data = coverage.get_data()
    for file in data.measured_files():
        module = module_at(Path(file), panel.folder)
        for number, names in data.contexts_by_lineno(file).items():
            line = module, number
            reached[line] = sum(bits[name] for name in names if name in bits)
            if not bits.keys() >= set(names):
                imported.add(line)
    return Cases(seconds, reached, frozenset(imported)), failing
