"""Wrong answers of a Read: functions that replace the lines in a correct answer."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reasons import NOTHING_WRITTEN

Fault = Callable[[Sequence[str], int], str]
"""A function that returns a wrong answer. Parameters: the lines that should be shown, and the number of the first."""

_NUMBERED = re.compile(r" {0,5}(\d+)(?:→|\t)(.*)", re.DOTALL)


def lines_in(answer: str) -> tuple[list[str], int] | None:
    """Return the lines of a file that an answer shows, and the number of the first.

    None if the answer does not show lines.
    """
    lines = []
    first = 0
    for said in answer.split("\n"):
        found = _NUMBERED.fullmatch(said)
        if found is None:
            if lines and not said.strip():
                break  # the host appended the rest
            return None
        first = first or int(found[1])
        lines.append(found[2])
    return lines, first


def number_lines(lines: Sequence[str], first: int) -> str:
    """Return the lines in the form of the reference's answer."""
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, first))


def _each(change: Callable[[str], str]) -> Fault:
    return lambda lines, first: number_lines([change(line) for line in lines], first)


@dataclass(frozen=True)
class Shown:
    """A fault: its description (`wrong`), the function that makes the answer, a scenario that detects it, and the
    reason why it does no harm there.
    """

    wrong: str
    shown: Fault
    by: str = "gate/write-after-read"
    harmless: str = ""


FAULTS: dict[str, Shown] = {
    "SaysThatItRead": Shown("Shows nothing, and says that it did.", lambda *_: "Read."),
    "CountsLinesInstead": Shown(
        "Counts the lines instead of showing them.", lambda lines, _: f"The file has {len(lines)} lines."
    ),
    "ShowsTheFirstHalf": Shown(
        "Shows half of a file as the whole.",
        lambda lines, first: number_lines(lines[: len(lines) // 2], first),
    ),
    "ShowsTheEnd": Shown(
        "Shows the end of a file alone.",
        lambda lines, first: number_lines(lines[-1:], first + len(lines) - 1),
    ),
    "LeavesOutTheLastLine": Shown(
        "Leaves out the last line that has something in it.",
        lambda lines, first: number_lines(_without_last(lines), first),
    ),
    "LeavesOutTheFirstLine": Shown(
        "Begins with the second line.", lambda lines, first: number_lines(lines[1:], first + 1)
    ),
    "LeavesOutEverySecondLine": Shown(
        "Leaves out every second line.",
        lambda lines, first: "\n".join(
            number_lines([line], first + 2 * at) for at, line in enumerate(lines[::2])
        ),
    ),
    "CountsOneTooMany": Shown(
        "Gives each line the number of the next one.", lambda lines, first: number_lines(lines, first + 1)
    ),
    "CountsFromAHundred": Shown(
        "Gives each line a number that is a hundred too high.",
        lambda lines, first: number_lines(lines, first + 100),
    ),
    "CutsLines": Shown("Shows the first three characters of each line.", _each(lambda line: line[:3])),
    "ShowsCapitals": Shown("Shows all letters as capitals.", _each(str.upper)),
    "MasksWhatItShows": Shown(
        "Shows stars for letters and digits.", _each(lambda line: re.sub(r"\w", "*", line))
    ),
    "ShowsLinesBackwards": Shown("Shows each line backwards.", _each(lambda line: line[::-1])),
    "JoinsLines": Shown("Shows all lines as one.", lambda lines, _: " ".join(lines)),
    "ShowsAsciiAlone": Shown(
        "Shows question marks for what is not ASCII.",
        _each(lambda line: line.encode("ascii", "replace").decode()),
        "write/over-latin-1",
    ),
    "CutsIndentation": Shown(
        "Cuts whitespace at the beginning of lines.", _each(str.lstrip), "read-output/tabs", NOTHING_WRITTEN
    ),
}
"""Faults by the name of the implementation that has this fault in every Read."""


def _without_last(lines: Sequence[str]) -> list[str]:
    last = max((at for at, line in enumerate(lines) if line.strip()), default=0)
    return [*lines[:last], *lines[last + 1 :]]
