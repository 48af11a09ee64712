"""A system that lacks something: bubblewrap, or a way to adopt the processes that lose their parent."""

import pytest

from readfirst.harness.processes import sandbox, supervised_process

NO_BUBBLEWRAP = "bubblewrap is not installed"


def without_bubblewrap(monkeypatch: pytest.MonkeyPatch, problem: str = NO_BUBBLEWRAP) -> None:
    """Let every program that is started from now on be without bubblewrap."""
    for module in (supervised_process, sandbox):
        monkeypatch.setattr(module, "find_problem", lambda: problem)
    sandbox.warn_once.cache_clear()


def without_subreapers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no supervisor that is started from now on adopt orphans."""
    lacking = "sys.modules[main.__module__]._adopt_orphans = lambda: False\nmain(sys.argv"
    monkeypatch.setattr(
        supervised_process, "_RUN_MODULE", supervised_process._RUN_MODULE.replace("main(sys.argv", lacking)
    )
