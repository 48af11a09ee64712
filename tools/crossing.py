"""Crossed scenarios: write them, or check that the files are those; the real product fills in the expectations.

    python3 tools/crossing.py --write
    readfirst product record --family crossed
    readfirst product record --missing --family crossed
    python3 tools/crossing.py --check

The family has the scenarios that `harness.crossing.composition` composes, and of those that `harness.crossing.draw`
draws the ones that `harness.crossing.chosen` names. They are in the corpus, a file for each theme.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from readfirst.harness.crossing.files import FAMILY, files_of, stale
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
    differing = stale(suite)
    if arguments.check:
        for name in differing:
            print(f"{name} is not what is made", file=sys.stderr)
        return 1 if differing else 0
    files = files_of(suite)
    superfluous = [each for each in (suite.root / "corpus" / FAMILY).glob("*.yaml") if each not in files]
    for file in superfluous:
        file.unlink()
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
    write_all(files)
    print(f"{len(differing)} scenarios written anew", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
