"""Contents: what the files of a scenario hold before each step, as far as scenario and answers tell."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from readfirst.harness.changes.answer import Answer, ReportedEntry
from readfirst.harness.suite.entry import Directory, Entry, HardLink, RegularFile
from readfirst.harness.suite.repeated import texts_in
from readfirst.harness.suite.scenario import CallIndex, Scenario, ToolCall, WorldEvent

_MOST_BYTES = 65_536
"""Of larger files the lines are not collected."""


def before_steps(
    scenario: Scenario, answers: Mapping[CallIndex, Answer]
) -> Sequence[Mapping[str, Entry | ReportedEntry | None]]:
    """Return for each step what its paths hold before it, if every call gave these answers.

    Links are not followed; a path that nothing is known of is missing. Modes are stated as far as they are known.
    """
    state: dict[str, Entry | ReportedEntry | None] = {}
    for path, entry in scenario.given.files.items():
        given = scenario.given.files.get(entry.to) if isinstance(entry, HardLink) else entry
        state[path] = _harness_made(given, None)
    states = []
    for index, step in enumerate(scenario.steps):
        states.append(dict(state))
        match step:
            case WorldEvent():
                _interfere(state, step)
            case ToolCall(during=during):
                for event in during:
                    _interfere(state, event)
        for number in (None, 0):
            answer = answers.get((index, number))
            if answer is not None:
                state.update({path: kept(entry, state.get(path)) for path, entry in answer.files.items()})
    return states


def with_modes(scenario: Scenario, answers: Mapping[CallIndex, Answer]) -> dict[CallIndex, Answer]:
    """Return the answers with the mode of every file that keeps the one that it had before the step."""
    states = before_steps(scenario, answers)
    return {
        place: replace(
            answer,
            files={path: kept(entry, states[place[0]].get(path)) for path, entry in answer.files.items()},
        )
        for place, answer in answers.items()
    }


def kept(
    entry: Entry | ReportedEntry | None, former: Entry | ReportedEntry | None
) -> Entry | ReportedEntry | None:
    """Return an entry with the mode that was there before, if it states none."""
    if not isinstance(entry, RegularFile | Directory) or entry.mode is not None:
        return entry
    return replace(entry, mode=former.mode) if isinstance(former, type(entry)) else entry


def _interfere(state: dict[str, Entry | ReportedEntry | None], event: WorldEvent) -> None:
    former = state.get(event.path)
    match event.kind:
        case "modify" | "symlink" | "mkdir":
            state[event.path] = _harness_made(event.entry, former)
        case "chmod" if isinstance(former, RegularFile | Directory):
            state[event.path] = replace(former, mode=event.mode)
        case "delete":
            state[event.path] = None
        case "rename" if event.to is not None:
            state[event.to] = state.pop(event.path, None)
        case _:
            pass


def _harness_made(entry: Entry | None, former: Entry | ReportedEntry | None) -> Entry | ReportedEntry | None:
    """Return what the harness makes of an entry: what is new gets its default mode."""
    default = Directory(0o755) if isinstance(entry, Directory) else RegularFile(b"", 0o644)
    return kept(kept(entry, former), default)


def known_lines(scenario: Scenario) -> frozenset[str]:
    """Return every line that a file, an event or an argument of the scenario holds, without its end."""
    lines: set[str] = set()
    for text in _texts(scenario):
        lines.update(line.strip() for line in text.splitlines())
    lines.discard("")
    return frozenset(lines)


def _texts(scenario: Scenario) -> Iterator[str]:
    for call in scenario.calls():
        yield from texts_in(call.arguments)
    for entry in (*scenario.given.files.values(), *(event.entry for event in scenario.events())):
        if isinstance(entry, RegularFile):
            yield _decoded(entry.data[:_MOST_BYTES])


@lru_cache(maxsize=256)
def _decoded(data: bytes) -> str:
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return data.decode("utf-8", "replace")
