"""Distribute items of work, such as scenarios, to worker processes, and yield the results in order."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Generic, Protocol, TypeVar

from readfirst.harness.processes.worker import Answer, Worker, serve

Item = TypeVar("Item")
Item_contra = TypeVar("Item_contra", contravariant=True)
Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)

MAX_SHARE_SIZE = 8
"""Maximum consecutive items for one worker, small because a worker waits while the pipe for results is full."""
EXIT_TIMEOUT_S = 5.0
"""Seconds that a worker may use to close its adapter before it is killed."""


class Job(Protocol[Item_contra, Result_co]):
    """The work on each item in a worker process, for example a replay. Jobs, items and results must be picklable."""

    def open(self) -> AbstractContextManager[Callable[[Item_contra], Result_co]]:
        """Prepare a worker process. Return a context manager that yields the function for one item."""
        ...

    def result_for_crash(self, item: Item_contra, reason: str, /) -> Result_co:
        """Return a result for an item whose worker crashed. `reason` contains the exit status."""
        ...


@contextmanager
def work_in_processes(
    job: Job[Item, Result], items: Sequence[Item], jobs: int, *, share_size: int = MAX_SHARE_SIZE
) -> Iterator[Iterator[Result]]:
    """Start up to `jobs` worker processes, and yield an iterator of the results in the order of the items. An exception
    of a worker is raised by the iterator. Up to `share_size` consecutive items are sent to the same worker. If a worker
    crashes, the result of its current item is `job.result_for_crash`, and a new worker processes its remaining items.
    """
    jobs = min(jobs, len(items))
    size = max(1, min(share_size, len(items) // jobs))
    shares = [items[start : start + size] for start in range(0, len(items), size)]
    workers: list[_Share[Item, Result]] = []
    try:
        for number in range(jobs):
            workers.append(_Share(job, [item for share in shares[number::jobs] for item in share]))
        yield (workers[number % jobs].result() for number, share in enumerate(shares) for _ in share)
    finally:
        for worker in workers:
            worker.interrupt()
        for worker in workers:
            worker.end()


class _Share(Generic[Item, Result]):
    """A worker process and its share of the items. Items are removed from the share when their results are returned."""

    def __init__(self, job: Job[Item, Result], items: Sequence[Item]) -> None:
        self._job = job
        self._remaining = deque(items)
        self._worker = self._start_worker()

    def result(self) -> Result:
        """Return the result of the next item, or raise the exception that the worker raised."""
        item = self._remaining.popleft()
        match self._worker.read():
            case None:
                return self._replace_dead_worker(item)
            case "result", value:
                result: Result = value
                return result
            case _, error:
                raise error

    def interrupt(self) -> None:
        """Interrupt the worker process if it still has items. A worker without items exits without an interrupt."""
        if self._remaining:
            self._worker.interrupt()

    def end(self) -> None:
        """Wait until the worker has exited."""
        self._worker.close_output()
        self._worker.wait()
        self._worker.interrupt()  # the worker has exited, this closes its input

    def _start_worker(self) -> Worker:
        return Worker(__name__, (self._job, list(self._remaining)), timeout=EXIT_TIMEOUT_S)

    def _replace_dead_worker(self, item: Item) -> Result:
        self._worker.interrupt()
        self._worker.close_output()
        status = self._worker.wait_for_status()
        if self._remaining:
            self._worker = self._start_worker()
        return self._job.result_for_crash(item, f"the worker process {status} during this scenario")


def main() -> None:
    """Run this process as a worker: receive a job and items, and send the result of each item."""
    serve(_work_on_items)


def _work_on_items(task: tuple[Job[Any, Any], Sequence[Any]], answer: Answer) -> None:
    job, items = task
    with job.open() as work:
        for item in items:
            answer("result", work(item))
