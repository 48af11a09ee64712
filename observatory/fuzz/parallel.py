"""Streams: the scenarios of several seeds searched at once, each seed in a process of its own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from readfirst.harness.adapter_api import BrokenAdapter
from readfirst.harness.processes.worker import Answer, Worker, serve
from readfirst.observatory.fuzz.differential import Finding, Tally

if TYPE_CHECKING:
    from readfirst.observatory.fuzz.worker import SearchRequest


PATIENCE = 10.0
"""Seconds that a process gets to close its target before it is killed."""


def shares(request: SearchRequest) -> tuple[SearchRequest, ...]:
    """Return one request per process: consecutive seeds, between which the steps are divided."""
    if request.steps is None:
        each: list[int | None] = [None] * request.options.jobs
    else:
        jobs = max(1, min(request.options.jobs, request.steps))
        least, rest = divmod(request.steps, jobs)
        each = [least + (number < rest) for number in range(jobs)]
    one = replace(request.options, jobs=1)
    return tuple(
        replace(request, options=one, seed=request.seed + number, steps=steps)
        for number, steps in enumerate(each)
    )


class Streams:
    """The searches of some requests at once; a context that leaves no process.

    `tallies` tell how far each came, `found` what each has found, in the order of the requests: which of them was
    quicker makes no difference.
    """

    def __init__(self, requests: tuple[SearchRequest, ...]) -> None:
        self._requests = requests
        self._messages: queue.Queue[tuple[int, str, Any]] = queue.Queue()
        self._crew: list[tuple[Worker, threading.Thread]] = []
        self.tallies = [Tally() for _ in requests]
        self.found: list[list[Finding]] = [[] for _ in requests]

    def __enter__(self) -> Streams:
        try:
            for number, request in enumerate(self._requests):
                worker = Worker(__name__, request, patience=PATIENCE)
                listener = threading.Thread(target=self._listen, args=(number, worker), daemon=True)
                self._crew.append((worker, listener))
                listener.start()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def perform(self) -> Iterator[None]:
        """Let all searches run to their ends; yields whenever one reports something. Raises what they raise."""
        running = len(self._requests)
        while running:
            number, kind, value = self._messages.get()
            if kind == "error":
                raise value
            self._take(number, kind, value)
            running -= kind == "end"
            yield

    def end(self) -> None:
        """End every process, first by closing its input, and read its remaining findings."""
        for worker, _ in self._crew:
            worker.ask_to_end()
        for worker, listener in self._crew:
            worker.wait()
            listener.join()
            worker.close()
        self._crew.clear()
        while not self._messages.empty():
            self._take(*self._messages.get())

    def _listen(self, number: int, worker: Worker) -> None:
        kind = ""
        while kind not in ("end", "error"):
            kind, value = worker.read() or ("error", self._died(number, worker))
            self._messages.put((number, kind, value))

    def _died(self, number: int, worker: Worker) -> BrokenAdapter:
        seed = self._requests[number].seed
        return BrokenAdapter(f"the process that searched seed {seed} {worker.fate()}", blame="environment")

    def _take(self, number: int, kind: str, value: Any) -> None:
        if kind == "finding":
            self.found[number].append(value)
        elif kind == "tally":
            self.tallies[number] = value


def main() -> None:
    """Be one of the processes: search, and report what is found and how far it is."""
    serve(_search)


def _search(request: SearchRequest, answer: Answer) -> None:
    from readfirst.observatory.fuzz.worker import search  # here, where an interrupt is expected

    with search(request) as under_way:
        try:
            for finding in under_way.perform(lambda: answer("tally", under_way.made)):
                answer("finding", finding)
        finally:
            answer("tally", under_way.made)
    answer("end", None)
