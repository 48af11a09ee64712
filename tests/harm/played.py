"""Sessions without an implementation, for tests of the judge. The test states all answers and changed files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.harm.harm import Harm
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.replay.outcome import Outcome, StepOutcome
from readfirst.harness.suite import scenario as scenarios
from readfirst.harness.suite.file_entry import Directory, Entry, RegularFile, Stamp
from readfirst.harness.suite.scenario import Given, ParallelCalls, Step, ToolCall

__all__ = ["SessionBuilder"]

Change = bytes | Entry | None
"""The new bytes or entry of a file, or None if it is deleted."""


class SessionBuilder:
    """A session and its files. A test adds calls and events. `given`: permission rules and modes."""

    def __init__(self, files: Mapping[str, bytes], given: Given | None = None) -> None:
        self._numbers = count(1)
        self.state: dict[str, Entry] = {}
        for path, data in files.items():
            self._put(path, self._entry(path, data))
        self._given = replace(given or Given(), files=dict(self.state))
        self._before = dict(self.state)
        self._steps: list[tuple[Step, StepOutcome]] = []

    def _entry(self, path: str, change: Change) -> Entry | None:
        if not isinstance(change, bytes):
            return change
        former = self.state.get(path)
        mode = former.mode if isinstance(former, RegularFile) else 0o644
        return RegularFile(change, mode, None, Stamp(next(self._numbers), 1, 0))

    def _put(self, path: str, entry: Entry | None) -> None:
        for end in (at for at, sign in enumerate(path) if sign == "/"):
            self.state.setdefault(path[:end], Directory(0o755))
        self.state[path] = entry or Directory()
        if entry is None:
            del self.state[path]

    def _apply_changes(self, changes: Mapping[str, Change]) -> dict[str, Entry | None]:
        made = {path: self._entry(path, change) for path, change in changes.items()}
        for path, entry in made.items():
            self._put(path, entry)
        return made

    def call(self, tool: str, arguments: Mapping[str, Any], answer: str = "Done.", /, **more: Any) -> None:
        """Add a call. `more`: `error` (whether the answer is one), and `changes` (the new bytes by path)."""
        result = ToolResult(answer, more.get("error", False))
        changed = self._apply_changes(more.get("changes", {}))
        self._steps.append((ToolCall(tool, arguments), StepOutcome((result,), changed)))

    def group(self, calls: Sequence[tuple[str, Mapping[str, Any]]], *, changes: Mapping[str, Change]) -> None:
        step = ParallelCalls(tuple(ToolCall(tool, arguments) for tool, arguments in calls))
        results = tuple(ToolResult("") for _ in calls)
        self._steps.append((step, StepOutcome(results, self._apply_changes(changes))))

    def read(self, path: str, answer: str | None = None) -> None:
        """Add a Read of a file. The default answer is the file with line numbers."""
        entry = self.state[path.removeprefix("$WS/")]
        assert isinstance(entry, RegularFile)
        lines = entry.data.decode("utf-8-sig", "replace").split("\n")
        whole = "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1))
        self.call("Read", {"file_path": path}, whole if answer is None else answer)

    def event(self, kind: Any, path: str = "") -> None:
        self._steps.append((scenarios.SessionEvent(kind, path=path), StepOutcome()))

    def others_change(self, changes: Mapping[str, Change]) -> None:
        changed = self._apply_changes(changes)
        self._steps.append(
            (scenarios.WorldEvent("modify", next(iter(changes))), StepOutcome((), changed, changed))
        )

    def harms(self) -> tuple[Harm, ...]:
        steps = tuple(step for step, _ in self._steps)
        scenario = scenarios.Scenario("a/played", "SessionBuilder", "must", self._given, steps)
        outcome = Outcome(scenario.id, tuple(happened for _, happened in self._steps), None, self._before)
        return harms_of(scenario, outcome)

    def kinds(self) -> list[tuple[str, str]]:
        return [(each.kind, each.path) for each in self.harms()]
