"""Configuration of the project's own tests: they use temporary caches, and several processes for large runs."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from collections.abc import Generator
from importlib.metadata import entry_points

import pytest

from readfirst.harness.processes.temp_dirs import Scratch, in_memory
from readfirst.harness.processes.worker import collect_rarely

# If a shell starts this process in the background, it ignores Ctrl-C, which some tests send to their children.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# An installed package loads the plugin by its entry point; loading it twice is an error.
if not any(entry.name == "readfirst" for entry in entry_points(group="pytest11")):
    pytest_plugins = ["readfirst.harness.pytest_plugin"]

collect_rarely()

MAX_PROCESSES = 8
"""Maximum test processes. Each collects all tests, so that further processes would save little time."""
SELECTING_OPTIONS = ("keyword", "lf", "failedfirst", "stepwise", "newfirst", "trace", "collectonly")
"""Options of pytest that select few tests or inspect them. If such an option is used, all tests run in one process."""
LONGEST = "wrong_implementations"
"""Directory with slow tests (seconds each), which run first, so that they do not delay the end of a run."""


INSTALLING_MARKS = re.compile(r"(?<!not )\b(live|agents)\b")
"""Matches the marks of tests that install products. They use the user's cache, to download each only once."""


def pytest_configure(config: pytest.Config) -> None:
    """Make all tests use a temporary cache. Quick tests use temporary directories in memory if there is room (50 MB).
    If Python must not write bytecode next to the sources, store it in pytest's cache: the tests start hundreds of
    processes, and each would compile all imported modules.
    """
    if not INSTALLING_MARKS.search(config.option.markexpr) and not hasattr(config, "workerinput"):
        cache = Scratch(memory=True)
        patch = pytest.MonkeyPatch()
        patch.setenv("XDG_CACHE_HOME", str(cache.path))
        if "not slow" in config.option.markexpr and (place := in_memory()):
            patch.setenv("PYTEST_DEBUG_TEMPROOT", os.environ.get("PYTEST_DEBUG_TEMPROOT", place))
        config.add_cleanup(cache.close)
        config.add_cleanup(patch.undo)
    if sys.dont_write_bytecode and hasattr(config, "cache") and not hasattr(config, "workerinput"):
        os.environ.setdefault("PYTHONPYCACHEPREFIX", str(config.cache.mkdir("bytecode")))
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Make every second process collect the directories in reverse order, so that each process can use bytecode that a
    different process compiled. In a fresh clone, this saves half of the collection time.
    """
    report = yield
    if isinstance(collector, pytest.Dir) and _process_number(collector.config) % 2:
        report.result.reverse()
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort the tests in the same order in all processes: the longest first, then by file."""
    if _process_number(config):
        items.sort(key=lambda item: (item.path.parent.name != LONGEST, item.path))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Exclude all current objects from garbage collections, which pytest and hypothesis often start. A run of pytest
    inside a test starts five collections. A single process does not exclude objects.
    """
    if _process_number(session.config):
        gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Exclude all objects from garbage collections before a test with hypothesis, which would search them for long."""
    if _process_number(item.config) and item.get_closest_marker("hypothesis"):
        gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Exclude all objects from the five garbage collections that pytest starts at the end of a run."""
    if _process_number(session.config):
        gc.freeze()


def _process_number(config: pytest.Config) -> int:
    """Return the number of this test process, from 1. 0 for the main process, which starts the test processes."""
    return int(getattr(config, "workerinput", {"workerid": "gw-1"})["workerid"].removeprefix("gw")) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Return the number of processes for `-n logical`, the default of this project. None for `-n auto`. A run of all
    tests uses one process more than there are processors, because many tests wait for programs. A run with named files,
    with `-k` or a similar option, or without captured output uses no additional process.
    """
    if config.option.numprocesses != "logical":
        return None
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    narrowed = any(getattr(config.option, name, False) for name in SELECTING_OPTIONS)
    if not whole or narrowed or config.option.capture == "no":
        return 0
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(processors + 1, MAX_PROCESSES) if processors > 1 else 0
