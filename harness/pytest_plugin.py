"""pytest plugin: scenario files are test items, so `pytest --adapter python:mymodule:Tools` is all that is needed.

It collects the scenario files of a suite if the command line or `testpaths` names the suite, a folder or a file in it.
With an adapter on the command line and no suite named, the bundled suite is collected, wherever it is installed. The
adapter is connected before anything is collected, so one that does not work is one message and not a failure of each
scenario.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from readfirst.harness.errors import ReadfirstError
from readfirst.harness.suite.rule_classes import CLASSES, FORMER_CLASSES, former_class_message

if TYPE_CHECKING:
    from readfirst.harness.compare.baseline import BaselineResult
    from readfirst.harness.compare.verdict import Level, Verdict
    from readfirst.harness.run.runner import Runner

# The harness is imported when the first scenario is collected: a test run without scenarios pays nothing.


LEVELS = ("safe", "effects", "reason", "text", "verbatim")
"""As `harness.compare.verdict.LEVELS`, which would take too long to import here; a test compares them."""
REQUIREMENTS = ("must", "should", "observed")
"""As `harness.suite.scenario_metadata.REQUIREMENTS`, for the same reason."""
PROPERTY = "readfirst"
"""The user property of a report that holds the verdict's status; it also travels from pytest-xdist's workers."""

DETAILS = "what the target printed, or its traceback"
"""The section of a failure that is shown once, and not for every scenario that ends in the same way."""

_JUDGED = ("passed", "failed", "broken")
_INFORMING = ("help", "version", "markers", "showfixtures", "show_fixtures_per_test", "collectonly")
"""Options with which pytest runs no test, so that nothing needs to be connected."""
_OPTIONS: dict[str, dict[str, Any]] = {
    "adapter": {"metavar": "TARGET", "help": "What to test, as for `readfirst run`; default: reference."},
    "contract": {
        "metavar": "NAME",
        "action": "append",
        "help": "The contract to compare it with (repeatable); default: the suite's default.",
    },
    "requirement": {
        "choices": REQUIREMENTS,
        "action": "append",
        "help": "Only scenarios of this requirement (repeatable: any of them).",
    },
    "rule": {
        "metavar": "RULE",
        "action": "append",
        "help": "Only scenarios of this rule (repeatable); `readfirst rules` lists them.",
    },
    "class": {
        "type": lambda word: _parse_class(word),
        "choices": CLASSES,
        "action": "append",
        "help": "Only scenarios of rules of this class (repeatable).",
    },
    "level": {"choices": LEVELS, "help": "How strictly to compare; default: text, or the target's own."},
}
"""The options that have a short name too."""
_LONG_OPTIONS: dict[str, dict[str, Any]] = {
    "baseline": {"type": Path, "metavar": "FILE", "help": "Accepted failures; see `readfirst docs running`."},
    "name": {"metavar": "NAME", "help": "What the baseline calls it; default: TARGET as it is written."},
    "time-limit": {
        "type": float,
        "default": 30.0,
        "metavar": "SECONDS",
        "help": "Seconds that one call may take.",
    },
    "require": {
        "action": "append",
        "metavar": "NAMES",
        "help": "Capabilities that the implementation must have; default: Read,Edit,Write, or those of the baseline.",
    },
    "fixtures": {
        "action": "append",
        "metavar": "DIR",
        "help": "A directory that contains `scenarios`, or `bundled` (repeatable: all of them in one suite).",
    },
    "trust": {
        "action": "store_true",
        "help": "Run a suite that is not the bundled one with your own rights; see `readfirst docs running`.",
    },
    "settle": {
        "type": float,
        "default": 0.0,
        "metavar": "MS",
        "help": "Milliseconds to wait for late writes after the last answer, and again after the session.",
    },
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
        message = f"{attributes['help']} Short: --{name}."
        group.addoption(*names, dest=f"readfirst_{name}", **{**attributes, "help": message})
    for name, attributes in _LONG_OPTIONS.items():
        group.addoption(f"--readfirst-{name}", **attributes)
    group.addoption(
        "--readfirst-claims", action="append", metavar="NAMES", help="Former name of --readfirst-require."
    )


_FOLDERS = ("scenarios", "corpus")
"""Where a suite has its scenarios."""


def _parse_class(word: str) -> str:
    """Return the present name of a class of rules. Warns about a former name."""
    if word in FORMER_CLASSES:
        warnings.warn(pytest.PytestConfigWarning(former_class_message(word)), stacklevel=2)
    return FORMER_CLASSES.get(word, word)


def _short_names(config: pytest.Config) -> set[str]:
    given = [*map(str, config.invocation_params.args), *shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))]
    given += config.getini("addopts")
    used = {name for name in _OPTIONS if any(word.partition("=")[0] == f"--{name}" for word in given)}
    own = (config.rootpath / "fixtures" / "contracts.yaml").is_file()
    return used if "adapter" in used or own else set()


def pytest_configure(config: pytest.Config) -> None:
    """Check the options and connect, and add the bundled suite where an adapter is given and no scenario is named.

    With pytest-xdist this happens once, before the workers start. Raises UsageError.
    """
    working = hasattr(config, "workerinput")
    if config.option.readfirst_claims and not working:
        message = "--readfirst-claims is now --readfirst-require; the next release removes the old name."
        config.issue_config_time_warning(pytest.PytestConfigWarning(message), stacklevel=2)
    if not working:
        config.pluginmanager.register(_EmptyRunCheck(config), "readfirst-empty-run-check")
    paths = [(config.invocation_params.dir / word.partition("::")[0]).resolve() for word in config.args]
    suites: dict[Path, Layers] = {root: (root,) for path in paths if (root := _named_root(path))}
    named = config.option.readfirst_fixtures
    if named or (config.option.readfirst_adapter is not None and not suites):
        suites = _suites_of_options(config, tuple(named or ("bundled",)))
        added = [root for root in suites if named or root != config.rootpath / "fixtures"]
        config.args += [str(root / name) for root in added for name in _FOLDERS if (root / name).is_dir()]
    config.stash[_SUITES] = suites
    if suites and not working:
        _check(config, suites)


def _suites_of_options(config: pytest.Config, named: Layers) -> dict[Path, Layers]:
    """Return the directories of the suites that options name, each with all of them. Raises UsageError."""
    from readfirst.harness.suite.suite import BUNDLED, open_layers

    layers = tuple(
        each if each == BUNDLED else (config.invocation_params.dir / each).resolve() for each in named
    )
    try:
        return dict.fromkeys(open_layers(layers).roots, layers)
    except ReadfirstError as error:
        raise pytest.UsageError(_shown(f"readfirst: {error}", kept="\n")) from error


def _check(config: pytest.Config, suites: dict[Path, Layers]) -> None:
    from readfirst.harness.run.did_you_mean import target_hint

    name = config.option.readfirst_adapter or "reference"
    if meant := target_hint([name]):
        raise pytest.UsageError(f"readfirst: {name!r} is not a target. Did you mean: --adapter {meant}")
    try:
        for root in sorted(suites):
            target = _target(config, root)
            if any(getattr(config.option, option, False) for option in _INFORMING):
                continue
            for contract in target.contracts:
                if unclaimed := target.unclaimed(contract):
                    raise ReadfirstError(
                        f"{name} lacks {unclaimed}, so the scenarios that need them are not judged. "
                        "If that is intended, list the required capabilities (--readfirst-require Read), or accept "
                        "it in a baseline."
                    )
        if config.getoption("numprocesses", None) or config.getoption("tx", None):
            pytest_unconfigure(config)  # the workers connect for themselves
    except ReadfirstError as error:
        raise pytest.UsageError(_shown(f"readfirst: {error}", kept="\n")) from error


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a scenario file of a suite that the command line names."""
    if file_path.suffix != ".yaml":
        return None
    roots = parent.config.stash.get(_SUITES, {})
    root = next((root for root in roots if _is_below(file_path, root)), None)
    if root is None:
        return None
    collector: ScenarioFile = ScenarioFile.from_parent(parent, path=file_path)
    # pytest prints it as it is, and takes these marks for parts of it.
    nodeid = _shown(collector.nodeid).replace("::", ":\\x3a").replace("[", "\\x5b")
    if nodeid != collector.nodeid:
        collector = ScenarioFile.from_parent(parent, path=file_path, nodeid=nodeid)
    collector.name = _shown(collector.name)
    collector.root = root
    return collector


@pytest.hookimpl(tryfirst=True)
def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a folder of scenarios whose name pytest may not print as it is."""
    shown = _shown(path.name)
    if shown == path.name or _fixtures_root(path) is None:
        return None
    folder: pytest.Dir = pytest.Dir.from_parent(parent, path=path)
    folder.name = shown
    return folder


@cache
def _fixtures_root(directory: Path) -> Path | None:
    """Return the fixtures root that a directory of scenarios belongs to."""
    for folder in (directory, *directory.parents):
        if folder.name in _FOLDERS and _has_mark(folder.parent):
            return folder.parent
    return None


def _has_mark(path: Path) -> bool:
    """Whether a directory has a file by which pytest recognises a suite: not every `scenarios` is one."""
    return (path / "contracts.yaml").is_file() or (path / "suite.yaml").is_file()


def _is_below(path: Path, root: Path) -> bool:
    return any(path.is_relative_to(root / name) for name in _FOLDERS)


def _named_root(path: Path) -> Path | None:
    """Return the fixtures root that a path of the command line names: the root itself, or the root above it."""
    is_root = _has_mark(path) and any((path / name).is_dir() for name in _FOLDERS)
    return path if is_root else _fixtures_root(path)


def _shown(text: str, kept: str = "") -> str:
    """Escape control characters in a text that pytest prints, except those in `kept`."""
    from readfirst.harness.terminal import as_text

    return as_text(text, kept)


class _Unconnected(ReadfirstError):  # noqa: N818 - it says what became of the target
    """The target cannot be connected; the message says why and what to do."""


class _Target:
    """What is asked of the target with one suite: the contracts to hold it to, and a runner for each."""

    contracts: tuple[str, ...] = ()

    def __init__(self, options: Any, layers: Layers) -> None:
        self._layers = layers
        self.name: str = options.readfirst_adapter or "reference"
        self.level: Level = options.readfirst_level or "text"
        self._options = options
        self._requirements = frozenset(options.readfirst_requirement or ())
        self._runners: dict[str, Runner] = {}

    def prepare(self) -> None:
        """Read the suite, the baseline, and what is asked for. Raises ReadfirstError."""
        from readfirst.harness.compare.baseline import BaselineChecker
        from readfirst.harness.run.capabilities import claims_named
        from readfirst.harness.run.run_command import chosen_contracts, open_baseline
        from readfirst.harness.run.target_defaults import target_defaults
        from readfirst.harness.suite.selection import rules_chosen
        from readfirst.harness.suite.suite import open_layers

        options = self._options
        self._suite = suite = open_layers(self._layers, trust=options.readfirst_trust)
        claims = claims_named([*(options.readfirst_require or ()), *(options.readfirst_claims or ())])
        called = self.name
        if (own := target_defaults(self.name)) is not None:
            called, self.level = own.connect, options.readfirst_level or own.level
            claims = own.claims if claims is None else claims
        contracts = chosen_contracts(suite, self.name, tuple(options.readfirst_contract or ()), self.level)
        self._rules = rules_chosen(suite, options.readfirst_rule or (), options.readfirst_class or ())
        file, name = options.readfirst_baseline, options.readfirst_name
        baseline = open_baseline(suite, file, name, called, "--readfirst-name") if file else None
        self._ruler = BaselineChecker(baseline, claims)
        self.contracts = contracts

    def has_replaced(self, scenario_id: str, path: Path) -> bool:
        """Whether a suite above that of a file has a scenario with the same id."""
        return (
            len(self._layers) > 1 and self._suite.has(scenario_id) and self._suite.path(scenario_id) != path
        )

    def cases(self, path: Path, root: Path) -> Sequence[str] | None:
        """Return the last parts of the ids in a file of several scenarios, None for another. Raises SuiteError."""
        if path.is_relative_to(root / "scenarios") and not path.name.endswith(".cases.yaml"):
            return None
        from readfirst.harness.suite.case_table import case_headings
        from readfirst.harness.yaml_io import strict_yaml

        return [*case_headings(strict_yaml.read(path, suite=root), path)]

    def takes(self, scenario_id: str) -> bool:
        """Whether a scenario is of a requirement, rule and class asked for; one that cannot be read fails when run."""
        if not self._requirements and self._rules is None:
            return True
        from readfirst.harness.yaml_io.finding import SuiteError

        try:
            heading = self._suite.heading(scenario_id)
        except SuiteError:
            return True
        bound = not self._requirements or heading.requirement in self._requirements
        return bound and (self._rules is None or heading.rule in self._rules)

    def _connect(self, contract: str) -> Runner:
        """Connect the target unless it is. Raises _Unconnected."""
        from readfirst.harness.adapter_api import BrokenAdapter
        from readfirst.harness.processes.sandbox import NoWallError
        from readfirst.harness.run.connect import ConnectError
        from readfirst.harness.run.runner import Runner, RunSpec

        if contract not in self._runners:
            limit, settle = self._options.readfirst_time_limit, self._options.readfirst_settle / 1000
            spec = RunSpec(self._suite, self.name, contract, self.level, limit, settle=settle)
            try:
                self._runners[contract] = Runner(spec)
            except ConnectError as error:
                raise _Unconnected(str(error)) from error
            except NoWallError as error:
                message = str(error).replace("--trust", "--readfirst-trust")
                raise _Unconnected(message) from error
            except BrokenAdapter as error:
                message = f"{self.name!r} cannot be connected: {error}"
                raise _Unconnected("\n".join(filter(None, (message, error.details.strip())))) from error
        return self._runners[contract]

    def judge(self, contract: str, scenario_id: str) -> tuple[Verdict, BaselineResult]:
        """Replay one scenario and rule by the baseline."""
        verdict = self._connect(contract).judge(scenario_id)
        return verdict, self._ruler.apply_baseline(verdict)

    def unclaimed(self, contract: str) -> str:
        """Return the required capabilities that the target lacks. Empty if it has all. Raises _Unconnected."""
        return ", ".join(sorted(self._ruler.required - self._connect(contract).claims))

    def explain(self, verdict: Verdict) -> str:
        """Return the text that explains a failure, the same as the command line's."""
        from readfirst.harness.report.failure import failure_text
        from readfirst.harness.run.run_command import RunRequest
        from readfirst.harness.suite.suite import default_root

        request = RunRequest(
            self._suite,
            self.name,
            fixtures=() if self._suite.roots == (default_root(),) else tuple(map(str, self._layers)),
            level=self.level,
            time_limit=self._options.readfirst_time_limit,
            settle=self._options.readfirst_settle / 1000,
        )
        scenario = self._suite.scenario(verdict.scenario_id)
        return failure_text(verdict, scenario, request.commands(verdict.contract))

    def close(self) -> None:
        """End every implementation."""
        while self._runners:
            self._runners.popitem()[1].close()


Layers = tuple[str | Path, ...]
"""Suites that are tested as one; see `open_layers`."""
_SUITES = pytest.StashKey[dict[Path, Layers]]()
"""The suites that are collected, by the directory of each."""
_TARGETS = pytest.StashKey[dict[Layers, _Target]]()
"""What the items of one run share."""


def _target(config: pytest.Config, root: Path) -> _Target:
    """Return what is asked of the target with a suite.

    Raises ReadfirstError, the first time only: for the other files of such a suite there are no contracts.
    """
    targets, layers = config.stash.setdefault(_TARGETS, {}), config.stash[_SUITES][root]
    if layers not in targets:
        targets[layers] = _Target(config.option, layers)
        targets[layers].prepare()
    return targets[layers]


class ScenarioFailedError(Exception):
    """A scenario does not hold; the message is what the command line prints.

    `brief` is the first difference in one line, `details` the end of what the target printed where it broke.
    """

    def __init__(self, message: str, brief: str, details: str = "") -> None:
        super().__init__(message)
        self.brief = brief
        self.details = details


class ScenarioFile(pytest.File):
    """One scenario file: an item per contract, of several scenarios below each of these."""

    root: Path

    def collect(self) -> Iterator[ScenarioItem | ScenarioCase]:
        """Yield what is in the file, which is read when an item runs, its heading where a requirement is asked for."""
        try:
            target = _target(self.config, self.root)
            slugs = target.cases(self.path, self.root)
        except ReadfirstError as error:
            raise self.CollectError(_shown(f"readfirst: {error}", kept="\n")) from error
        folder = next(each for each in _FOLDERS if self.path.is_relative_to(self.root / each))
        name = self.path.relative_to(self.root / folder).with_suffix("")
        if slugs is None:
            yield from _items(self, target, name.as_posix())
            return
        for slug in slugs:
            case: ScenarioCase = ScenarioCase.from_parent(self, name=slug)
            case.target, case.scenario_id = target, f"{name.parent.as_posix()}/{slug}"
            yield case


class ScenarioCase(pytest.Collector):
    """One of several scenarios in a file."""

    target: _Target
    scenario_id: str

    def collect(self) -> Iterator[ScenarioItem]:
        """Yield its items."""
        yield from _items(self, self.target, self.scenario_id)


def _items(parent: pytest.Collector, target: _Target, scenario_id: str) -> Iterator[ScenarioItem]:
    path = parent.path
    if not target.contracts or target.has_replaced(scenario_id, path) or not target.takes(scenario_id):
        return
    for contract in target.contracts:
        item: ScenarioItem = ScenarioItem.from_parent(parent, name=contract)
        item.target, item.scenario_id = target, scenario_id
        item.extra_keyword_matches.add(scenario_id)
        yield item


class ScenarioItem(pytest.Item):
    """One scenario on one contract; the item's name is the contract."""

    target: _Target
    scenario_id: str
    cls = instance = None
    fixturenames: Sequence[str] = ()

    @property
    def function(self) -> Callable[..., None]:
        """The function that runs the item. Hooks of other plugins expect the attributes of a Python test function."""
        return type(self).runtest

    obj = function

    @property
    def module(self) -> ModuleType:
        """The module of `function`."""
        return sys.modules[__name__]

    @property
    def originalname(self) -> str:
        """The item's name, as for a test function without parameters."""
        return self.name

    @property
    def funcargs(self) -> dict[str, Any]:
        """The values of fixtures: none."""
        return {}

    def runtest(self) -> None:
        """Replay and judge. Raises ScenarioFailedError; skips what cannot be judged."""
        try:
            verdict, ruling = self.target.judge(self.name, self.scenario_id)
        except _Unconnected:
            self.session.shouldstop = "readfirst: the target can no longer be connected"
            raise
        self.user_properties.append((PROPERTY, verdict.status))
        if ruling.stale:
            raise ScenarioFailedError(_shown(ruling.stale), _shown(ruling.stale))
        if ruling.unclaimed:
            message = _shown(f"not judged, because a required capability is missing: {ruling.unclaimed}")
            raise ScenarioFailedError(message, message)
        if ruling.accepted:
            pytest.xfail(_shown(ruling.accepted))
        if verdict.status in ("unsupported", "unspecified"):
            pytest.skip(_shown(f"{verdict.status}: {verdict.reason}"))
        if not ruling.conformant:
            from readfirst.harness.report.failure import brief

            reason, _, details = verdict.reason.partition("\n")
            message = self.target.explain(replace(verdict, reason=reason))
            raise ScenarioFailedError(message, brief(verdict), _shown(details.strip(), kept="\n"))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the explanation without a traceback, also for a broken suite or target."""
        error = excinfo.value
        if not isinstance(error, ScenarioFailedError | ReadfirstError):
            return super().repr_failure(excinfo, style)
        shown = excinfo.getrepr(style="value", chain=False)
        if shown.reprcrash is not None:
            brief = error.brief if isinstance(error, ScenarioFailedError) else str(error)
            shown.reprcrash.path, shown.reprcrash.lineno = str(self.path), 1
            shown.reprcrash.message = brief
        if isinstance(error, ScenarioFailedError) and error.details:
            shown.addsection(DETAILS, error.details)
        return shown

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return file, first line, and what a report calls the item."""
        return self.path, 0, _shown(f"{self.scenario_id} on {self.name}")


class _EmptyRunCheck:
    """Keeps a run from being green in which scenarios were collected, or asked for, and none was judged."""

    def __init__(self, config: pytest.Config) -> None:
        self._asked = config.option.readfirst_adapter is not None and not config.option.collectonly
        self._seen = self._judged = 0
        self._shown: set[str] = set()

    @property
    def _vacuous(self) -> bool:
        return (self._asked or self._seen > 0) and self._judged == 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the verdicts; with pytest-xdist the reports come from its workers."""
        if report.when == "call":
            for name, status in report.user_properties:
                if name == PROPERTY:
                    self._seen += 1
                    self._judged += status in _JUDGED
            sections = getattr(report.longrepr, "sections", [])
            sections[:] = [(name, self._once(name, content), line) for name, content, line in sections]

    def _once(self, name: str, content: str) -> str:
        """Return the section without the lines that, but for numbers, another scenario has shown."""
        if name != DETAILS:
            return content
        lines = {re.sub(r"\d+", "0", line): line for line in content.splitlines()}
        new = [line for key, line in lines.items() if key not in self._shown]
        self._shown.update(lines)
        old = len(lines) - len(new)
        return "\n".join([f"[{old} line{'s' * (old > 1)} as above]"] * (old > 0) + new)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Turn a green exit into 5."""
        if exitstatus == pytest.ExitCode.OK and self._vacuous:
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say why."""
        if self._vacuous:
            message = f"readfirst: none of {self._seen} scenarios was judged, so this is not a pass"
            terminalreporter.write_line(message, red=True)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End every implementation."""
    for target in config.stash.get(_TARGETS, {}).values():
        target.close()
