"""Write every verdict of a checkout to a directory. A diff of two directories shows the effect of a change.

    python3 tools/verdicts.py before      # on the tree as it was
    python3 tools/verdicts.py after       # on the tree as it is
    diff -r before after

The directory contains the verdicts of the reference and of the recordings on every contract, of ten recordings on a
different contract, and of each wrong implementation on its own scenario and a sample of the others (with `--whole`: on
all scenarios). It also contains the accepted failures of the baselines, the results of published implementations, and
the output of the commands in the documentation. This program installs nothing and only uses commands of users, so it
works on any checkout (`--checkout`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

LEVELS = {"safe": "S", "effects": "E", "reason": "R", "text": "T"}
"""The letters that stand for the levels in a line about a verdict."""

BASELINES = ("observatory/targets/baselines", "harness/targets/baselines")
"""Directories that may contain baselines: the current one, and the one that older checkouts use."""

STREAMS = 10
"""Number of runs that compare the recordings of a version with the contract of a different version."""

_CASES = """\
import re
import test_exceptions
for name, (implementation, _) in test_exceptions.CAUGHT.items():
    globals()[re.sub(r"\\W+", "_", name)] = implementation
"""
_NAMES = """\
import json, re
import test_exceptions, test_wrong_implementations as plain
each = {f"{kind.__module__}:{kind.__name__}": [*found.by, found.after] for kind, found in plain.DETECTIONS.items()}
each |= {
    "verdict_cases:" + re.sub(r"\\W+", "_", name): [by] for name, (_, by) in test_exceptions.CAUGHT.items()
}
print(json.dumps(each))
"""


@dataclass(frozen=True)
class Checkout:
    """A checkout of readfirst whose commands are run. `path` contains additional directories for imports."""

    root: Path
    path: tuple[Path, ...] = ()

    def python(self, *arguments: str, cwd: Path) -> str:
        """Run Python, and return its standard output. Without output, raise SystemExit with standard error."""
        path = os.pathsep.join(map(str, (self.root, *self.path)))
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": path, "COLUMNS": "120", "XDG_CACHE_HOME": str(cwd / "cache")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if not done.stdout:
            raise SystemExit(f"{' '.join(arguments)[:300]}: exit {done.returncode}\n{done.stderr}")
        return done.stdout

    def readfirst(self, *arguments: str, cwd: Path) -> str:
        """Run a command of readfirst, and return its standard output."""
        return self.python("-m", "readfirst", *arguments, cwd=cwd)


@dataclass(frozen=True)
class Task:
    """A file to write. `lines` returns its lines; its argument is a directory for temporary files."""

    name: str
    lines: Callable[[Path], Iterable[str]]


def share(ids: Iterable[str], parts: int) -> list[str]:
    """Return about one in `parts` of the ids. The selection of an id does not depend on other ids."""
    return [each for each in ids if int(hashlib.sha256(each.encode()).hexdigest(), 16) % parts == 0]


def verdict_lines(stream: str) -> Iterator[str]:
    """Yield a line per verdict in a results file: status, levels that hold, scenario, first difference."""
    for line in stream.splitlines():
        value = json.loads(line)
        if value["type"] != "verdict":
            continue
        held = "".join(letter for level, letter in LEVELS.items() if value["levels"].get(level)) or "-"
        words = [value["status"], held, value["contract"], value["scenario"]]
        if differences := value.get("differences"):
            first = next((each for each in differences if each["level"] in LEVELS), differences[0])
            words += [f"step {first.get('step')}:", first["level"], first["what"]]
        if value["status"] not in ("passed", "failed"):
            words.append(_reason(str(value.get("reason", ""))))
        if value.get("blame") not in (None, "implementation"):
            words.append(f"({value['blame']})")
        yield " ".join(words)


def _reason(text: str) -> str:
    first = text.partition("\n")[0]
    return re.sub(r"/[^ ]*/", "…/", first)[:120]


def runs(
    checkout: Checkout, contracts: Sequence[str], ids: Sequence[str], some: Sequence[str]
) -> Iterator[Task]:
    """Yield the runs of the reference and the recordings: all scenarios on the first contract, else only `some`."""
    for target in ("reference", "recording"):
        for contract in (
            contracts if target == "reference" else [name for name in contracts if name != "documented"]
        ):
            chosen = [] if contract == contracts[0] or len(some) == len(ids) else some
            if target == "reference":
                words = ["run", "reference", "--contract", contract]
            else:
                words = ["run", f"recording:{contract}"]
            yield _run(checkout, f"{target}/{contract}.txt", [*words, *chosen])


def streams(checkout: Checkout, contracts: Sequence[str], some: Sequence[str]) -> Iterator[Task]:
    """Yield ten runs with many failures, without an installation: recordings against a different version's contract."""
    recorded = [name for name in contracts if name != "documented"]
    for number, target in enumerate(recorded[:STREAMS]):
        contract = recorded[(number + len(recorded) // 2) % len(recorded)]
        yield _run(
            checkout,
            f"stream/{target}-on-{contract}.txt",
            ["run", f"recording:{target}", "--contract", contract, *some],
        )


def wrong(checkout: Checkout, names: Mapping[str, list[str] | None], some: Sequence[str]) -> Iterator[Task]:
    """Yield a task for the run of each implementation that is wrong on purpose. Passed scenarios are only counted."""
    for name, caught in names.items():
        chosen = sorted({*some, *filter(None, caught)})
        yield _run(
            checkout,
            f"wrong/{name.replace(':', '.')}.txt",
            ["run", f"python:{name}", *chosen],
            brief=True,
        )


def _run(checkout: Checkout, name: str, words: Sequence[str], *, brief: bool = False) -> Task:
    def lines(folder: Path) -> Iterator[str]:
        every = [*verdict_lines(checkout.readfirst(*words, "--format", "jsonl", cwd=folder))]
        shown = [line for line in every if not line.startswith("passed ")] if brief else every
        yield f"{len(every)} verdicts, {sum(line.startswith('passed ') for line in every)} passed"
        yield from sorted(shown, key=lambda line: line.split(" ")[3])

    return Task(name, lines)


def baselines(checkout: Checkout) -> Iterator[Task]:
    """Yield a task for each baseline, with a line per accepted failure. Raises SystemExit without a baseline."""
    folder = next((checkout.root / each for each in BASELINES if (checkout.root / each).is_dir()), None)
    files = sorted(folder.glob("*.yaml")) if folder is not None else []
    if not files:
        raise SystemExit(f"{checkout.root} has no baselines in {' or '.join(BASELINES)}")
    for file in files:

        def lines(_: Path, file: Path = file) -> list[str]:
            return sorted(accepted_lines(yaml.load(file.read_bytes(), yaml.CSafeLoader)))

        yield Task(f"baselines/{file.stem}.txt", lines)


def accepted_lines(baseline: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each entry of a baseline: the scenario or rule, the contract, and the lowest failed level. The
    previous format is also supported: an entry has a list of levels (`fails`), and families have `groups` of scenarios.
    """
    for group in baseline.get("groups") or ():
        for family, slugs in group["scenarios"].items():
            yield from (accepted_line({**group, "scenario": f"{family}/{slug}"}) for slug in slugs)
    yield from map(accepted_line, baseline.get("accepted") or ())


def accepted_line(entry: Mapping[str, Any]) -> str:
    """Return the line for one entry of a baseline."""
    level = entry["level"] if "level" in entry else entry["fails"][0]
    varies = " varies" if entry.get("varies") or entry.get("because") == "varies" else ""
    return f"{entry.get('scenario') or entry['rule']} {entry.get('contract', '2.1.7')} {level}{varies}"


def known(checkout: Checkout) -> Iterator[Task]:
    """Yield a task that writes the published results of implementations and versions, rule by rule."""

    def lines(folder: Path) -> list[str]:
        commands = checkout.root / "observatory/cli/__init__.py"
        group = (
            "field"
            if commands.is_file() and '"field targets": "targets:' in commands.read_text()
            else "targets"
        )
        words = [group, "compatibility"] if commands.is_file() else ["compatibility"]
        value = json.loads(checkout.readfirst(*words, "--format", "json", cwd=folder))
        return [*flattened(value)]

    yield Task("compatibility.txt", lines)


def flattened(value: Any, path: str = "") -> Iterator[str]:
    """Yield the path and the value of each value in JSON. List items are identified by name, or by number."""
    if isinstance(value, dict):
        for key in sorted(value):
            yield from flattened(value[key], f"{path}/{key}")
    elif isinstance(value, list):
        for number, each in enumerate(value):
            named = (
                each.get("rule") or each.get("target") or each.get("name") if isinstance(each, dict) else None
            )
            yield from flattened(each, f"{path}/{named or number}")
    else:
        yield f"{path} = {value}"


def pages(checkout: Checkout) -> Iterator[Task]:
    """Yield a task for each code block of the documentation that requires only Python, run as by the tests of pages."""
    sys.path.insert(0, str(checkout.root))
    from tests.pages import test_commands as tested
    from tests.pages.page import code
    from tests.pages.stage import Stage, copy_of_checkout, users_folder

    left_out = tested.RUN_BY_CI | tested.TAKES_LONG
    for block in tested.BLOCKS:
        plans = {
            each: tested.PLANS.get(each, tested.Plan()) for each in block.commands if each not in left_out
        }
        commands = [
            each
            for each, plan in plans.items()
            if plan.mark == "slow" and not re.search(r"\bpip\b|venv|fuzz", each)
        ]
        if not commands:
            continue

        def lines(folder: Path, block: Any = block, commands: list[str] = commands) -> Iterator[str]:
            asked = [tested.PLANS.get(each, tested.Plan()) for each in commands]
            bundled = any(plan.bundled for plan in asked)
            own = bundled or block.page not in tested.USERS_PAGES
            contracts = tuple(name for plan in asked for name in plan.contracts)
            tree = copy_of_checkout(folder, bundled=bundled, contracts=contracts)
            stage = Stage(tree if own else users_folder(folder, block.page), tree, tested.PLUGIN)
            (stage.folder / "page.yaml").write_text(code("CONTRIBUTING.md", "yaml")[0])
            before = " && ".join(plan.before for plan in asked if plan.before)
            ran = stage.run(commands, before=before, seconds=1200)
            for command, (exit_code, output) in zip(commands, ran, strict=True):
                yield f"$ {command}"
                yield from printed(output, folder, checkout.root)
                yield f"exit {exit_code}"

        name = re.sub(r"\W+", "-", f"{block.page.removesuffix('.md')} {commands[0]}")[:90].strip("-")
        yield Task(f"pages/{name}.txt", lines)


_TIMES = re.compile(r"(?<![-+.\w])\d+(?:\.\d+)? ?(?:ms|s|seconds|minutes|min)\b")
_CLOCK = re.compile(r"\"(milliseconds|date|time|timestamp)\": ?[^,}]+|(time|timestamp)=\"[^\"]*\"")


def printed(output: str, folder: Path, checkout: Path) -> Iterator[str]:
    """Yield the lines of an output with placeholders for directories and times, which differ between runs."""
    text = (
        output.replace(str(folder), "FOLDER")
        .replace(str(checkout), "CHECKOUT")
        .replace(sys.executable, "PYTHON")
    )
    text = re.sub(re.escape(tempfile.gettempdir()) + r"/[\w.-]+", "TEMPORARY", text)
    text = _CLOCK.sub("CLOCK", _TIMES.sub("TIME", text))
    yield from (line.rstrip() for line in text.splitlines())


def write(folder: Path, tasks: Sequence[Task], jobs: int) -> int:
    """Write the files of all tasks into `folder`, `jobs` of them in parallel. Return the total number of lines."""

    def done(task: Task) -> int:
        with tempfile.TemporaryDirectory(prefix="verdicts-") as scratch:
            lines = [*task.lines(Path(scratch))]
        file = folder / task.name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in lines), "utf-8", errors="surrogateescape")
        return len(lines)

    with ThreadPoolExecutor(jobs) as pool:
        return sum(pool.map(done, tasks))


def main(words: Sequence[str] | None = None) -> None:
    """Write every verdict to a new directory."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="the directory to write, which must not exist")
    parser.add_argument("--checkout", type=Path, default=Path(__file__).parents[1], help="another tree")
    parser.add_argument("--quick", action="store_true", help="a part of the scenarios, and no pages; 2 min")
    parser.add_argument("--whole", action="store_true", help="wrong implementations on all scenarios; 20 min")
    parser.add_argument(
        "--only", default="", help="only files whose name begins so: reference, wrong/wrong_files …"
    )
    parser.add_argument("--jobs", "-j", type=int, default=len(os.sched_getaffinity(0)))
    asked = parser.parse_args(words)
    if asked.folder.exists():
        parser.error(f"{asked.folder} exists; remove it or name a different directory")
    root = asked.checkout.resolve()
    with tempfile.TemporaryDirectory(prefix="verdicts-") as scratch:
        Path(scratch, "verdict_cases.py").write_text(_CASES, "utf-8")
        checkout = Checkout(root, (root / "tests" / "wrong_implementations", Path(scratch)))
        ids = [line.partition("\t")[0] for line in checkout.readfirst("list", cwd=Path(scratch)).splitlines()]
        names = json.loads(checkout.python("-c", _NAMES, cwd=Path(scratch)))
        contracts = sorted(yaml.safe_load((root / "fixtures" / "contracts.yaml").read_bytes())["contracts"])
        contracts.sort(key=lambda name: name != "2.1.7")
        some = share(ids, 12) if asked.quick else ids
        few = ids if asked.whole else share(ids, 60 if asked.quick else 8)
        tasks = [
            *runs(checkout, contracts, ids, some),
            *streams(checkout, contracts, [] if some is ids else some),
            *wrong(checkout, names, few),
        ]
        tasks += [*baselines(checkout), *known(checkout), *([] if asked.quick else pages(checkout))]
        tasks = [task for task in tasks if task.name.startswith(asked.only)]
        lines = write(asked.folder, tasks, asked.jobs)
    print(f"{asked.folder}: {len(tasks)} files, {lines} lines")


if __name__ == "__main__":
    main()
