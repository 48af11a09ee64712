"""Isolation: what a run costs that shares servers as `--isolation auto` finds right. Exit code 1 if it is too much.

    python tools/benchmarks/isolation.py [--every N] [--process] [--level LEVEL]

The servers of docs/adapters.md, the one in Node (if there is a `node`) and the one in Python, are run with
`--isolation directory`, which shares without asking, and as `readfirst run` does by itself. The promise is at most 1.3
times the time of the former. `--process` also runs them with a server for each scenario, which takes long, and compares
all verdicts: they must be the same. `--every 10` takes every tenth scenario.

The clock is right on an idle machine; the processor time of a run and of all that it started tells more on a busy one.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[2]
SCENARIOS = CHECKOUT / "fixtures" / "scenarios"
MOST = 1.3
"""Times the time of `--isolation directory`."""
_PR_SET_CHILD_SUBREAPER = 36
SERVERS = {"node": ("js", "server.mjs"), "python3": ("python", "server.py")}


@dataclass
class Ran:
    """Seconds by the clock and of processors, and what came of each scenario."""

    clock: float
    processor: float
    verdicts: dict[str, Any]
    cost: str


def main() -> int:
    """Measure, print, and tell whether the promises are kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every Nth scenario")
    parser.add_argument("--process", action="store_true", help="also with a server for each, and compare")
    parser.add_argument("--server", choices=SERVERS, action="append", help="only this one")
    parser.add_argument("--level", default="effects", help="how strictly to compare")
    options = parser.parse_args()
    kept = True
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    with tempfile.TemporaryDirectory(prefix="a user's folder ") as folder:
        for program, (language, name) in SERVERS.items():
            if options.server and program not in options.server:
                continue
            if shutil.which(program) is None:
                print(f"{program}: not measured, it is not there")
                continue
            Path(folder, name).write_text(example(language))
            kept &= measured(f"mcp:{program} {name}", folder, options)
    return 0 if kept else 1


def measured(target: str, folder: str, options: argparse.Namespace) -> bool:
    """Run one server in all ways, print what they cost, and tell whether the promises are kept."""
    print(target, flush=True)
    ways = ["directory", "auto", *(["process"] if options.process else [])]
    runs = {}
    for way in ways:
        runs[way] = ran = run(target, folder, way, options)
        ratio = (
            f"{ran.clock / runs['directory'].clock:.2f}, {ran.processor / runs['directory'].processor:.2f}"
        )
        print(f"  {way:9} {ran.clock:7.1f} s {ran.processor:7.1f} s of processors  times directory: {ratio}")
        print(f"            {ran.cost}", flush=True)
    auto, directory = runs["auto"], runs["directory"]
    kept = min(auto.clock / directory.clock, auto.processor / directory.processor) <= MOST
    if not kept:
        print(f"  that is more than {MOST} times")
    if options.process:
        alone = runs["process"].verdicts
        other = [name for name, verdict in auto.verdicts.items() if verdict != alone[name]]
        print(f"  {len(other)} of {len(alone)} verdicts are others than with a server each", *other[:20])
        kept &= not other
    return kept


def run(target: str, folder: str, way: str, options: argparse.Namespace) -> Ran:
    """Run the suite, or every Nth scenario of it."""
    ids = sorted(
        path.relative_to(SCENARIOS).with_suffix("").as_posix() for path in SCENARIOS.glob("*/*.yaml")
    )
    chosen = ids[:: options.every] if options.every > 1 else []
    command = [sys.executable, "-m", "readfirst", "run", target, *chosen, "--isolation", way]
    began, spent = time.monotonic(), processor()
    done = subprocess.run(
        [*command, "--level", options.level, "--format", "jsonl"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=False,
    )
    clock, spent = time.monotonic() - began, processor() - spent
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command[:5])} ended with {done.returncode}: {done.stderr}")
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    found = {each["scenario"]: findings(each) for each in verdicts if "status" in each and "scenario" in each}
    cost = next(line for line in done.stderr.splitlines() if line.startswith("cost:"))
    return Ran(clock, spent, found, cost.partition("in all")[2].removeprefix("; "))


def findings(verdict: dict[str, Any]) -> dict[str, Any]:
    """Return what a line says of the implementation, without what the clock says."""
    return {key: value for key, value in verdict.items() if key != "milliseconds"}


def example(language: str) -> str:
    """Return the server of docs/adapters.md."""
    text = (CHECKOUT / "docs" / "adapters.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf"^```{language} server\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return str(found)


def processor() -> float:
    """Return the processor seconds of all that was started and has ended, also if its parent was killed."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    sys.exit(main())
