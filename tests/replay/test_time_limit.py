"""Code of the harness's own process is stopped when its time is up, however it resists."""

import signal
import threading
import time
from contextlib import suppress

import miniatures
import pytest

from readfirst.harness.adapters.reference import ReferenceAdapter, time_limit
from readfirst.harness.session import BrokenAdapter, Workspace
from readfirst.reference_impl import FileTools


@pytest.mark.parametrize("name", ["Hangs", "HangsStubbornly"])
def test_a_loop_is_stopped(name: str) -> None:
    hanging = getattr(miniatures, name)(Workspace(root=None, home=None))  # type: ignore[arg-type]
    with (
        pytest.raises(BrokenAdapter, match=r"^Edit took longer than 0\.02 s$") as error,
        time_limit(0.02, "Edit"),
    ):
        hanging.call("Edit", {})
    assert error.value.blame == "adapter"


def test_the_alarm_does_not_ring_after_the_block() -> None:
    former = signal.getsignal(signal.SIGALRM)
    with time_limit(0.01, "Edit"):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) is former


def test_a_block_that_ends_as_its_time_is_up_leaves_no_alarm() -> None:
    """The alarm may ring at any moment, also while it is set, or stopped."""
    for microseconds in range(1, 1000):
        with suppress(BrokenAdapter), time_limit((microseconds % 40 + 1) / 1e6, "Edit"):
            pass
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_an_exception_of_the_block_passes_through() -> None:
    with pytest.raises(ValueError, match="mine"), time_limit(5, "Edit"):
        raise ValueError("mine")
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_outside_the_main_thread_the_block_runs_without_a_limit() -> None:
    done = []

    def run() -> None:
        with time_limit(0.001, "Edit"):
            end = time.monotonic() + 0.005
            while time.monotonic() < end:
                pass
            done.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert done == [True]


def test_a_hanging_reference_is_stopped(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(FileTools, "call", hang)
    session = ReferenceAdapter("2.1.7", seconds=0.02).open(workspace)
    with pytest.raises(BrokenAdapter, match="Edit took longer"):
        session.call("Edit", {})
