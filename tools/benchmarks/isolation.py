"""Measure the cost of deciding with `--isolation auto` how scenarios share a server. Exit code 1 if it is too high.

    python tools/benchmarks/isolation.py [--every N] [--rounds N] [--process] [--level LEVEL]

Compares two runs on the same server: with `--isolation directory`, which always shares it, and with the default, which
tests first whether sharing is safe. The servers are `readfirst serve` and the examples of docs/adapters.md in Python
and, if `node` is installed, in Node. The default may need at most 1.2 times the processor time. On an idle machine the
same limit applies to the wall time, which is printed.

`--process` adds a run with one server per scenario, which is slow, and requires equal verdicts. `--every 10` uses every
tenth scenario; the test costs as much as for the whole suite, so no limit applies. `--rounds 3` adds up three runs of
each kind.
"""

from __future__ import annotations

# ruff: noqa: E402
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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT))

from readfirst.harness.suite.suite import Suite

MOST = 1.2
"""Maximum processor time of a run with `--isolation auto`, as a multiple of a run with `--isolation directory`."""
_PR_SET_CHILD_SUBREAPER = 36
SERVERS = {"readfirst": "readfirst serve", "node": "node server.mjs", "python3": "python3 server.py"}
EXAMPLES = {"server.mjs": "js", "server.py": "python"}


@dataclass
class Ran:
    """The wall time (`clock`) and processor time in seconds, the verdicts, and how the server was shared (`cost`)."""

    clock: float
    processor: float
    verdicts: dict[str, Any]
    cost: str

    def after(self, former: Ran) -> Ran:
        """Return a copy of this result that also includes the seconds of the result `former`."""
        return replace(self, clock=self.clock + former.clock, processor=self.processor + former.processor)


def main() -> int:
    """Measure the servers, and print the times. The exit code is 1 if a limit is exceeded."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--every", type=int, default=1, metavar="N", help="use every Nth scenario")
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="run N times in each way")
    parser.add_argument("--process", action="store_true", help="also with a server for each, and compare")
    parser.add_argument("--server", choices=SERVERS, action="append", help="only this one")
    parser.add_argument("--level", default="effects", help="how strictly to compare")
    options = parser.parse_args()
    kept = True
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    with tempfile.TemporaryDirectory(prefix="a user's folder ") as folder:
        for name, language in EXAMPLES.items():
            Path(folder, name).write_text(example(language))
        for program, command in SERVERS.items():
            if options.server and program not in options.server:
                continue
            if shutil.which(program) is None:
                print(f"{program}: not measured, it is not there")
                continue
            kept &= measured(f"mcp:{command}", folder, options)
    return 0 if kept else 1


def measured(target: str, folder: str, options: argparse.Namespace) -> bool:
    """Run the suite with each kind of isolation, and print the times. Return whether they are within the limits."""
    print(target, flush=True)
    ways = ["directory", "auto", *(["process"] if options.process else [])]
    runs: dict[str, Ran] = {}
    for _ in range(options.rounds):
        for way in ways:
            ran = run(target, folder, way, options)
            print(
                f"  {way:9} {ran.clock:7.1f} s {ran.processor:7.1f} s of processors; {ran.cost}", flush=True
            )
            runs[way] = ran if way not in runs else ran.after(runs[way])
    auto, directory = runs["auto"], runs["directory"]
    ratio = auto.processor / directory.processor
    kept = ratio <= MOST or options.every > 1
    limit = f", at most {MOST:g}" if options.every == 1 else ""
    clock = f"{auto.clock / directory.clock:.2f} by the clock"
    print(f"  auto takes {ratio:.2f} times directory{limit}; {clock}{'' if kept else ': BROKEN'}")
    if options.process:
        alone = runs["process"].verdicts
        other = [name for name, verdict in auto.verdicts.items() if verdict != alone[name]]
        print(f"  {len(other)} of {len(alone)} verdicts are others than with a server each", *other[:20])
        kept &= not other
    return kept


def run(target: str, folder: str, way: str, options: argparse.Namespace) -> Ran:
    """Run the suite, or every Nth scenario, with `--isolation WAY`, and return the result."""
    chosen = sorted(Suite().ids())[:: options.every] if options.every > 1 else []
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
    return Ran(clock, spent, found, cost.partition("in all")[2].partition("; ")[2])


def findings(verdict: dict[str, Any]) -> dict[str, Any]:
    """Return a verdict without its times, so that the verdicts of two runs can be compared."""
    return {key: value for key, value in verdict.items() if key != "milliseconds"}


def example(language: str) -> str:
    """Return the source of the example server in docs/adapters.md for a programming language."""
    text = (CHECKOUT / "docs" / "adapters.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf"^```{language} server\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return str(found)


def processor() -> float:
    """Return the processor seconds of all child processes that have ended, including those whose parent was killed."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    sys.exit(main())
