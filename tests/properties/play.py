"""Play: a generated scenario played on an implementation, with all that can be seen before and after each call."""

# Plain `os` calls on strings: they run once per path and call.
# ruff: noqa: PTH115, PTH123

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Any

from hypothesis import currently_in_test_context, note

from harness.entry import Entry
from harness.fuzz.scenario_file import scenario_yaml
from harness.scenario import Given, ParallelCalls, Scenario, ToolCall, WorldEvent
from harness.session import Adapter, ToolResult
from harness.workspace import Place, Site, WorldEventError

STALE = ("File has been modified since read", "File has been unexpectedly modified")
NOT_READ = "File has not been read yet"


@dataclass(frozen=True)
class Seen:
    """What can be seen of one path; a directory has neither data nor target."""

    kind: str
    mode: int
    inode: int
    modified: int
    data: bytes | None = None
    target: str | None = None

    @property
    def view(self) -> str:
        """The text as a model sees it, with `\\n` line ends."""
        data = self.data or b""
        encoding = "utf-16-le" if data.startswith(b"\xff\xfe") else "utf-8"
        return data.decode(encoding, "replace").replace("\r\n", "\n")

    @property
    def is_plain(self) -> bool:
        """Whether it is valid UTF-8 in which every line ends in `\\n` alone."""
        if self.data is None or b"\r" in self.data:
            return False
        try:
            self.data.decode()
        except UnicodeDecodeError:
            return False
        return True


State = Mapping[str, Seen]


@dataclass(frozen=True)
class Moment:
    """One call with its result and the workspace around it; `path` is relative, None if it leads nowhere sensible.

    `events` are the changes that were made since the call before.
    """

    tool: str
    arguments: Mapping[str, Any]
    path: str | None
    result: ToolResult
    before: State
    after: State
    events: tuple[WorldEvent, ...] = ()

    @property
    def refused(self) -> bool:
        return self.result.is_error

    @property
    def stale(self) -> bool:
        return self.refused and any(words in self.result.text for words in STALE)

    @property
    def not_read(self) -> bool:
        return self.refused and NOT_READ in self.result.text

    @property
    def old(self) -> str:
        return self.arguments["old_string"]

    @property
    def new(self) -> str:
        """What an Edit puts in: blanks before the ends of lines are never written to a file that exists."""
        return kept(self.arguments["new_string"])

    @property
    def everywhere(self) -> bool:
        return self.arguments.get("replace_all", False)

    def file(self, state: State) -> Seen | None:
        """Return the regular file that the call is about."""
        found = state.get(self.path) if self.path is not None else None
        return found if found is not None and found.data is not None else None

    @property
    def edited(self) -> tuple[Seen, Seen] | None:
        """The file before and after an Edit that went through and named a text of the file exactly."""
        before, after = self.file(self.before), self.file(self.after)
        if self.tool != "Edit" or self.refused or before is None or after is None:
            return None
        return (before, after) if self.old and self.old in before.view else None


BLANKS = " \t\v\f\u00a0\ufeff\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def kept(text: str) -> str:
    """Return the text without the blanks before each line's end; `\\r` alone ends a line too."""
    ends = ("\r\n", "\n", "\r")
    lines, rest = [], text
    while rest:
        at, end = min(((rest.find(end), end) for end in ends if end in rest), default=(len(rest), ""))
        lines.append(rest[:at].rstrip(BLANKS) + end)
        rest = rest[at + len(end) :]
    return "".join(lines)


class Play:
    """One session in a workspace of its own."""

    def __init__(self, adapter: Adapter, site: Site, scenario: Scenario) -> None:
        self.site = site
        self.scenario = scenario
        self.events: list[WorldEvent] = []
        site.lay_out(scenario.given.files)
        self.session: Any = adapter.open(site.workspace(scenario))

    def moments(self, *, wrong: bool = False) -> Iterator[Moment]:
        """Play the steps and yield each call; groups one call after the other, races as events before the call.

        Calls whose arguments do not fit are left out unless `wrong`.
        """
        for step in self.scenario.steps:
            match step:
                case WorldEvent():
                    self.perform(step)
                case ToolCall(tool, arguments, during):
                    for event in during:
                        self.perform(event)
                    if wrong or fits(tool, arguments):
                        yield self.call(tool, **arguments)
                case ParallelCalls(calls):
                    for call in calls:
                        if wrong or fits(call.tool, call.arguments):
                            yield self.call(call.tool, **call.arguments)

    def to_the_end(self) -> None:
        for _ in self.moments():
            pass

    def call(self, tool: str, **arguments: Any) -> Moment:
        before = self.state()
        result = self.session.call(tool, self.site.substituted(arguments))
        answer = ToolResult(self.site.normalised(result.text), result.is_error, result.error)
        events, self.events = tuple(self.events), []
        path = relative(arguments.get("file_path"))
        return Moment(tool, arguments, path, answer, before, self.state(), events)

    def perform(self, event: WorldEvent) -> None:
        """Make a change, if it can be made in the state that the calls have left."""
        try:
            self.site.perform(event)
        except WorldEventError:
            return
        self.events.append(event)

    def state(self) -> State:
        seen: dict[str, Seen] = {}
        _look(self.site.root, "", seen)
        return seen

    def text_file(self) -> str | None:
        """Return the path of a regular file that is valid UTF-8 without lone carriage returns, if there is one."""
        for path, seen in sorted(self.state().items()):
            if seen.data is None or seen.kind != "file" or len(seen.data) > 100_000:
                continue
            try:
                text = seen.data.decode()
            except UnicodeDecodeError:
                continue
            if "\r" not in text.replace("\r\n", ""):
                return path
        return None


class World:
    """An implementation and the place where scenarios are played on it."""

    def __init__(self, adapter: Any, place: Place) -> None:
        self.adapter = adapter
        self.place = place

    @contextmanager
    def play(self, scenario: Scenario) -> Iterator[Play]:
        if currently_in_test_context():
            note(scenario_yaml(scenario))  # shown for the smallest failure
        with self.place.site() as site:
            yield Play(self.adapter, site, scenario)

    @contextmanager
    def files(self, files: Mapping[str, Entry], deny: tuple[str, ...] = ()) -> Iterator[Play]:
        scenario = Scenario("laws/given", "Given files", "must", Given(files, deny), ())
        with self.play(scenario) as play:
            yield play


_TYPES = {
    "Read": ({"file_path": str}, {"offset": int, "limit": int}),
    "Edit": ({"file_path": str, "old_string": str, "new_string": str}, {"replace_all": bool}),
    "Write": ({"file_path": str, "content": str}, {}),
}


def fits(tool: str, arguments: Mapping[str, Any]) -> bool:
    """Tell whether the arguments are of the kinds that the tool takes."""
    required, optional = _TYPES[tool]
    if not required.keys() <= arguments.keys() <= required.keys() | optional.keys():
        return False
    return all(type(value) is {**required, **optional}[name] for name, value in arguments.items())


def relative(path: object) -> str | None:
    """Return the path in the workspace that an argument names; None if it names none."""
    if not isinstance(path, str):
        return None
    path = path.strip(BLANKS)
    if path.startswith("$WS/"):
        path = path.removeprefix("$WS").lstrip("/")
    elif path.startswith(("/", "~", "$")):
        return None
    folded = normpath(path)
    return None if folded == "." or PurePosixPath(folded).parts[:1] == ("..",) else folded


def leads_somewhere(state: State, path: str | None) -> bool:
    """Tell whether there is something at the path; a link to nothing is nothing."""
    seen = state.get(path) if path is not None else None
    if seen is None or seen.target is None:
        return seen is not None
    name = seen.target.rpartition("/")[2]
    return name in state and state[name].target is None


def _look(directory: str, prefix: str, seen: dict[str, Seen]) -> None:
    with os.scandir(directory) as listing:
        for found in listing:
            status = found.stat(follow_symlinks=False)
            mode = stat.S_IMODE(status.st_mode)
            path = prefix + found.name
            common = (mode, status.st_ino, status.st_mtime_ns)
            if stat.S_ISDIR(status.st_mode):
                seen[path] = Seen("directory", *common)
                _look(found.path, path + "/", seen)
            elif stat.S_ISLNK(status.st_mode):
                seen[path] = Seen("link", *common, target=os.readlink(found.path))
            else:
                with open(found.path, "rb") as file:
                    seen[path] = Seen("file", *common, data=file.read())
