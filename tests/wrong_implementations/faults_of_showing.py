"""Wrong answers to a Read. Each is made by a function that replaces the lines in a correct answer."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reasons import NOTHING_WRITTEN

Fault = Callable[[Sequence[str], int], str]
"""Returns a wrong answer from the lines that should be shown, and the number of the first line."""

_NUMBERED = re.compile(r" {0,5}(\d+)(?:→|\t)(.*)", re.DOTALL)


def lines_in(answer: str) -> tuple[list[str], int] | None:
    """Return the lines of a file that an answer shows, and the number of the first. None if it shows none."""
    lines = []
    first = 0
    for shown in answer.split("\n"):
        match = _NUMBERED.fullmatch(shown)
        if match is None:
            if lines and not shown.strip():
                break  # the host appended the rest
            return None
        first = first or int(match[1])
        lines.append(match[2])
    return lines, first


def number_lines(lines: Sequence[str], first: int) -> str:
    """Return the lines with numbers from `first` on, as the reference shows them."""
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, first))


def _each(change: Callable[[str], str]) -> Fault:
    return lambda lines, first: number_lines([change(line) for line in lines], first)


@dataclass(frozen=True)
class DisplayFault:
    """`by`: the scenario that detects it. `harmless`: the reason why it does no harm there. Empty if it does."""

    description: str
    change: Fault
    by: str = "gate/write-after-read"
    harmless: str = ""


FAULTS: dict[str, DisplayFault] = {
    "SaysThatItRead": DisplayFault("Shows nothing, and says that it did.", lambda *_: "Read."),
    "CountsLinesInstead": DisplayFault(
        "Counts the lines instead of showing them.", lambda lines, _: f"The file has {len(lines)} lines."
    ),
    "ShowsTheFirstHalf": DisplayFault(
        "Shows half of a file as the whole.",
        lambda lines, first: number_lines(lines[: len(lines) // 2], first),
    ),
    "ShowsTheEnd": DisplayFault(
        "Shows only the last line of a file.",
        lambda lines, first: number_lines(lines[-1:], first + len(lines) - 1),
    ),
    "LeavesOutTheLastLine": DisplayFault(
        "Omits the last line that is not blank.",
        lambda lines, first: number_lines(_without_last(lines), first),
    ),
    "LeavesOutTheFirstLine": DisplayFault(
        "Begins with the second line.", lambda lines, first: number_lines(lines[1:], first + 1)
    ),
    "LeavesOutEverySecondLine": DisplayFault(
        "Omits every second line.",
        lambda lines, first: "\n".join(
            number_lines([line], first + 2 * at) for at, line in enumerate(lines[::2])
        ),
    ),
    "CountsOneTooMany": DisplayFault(
        "Shows each line with the number of the next line.",
        lambda lines, first: number_lines(lines, first + 1),
    ),
    "CountsFromAHundred": DisplayFault(
        "Shows each line with a number that is a hundred too high.",
        lambda lines, first: number_lines(lines, first + 100),
    ),
    "CutsLines": DisplayFault("Shows the first three characters of each line.", _each(lambda line: line[:3])),
    "ShowsCapitals": DisplayFault("Shows all letters as capitals.", _each(str.upper)),
    "MasksWhatItShows": DisplayFault(
        "Shows stars for letters and digits.", _each(lambda line: re.sub(r"\w", "*", line))
    ),
    "ShowsLinesBackwards": DisplayFault("Shows each line backwards.", _each(lambda line: line[::-1])),
    "JoinsLines": DisplayFault("Shows all lines as one.", lambda lines, _: " ".join(lines)),
    "ShowsAsciiAlone": DisplayFault(
        "Shows question marks instead of non-ASCII characters.",
        _each(lambda line: line.encode("ascii", "replace").decode()),
        "write/over-latin-1",
    ),
    "CutsIndentation": DisplayFault(
        "Cuts whitespace at the beginning of lines.", _each(str.lstrip), "read-output/tabs", NOTHING_WRITTEN
    ),
}


def _without_last(lines: Sequence[str]) -> list[str]:
    last = max((at for at, line in enumerate(lines) if line.strip()), default=0)
    return [*lines[:last], *lines[last + 1 :]]
