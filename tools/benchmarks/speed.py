"""Measure speed ratios and times that the project promises. Exit code 1 if a limit is exceeded.

    python tools/benchmarks/speed.py [--quick]

A ratio compares the processor time of two tasks on the same machine at the same time, so a slow or busy machine has
little effect. `--quick` uses fewer rounds and smaller suites, for continuous integration.
"""

from __future__ import annotations

# The bare loop is written with plain `os` calls, because it must be as fast as can be.
# ruff: noqa: E402, PTH101, PTH102, PTH103, PTH115, PTH120, PTH123, PTH211
import argparse
import gc
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT))

from readfirst.harness.agents.claude_code.session_sharing import needs_own_session
from readfirst.harness.compare.compare import compare
from readfirst.harness.processes.temp_dirs import in_memory
from readfirst.harness.replay.replay import replay
from readfirst.harness.run.connect import connect
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.run.runner import Runner, RunSpec, run
from readfirst.harness.suite.file_entry import OLD_TIME, Directory, HardLink, RegularFile, Symlink
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.scenario import ParallelCalls, Scenario, ToolCall, WorldEvent
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.harness.workspace.world_events import perform
from readfirst.reference_impl import FileTools

MAX_REPLAY_FACTOR = 1.5
"""Maximum time for a replay of the suite, as a multiple of the time without the harness (`replay_minimally`)."""
MAX_CONTRACTS_FACTOR = 2.0
"""Maximum time of a run with all contracts, as a multiple of the time of a run with one contract."""
MAX_GROWTH_FACTOR = 11.0
"""Maximum time for a run of 5,000 scenarios, as a multiple of the time for 500 scenarios."""
MAX_MEMORY_FACTOR = 1.2
"""Maximum memory for a run of 5,000 scenarios, as a multiple of the memory for 500 scenarios."""
MAX_LIST_S, MAX_ONE_S, MAX_LINT_S, MAX_DIFF_S, MAX_RUN_S = 0.8, 0.6, 7.0, 7.0, 12.0
"""Maximum processor time in seconds for `list`, a run of one scenario, `lint`, `diff`, and a run of the reference."""
MIN_RECORDED_PER_S = 8.0
"""Minimum number of scenarios that are recorded per second in one session, not counting the start of the product."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one measurement: its name, its value and its limit as text, and whether the limit holds."""

    name: str
    value: str
    limit: str
    holds: bool


@contextmanager
def suite_of(kinds: int, copies: int = 1) -> Iterator[Suite]:
    """Yield a temporary suite with `kinds` different scenarios, each `copies` times. The reference passes all."""
    bundled = Suite()
    sources = [bundled.path(name) for name in passing_scenarios() if not bundled.location(name).case]
    folder = Path(tempfile.mkdtemp(prefix="readfirst-speed-"))
    try:
        for name in ("contracts.yaml", "errors.yaml"):
            shutil.copyfile(bundled.root / name, folder / name)
        for number in range(kinds * copies):
            source = sources[number % kinds % len(sources)]
            target = folder / "scenarios" / f"family-{number % 20:02}" / f"{number:05}-{source.stem}.yaml"
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(source, target) if same_device(source, folder) else shutil.copyfile(source, target)
        yield Suite(folder)
    finally:
        shutil.rmtree(folder)


def same_device(one: Path, other: Path) -> bool:
    """Whether two paths are on the same file system, which is necessary to create a hard link."""
    return one.stat().st_dev == other.stat().st_dev


@cache
def passing_scenarios() -> list[str]:
    """Return the ids of the recorded scenarios that the reference passes. Only these are measured."""
    suite = Suite()
    recorded = sorted(
        {scenario_id for scenario_id, _ in Recordings(suite.recordings_root).located()} & set(suite.ids())
    )
    verdicts = run(suite, "reference", ["2.1.7"], ids=recorded, options=RunOptions(jobs=0))
    return [verdict.scenario_id for verdict in verdicts if verdict.status == "passed"]


def replay_minimally(scenarios: list[Scenario], directory: str) -> None:
    """Replay scenarios on the reference without the harness: create the files, make the calls, read all files."""
    # Nothing is removed: the harness is measured with its cleanup.
    home = f"{directory}/h"
    os.mkdir(home)
    for number, scenario in enumerate(scenarios):
        root = f"{directory}/{number}"
        os.mkdir(root)
        lay_out(scenario, root)
        deny = [rule.replace("$WS", root) for rule in scenario.given.deny]
        tools = FileTools("2.1.7", root=root, home=home, deny=deny)
        read_all(root, {})
        for step in scenario.steps:
            match step:
                case ToolCall(during=()):
                    tools.call(step.tool, substitute_root(step.arguments, root))
                case ToolCall():
                    tools.call_during(
                        step.tool, substitute_root(step.arguments, root), partial(interfere, step, root)
                    )
                case ParallelCalls():
                    tools.call_parallel(
                        [(call.tool, substitute_root(call.arguments, root)) for call in step.calls]
                    )
                case WorldEvent():
                    perform(step, root)
            read_all(root, {})


def interfere(call: ToolCall, root: str) -> None:
    """Perform the events that a scenario specifies for the time during a call."""
    for event in call.during:
        perform(event, root)


def lay_out(scenario: Scenario, root: str) -> None:
    """Create the files that a scenario contains at the start, with their modes and times, in the directory `root`."""
    late = []
    for path, entry in scenario.given.files.items():
        full = f"{root}/{path}"
        if "/" in path:
            os.makedirs(os.path.dirname(full), exist_ok=True)
        match entry:
            case RegularFile():
                with open(full, "wb") as file:
                    file.write(entry.data)
                os.chmod(full, 0o644 if entry.mode is None else entry.mode)
                time_ = int((OLD_TIME if entry.mtime is None else entry.mtime) * 1_000_000_000)
                os.utime(full, ns=(time_, time_))
            case Symlink():
                os.symlink(entry.target.replace("$WS", root), full)
            case Directory():
                os.makedirs(full, exist_ok=True)
            case HardLink():
                late.append((f"{root}/{entry.to}", full))
    for source, full in late:
        os.link(source, full)


def read_all(directory: str, seen: dict[str, object]) -> None:
    """Read the type, the mode and the bytes of everything below a directory into `seen`."""
    with os.scandir(directory) as entries:
        for entry in entries:
            status = entry.stat(follow_symlinks=False)
            if entry.is_symlink():
                seen[entry.path] = os.readlink(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                seen[entry.path] = status.st_mode
                read_all(entry.path, seen)
            else:
                try:
                    with open(entry.path, "rb") as file:
                        seen[entry.path] = (status.st_mode, file.read())
                except PermissionError:
                    seen[entry.path] = status.st_mode


def substitute_root(value: Any, root: str) -> Any:
    """Return the arguments of a call with `root` instead of `$WS`."""
    if isinstance(value, str):
        return value.replace("$WS", root)
    if isinstance(value, dict):
        return {key: substitute_root(item, root) for key, item in value.items()}
    if isinstance(value, list):
        return [substitute_root(item, root) for item in value]
    return value


def processor_seconds(task: Callable[[], object]) -> float:
    """Run a task without garbage collection, and return the processor time that it uses in this process."""
    gc.collect()
    gc.disable()
    try:
        started = time.process_time()
        task()
        return time.process_time() - started
    finally:
        gc.enable()


def child_processor_seconds(task: Callable[[], object]) -> float:
    """Run a task, and return the processor time that its child processes use."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    task()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def replay_ratio(rounds: int) -> Result:
    """Compare the time for a replay of the suite with and without the harness. The best time of each counts."""
    suite = Suite()
    contract = suite.contracts["2.1.7"]
    scenarios = [suite.scenario(name) for name in passing_scenarios()]
    adapter = connect("reference", suite, contract=contract)
    harnessed, plain = [], []

    def with_harness() -> None:
        for scenario in scenarios:
            outcome = replay(scenario, adapter, place)
            compare(scenario, outcome, contract, "text", suite.vocabulary)

    former = os.umask(0o022)
    try:
        for _ in range(rounds):
            with WorkspacePool(memory=True) as place:
                harnessed.append(processor_seconds(with_harness))
            with tempfile.TemporaryDirectory(dir=in_memory()) as folder:
                without_harness = partial(replay_minimally, scenarios, os.path.realpath(folder))
                plain.append(processor_seconds(without_harness))
    finally:
        os.umask(former)
    ratio = min(harnessed) / min(plain)
    value = (
        f"{ratio:.2f} ({len(scenarios)} scenarios: {min(harnessed) * 1000:.0f} ms with the harness, "
        f"{min(plain) * 1000:.0f} ms without)"
    )
    limit = f"at most {MAX_REPLAY_FACTOR:g}"
    return Result("replay against a bare loop", value, limit, ratio <= MAX_REPLAY_FACTOR)


_TOOLS = """\
from readfirst import FileTools, ToolResult


class Tools:
    reuses_paths = True

    def open(self, workspace):
        tools = FileTools("2.1.7", root=workspace.root, home=workspace.home, deny=workspace.deny)
        return Session(tools)


class Session:
    def __init__(self, tools):
        self.tools = tools

    def call(self, tool, arguments):
        result = self.tools.call(tool, arguments)
        return ToolResult(result.text, result.is_error)
"""


def contracts_ratio(rounds: int, *chosen: str) -> Result:
    """Compare the times of a run with all contracts and with one. `chosen` are options that select scenarios."""
    one, every = [], []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "own_tools.py").write_text(_TOOLS)
        words = ("-m", "readfirst", "run", f"python:{folder}/own_tools.py:Tools", "--failures", "0", *chosen)
        for _ in range(rounds):
            one.append(child_processor_seconds(partial(python, *words, fails=True)))
            every.append(child_processor_seconds(partial(python, *words, "--contract", "all", fails=True)))
    ratio = min(every) / min(one)
    value = f"{ratio:.2f} ({min(every):.2f} s, {min(one):.2f} s)"
    limit = f"at most {MAX_CONTRACTS_FACTOR:g}"
    return Result("all contracts against one", value, limit, ratio <= MAX_CONTRACTS_FACTOR)


_WHOLE_RUN = """\
import resource, sys, time
from pathlib import Path
from readfirst.harness.run.runner import run
from readfirst.harness.suite.suite import Suite
suite = Suite(Path(sys.argv[1]), copies_bundled=True)
started = time.process_time()
statuses = {verdict.status for verdict in run(suite, "reference", ["2.1.7"])}
print(time.process_time() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, *statuses)
"""


def whole_run(suite: Suite) -> tuple[float, int]:
    """Run a suite in a separate process. Return the processor time in seconds and the peak memory in KiB."""
    words = python("-c", _WHOLE_RUN, str(suite.root)).split()
    if words[2:] != ["passed"]:
        raise SystemExit(f"the generated suite did not pass: {words[2:]}")
    return float(words[0]), int(words[1]) // (1024 if sys.platform == "darwin" else 1)


def measure_growth(small: int) -> list[Result]:
    """Compare runs of a suite with `small` scenarios and of one that is ten times as large. Return both ratios."""
    with suite_of(small) as few, suite_of(small, 10) as many:
        pairs = [(whole_run(few), whole_run(many)) for _ in range(2)]
    time_few, time_many = (min(run_[0] for run_ in side) for side in zip(*pairs, strict=True))
    memory_few, memory_many = (max(run_[1] for run_ in side) for side in zip(*pairs, strict=True))
    ratio, memory = time_many / time_few, memory_many / memory_few
    name = f"{10 * small:,} scenarios against {small:,}"
    return [
        Result(
            f"{name}, time",
            f"{ratio:.2f} ({time_many:.2f} s, {time_few:.2f} s)",
            f"at most {MAX_GROWTH_FACTOR:g}",
            ratio <= MAX_GROWTH_FACTOR,
        ),
        Result(
            f"{name}, peak memory",
            f"{memory:.2f} ({memory_many / 1024:.1f} MiB, {memory_few / 1024:.1f} MiB)",
            f"at most {MAX_MEMORY_FACTOR:g}",
            memory <= MAX_MEMORY_FACTOR,
        ),
    ]


def python(*words: str, fails: bool = False) -> str:
    """Run Python with these arguments in the checkout, and return its output. `fails`: the exit code may be 1."""
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    ran = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=False, env=environment
    )
    if ran.returncode not in ((0, 1) if fails else (0,)):
        raise SystemExit(f"{' '.join(words)}: exit code {ran.returncode}\n{ran.stderr}")
    return ran.stdout


def command_time(command: str, limit: float, rounds: int, *, differs: bool = False) -> Result:
    """Measure the best processor time of a command in several rounds. `differs`: the exit code may be 1."""
    words = ("-m", "readfirst", *command.split())
    taken = min(child_processor_seconds(partial(python, *words, fails=differs)) for _ in range(rounds))
    nothing = min(child_processor_seconds(partial(python, "-c", "pass")) for _ in range(rounds))
    value = f"{taken:.2f} s (python -c pass: {nothing:.2f} s)"
    return Result(f"`readfirst {command}`", value, f"at most {limit:g} s", taken <= limit)


def measure_recorder(count: int, least: float) -> Result:
    """Measure how many scenarios per second one session of the real product replays, without its start."""
    suite = Suite()
    ids = [name for name in passing_scenarios() if shares_a_session(suite.scenario(name))][: count + 1]
    with Runner(RunSpec(suite, "claude-code:2.1.7", "2.1.7")) as runner:
        runner.judge(ids[0])
        started = time.perf_counter()
        for name in ids[1:]:
            runner.judge(name)
        taken = time.perf_counter() - started
    rate = (len(ids) - 1) / taken
    value = f"{rate:.1f} ({len(ids) - 1} scenarios in {taken:.1f} s)"
    limit = f"at least {least:g}"
    return Result("recorder, scenarios per second", value, limit, rate >= least)


def shares_a_session(scenario: Scenario) -> bool:
    """Whether the product can replay a scenario in a shared session, and needs no hook for it."""
    return not needs_own_session(scenario) and "during" not in scenario.needs


def main() -> int:
    """Measure everything, print one line per result, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller suites")
    quick = parser.parse_args().quick
    rounds = 2 if quick else 7
    results = [
        replay_ratio(rounds),
        contracts_ratio(1, "--class", "safety") if quick else contracts_ratio(3),
        *measure_growth(100 if quick else 500),
        command_time("list", MAX_LIST_S, rounds),
        command_time("run reference gate/edit-unread", MAX_ONE_S, rounds),
    ]
    if not quick:
        results += [
            command_time("lint", MAX_LINT_S, 3),
            command_time("diff 2.1.7 latest", MAX_DIFF_S, 3, differs=True),
            command_time("run reference", MAX_RUN_S, 3),
        ]
    if shutil.which("npm") and shutil.which("node"):
        # The only wall-clock figure: a shared machine in continuous integration gets half of it.
        count, least = (30, MIN_RECORDED_PER_S / 2) if quick else (80, MIN_RECORDED_PER_S)
        results.append(measure_recorder(count, least))
    else:
        print("recorder: not measured, because npm and node are not there")
    for result in results:
        word = "ok    " if result.holds else "BROKEN"
        print(f"{word} {result.name}: {result.value}, {result.limit}")
    return 0 if all(result.holds for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
