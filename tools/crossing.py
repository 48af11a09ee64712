"""Crossed scenarios: write them, or check that the files are those; the real product fills in the expectations.

    python3 tools/crossing.py --write
    readfirst product record --family crossed
    readfirst product record --missing --family crossed
    python3 tools/crossing.py --check

The family has the scenarios that `harness.crossing.composition` composes, and of those that `harness.crossing.draw`
draws the ones that `harness.crossing.chosen` names. `--write` leaves every file alone that takes the same steps, and
removes those that are not made any more, with their recordings. A file that it writes anew has no expectations.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from readfirst.harness.crossing.files import stale
from readfirst.harness.source.atomic import write_all
from readfirst.harness.suite.suite import Suite


def main() -> int:
    """Return 0 if the files are, or now are, what they should be, else 1."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true", help="write what differs, without expectations")
    mode.add_argument("--check", action="store_true", help="write nothing; exit code 1 if anything differs")
    parser.add_argument("--fixtures", type=Path, help="the folder of the suite")
    arguments = parser.parse_args()
    suite = Suite(arguments.fixtures)
    differing, superfluous = stale(suite)
    if arguments.check:
        for name in (*differing, *superfluous):
            print(f"{name} is not what is made", file=sys.stderr)
        return 1 if differing or superfluous else 0
    for name in superfluous:
        suite.path(name).unlink()
        (suite.recordings_root / f"{name}.yaml").unlink(missing_ok=True)
    for name in differing:
        (suite.scenarios_root / name).parent.mkdir(exist_ok=True)
    write_all({suite.scenarios_root / f"{name}.yaml": text.encode() for name, text in differing.items()})
    print(f"{len(differing)} written, {len(superfluous)} removed", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
