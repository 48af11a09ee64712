"""Generate random scenarios: a workspace, calls about its files, and changes by other programs."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, InitVar, dataclass, field
from fractions import Fraction
from itertools import count
from random import Random
from typing import Any

from readfirst.harness.suite.file_entry import (
    Directory,
    Entry,
    HardLink,
    RegularFile,
    Seconds,
    Symlink,
    data_of,
)
from readfirst.harness.suite.repeated_text import RepeatedText
from readfirst.harness.suite.scenario import Given, ParallelCalls, Scenario, Step, ToolCall, WorldEvent
from readfirst.observatory.fuzz.conditions import Pair, Rarity, conditions_of
from readfirst.observatory.fuzz.notebooks import notebook_scenario
from readfirst.observatory.fuzz.text_generators import (
    MAX_LITERAL_ARGUMENT_CHARS,
    ODD_NAMES,
    argument_text,
    file_content,
    file_name,
    large_text,
    quote_from,
)
from readfirst.observatory.fuzz.workspace_model import WorkspaceModel

_MAX_STEPS = 24

_FILE_CANDIDATES, _CALL_CANDIDATES = 24, 4
"""How many random files and how many random calls are generated to select the one with the rarest conditions."""

_NAMES = (
    *("notes.txt", "notes.txt", "notes.txt", "notes.md", "src/main.py", "two words.txt", "naïve.txt", "run"),
    *(".env", "data.json", "page.mdx", "old.TXT", "Notes.md", ".hidden.py", "two words", "src/Makefile"),
    *("deep/er/down/there/notes.txt", "deep/er/down/.env", "lib/data.tar.gz"),
)
_COMMON_NAMES = ("notes.txt", "other.txt", "src/main.py", "notes.md")
_DIRECTORIES = (
    *("", "", "", "src/", "deep/er/down/", "two words/", "shots.png/", ".claude/commands/", "x$/", "naïve/"),
)
_MAX_LONG_SESSION_FILE_BYTES = 20_000
"""Maximum size of a file in a long session. Larger files would fill the model's context too early."""
_MTIME_SHIFTS_S: tuple[Seconds, ...] = (2, 2, 1, Fraction(1, 1000), -10, 0)
_MODES = (0o644, 0o755, 0o600, 0o444)
_INVALID_VALUES: tuple[Any, ...] = (1, 0, -1, 1.5, True, None, "", "1", "true", [], ["alpha"], {}, {"a": 1})


def scenarios(
    seed: int, *, large: bool = False, seen: Mapping[Pair, int] | None = None
) -> Iterator[Scenario]:
    """Yield endless random scenarios, the same for the same arguments. Calls with conditions that are rare in `seen`
    (counts in the suite) and in earlier scenarios are preferred. `large`: some arguments are longer than usual buffers.
    """
    rarity = Rarity(seen) if seen is not None else None
    for number in count():
        random = Random(f"{seed}.{number}")
        if random.randint(1, 12) == 12:
            yield notebook_scenario(random)
        elif random.randint(1, 40) == 40:
            yield several_files_scenario(random, rarity=rarity)
        else:
            yield single_file_scenario(random, rarity=rarity, large=large)


def single_file_scenario(random: Random, *, rarity: Rarity | None = None, large: bool = False) -> Scenario:
    """Return a random scenario about one path. With `rarity`, files and calls with rare conditions are preferred."""
    may_be_missing = random.randint(0, 3) == 3
    given = not may_be_missing or random.randint(0, 1) == 1

    def draw_file() -> tuple[str, dict[str, Entry]]:
        path = random.choice(_NAMES) if random.randint(0, 4) else file_name(random)
        return path, {path: file_content(random, carriage_returns=not may_be_missing)} if given else {}

    path, files = (
        draw_file() if rarity is None else rarity.rarest(draw_file, _read_conditions, of=_FILE_CANDIDATES)
    )
    generator = _StepGenerator(random, files, (path,), missing=may_be_missing, large=large, rarity=rarity)
    return _scenario(files, generator.steps(_MAX_STEPS))


def _read_conditions(drawn_file: tuple[str, dict[str, Entry]]) -> tuple[str, tuple[str, ...]]:
    """Return `Read` and the conditions of a Read of the drawn file. Used to select the rarest of several files."""
    path, files = drawn_file
    model = WorkspaceModel()
    model.add_files(files)
    call = ToolCall("Read", {"file_path": f"$WS/{path}"})
    return call.tool, conditions_of(call, path, model)


def several_files_scenario(random: Random, *, rarity: Rarity | None = None) -> Scenario:
    """Return a random scenario about several files, links, directories and missing paths, in its own session."""
    files: dict[str, Entry] = {path: file_content(random) for path in _COMMON_NAMES if random.randint(0, 1)}
    if files and random.randint(0, 1):
        files["hard.txt"] = HardLink(next(iter(files)))
    if random.randint(0, 1):
        files["link.txt"] = Symlink(random.choice(("notes.txt", "$WS/other.txt", "missing.txt", "src")))
    if random.randint(0, 1):
        files["folder"] = Directory()
    paths = (*_COMMON_NAMES, "hard.txt", "link.txt", "folder", "folder/new.txt", "missing/deep/new.txt")
    generator = _StepGenerator(random, files, paths, rarity=rarity)
    deny = random.choice(((), (), (), ("Edit(src/**)",), ("Read(notes.md)", "Edit(other.txt)")))
    return _scenario(files, generator.steps(2 * _MAX_STEPS), deny)


def long_sessions(seed: int) -> Iterator[Scenario]:
    """Yield an endless sequence of random long sessions. The same seed produces the same sessions."""
    return (long_session_scenario(Random(f"long {seed}.{number}")) for number in count())


def long_session_scenario(random: Random) -> Scenario:
    """Return a random scenario of 30 to 60 steps about 3 to 8 files and links, with moves and parallel calls."""
    files: dict[str, Entry] = {}
    for _ in range(random.randint(3, 8)):
        names = random.choice((_NAMES, _COMMON_NAMES, ODD_NAMES, (file_name(random),)))
        entry = file_content(random)
        if len(entry.data) <= _MAX_LONG_SESSION_FILE_BYTES:
            files.setdefault(random.choice(_DIRECTORIES) + random.choice(names), entry)
    held = list(files)
    if held and random.randint(0, 2) == 0:
        files["hard.txt"] = HardLink(random.choice(held))
    for name in ("link.txt", "linked", "link-to-link.md")[: random.randint(0, 3)]:
        files[name] = Symlink(_link_target(random, held))
    if random.randint(0, 2) == 0:
        files["folder"] = Directory()
    paths = (*files, "folder", "new.txt", f"made/{random.choice(ODD_NAMES)}", "linked/notes.txt")
    generator = _StepGenerator(random, files, paths, moves=True)
    deny = random.choice(((), (), (), (), ("Edit(src/**)",), ("Read(notes.md)", "Edit(other.txt)")))
    return _scenario(files, generator.steps(60, least=30), deny)


def _link_target(random: Random, held: list[str]) -> str:
    """Return a random target for a symlink: a file, a directory, a link or a missing path, absolute or relative."""
    target: str = random.choice((*held, "src", "folder", "link.txt", "missing.txt", "."))
    return target if random.randint(0, 1) else f"$WS/{target}"


def _scenario(files: dict[str, Entry], steps: tuple[Step, ...], deny: tuple[str, ...] = ()) -> Scenario:
    return Scenario("fuzz/generated", "Generated sequence", "observed", Given(files, deny), steps)


@dataclass
class _StepGenerator:
    """Generates random steps of a scenario about `paths`, using the estimated state of the workspace (`model`)."""

    random: Random
    files: InitVar[dict[str, Entry]]
    paths: tuple[str, ...]
    _: KW_ONLY
    missing: bool | None = None
    """Whether the only file of the scenario may be missing at the start. None for a scenario about several files."""
    large: bool = False
    moves: bool = False
    rarity: Rarity | None = None
    model: WorkspaceModel = field(default_factory=WorkspaceModel, init=False)

    def __post_init__(self, files: dict[str, Entry]) -> None:
        self.races = self.random.randint(0, 9) == 9  # a hook makes every call of the product slower
        self.model.add_files(files)

    def steps(self, most: int, least: int = 1) -> tuple[Step, ...]:
        """Return at least `least` and at most `most` random steps. At least one of the steps is a call."""
        steps: list[Step] = []
        for _ in range(self.random.randint(least, most)):
            steps.append(
                self._long_session_step() if self.moves else self._random_step(self.random.choice(self.paths))
            )
        if all(isinstance(step, WorldEvent) for step in steps):
            steps.append(self._read_call(self.paths[0]))
        return tuple(steps)

    def _random_step(self, path: str) -> Step:
        match self.random.randint(0, 31):
            case 0 | 1 | 2 | 3 | 4:
                return self._applied(self._draw_call(self._read_call, path), path)
            case 5 | 6 | 7:
                return self._applied(self._draw_call(self._write_call, path), path)
            case 8 | 9 | 10:
                return self._random_change(path)
            case 11:
                return self._applied(self._invalid_call(path), path)
            case 12:
                count = self.random.randint(2, 3)
                return ParallelCalls(
                    tuple(self._applied(self._random_call(path), path) for _ in range(count))
                )
            case 13 | 14 if self.races:
                call = self._random_call(path)
                event = self._random_change(path)
                if not isinstance(event, WorldEvent):
                    return self._applied(call, path)
                return self._applied(ToolCall(call.tool, call.arguments, (event,)), path)
            case 15 | 16 | 17 | 18 | 19 if not self.model.is_fresh(path):
                return self._applied(self._draw_call(self._read_call, path), path)
            case _:
                return self._applied(self._draw_call(self._edit_call, path), path)

    def _long_session_step(self) -> Step:
        """Return a step of a long session. Some steps move a path, or contain parallel calls about several files."""
        match self.random.randint(0, 15):
            case 0 | 1:
                return self._move_path(self._random_path())
            case 2 | 3:
                paths = [self._random_path() for _ in range(self.random.randint(2, 4))]
                return ParallelCalls(tuple(self._applied(self._random_call(each), each) for each in paths))
            case _:
                path = self._random_path()
                if (
                    self.model.is_a(path, RegularFile)
                    and path not in self.model.known
                    and self.random.randint(0, 1)
                ):
                    return self._applied(self._read_call(path), path)
                return self._random_step(path)

    def _random_path(self) -> str:
        there = [path for path in self.paths if self.model.exists(path)]
        return self.random.choice(there if there and self.random.randint(0, 5) else self.paths)

    def _move_path(self, path: str) -> Step:
        """Return a random event for a path: a link gets a different target, a file is renamed or deleted."""
        model = self.model
        free = [each for each in self.paths if not model.exists(each) and model.has_folder(each)]
        kind = self.random.randint(0, 5)
        event: WorldEvent
        if model.is_a(path, Symlink) and kind < 4:
            held = sorted(each for each in model.entries if model.is_a(each, RegularFile))
            event = WorldEvent("symlink", path, Symlink(_link_target(self.random, held)))
        elif path in model.sure and free and kind < 5:
            event = WorldEvent("rename", path, to=self.random.choice(free))
        elif path in model.sure:
            event = WorldEvent("delete", path)
        else:
            return self._random_change(path)
        model.event(event)
        return event

    def _draw_call(self, draw: Callable[[str], ToolCall], path: str) -> ToolCall:
        """Return a random call about a path or, with `rarity`, the one of several calls with the rarest conditions."""
        if self.rarity is None:
            return draw(path)

        def conditions(call: ToolCall) -> tuple[str, tuple[str, ...]]:
            return call.tool, conditions_of(call, path, self.model)

        call = self.rarity.rarest(lambda: draw(path), conditions, of=_CALL_CANDIDATES)
        self.rarity.count_call(*conditions(call))
        return call

    def _random_call(self, path: str) -> ToolCall:
        draw = self.random.choice(
            (self._read_call, self._write_call, self._edit_call, self._edit_call, self._edit_call)
        )
        return draw(path)

    def _applied(self, call: ToolCall, path: str) -> ToolCall:
        """Update the estimated state of the workspace as the call would change it, and return the call unchanged."""
        self.model.call(call, path)
        return call

    def _path_argument(self, path: str) -> str:
        """Return a path as an argument of a call, sometimes in an unusual spelling such as `$WS/./notes.txt`."""
        if self.missing is None and self.random.randint(0, 9) == 9:
            return self.random.choice((path, f"./{path}", f"$WS/{path}/", f" $WS/{path}", f"~/{path}"))
        if self.missing is False:
            return f"$WS/{path}"  # the product could take any other spelling for the name of a new file
        folder, _, name = path.rpartition("/")
        above = f"{folder}/" if folder else ""
        match self.random.randint(0, 29):
            case 29:
                return f"$WS/./{path}"
            case 28:
                return f"$WS/{folder}//{name}" if folder else f"$WS//{name}"
            case 27:
                return f"$WS/{above}x/../{name}"
            case _:
                return f"$WS/{path}"

    def _text_argument(self) -> str:
        often = self.large and self.random.randint(0, 24) == 24
        text = large_text(self.random) if often else argument_text(self.random)
        return self._storable(text)

    def _storable(self, text: str) -> str:
        """Return the text, cut to the maximum length in a scenario file. A RepeatedText is never cut."""
        if self.missing and "\r" in text:
            text = text.replace("\r", "")
        return text if isinstance(text, RepeatedText) else text[:MAX_LITERAL_ARGUMENT_CHARS]

    def _read_call(self, path: str) -> ToolCall:
        arguments: dict[str, Any] = {"file_path": self._path_argument(path)}
        if self.random.randint(0, 3) == 0:
            arguments["offset"] = self.random.choice((1, 2, 3, 0, 5, 100, -1, 2000))
        if self.random.randint(0, 3) == 0:
            arguments["limit"] = self.random.choice((1, 2, 3, 0, 100, 2000, -1))
        return ToolCall("Read", arguments)

    def _write_call(self, path: str) -> ToolCall:
        before, text = self.model.text(path)[:20_000], self._text_argument()
        content = self.random.choice((*[before + text] * 4, before, "", *[text] * 10))
        return ToolCall("Write", {"file_path": self._path_argument(path), "content": self._storable(content)})

    def _edit_call(self, path: str) -> ToolCall:
        before = self.model.text(path)
        old = quote_from(self.random, before)
        if (kind := self.random.randint(0, 11)) < 2:
            old = self._text_argument() if kind else ""
        match self.random.randint(0, 9):
            case 0 | 1:
                new = ""
            case 2:
                new = old + self._text_argument()
            case 3:
                new = old
            case 4:
                new = self._text_argument() + old
            case 5:
                new = quote_from(self.random, before)
            case 6:
                new = self.random.choice((f" {old}", f"{old} ", old.replace(" ", "  "), old.strip()))
            case _:
                new = self._text_argument()
        if self.moves and old == new and self.random.randint(0, 3):
            new = self._text_argument()
        texts = {"old_string": self._storable(old), "new_string": self._storable(new)}
        arguments: dict[str, Any] = {"file_path": self._path_argument(path), **texts}
        if (replaces := self.random.choice((True, True, False, *[None] * 5))) is not None:
            arguments["replace_all"] = replaces
        return ToolCall("Edit", arguments)

    def _invalid_call(self, path: str) -> ToolCall:
        """Return a random call with an argument that is missing, has a wrong type, or is unknown."""
        call = self._random_call(path)
        arguments = dict(call.arguments)
        name = self.random.choice(sorted({*arguments, "limit", "replace_all", "description"}))
        if name != "file_path" and name in arguments and self.random.randint(0, 1):
            del arguments[name]
        elif name == "file_path" and not self.missing:
            arguments["description"] = "alpha"
        elif name == "file_path":
            arguments[name] = self.random.choice((1, None, [], {}))
        else:
            arguments[name] = self.random.choice(_INVALID_VALUES)
        return ToolCall(call.tool, arguments)

    def _random_change(self, path: str) -> Step:
        """Return a random change of a file by another program. If a link or directory is in the way, return a Read."""
        model = self.model
        parts = path.split("/")
        above = {"/".join(parts[:end]) for end in range(1, len(parts))}
        blocked = any(model.is_a(each, RegularFile) or model.is_a(each, Symlink) for each in above)
        if blocked or model.is_a(path, Directory) or model.is_a(path, Symlink):
            return self._applied(self._read_call(path), path)
        exists = model.is_a(path, RegularFile)
        kind = self.random.randint(0, 9)
        event: WorldEvent
        if not exists or kind <= 4:
            event = self._content_change(path)
        elif kind <= 7:
            event = WorldEvent("touch", path, mtime=self.random.choice(_MTIME_SHIFTS_S))
        elif kind == 8 or self.missing is False:
            event = WorldEvent("chmod", path, mode=self.random.choice(_MODES))
        else:
            event = WorldEvent("delete", path)
        model.event(event)
        return event

    def _content_change(self, path: str) -> WorldEvent:
        before = data_of(self.model.entries.get(path))
        entry = file_content(self.random, carriage_returns=not self.missing)
        mtime: Seconds | None = self.random.choice((2, 2, 2, Fraction(1, 1000), -10, None))
        if before == entry.data:
            return WorldEvent("touch", path, mtime=self.random.choice(_MTIME_SHIFTS_S))
        return WorldEvent("modify", path, RegularFile(entry.content), mtime=mtime)
