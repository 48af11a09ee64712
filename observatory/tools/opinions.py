"""Compare the verdicts of readfirst with those of its runners in Go and JavaScript.

    python3 observatory/tools/opinions.py --write
    python3 observatory/tools/opinions.py --check wrong_state:NoReadCheck

Each implementation is run three times with the protocol `lines`: the reference and both skeletons with every scenario,
each wrong implementation of the tests with a sample; together the samples contain every scenario.

`--write` writes docs/opinions.md, `--check` only checks it. In both cases a disagreement is printed, and the exit code
is 1. Needs go and node, and takes a quarter of an hour on two processors.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from readfirst.harness.report.markdown_escape import table
from readfirst.harness.yaml_io.atomic_write import write_all
from tests.runners.verdicts import (
    LEVELS,
    REFERENCE,
    ROOT,
    SERVE_WRONG,
    SUITE,
    WRONG,
    disagreements,
    go_verdicts,
    harness_verdicts,
    node_verdicts,
    skeleton,
    write_export,
)

PAGE = ROOT / "docs/opinions.md"
_TEXT = """\
# Three opinions

readfirst and its [two runners](../runners/README.md), in Go and in JavaScript, share no code. This page compares the
verdicts of the three programs on the same implementations over [the same protocol](protocol.md): the reference, the
two skeletons, and {wrong} that are wrong on purpose. The three programs gave {count:,} verdicts each, at {levels}
levels; {otherwise} of these verdicts differ.

`python3 observatory/tools/opinions.py --write` writes this page. The wrong implementations are those of
`tests/wrong_implementations`; each is tested with a share of the scenarios of the day in its row. Neighbouring
implementations get different shares, and together all shares contain every scenario. Scenarios that need a small disk
are left out, because only readfirst itself creates a small disk.

{table}
"""
_COMPLETE = ("reference", "skeleton in Go", "skeleton in JavaScript")
_PART = 6
"""An implementation that is wrong on purpose is run only on one in this number of scenarios."""


@dataclass(frozen=True, slots=True)
class Row:
    """The results of one implementation: a row of docs/opinions.md."""

    name: str
    day: str  # date of the runs
    scenarios: int  # number of judged scenarios
    holds: tuple[int, ...]  # number of scenarios that pass at each level
    go: tuple[str, ...]  # the scenarios that the Go runner judges differently than readfirst
    javascript: tuple[str, ...]  # the scenarios that the JavaScript runner judges differently

    @property
    def cells(self) -> list[str]:
        counts = (self.scenarios, *self.holds, len(self.go), len(self.javascript))
        return [self.name, self.day, *(f"{count:,}" for count in counts)]


def main(words: Sequence[str] | None = None) -> int:
    """Run the implementations and print disagreements. Return 0 if the three runners agree, otherwise 1."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true", help="write the page")
    mode.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument(
        "-j",
        "--jobs",
        type=int,
        default=2,
        help="number of implementations that run in parallel (default: 2)",
    )
    parser.add_argument("name", nargs="*", help="only run these implementations (default: all)")
    given = parser.parse_args(words)
    names = given.name or [*_COMPLETE, *WRONG]
    if unknown := sorted({*names} - {*_COMPLETE, *WRONG}):
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join((*_COMPLETE, *WRONG))}")
    if given.write and given.name:
        parser.error("--write accepts no names: the page contains all")
    rows = []
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(given.jobs) as pool:
        for row in pool.map(partial(measure_implementation, folder=folder), names):
            rows.append(row)
            print(*row.cells, sep="\t", flush=True)
    for row in rows:
        for runner, differing in (("Go", row.go), ("JavaScript", row.javascript)):
            for each in differing:
                print(f"{row.name}: {runner} judges {each}", file=sys.stderr)
    if given.write:
        write_all({PAGE: page(rows).encode()})
    return 1 if any(row.go or row.javascript for row in rows) else 0


def measure_implementation(name: str, folder: str) -> Row:
    """Run an implementation with the three runners, using temporary files in `folder`. If an implementation is wrong on
    purpose, run only one in `_PART` scenarios; the next implementation is run on different scenarios.
    """
    own = Path(tempfile.mkdtemp(dir=folder))
    match name:
        case "reference":
            command = REFERENCE
        case "skeleton in Go":
            command = skeleton("go", own)
        case "skeleton in JavaScript":
            command = skeleton("typescript", own)
        case _:
            command = [*SERVE_WRONG, name]
    ids = SUITE.ids() if name in _COMPLETE else SUITE.ids()[WRONG.index(name) % _PART :: _PART]
    suite = write_export(own / "suite.jsonl.gz", ids)
    ours = harness_verdicts(command, ids)
    go, node = go_verdicts(command, suite, own / "go"), node_verdicts(command, suite, own / "node")
    judged = [each for each in ours.values() if each[0] == "judged"]
    return Row(
        name,
        date.today().isoformat(),
        len(judged),
        tuple(sum(level in each for each in judged) for level in LEVELS),
        tuple(f"{each}: {seen}" for each, seen in disagreements(ours, go).items()),
        tuple(f"{each}: {seen}" for each, seen in disagreements(ours, node).items()),
    )


def page(rows: Sequence[Row]) -> str:
    count = sum(row.scenarios for row in rows)
    wrong = len(rows) - len(_COMPLETE)
    otherwise = sum(len(row.go) + len(row.javascript) for row in rows)
    return _TEXT.format(
        wrong=wrong,
        count=count,
        levels=len(LEVELS),
        otherwise=otherwise or "none",
        table=table(
            (
                "implementation",
                "day",
                *(counts := ("scenarios", *LEVELS, "otherwise in Go", "otherwise in JavaScript")),
            ),
            [row.cells for row in rows],
            numbers=counts,
        ),
    )


if __name__ == "__main__":
    sys.exit(main())
