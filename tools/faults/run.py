"""Test readfirst under kills and on unusual machines, and print the tables of docs/reliability.md.

    python3 tools/faults/run.py [--kills N] [--seed N] [--only WORDS]... [--write FILE]

Kills commands that write files at N random moments in total (default 200), and runs commands on unusual machines.
`--only` selects parts by words of their names. `--write` writes the tables into FILE, between its marks, and requires
all parts. Exit code 0: no file was half-written, no file was left, and every different result was explained by a
message. Exit code 1: a fault was found and printed.
"""

from __future__ import annotations

# ruff: noqa: E402 - the checkout must be importable first
import argparse
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.path[0] = str(CHECKOUT)

from readfirst.harness.yaml_io.atomic_write import write_all
from tools.faults.kills import Kills, kills
from tools.faults.stage import COMMANDS
from tools.faults.surroundings import MACHINE_KINDS, OrdinaryMachine, Outcome

TRIALS = 200
BEGIN, END = "<!-- measured by tools/faults/run.py -->\n", "<!-- end -->\n"
MAX_ERROR_CHARS = 62
"""Maximum length of an error message in a table of docs/reliability.md, in characters."""
KILLS = [
    "command",
    "takes",
    "killed",
    "nothing new yet",
    "some files new",
    "all new",
    "leftovers, swept by the next run",
]
SAME = "the same result"


def killed(trials: int, seed: int, only: Sequence[str]) -> list[Kills]:
    """Kill each command that `--only` selects, `trials` times in total, and return the results of each."""
    found = []
    for command in COMMANDS:
        if chosen(command.name, only):
            with tempfile.TemporaryDirectory(prefix="faults-") as base:
                found.append(kills(command, Path(base), -(-trials // len(COMMANDS)), seed))
            tell(found[-1].name, found[-1].problems)
    return found


def surrounded(only: Sequence[str]) -> dict[str, list[Outcome] | str]:
    """Run commands on the machines that `--only` selects. If a machine cannot be tested, its result is the reason."""
    found: dict[str, list[Outcome] | str] = {}
    asked = [each for each in MACHINE_KINDS if chosen(each.name, only)]
    if not asked:
        return found
    with tempfile.TemporaryDirectory(prefix="faults-") as base:
        usual = OrdinaryMachine(Path(base))
        for each in asked:
            missing = each.only()
            if missing:
                found[each.name] = missing
                tell(each.name, [f"not tried: {missing}"])
                continue
            found[each.name] = outcomes = list(usual.outcomes(each))
            tell(
                each.name,
                [f"{outcome.command}: {outcome.problem}" for outcome in outcomes if outcome.problem],
            )
    return found


def chosen(name: str, only: Sequence[str]) -> bool:
    """Whether `--only` selects a command or machine: each text is its complete name, or words of its name."""
    whole = {each.name for each in (*COMMANDS, *MACHINE_KINDS)}
    return not only or any(words == name if words in whole else words in name for words in only)


def tell(name: str, problems: Sequence[str]) -> None:
    """Print the problems of a command or a machine, or `ok` if it has none."""
    print(f"{name}: {'; '.join(problems) or 'ok'}", flush=True)


def kill_row(found: Kills) -> list[str]:
    """Return the cells of the table row about a command that was killed."""
    numbers = (found.killed, found.before, found.between, found.after - found.ended, found.swept)
    return [f"`{found.name}`", f"{found.milliseconds / 1000:.1f} s", *map(str, numbers)]


def machine_row(name: str, outcomes: list[Outcome] | str) -> list[str]:
    """Return the cells of the table row about an unusual machine."""
    if isinstance(outcomes, str):
        return [name, *[f"not tried: {outcomes}"] * 2]
    return [
        name,
        *(shorten(outcome.error).replace("|", "&#124;").replace("<", "&lt;") or SAME for outcome in outcomes),
    ]


def shorten(error: str) -> str:
    """Return an error message, cut between two words if it has more than MAX_ERROR_CHARS characters."""
    if len(error) <= MAX_ERROR_CHARS:
        return error
    return f"{error[:MAX_ERROR_CHARS].rpartition(' ')[0]} …"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---" for _ in header], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all tests, or those of `--only`, and print the tables. With `--write`, also write them into a page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=TRIALS, help="kills in all")
    parser.add_argument("--seed", type=int, default=1, help="of these moments")
    parser.add_argument("--only", action="append", default=[], help="words in the name of a part")
    parser.add_argument("--write", type=Path, help="the page")
    options = parser.parse_args(arguments)
    if options.write and options.only:
        parser.error("--write requires all parts")
    begun = time.monotonic()
    by_kills, by_machine = killed(options.kills, options.seed, options.only), surrounded(options.only)
    if not by_kills and not by_machine:
        parser.error("--only matches nothing")
    made = table(KILLS, [kill_row(each) for each in by_kills]) if by_kills else ""
    if by_machine:
        header = ["machine", "`run --output`", "`record`"]
        made += "\n" + table(header, [machine_row(*each) for each in by_machine.items()])
    made += (
        f"\nMeasured on {platform.system()} {platform.release()}, Python {platform.python_version()}, with "
    )
    made += (
        f"{sum(each.killed for each in by_kills)} kills, in {(time.monotonic() - begun) / 60:.0f} minutes.\n"
    )
    print(made)
    if options.write:
        before, _, rest = options.write.read_text("utf-8").partition(BEGIN)
        write_all({options.write: (before + BEGIN + made + END + rest.partition(END)[2]).encode()})
    problems = [each for found in by_kills for each in found.problems]
    problems += [
        each.problem
        for outcomes in by_machine.values()
        if not isinstance(outcomes, str)
        for each in outcomes
        if each.problem
    ]
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
