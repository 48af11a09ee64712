"""pytest plugin: scenario files are test items, so `pytest --adapter python:mymodule:Tools` is all that is needed.

It collects the `.yaml` files below a folder `scenarios` that has a `contracts.yaml` beside it, and nothing else.
With an adapter on the command line the bundled suite is collected too, wherever it is installed.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from harness.baseline import Baseline, Ruling
    from harness.run import Bench
    from harness.suite import Suite
    from harness.verdict import Verdict

# The harness is imported when the first scenario is collected: a test run without scenarios pays nothing.

__all__ = ["ScenarioFailedError", "ScenarioFile", "ScenarioItem"]

LEVELS = ("effects", "reason", "text", "verbatim")
"""As `harness.verdict.LEVELS`, which would take too long to import here; a test compares them."""
PROPERTY = "readfirst"
"""The user property of a report that holds the verdict's status; it also travels from pytest-xdist's workers."""

_JUDGED = ("passed", "failed", "broken")
_OPTIONS: dict[str, dict[str, Any]] = {
    "adapter": {"metavar": "TARGET", "help": "What to test, as for `readfirst run`; default: reference."},
    "contract": {
        "metavar": "NAME",
        "action": "append",
        "help": "The contract to hold it to (repeatable); default: the suite's default.",
    },
    "level": {"choices": LEVELS, "default": "text", "help": "How strictly to compare; default: text."},
}


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add `--readfirst-adapter` and so on, and the short names (`--adapter`) where they are used.

    Another project may have options of its own called `--level`; the short names must not get in its way.
    """
    config = pluginmanager.get_plugin("pytestconfig")
    short = _short_names(config) if isinstance(config, pytest.Config) else set()
    group = parser.getgroup("readfirst", "conformance of file tools (readfirst)")
    for name, attributes in _OPTIONS.items():
        names = [f"--readfirst-{name}", *([f"--{name}"] if name in short else [])]
        told = f"{attributes['help']} Short: --{name}."
        group.addoption(*names, dest=f"readfirst_{name}", **{**attributes, "help": told})
    group.addoption(
        "--readfirst-baseline", type=Path, metavar="FILE", help="Accepted failures; see docs/running.md."
    )
    group.addoption(
        "--readfirst-time-limit",
        type=float,
        default=30.0,
        metavar="SECONDS",
        help="Seconds that one call may take.",
    )


def _short_names(config: pytest.Config) -> set[str]:
    given = [*map(str, config.invocation_params.args), *shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))]
    given += config.getini("addopts")
    used = {name for name in _OPTIONS if any(word.partition("=")[0] == f"--{name}" for word in given)}
    own = (config.rootpath / "fixtures" / "contracts.yaml").is_file()
    return used if "adapter" in used or own else set()


def pytest_configure(config: pytest.Config) -> None:
    """Check the options, and add the bundled suite where an adapter is given and no scenario is named."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Guard(config), "readfirst-guard")
    if config.option.readfirst_adapter is None:
        return
    from harness.suite import default_root

    root = default_root()
    scenarios = root / "scenarios"
    named = [_path_of(argument, config) for argument in config.args]
    below = any(path.is_relative_to(scenarios) or _fixtures_root(path / "x") for path in named)
    if not below and root != config.rootpath / "fixtures":
        config.args.append(str(scenarios))


def _path_of(argument: str, config: pytest.Config) -> Path:
    return (config.invocation_params.dir / argument.partition("::")[0]).resolve()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a scenario file."""
    if file_path.suffix != ".yaml":
        return None
    root = _fixtures_root(file_path)
    if root is None:
        return None
    collector: ScenarioFile = ScenarioFile.from_parent(parent, path=file_path)
    collector.root = root
    return collector


def _fixtures_root(file_path: Path) -> Path | None:
    return _root_above(file_path.parent)


@cache
def _root_above(directory: Path) -> Path | None:
    """Return the fixtures root that a directory of scenarios belongs to."""
    for folder in (directory, *directory.parents):
        if folder.name == "scenarios" and (folder.parent / "contracts.yaml").is_file():
            return folder.parent
    return None


class _Session:
    """What the items of one run share: one bench per fixtures root and contract, connected when first needed."""

    def __init__(self, config: pytest.Config) -> None:
        self.target: str = config.option.readfirst_adapter or "reference"
        self.level = config.option.readfirst_level
        self._names = tuple(config.option.readfirst_contract or ())
        self._time_limit: float = config.option.readfirst_time_limit
        self._baseline_file: Path | None = config.option.readfirst_baseline
        self._suites: dict[Path, Suite] = {}
        self._contracts: dict[Path, tuple[str, ...]] = {}
        self._baselines: dict[Path, Baseline | None] = {}
        self._benches: dict[tuple[Path, str], Bench] = {}
        self._unconnected: dict[tuple[Path, str], Exception] = {}

    def contracts(self, root: Path) -> tuple[str, ...]:
        """Return the contracts to hold the target to. Raises UsageError."""
        if root not in self._contracts:
            from harness.contracts import UnknownContractError
            from harness.finding import SuiteError
            from harness.selection import SelectionError
            from harness.suite import Suite
            from harness.testrun import chosen_contracts, open_baseline

            try:
                suite = self._suites[root] = Suite(root)
                contracts = chosen_contracts(suite, self.target, self._names, self.level)
                file = self._baseline_file
                self._baselines[root] = open_baseline(suite, file, self.target) if file else None
            except (SuiteError, SelectionError, UnknownContractError) as error:
                raise pytest.UsageError(f"readfirst: {error}") from error
            self._contracts[root] = contracts
        return self._contracts[root]

    def judge(self, root: Path, contract: str, scenario_id: str) -> tuple[Verdict, Ruling]:
        """Replay one scenario and rule by the baseline."""
        from harness.baseline import rule

        verdict = self._bench(root, contract).judge(scenario_id)
        return verdict, rule(verdict, self._baselines[root])

    def _bench(self, root: Path, contract: str) -> Bench:
        from harness.run import Bench, Order

        key = (root, contract)
        if key in self._unconnected:
            raise self._unconnected[key]  # trying again for each of a thousand items would take minutes
        if key not in self._benches:
            order = Order(root, self.target, contract, self.level, self._time_limit)
            try:
                self._benches[key] = Bench(order, self._suites[root])
            except Exception as error:
                self._unconnected[key] = error
                raise
        return self._benches[key]

    def explain(self, root: Path, verdict: Verdict) -> str:
        """Return the text that explains a failure, the same as the command line's."""
        from harness.report.failure import failure_text
        from harness.suite import default_root
        from harness.testrun import command_of

        command = command_of(
            self.target,
            self.level,
            verdict.contract,
            fixtures=None if root == default_root() else root,
            time_limit=self._time_limit,
        )
        return failure_text(verdict, self._suites[root].scenario(verdict.scenario_id), command)

    def close(self) -> None:
        """End every implementation."""
        while self._benches:
            self._benches.popitem()[1].close()


_SESSION = pytest.StashKey[_Session]()


def _session(config: pytest.Config) -> _Session:
    if _SESSION not in config.stash:
        config.stash[_SESSION] = _Session(config)
    return config.stash[_SESSION]


class ScenarioFailedError(Exception):
    """A scenario does not hold; the message is what the command line prints."""


class ScenarioFile(pytest.File):
    """One scenario file: an item per contract."""

    root: Path

    def collect(self) -> Iterator[ScenarioItem]:
        """Yield the items; the file itself is read when an item runs."""
        for contract in _session(self.config).contracts(self.root):
            yield ScenarioItem.from_parent(self, name=contract)


class ScenarioItem(pytest.Item):
    """One scenario held to one contract; the item's name is the contract."""

    parent: ScenarioFile

    def runtest(self) -> None:
        """Replay and judge. Raises ScenarioFailedError; skips what cannot be judged."""
        root = self.parent.root
        session = _session(self.config)
        scenario_id = self.path.relative_to(root / "scenarios").with_suffix("").as_posix()
        verdict, ruling = session.judge(root, self.name, scenario_id)
        self.user_properties.append((PROPERTY, verdict.status))
        if ruling.stale:
            raise ScenarioFailedError(ruling.stale)
        if ruling.accepted:
            pytest.xfail(ruling.accepted)
        if verdict.status in ("unsupported", "unspecified"):
            pytest.skip(f"{verdict.status}: {verdict.reason}")
        if not ruling.conformant:
            raise ScenarioFailedError(session.explain(root, verdict))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the explanation without a traceback, also for a broken suite or target."""
        from harness.adapters.connect import ConnectError
        from harness.finding import SuiteError
        from harness.recordings import RecordingError
        from harness.session import BrokenAdapter

        known = (ScenarioFailedError, SuiteError, RecordingError, ConnectError, BrokenAdapter)
        if isinstance(excinfo.value, known):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return file, first line, and what a report calls the item."""
        return self.path, 0, f"{self.path.parent.name}/{self.path.stem} on {self.name}"


class _Guard:
    """Keeps a run from being green in which scenarios were collected, or asked for, and none was judged."""

    def __init__(self, config: pytest.Config) -> None:
        self._asked = config.option.readfirst_adapter is not None and not config.option.collectonly
        self._seen = self._judged = 0

    @property
    def _vacuous(self) -> bool:
        return (self._asked or self._seen > 0) and self._judged == 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the verdicts; with pytest-xdist the reports come from its workers."""
        if report.when == "call":
            for name, status in report.user_properties:
                if name == PROPERTY:
                    self._seen += 1
                    self._judged += status in _JUDGED

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Turn a green exit into 5."""
        if exitstatus == pytest.ExitCode.OK and self._vacuous:
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say why."""
        if self._vacuous:
            told = f"readfirst: none of {self._seen} scenarios was judged, so this is not a pass"
            terminalreporter.write_line(told, red=True)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End every implementation."""
    session = config.stash.get(_SESSION, None)
    if session is not None:
        session.close()
