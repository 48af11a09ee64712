"""Contents: what the files of a scenario hold before each step, as far as scenario and answers tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from harness.changes.answer import Answer, Place, Told
from harness.entry import Entry, HardLink, RegularFile
from harness.scenario import ParallelCalls, Scenario, ToolCall, WorldEvent

__all__ = ["before_steps", "known_lines"]

_MOST_BYTES = 65_536
"""Of larger files the lines are not collected."""


def before_steps(
    scenario: Scenario, answers: Mapping[Place, Answer]
) -> Sequence[Mapping[str, Entry | Told | None]]:
    """Return for each step what its paths hold before it, if every call gave these answers.

    Links are not followed; a path that nothing is known of is missing.
    """
    state: dict[str, Entry | Told | None] = {}
    for path, entry in scenario.given.files.items():
        state[path] = scenario.given.files.get(entry.to) if isinstance(entry, HardLink) else entry
    states = []
    for index, step in enumerate(scenario.steps):
        states.append(dict(state))
        match step:
            case WorldEvent():
                _strike(state, step)
            case ToolCall(during=during):
                for event in during:
                    _strike(state, event)
        for number in (None, 0):
            answer = answers.get((index, number))
            if answer is not None:
                state.update(answer.files)
    return states


def _strike(state: dict[str, Entry | Told | None], event: WorldEvent) -> None:
    match event.kind:
        case "modify" | "symlink" | "mkdir":
            state[event.path] = event.entry
        case "delete":
            state[event.path] = None
        case "rename" if event.to is not None:
            state[event.to] = state.pop(event.path, None)
        case _:
            pass


def known_lines(scenario: Scenario) -> frozenset[str]:
    """Return every line that a file, an event or an argument of the scenario holds, without its end."""
    lines: set[str] = set()
    for text in _texts(scenario):
        lines.update(line.strip() for line in text.splitlines())
    lines.discard("")
    return frozenset(lines)


def _texts(scenario: Scenario) -> Iterator[str]:
    entries: list[Entry | None] = list(scenario.given.files.values())
    for step in scenario.steps:
        match step:
            case WorldEvent():
                entries.append(step.entry)
            case ToolCall():
                entries += [event.entry for event in step.during]
                yield from _strings(step.arguments.values())
            case ParallelCalls(calls=calls):
                for call in calls:
                    yield from _strings(call.arguments.values())
    for entry in entries:
        if isinstance(entry, RegularFile):
            yield _decoded(entry.data[:_MOST_BYTES])


def _strings(values: Iterable[object]) -> Iterator[str]:
    for value in values:
        match value:
            case str():
                yield value
            case Mapping():
                yield from _strings(value.values())
            case list():
                yield from _strings(value)


@lru_cache(maxsize=256)
def _decoded(data: bytes) -> str:
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return data.decode("utf-8", "replace")
