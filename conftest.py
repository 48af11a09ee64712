"""The checkout's own test run: its plugin where the package is not installed, and processes where they pay."""

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

# A shell that starts this in the background lets it ignore Ctrl-C, and what it starts would, too. Tests send it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# By entry point and here would be twice, which is an error.
if not any(entry.name == "readfirst" for entry in entry_points(group="pytest11")):
    pytest_plugins = ["readfirst.harness.pytest_plugin"]

collect_rarely()

MOST_PROCESSES = 8
"""Each has to collect all tests, so more of them gain little."""
NARROWING = ("keyword", "lf", "failedfirst", "stepwise", "newfirst", "trace", "collectonly")
"""Options for few tests, or for looking at them closely."""
LONGEST = "wrong_implementations"
"""The folder whose tests take seconds each. Were they the last, one process would run them while the others idle."""


INSTALLING = re.compile(r"(?<!not )\b(live|agents)\b")
"""Marks of tests that install products; they share the user's cache, so that each is fetched once."""


def pytest_configure(config: pytest.Config) -> None:
    """Give the tests a cache of their own, and the quick ones, which need 50 MB, folders in memory if there is room.

    Where bytecode may not stand beside the sources it is kept in pytest's own cache: hundreds of processes start from
    here, and each would compile all that it imports.
    """
    if not INSTALLING.search(config.option.markexpr) and not hasattr(config, "workerinput"):
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
    """Let every other process start with the last directory: one process can then use the code that the other has
    compiled.

    If nothing is compiled yet, as in a fresh clone, this saves half of the time of the collection.
    """
    report = yield
    if isinstance(collector, pytest.Dir) and _number(collector.config) % 2:
        report.result.reverse()
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the tests in the order that all processes have, wherever they began: the longest first, then by file."""
    if _number(config):
        items.sort(key=lambda item: (item.path.parent.name != LONGEST, item.path))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Exclude all current objects from garbage collections: pytest and hypothesis often start one.

    A run of pytest inside a test starts five. A process for few tests keeps the objects of hypothesis.
    """
    if _number(session.config):
        gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave all out of the search that hypothesis makes before its tests, which takes up to a second by then."""
    if _number(item.config) and item.get_closest_marker("hypothesis"):
        gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Exclude all objects from the last garbage collections; pytest starts five."""
    if _number(session.config):
        gc.freeze()


def _number(config: pytest.Config) -> int:
    """Return the number of one of several processes, from 1; 0 for the one that starts them."""
    return int(getattr(config, "workerinput", {"workerid": "gw-1"})["workerid"].removeprefix("gw")) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Return how many processes `-n logical` starts, which is this project's default; None for `-n auto`.

    One more than there are processors for the whole, as many tests wait for programs that they start, and none for
    less: for named files, for `-k` and the like, and where output is not captured.
    """
    if config.option.numprocesses != "logical":
        return None
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    narrowed = any(getattr(config.option, name, False) for name in NARROWING)
    if not whole or narrowed or config.option.capture == "no":
        return 0
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(processors + 1, MOST_PROCESSES) if processors > 1 else 0
