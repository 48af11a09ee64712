"""Crossed scenarios: check that each rule that answers a question meets every pair of conditions that it can meet.

    python3 tools/crossing.py --check [--fixtures FOLDER]

The family is data: its scenarios were composed once, pair by pair, and recorded. `harness/crossing/dimensions.py` names
conditions, rules and questions; a pair that a change there adds, or that a removed scenario was the last to meet, is
named, and a scenario that meets it is written as any other.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from readfirst.harness.crossing.coverage import FAMILY, lacking
from readfirst.harness.suite.suite import Suite


def main() -> int:
    """Return 0 if no pair is missing, else 1."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--check", action="store_true", help="exit code 1 if any pair is missing (the default)"
    )
    parser.add_argument("--fixtures", type=Path, help="the folder of the suite")
    suite = Suite(parser.parse_args().fixtures)
    missing = lacking(suite.scenario(each) for each in suite.ids() if each.partition("/")[0] == FAMILY)
    for each in missing:
        print(each, file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
