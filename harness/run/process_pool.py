"""Workers: processes that do a share of the scenarios, or files of them; the results come out in the given order."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Generic, Protocol, TypeVar

from readfirst.harness.processes.worker import Answer, Worker, serve

Item = TypeVar("Item")
Item_contra = TypeVar("Item_contra", contravariant=True)
Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)

MOST_PER_SHARE = 8
"""Consecutive items of one worker; small, because a worker waits while its pipe is full of results."""
PATIENCE = 5.0
"""Seconds that a worker gets to close its adapter before it is killed."""


class Job(Protocol[Item_contra, Result_co]):
    """What is done with each item: plain values, because they travel to another process; so do the results."""

    def open(self) -> AbstractContextManager[Callable[[Item_contra], Result_co]]:
        """Open what the work needs; it is closed when the share is done."""
        ...

    def lost(self, item: Item_contra, reason: str, /) -> Result_co:
        """Return the result of an item whose worker died."""
        ...


@contextmanager
def work_in_processes(job: Job[Item, Result], items: Sequence[Item], jobs: int) -> Iterator[Iterator[Result]]:
    """Start workers, and give a result for each item, in this order; end them. Raises what the workers raise.

    A worker that dies costs one item, which is `lost`; the rest of its share gets a new worker.
    """
    jobs = min(jobs, len(items))
    size = max(1, min(MOST_PER_SHARE, len(items) // jobs))
    shares = [items[start : start + size] for start in range(0, len(items), size)]
    workers: list[_Share[Item, Result]] = []
    try:
        for number in range(jobs):
            workers.append(_Share(job, [item for share in shares[number::jobs] for item in share]))
        yield (workers[number % jobs].result() for number, share in enumerate(shares) for _ in share)
    finally:
        for worker in workers:
            worker.ask_to_end()
        for worker in workers:
            worker.end()


class _Share(Generic[Item, Result]):
    """The items that one worker has not answered yet, and the worker."""

    def __init__(self, job: Job[Item, Result], items: Sequence[Item]) -> None:
        self._job = job
        self._left = deque(items)
        self._worker = self._started()

    def result(self) -> Result:
        """Return the next result, or raise what the worker met."""
        item = self._left.popleft()
        match self._worker.read():
            case None:
                return self._died(item)
            case "result", value:
                result: Result = value
                return result
            case _, error:
                raise error

    def ask_to_end(self) -> None:
        """Interrupt the worker, unless it has answered all: then it closes what it opened, undisturbed."""
        if self._left:
            self._worker.ask_to_end()

    def end(self) -> None:
        """Wait until the worker is gone."""
        self._worker.close()
        self._worker.wait()
        self._worker.ask_to_end()  # it runs no more; its input is closed

    def _started(self) -> Worker:
        return Worker(__name__, (self._job, list(self._left)), patience=PATIENCE)

    def _died(self, item: Item) -> Result:
        self._worker.ask_to_end()
        self._worker.close()
        fate = self._worker.fate()
        if self._left:
            self._worker = self._started()
        return self._job.lost(item, f"the worker process {fate} during this scenario")


def main() -> None:
    """Be a worker: open a job, and answer with a result for each item."""
    serve(_work)


def _work(task: tuple[Job[Any, Any], Sequence[Any]], answer: Answer) -> None:
    job, items = task
    with job.open() as work:
        for item in items:
            answer("result", work(item))
