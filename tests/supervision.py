import pytest

from readfirst.harness.processes import sandbox, supervised_process

NO_BUBBLEWRAP = "bubblewrap is not installed"


def without_bubblewrap(monkeypatch: pytest.MonkeyPatch, problem: str = NO_BUBBLEWRAP) -> None:
    """Start all programs from now on as on a system without bubblewrap."""
    for module in (supervised_process, sandbox):
        monkeypatch.setattr(module, "find_problem", lambda: problem)
    sandbox.warn_once.cache_clear()


def without_subreapers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start all supervisors from now on unable to adopt orphaned processes."""
    lacking = "sys.modules[main.__module__]._adopt_orphans = lambda: False\nmain(sys.argv"
    monkeypatch.setattr(
        supervised_process, "_RUN_MODULE", supervised_process._RUN_MODULE.replace("main(sys.argv", lacking)
    )
