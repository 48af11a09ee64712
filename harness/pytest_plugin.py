"""pytest plugin: scenario files are test items, so `pytest --adapter python:mymodule:Tools` tests an implementation.

It collects the scenario files of a suite if the command line or `testpaths` names the suite, or a directory or file in
it. If an adapter is given and no suite, the bundled suite is collected, unless the command line names only test files
and the configuration names the adapter. The adapter is connected before the collection, so an adapter that does not
start is reported once and not as a failure of each scenario.
"""

from __future__ import annotations

import os
import shlex
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.errors import ReadfirstError
from readfirst.harness.run.pytest_items import PROPERTY, ScenarioFile
from readfirst.harness.run.pytest_target import FOLDERS, SUITES, TARGETS, Layers, escape, target_of
from readfirst.harness.suite.rule_classes import CLASSES, FORMER_CLASSES, former_class_message

# The harness is imported when the first scenario is collected: a test run without scenarios pays nothing.


LEVELS = ("safe", "effects", "reason", "text", "verbatim")
"""The values of `harness.compare.verdict.LEVELS`, copied because that import takes too long. A test checks the copy."""
REQUIREMENTS = ("must", "should", "observed")
"""The values of `harness.suite.scenario_metadata.REQUIREMENTS`, copied because that import takes too long."""
_JUDGED_STATUSES = ("passed", "failed", "error")
_NO_RUN_OPTIONS = ("help", "version", "markers", "showfixtures", "show_fixtures_per_test", "collectonly")
"""Options that make pytest run no tests. If one of them is used, no adapter is connected."""
_OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "adapter": (
        "The implementation to test, as for `readfirst run`; default: reference.",
        {"metavar": "TARGET"},
    ),
    "contract": (
        "Compare with this contract (repeatable); default: the default contract of the suite.",
        {"metavar": "NAME", "action": "append"},
    ),
    "requirement": (
        "Only scenarios of this requirement (repeatable).",
        {"choices": REQUIREMENTS, "action": "append"},
    ),
    "rule": (
        "Only scenarios of this rule (repeatable); `readfirst rules` lists them.",
        {"metavar": "RULE", "action": "append"},
    ),
    "class": (
        "Only scenarios of rules of this class (repeatable).",
        {"type": lambda word: _parse_class(word), "choices": CLASSES, "action": "append"},
    ),
    "level": ("How strictly to compare; default: text, or the target's own.", {"choices": LEVELS}),
}
"""Help text and settings of the options that have a short name (`--adapter`) besides `--readfirst-adapter`."""
_LONG_OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "baseline": ("Accepted failures; see `readfirst docs running`.", {"type": Path, "metavar": "FILE"}),
    "name": ("The name of the target in the baseline; default: TARGET as written.", {"metavar": "NAME"}),
    "time-limit": (
        "Time limit of one call, in seconds.",
        {"type": float, "default": 30.0, "metavar": "SECONDS"},
    ),
    "require": (
        "Capabilities that the implementation must have; default: Read,Edit,Write, or those of the baseline.",
        {"action": "append", "metavar": "NAMES"},
    ),
    "fixtures": (
        "A directory that contains `scenarios`, or the word `bundled` (repeatable; several form one suite).",
        {"action": "append", "metavar": "DIR"},
    ),
    "trust": (
        "Run a suite that is not the bundled one with your own rights; see `readfirst docs running`.",
        {"action": "store_true"},
    ),
    "settle": (
        "Milliseconds to wait for late writes after the last answer, and again after the end of the session.",
        {"type": float, "default": 0.0, "metavar": "MS"},
    ),
    "claims": ("Former name of --readfirst-require.", {"action": "append", "metavar": "NAMES"}),
}
"""Options that have only a long name. The values are the help text and the settings of the option."""


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the options of readfirst to pytest, such as `--readfirst-level`. Short names, such as `--level`, are added
    only if the command line contains them and `--adapter`, because other plugins may have the same options.
    """
    config = pluginmanager.get_plugin("pytestconfig")
    short = _short_names(config) if isinstance(config, pytest.Config) else set()
    group = parser.getgroup("readfirst", "conformance of file tools (readfirst)")
    for name, (message, attributes) in _OPTIONS.items():
        names = [f"--readfirst-{name}", *([f"--{name}"] if name in short else [])]
        group.addoption(
            *names, dest=f"readfirst_{name}", help=f"{message} Short name: --{name}.", **attributes
        )
    for name, (message, attributes) in _LONG_OPTIONS.items():
        group.addoption(f"--readfirst-{name}", help=message, **attributes)


def _parse_class(word: str) -> str:
    """Return the name of a class of rules in the command line. Warn about a former name."""
    if word in FORMER_CLASSES:
        warnings.warn(pytest.PytestConfigWarning(former_class_message(word)), stacklevel=2)
    return FORMER_CLASSES.get(word, word)


def _short_names(config: pytest.Config) -> set[str]:
    """Return the short option names, such as `level` for `--level`, that the command line or the configuration uses.
    Empty without `adapter`, except in a checkout of readfirst.
    """
    given = [*_command_line(config), *config.getini("addopts")]
    used = {name for name in _OPTIONS if any(word.partition("=")[0] == f"--{name}" for word in given)}
    own = (config.rootpath / "fixtures" / "contracts.yaml").is_file()
    return used if "adapter" in used or own else set()


def _command_line(config: pytest.Config) -> list[str]:
    """Return the words of the command line and of PYTEST_ADDOPTS, without options in the configuration file."""
    return [*map(str, config.invocation_params.args), *shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))]


def _names_adapter(words: list[str]) -> bool:
    """Whether the words of a command line include the option `--adapter` or `--readfirst-adapter`."""
    return not {"--adapter", "--readfirst-adapter"}.isdisjoint(word.partition("=")[0] for word in words)


def _resolve_paths(config: pytest.Config) -> None:
    """Make paths in the configuration file's options relative to pytest's root directory, as pytest does."""
    given, option = {word.partition("=")[0] for word in _command_line(config)}, config.option
    if config.rootpath != config.invocation_params.dir:
        if option.readfirst_baseline is not None and "--readfirst-baseline" not in given:
            option.readfirst_baseline = config.rootpath / option.readfirst_baseline
        if option.readfirst_fixtures and "--readfirst-fixtures" not in given:
            option.readfirst_fixtures = [
                name if name == "bundled" else str(config.rootpath / name)
                for name in option.readfirst_fixtures
            ]
        if not _names_adapter(_command_line(config)):
            option.readfirst_directory = str(config.rootpath)


def pytest_configure(config: pytest.Config) -> None:
    """Check the options, and connect the adapter. The default suite is the bundled one. Raises UsageError."""
    is_worker = hasattr(config, "workerinput")
    if config.option.readfirst_claims and not is_worker:
        message = "--readfirst-claims is now --readfirst-require; the next release removes the old name."
        config.issue_config_time_warning(pytest.PytestConfigWarning(message), stacklevel=2)
    _resolve_paths(config)
    paths = [(config.invocation_params.dir / word.partition("::")[0]).resolve() for word in config.args]
    suites: dict[Path, Layers] = {root: (root,) for path in paths if (root := _named_root(path))}
    named = config.option.readfirst_fixtures
    is_narrow = (
        config.args_source is config.ArgsSource.ARGS
        and all(path.is_file() for path in paths)
        and not _names_adapter(_command_line(config))
    )
    if named or (config.option.readfirst_adapter is not None and not suites and not is_narrow):
        suites = _suites_of_options(config, tuple(named or ("bundled",)))
        added = [root for root in suites if named or root != config.rootpath / "fixtures"]
        config.args += [str(root / name) for root in added for name in FOLDERS if (root / name).is_dir()]
    config.stash[SUITES] = suites
    if not is_worker:
        config.pluginmanager.register(_EmptyRunCheck(config), "readfirst-empty-run-check")
        if suites:
            _check_target(config, suites)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """If an adapter is named, return header lines about scenarios that are not collected."""
    if config.option.readfirst_adapter is None:
        return []
    if not config.stash[SUITES]:
        return ["readfirst: the command line names only files without scenarios, so no scenario is collected"]
    collected = {root.resolve() for root in config.stash[SUITES]}
    others = sorted(
        escape(path.name)
        for path in config.rootpath.iterdir()
        if path.is_dir()
        and _named_root(path) not in (None, config.rootpath)
        and path.resolve() not in collected
    )
    return [
        f"readfirst: the suite {name} is not collected; --readfirst-fixtures {name} adds it"
        for name in others
    ]


def _suites_of_options(config: pytest.Config, named: Layers) -> dict[Path, Layers]:
    """Return a mapping from the directory of each suite in the options to a tuple of all these directories, which are
    tested together as one suite. Raises UsageError.
    """
    from readfirst.harness.suite.suite import BUNDLED, open_layers

    layers = tuple(
        each if each == BUNDLED else (config.invocation_params.dir / each).resolve() for each in named
    )
    try:
        return dict.fromkeys(open_layers(layers).roots, layers)
    except ReadfirstError as error:
        raise pytest.UsageError(escape(f"readfirst: {error}", kept="\n")) from error


def _check_target(config: pytest.Config, suites: dict[Path, Layers]) -> None:
    """Connect the adapter with each suite. Raises UsageError if this fails, or if a required capability is missing."""
    from readfirst.harness.run.did_you_mean import suggest_target

    name = config.option.readfirst_adapter or "reference"
    if meant := suggest_target([name]):
        raise pytest.UsageError(f"readfirst: {name!r} is not a target. Did you mean: --adapter {meant}")
    try:
        for root in sorted(suites):
            target = target_of(config, root)
            if warning := target.level_warning:
                config.issue_config_time_warning(pytest.PytestConfigWarning(warning), stacklevel=2)
            if any(getattr(config.option, option, False) for option in _NO_RUN_OPTIONS):
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
        raise pytest.UsageError(escape(f"readfirst: {error}", kept="\n")) from error


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a scenario file if it belongs to a suite that the command line names. None for all other files."""
    if file_path.suffix != ".yaml":
        return None
    roots = parent.config.stash.get(SUITES, {})
    folders = ((root, root / name) for root in roots for name in FOLDERS)
    root = next((root for root, folder in folders if file_path.is_relative_to(folder)), None)
    if root is None:
        return None
    collector: ScenarioFile = ScenarioFile.from_parent(parent, path=file_path)
    # An id of a file elsewhere is the path in its suite: a long path leaves no room for the reason in the summary.
    is_elsewhere = not file_path.is_relative_to(parent.config.rootpath)
    nodeid = file_path.relative_to(root).as_posix() if is_elsewhere else collector.nodeid
    # pytest prints it as it is, and takes these marks for parts of it.
    nodeid = escape(nodeid).replace("::", ":\\x3a").replace("[", "\\x5b")
    if nodeid != collector.nodeid:
        collector = ScenarioFile.from_parent(parent, path=file_path, nodeid=nodeid)
    collector.name = escape(collector.name)
    collector.root = root
    return collector


@pytest.hookimpl(tryfirst=True)
def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a directory of scenarios if its name must be escaped before printing. None for any other directory."""
    escaped = escape(path.name)
    if escaped == path.name or _fixtures_root(path) is None:
        return None
    collector: pytest.Dir = pytest.Dir.from_parent(parent, path=path)
    collector.name = escaped
    return collector


@cache
def _fixtures_root(directory: Path) -> Path | None:
    """Return the root directory of the suite that a directory of scenarios belongs to. None outside a suite."""
    for folder in (directory, *directory.parents):
        if folder.name in FOLDERS and _is_suite_root(folder.parent):
            return folder.parent
    return None


_SCENARIO_KEYS = (b"\ntitle:", b"\nsteps:")


def _is_suite_root(path: Path) -> bool:
    """Whether a directory contains a suite: it has `contracts.yaml`, `suite.yaml`, or files of scenarios."""
    if (path / "contracts.yaml").is_file() or (path / "suite.yaml").is_file():
        return True
    first = min((path / "scenarios").glob("*/*.yaml"), default=None)
    return first is not None and all(key in b"\n" + first.read_bytes() for key in _SCENARIO_KEYS)


def _named_root(path: Path) -> Path | None:
    """Return the root directory of the suite that a path belongs to. None outside a suite."""
    is_root = _is_suite_root(path) and any((path / name).is_dir() for name in FOLDERS)
    return path if is_root else _fixtures_root(path)


class _EmptyRunCheck:
    """Makes a pytest run fail if no scenario was judged, although the run contains scenarios or names an adapter."""

    def __init__(self, config: pytest.Config) -> None:
        has_target = config.option.readfirst_adapter is not None and bool(config.stash[SUITES])
        self._is_required = has_target and not config.option.collectonly
        self._seen = self._judged = 0

    @property
    def _is_empty(self) -> bool:
        return (self._is_required or self._seen > 0) and self._judged == 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the verdicts in a test report. With pytest-xdist, the reports come from its workers."""
        if report.when == "call":
            for name, status in report.user_properties:
                if name == PROPERTY:
                    self._seen += 1
                    self._judged += status in _JUDGED_STATUSES

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Set the exit status of pytest to 5 (no tests collected) if the run passed but judged no scenario."""
        if exitstatus == pytest.ExitCode.OK and self._is_empty:
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """If no scenario was judged, print the reason for the failure of the run."""
        if self._is_empty:
            message = f"readfirst: none of {self._seen} scenarios was judged, so this is not a pass"
            terminalreporter.write_line(message, red=True)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Close the adapters that the run has connected."""
    for target in config.stash.get(TARGETS, {}).values():
        target.close()
