"""Shrink: make a scenario smaller for as long as it still shows what it was found for."""

import base64
import posixpath
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from readfirst.harness.suite.entry import Base64Content, Entry, HardLink, RegularFile, Symlink, TextContent
from readfirst.harness.suite.scenario import (
    CallIndex,
    ParallelCalls,
    Scenario,
    Step,
    ToolCall,
    WorldEvent,
    with_calls,
)

SECONDS = 40.0
"""How long one scenario is shrunk at most."""


def shrink(
    scenario: Scenario, shows: Callable[[Scenario], bool], *, attempts: int = 400, seconds: float = SECONDS
) -> Scenario:
    """Return a scenario as small as can be found that `shows` still accepts; it accepts the given one.

    Steps go first, then files, then parts of strings, everywhere at once where they occur several times. The
    search ends when nothing helps any more, after `attempts` questions, or after `seconds`.
    """
    search = _Search(shows, attempts, time.monotonic() + seconds)
    best = scenario
    improved = True
    while improved and not search.over:
        improved = False
        for candidates in (
            _fewer_steps,
            _given_instead,
            _simpler_steps,
            _fewer_files,
            _simpler_files,
            _simpler_paths,
            _fewer_arguments,
            _shorter_strings,
        ):
            better = search.descend(best, candidates)
            improved = improved or better is not best
            best = better
    return best


class _Search:
    def __init__(self, shows: Callable[[Scenario], bool], attempts: int, deadline: float) -> None:
        self.shows = shows
        self.attempts = attempts
        self.deadline = deadline
        self.tried: set[str] = set()

    @property
    def over(self) -> bool:
        return self.attempts <= 0 or time.monotonic() > self.deadline

    def descend(self, best: Scenario, candidates: Callable[[Scenario], Iterator[Scenario]]) -> Scenario:
        """Take the first smaller candidate that is accepted, and begin again from it, until none is."""
        found = True
        while found:
            found = False
            for candidate in candidates(best):
                if self.over:
                    return best
                key = repr((candidate.given, candidate.steps))
                if key in self.tried:
                    continue
                self.tried.add(key)
                self.attempts -= 1
                if self.shows(candidate):
                    best = candidate
                    found = True
                    break
        return best


def _with_steps(scenario: Scenario, steps: tuple[Step, ...]) -> Scenario:
    return replace(scenario, steps=steps)


def _fewer_steps(scenario: Scenario) -> Iterator[Scenario]:
    steps = scenario.steps
    for start, end in _chunks(len(steps)):
        rest = steps[:start] + steps[end:]
        if any(not isinstance(step, WorldEvent) for step in rest):
            yield _with_steps(scenario, rest)


def _given_instead(scenario: Scenario) -> Iterator[Scenario]:
    """What the first step makes becomes a given file."""
    match scenario.steps:
        case [ToolCall("Write", {"file_path": str(place), "content": str(text)}), _, *_]:
            path, made = posixpath.normpath(place.removeprefix("$WS/")), RegularFile(TextContent(text))
        case [WorldEvent("modify", str(place), RegularFile() as made), _, *_]:
            path, place = place, ""
        case _:
            return
    inside = path != place and not path.startswith(("/", "~", "..", " "))
    if inside and path not in scenario.given.files:
        given = replace(scenario.given, files={**scenario.given.files, path: made})
        yield replace(scenario, given=given, steps=scenario.steps[1:])


def _simpler_steps(scenario: Scenario) -> Iterator[Scenario]:
    """A group becomes smaller or its calls steps; a call loses what interferes with it."""
    for index, step in enumerate(scenario.steps):
        before, after = scenario.steps[:index], scenario.steps[index + 1 :]
        match step:
            case ParallelCalls(calls):
                for call in calls:
                    yield _with_steps(scenario, (*before, call, *after))
                yield _with_steps(scenario, (*before, *calls, *after))
                if len(calls) > 2:
                    for left_out in range(len(calls)):
                        fewer = calls[:left_out] + calls[left_out + 1 :]
                        yield _with_steps(scenario, (*before, ParallelCalls(fewer), *after))
            case ToolCall(during=during) if during:
                yield _with_steps(scenario, (*before, replace(step, during=()), *after))
                yield _with_steps(scenario, (*before, *during, replace(step, during=()), *after))
            case WorldEvent(kind="touch" | "modify", mtime=mtime) if mtime != 2:
                yield _with_steps(scenario, (*before, replace(step, mtime=2), *after))
            case _:
                pass


def _fewer_files(scenario: Scenario) -> Iterator[Scenario]:
    for path in scenario.given.files:
        rest = {other: entry for other, entry in scenario.given.files.items() if other != path}
        yield replace(scenario, given=replace(scenario.given, files=rest))


def _simpler_files(scenario: Scenario) -> Iterator[Scenario]:
    for path, entry in scenario.given.files.items():
        for simpler in _simpler_entries(entry):
            files = {**scenario.given.files, path: simpler}
            yield replace(scenario, given=replace(scenario.given, files=files))
    for index, step in enumerate(scenario.steps):
        if isinstance(step, WorldEvent) and step.entry is not None:
            for simpler in _simpler_entries(step.entry):
                changed = replace(step, entry=simpler)
                yield _with_steps(scenario, (*scenario.steps[:index], changed, *scenario.steps[index + 1 :]))


def _simpler_entries(entry: Entry) -> Iterator[Entry]:
    if not isinstance(entry, RegularFile):
        return
    if entry.mode is not None:
        yield RegularFile(entry.content)
    match entry.content:
        case TextContent() as content:
            if content.bom and content.encoding == "utf-8":
                yield replace(entry, content=replace(content, bom=False))
            if content.eol != "lf":
                yield replace(entry, content=replace(content, eol="lf"))
            if content.encoding != "utf-8":
                yield replace(entry, content=replace(content, encoding="utf-8", bom=False))
            for shorter in _shorter(content.text):
                yield replace(entry, content=replace(content, text=shorter))
        case Base64Content() as content:
            data = content.data()
            for start, end in _chunks(len(data)):
                encoded = base64.b64encode(data[:start] + data[end:]).decode()
                yield replace(entry, content=Base64Content(encoded))
        case _:
            pass


def _simpler_paths(scenario: Scenario) -> Iterator[Scenario]:
    """Give a file the plainest name, or name it plainly, in case neither matters."""
    named = [
        value
        for _, call in scenario.places()
        for name, value in call.arguments.items()
        if name in _PATHS and isinstance(value, str)
    ]
    for path in dict.fromkeys(named):
        plain = f"$WS/{posixpath.normpath(path.strip().removeprefix('$WS/'))}"
        if plain != path:
            yield _renamed(scenario, {path: plain})
    held = [*scenario.given.files, *(event.path for event in _events(scenario))]
    paths = dict.fromkeys([*held, *(path.removeprefix("$WS/") for path in named)])
    if _PLAINEST not in paths:
        for path in paths:
            if path.rpartition(".")[2] not in _KINDS:
                yield _renamed(scenario, {path: _PLAINEST, f"$WS/{path}": f"$WS/{_PLAINEST}"})


def _events(scenario: Scenario) -> Iterator[WorldEvent]:
    for step in scenario.steps:
        if isinstance(step, WorldEvent):
            yield step
    for _, call in scenario.places():
        yield from call.during


def _fewer_arguments(scenario: Scenario) -> Iterator[Scenario]:
    for index, call in scenario.places():
        for name in call.arguments:
            rest = {key: value for key, value in call.arguments.items() if key != name}
            yield _with_call(scenario, index, replace(call, arguments=rest))


def _shorter_strings(scenario: Scenario) -> Iterator[Scenario]:
    """Leave out a part of a string, first everywhere in the scenario, then in this one place."""
    for text in sorted(set(_strings(scenario)), key=len, reverse=True):
        for start, end in _chunks(len(text)):
            part = text[start:end]
            if part and part not in "$WS/":
                yield _everywhere(scenario, lambda value, part=part: value.replace(part, ""))  # type: ignore[misc]
    for index, call in scenario.places():
        for name, value in call.arguments.items():
            if isinstance(value, str) and name not in _PATHS:
                for shorter in _shorter(value):
                    changed = replace(call, arguments={**call.arguments, name: shorter})
                    yield _with_call(scenario, index, changed)
    characters = {character for text in _strings(scenario) for character in text} - set("a\n")
    for character in sorted(characters):
        yield _everywhere(scenario, lambda value, character=character: value.replace(character, "a"))  # type: ignore[misc]


def _shorter(text: str) -> Iterator[str]:
    for start, end in _chunks(len(text)):
        yield text[:start] + text[end:]


def _chunks(length: int) -> Iterator[tuple[int, int]]:
    """Yield parts to leave out: the whole, then halves, quarters, down to single places (64 at most of a size)."""
    size = length
    while size:
        starts = range(0, length, size)
        for start in starts[:64]:
            yield start, min(start + size, length)
        size //= 2


_PATHS = ("file_path", "notebook_path")
_PLAINEST = "notes.txt"
_KINDS = ("ipynb", "json", "mdx", "png")
"""Extensions by which some tools treat a file in their own way."""


def _with_call(scenario: Scenario, place: CallIndex, call: ToolCall) -> Scenario:
    index, number = place
    step: Step = call
    group = scenario.steps[index]
    if isinstance(group, ParallelCalls) and number is not None:
        step = replace(group, calls=(*group.calls[:number], call, *group.calls[number + 1 :]))
    return _with_steps(scenario, (*scenario.steps[:index], step, *scenario.steps[index + 1 :]))


def _strings(scenario: Scenario) -> Iterator[str]:
    """Yield what is said in strings: contents of files and arguments other than paths."""
    for entry in _entries(scenario):
        if isinstance(entry, RegularFile) and isinstance(entry.content, TextContent):
            yield entry.content.text
    for _, call in scenario.places():
        for name, value in call.arguments.items():
            if isinstance(value, str) and name not in _PATHS:
                yield value


def _entries(scenario: Scenario) -> Iterator[Entry]:
    yield from scenario.given.files.values()
    for step in scenario.steps:
        if isinstance(step, WorldEvent) and step.entry is not None:
            yield step.entry


def _renamed(scenario: Scenario, names: Mapping[str, str]) -> Scenario:
    """Return the scenario with these paths called otherwise."""
    return _changed(scenario, path=lambda each: names.get(each, each))


def _everywhere(scenario: Scenario, change: Callable[[str], str]) -> Scenario:
    """Return the scenario with every content and every argument that is not a path changed."""
    return _changed(scenario, text=change)


def _as_it_is(text: str) -> str:
    return text


def _changed(
    scenario: Scenario, *, text: Callable[[str], str] = _as_it_is, path: Callable[[str], str] = _as_it_is
) -> Scenario:
    def of_entry(entry: Entry) -> Entry:
        match entry:
            case RegularFile(content=TextContent() as content):
                return replace(entry, content=replace(content, text=text(content.text)))
            case HardLink(to):
                return HardLink(path(to))
            case Symlink(target):
                return Symlink(path(target))
            case _:
                return entry

    def of_event(event: WorldEvent) -> WorldEvent:
        entry = None if event.entry is None else of_entry(event.entry)
        return replace(event, path=path(event.path), to=event.to and path(event.to), entry=entry)

    def of_call(call: ToolCall) -> ToolCall:
        arguments = {
            name: (path if name in _PATHS else text)(value) if isinstance(value, str) else value
            for name, value in call.arguments.items()
        }
        return replace(call, arguments=arguments, during=tuple(map(of_event, call.during)))

    def of_step(step: Step) -> Step:
        return of_event(step) if isinstance(step, WorldEvent) else with_calls(step, of_call)

    files = {path(name): of_entry(entry) for name, entry in scenario.given.files.items()}
    return replace(
        scenario, given=replace(scenario.given, files=files), steps=tuple(map(of_step, scenario.steps))
    )
