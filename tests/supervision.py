"""Simulates systems without bubblewrap, or systems that cannot adopt processes whose parent has ended."""

import pytest

from readfirst.harness.processes import sandbox, supervised_process

NO_BUBBLEWRAP = "bubblewrap is not installed"
"""The reason why bubblewrap is missing, as readfirst reports it."""


def without_bubblewrap(monkeypatch: pytest.MonkeyPatch, problem: str = NO_BUBBLEWRAP) -> None:
    """Make all programs that are started from now on run as on a system without bubblewrap."""
    for module in (supervised_process, sandbox):
        monkeypatch.setattr(module, "find_problem", lambda: problem)
    sandbox.warn_once.cache_clear()


def without_subreapers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make all supervisors that are started from now on unable to adopt orphaned processes."""
    lacking = "sys.modules[main.__module__]._adopt_orphans = lambda: False\nmain(sys.argv"
    monkeypatch.setattr(
        supervised_process, "_RUN_MODULE", supervised_process._RUN_MODULE.replace("main(sys.argv", lacking)
    )
