"""Code of the harness's own process is stopped when its time is up, however it resists."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import miniatures
import pytest

from readfirst.harness.adapter_api import BrokenAdapter, Workspace
from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.adapters.timeout import TimeLimit
from readfirst.reference_impl import FileTools

Limit = Callable[[float], TimeLimit]


@pytest.fixture
def limit() -> Iterator[Limit]:
    made: list[TimeLimit] = []

    def limit(seconds: float) -> TimeLimit:
        made.append(TimeLimit(seconds))
        return made[-1]

    yield limit
    for each in made:
        each.close()


def _hang(limit: TimeLimit) -> None:
    with limit.on("Edit"):
        while True:
            pass


@pytest.mark.parametrize("name", ["Hangs", "HangsStubbornly"])
def test_a_loop_is_stopped(name: str, limit: Limit) -> None:
    hanging = getattr(miniatures, name)(Workspace(root=None, home=None))  # type: ignore[arg-type]
    with (
        pytest.raises(BrokenAdapter, match=r"^Edit took longer than 0\.02 s$") as error,
        limit(0.02).on("Edit"),
    ):
        hanging.call("Edit", {})
    assert error.value.blame == "adapter"


def test_the_alarm_does_not_ring_after_the_block(limit: Limit) -> None:
    former = signal.getsignal(signal.SIGALRM)
    own = limit(0.01)
    with own.on("Edit"):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    own.close()
    assert signal.getsignal(signal.SIGALRM) is former


def test_a_block_that_ends_as_its_time_is_up_leaves_no_alarm(limit: Limit) -> None:
    """The alarm may ring at any moment, also while it is set, or stopped."""
    for microseconds in range(1, 1000):
        with suppress(BrokenAdapter), limit((microseconds % 40 + 1) / 1e6).on("Edit"):
            pass
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_an_exception_of_the_block_passes_through(limit: Limit) -> None:
    with pytest.raises(ValueError, match="mine"), limit(5).on("Edit"):
        raise ValueError("mine")
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_outside_the_main_thread_the_block_runs_without_a_limit(limit: Limit) -> None:
    done = []

    def run() -> None:
        with limit(0.001).on("Edit"):
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


def test_whoever_has_the_alarm_gets_it_back_from_the_last_of_several(limit: Limit) -> None:
    former = signal.getsignal(signal.SIGALRM)
    first, second = limit(5), limit(0.02)
    for each in (first, second):
        with each.on("Edit"):
            pass
    first.close()
    with pytest.raises(BrokenAdapter, match="took longer"):
        _hang(second)
    second.close()
    second.close()
    assert signal.getsignal(signal.SIGALRM) is former


def test_one_that_was_closed_listens_again(limit: Limit) -> None:
    own = limit(0.02)
    own.close()
    with pytest.raises(BrokenAdapter, match="took longer"):
        _hang(own)
