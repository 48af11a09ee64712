"""A package with one function, some mutants of the function, and cases that judge the mutants."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from measurement import Cases
from mutants import Mutant
from panel import Judge, Panel

SOURCE = """\
LIMIT = 3


def clipped(number):
    if number > LIMIT:
        return LIMIT
    return number
"""


def mutant(before: str, after: str, line: int, function: str = "clipped") -> Mutant:
    reached = frozenset({line}) if function else frozenset()
    names = frozenset() if function else frozenset({"LIMIT"})
    source = SOURCE.replace(before, after)
    return Mutant("bounds", function, line, before, after, source, reached, names)


EQUIVALENT = mutant("if number > LIMIT:", "if number >= LIMIT:", 5)
WRONG = mutant("if number > LIMIT:", "if number < LIMIT:", 5)
TABLE = mutant("LIMIT = 3", "LIMIT = 4", 1, function="")


def expects(given: int, wanted: int) -> Callable[[], str]:
    def holds() -> str:
        from tiny.bounds import clipped

        found = clipped(given)
        return "" if found == wanted else f"{found}, not {wanted}"

    return holds


CASES = {"small": expects(1, 1), "large": expects(9, 3)}


def panel(cases: Mapping[str, Callable[[], str]] = CASES) -> Panel:
    def open_judge(seconds: Mapping[str, float]) -> Judge:
        return lambda name: cases[name]()

    sources = {"__init__": "", "bounds": SOURCE}
    return Panel("tiny", Path("/nowhere/tiny"), sources, list(cases), open_judge)


def reaching(names: Iterable[str]) -> Cases:
    """Return test cases with these names, as if their coverage had been measured: each test case executes all lines of
    the package's function.
    """
    seconds = dict.fromkeys(names, 0.0)
    return Cases(seconds, {("bounds", line): (1 << len(seconds)) - 1 for line in (5, 6, 7)}, frozenset())
