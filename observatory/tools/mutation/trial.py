"""Run the test cases on mutants, each mutant in a separate process: a *trial*.

All unchanged data is read before the trials start. A trial is a fork of this process, which imports the changed package
and runs test cases until one fails.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import connection
from types import CodeType
from typing import Any

from confinement import Confined
from importing import compiled, exchange_code, forget, install
from measurement import Cases
from mutants import Mutant
from order import Order
from panel import Panel

_EXTRA_TIMEOUT_S = 60.0
"""Seconds added to a trial's time limit of ten times the duration of its test cases on the unchanged package."""


@dataclass(frozen=True, slots=True)
class MutantResult:
    """The result of testing a mutant: the test case that killed the mutant, and the failure of this case."""

    mutant: Mutant
    by: str  # the test case; empty for a survivor
    how: str  # the failure; empty for a survivor
    asked: int  # number of test cases that were run; 0 if the process exited early
    worst: str = ""  # the failure with the highest weight

    @property
    def killed(self) -> bool:
        """Whether the mutant was killed: a test case failed, or could not be run."""
        return bool(self.how)


def trials(panel: Panel, cases: Cases, mutants: Sequence[Mutant], jobs: int) -> Iterator[MutantResult]:
    """Test the mutants, `jobs` of them in parallel, and yield the result of each mutant as soon as it is known."""
    order = Order(panel, cases)
    code = {module: compiled(panel, module, source) for module, source in panel.sources.items()}
    waiting = list(reversed(mutants))
    running: dict[Any, _Trial] = {}
    try:
        install(panel, code)
        gc.collect()
        gc.freeze()
        while waiting or running:
            while waiting and len(running) < jobs:
                mutant = waiting.pop()
                imports_again = any((mutant.module, line) in cases.imported for line in mutant.reached_by)
                trial = _Trial(panel, mutant, order.of(mutant), cases.seconds, code, imports=imports_again)
                running[trial.receiver] = trial
            ready = connection.wait(list(running), timeout=1.0)
            late = [receiver for receiver, trial in running.items() if time.monotonic() > trial.deadline]
            for receiver in {*ready, *late}:
                fate = running.pop(receiver).fate()
                order.learn(fate.mutant, fate.by)
                yield fate
    finally:
        for trial in running.values():
            trial.end()
        forget(panel)
        gc.unfreeze()


@dataclass
class _Trial:
    """Tests one mutant in a separate process: runs the test cases in `order` until one fails."""

    panel: Panel
    mutant: Mutant
    order: list[str]
    seconds: Mapping[str, float]
    code: Mapping[str, CodeType]
    imports: bool
    """Whether the package must be imported again for the mutant, because the changed code is executed on import."""
    deadline: float = field(init=False)

    def __post_init__(self) -> None:
        allowed = 10 * sum(self.seconds[name] for name in self.order) + _EXTRA_TIMEOUT_S
        self._confined = Confined(self._run_cases)
        self.deadline = time.monotonic() + allowed

    @property
    def receiver(self) -> Any:
        """The connection that becomes ready when the trial ends. It is used to wait for several trials."""
        return self._confined.receiver

    def _run_cases(self) -> tuple[str, str, int, str]:
        try:
            module = self.mutant.module
            changed = compiled(self.panel, module, self.mutant.source)
            if self.imports or not exchange_code(self.panel, self.mutant, changed):
                forget(self.panel)
                install(self.panel, {**self.code, module: changed})
            judge = self.panel.open_judge(self.seconds)
        except BaseException as error:
            return "the import", f"{type(error).__name__}: {error}", 0, ""
        noticed, worst = ("", "", len(self.order)), ""
        for asked, name in enumerate(self.order, start=1):
            try:
                how = judge(name)
            except Exception as error:
                how = f"{type(error).__name__}: {error}"
            if how and not noticed[0]:
                noticed = name, how, asked
            if how and (not worst or self.panel.weight(how) > self.panel.weight(worst)):
                worst = how
                if self.panel.weight(how) >= 1:
                    break
        return *noticed, worst

    def fate(self) -> MutantResult:
        """Return the result, and end the process. An early exit or the time limit also kills the mutant."""
        try:
            found = (
                self._confined.result() if self.receiver.poll() else ("the time limit", "did not end", 0, "")
            )
        except EOFError:
            found = "the trial", "ended the process", 0, ""
        self.end()
        return MutantResult(self.mutant, *found)

    def end(self) -> None:
        self._confined.end()
