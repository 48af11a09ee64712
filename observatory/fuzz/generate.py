"""Random scenarios: a workspace, changes by other programs, and calls about its files."""

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
    LONGEST_AS_IT_IS,
    ODD_NAMES,
    argument_text,
    content,
    file_name,
    quoted_from,
)
from readfirst.observatory.fuzz.text_generators import large as large_text
from readfirst.observatory.fuzz.workspace_model import WorkspaceModel

_MOST_STEPS = 24

_FILES_DRAWN, _CALLS_DRAWN = 24, 4
"""Numbers of files and of calls that are drawn to select the one with the rarest conditions."""

_NAMES = (
    *("notes.txt", "notes.txt", "notes.txt", "notes.md", "src/main.py", "two words.txt", "naïve.txt", "run"),
    *(".env", "data.json", "page.mdx", "old.TXT", "Notes.md", ".hidden.py", "two words", "src/Makefile"),
    *("deep/er/down/there/notes.txt", "deep/er/down/.env", "lib/data.tar.gz"),
)
_SEVERAL = ("notes.txt", "other.txt", "src/main.py", "notes.md")
_FOLDERS = (
    *("", "", "", "src/", "deep/er/down/", "two words/", "shots.png/", ".claude/commands/", "x$/", "naïve/"),
)
_LARGEST = 20_000
"""Maximum size in bytes of a file in a long session. Larger files would fill the model's context before the session
ends.
"""
_SHIFTS: tuple[Seconds, ...] = (2, 2, 1, Fraction(1, 1000), -10, 0)
_MODES = (0o644, 0o755, 0o600, 0o444)
_WRONG_VALUES: tuple[Any, ...] = (1, 0, -1, 1.5, True, None, "", "1", "true", [], ["alpha"], {}, {"a": 1})


def scenarios(
    seed: int, *, large: bool = False, seen: Mapping[Pair, int] | None = None
) -> Iterator[Scenario]:
    """Yield scenarios without end. The same arguments give the same scenarios.

    `seen` counts how often pairs of conditions occur in the suite: calls with rare pairs are preferred, and the pairs
    of earlier scenarios are counted, too. Without `seen`, each scenario depends only on `seed` and its number. With
    `large`, some arguments are longer than the buffers of implementations.
    """
    rarity = Rarity(seen) if seen is not None else None
    for number in count():
        random = Random(f"{seed}.{number}")
        if random.randint(1, 12) == 12:
            yield notebook_scenario(random)
        elif random.randint(1, 40) == 40:
            yield several_files(random, rarity=rarity)
        else:
            yield single_file(random, rarity=rarity, large=large)


def single_file(random: Random, *, rarity: Rarity | None = None, large: bool = False) -> Scenario:
    """Return a scenario about one path. Such scenarios can share a session of the product.

    `rarity` selects the file and the calls with the rarest conditions; without it, they are random. If the file may be
    missing, no content has carriage returns: otherwise the line ends of a new file would depend on files outside the
    workspace.
    """
    may_be_missing = random.randint(0, 3) == 3
    given = not may_be_missing or random.randint(0, 1) == 1

    def drawn() -> tuple[str, dict[str, Entry]]:
        path = random.choice(_NAMES) if random.randint(0, 4) else file_name(random)
        return path, {path: content(random, carriage_returns=not may_be_missing)} if given else {}

    path, files = drawn() if rarity is None else rarity.rarest(drawn, _of_a_read, of=_FILES_DRAWN)
    stage = _StepGenerator(random, files, (path,), missing=may_be_missing, large=large, rarity=rarity)
    return _scenario(files, stage.steps(_MOST_STEPS))


def _of_a_read(drawn: tuple[str, dict[str, Entry]]) -> tuple[str, tuple[str, ...]]:
    """Return the tool and the conditions of a Read of a drawn file, to compare files independently of the calls."""
    path, files = drawn
    sketch = WorkspaceModel()
    sketch.give(files)
    call = ToolCall("Read", {"file_path": f"$WS/{path}"})
    return call.tool, conditions_of(call, path, sketch)


def several_files(random: Random, *, rarity: Rarity | None = None) -> Scenario:
    """Return a scenario about several paths: files, links to them, directories, and missing paths.

    Such a scenario needs a separate session in any case, so paths can also be relative or in the home directory, and
    permission rules are possible.
    """
    files: dict[str, Entry] = {path: content(random) for path in _SEVERAL if random.randint(0, 1)}
    if files and random.randint(0, 1):
        files["hard.txt"] = HardLink(next(iter(files)))
    if random.randint(0, 1):
        files["link.txt"] = Symlink(random.choice(("notes.txt", "$WS/other.txt", "missing.txt", "src")))
    if random.randint(0, 1):
        files["folder"] = Directory()
    paths = (*_SEVERAL, "hard.txt", "link.txt", "folder", "folder/new.txt", "missing/deep/new.txt")
    stage = _StepGenerator(random, files, paths, rarity=rarity)
    deny = random.choice(((), (), (), ("Edit(src/**)",), ("Read(notes.md)", "Edit(other.txt)")))
    return _scenario(files, stage.steps(2 * _MOST_STEPS), deny)


def long_sessions(seed: int) -> Iterator[Scenario]:
    """Yield long sessions without end. The same seed gives the same sessions."""
    return (long_session(Random(f"long {seed}.{number}")) for number in count())


def long_session(random: Random) -> Scenario:
    """Return a session of 30 to 60 steps about 3 to 8 files. Some have unusual names or are links.

    Files are moved, links get a different target, and a message may contain calls about several files.
    """
    files: dict[str, Entry] = {}
    for _ in range(random.randint(3, 8)):
        names = random.choice((_NAMES, _SEVERAL, ODD_NAMES, (file_name(random),)))
        entry = content(random)
        if len(entry.data) <= _LARGEST:
            files.setdefault(random.choice(_FOLDERS) + random.choice(names), entry)
    held = list(files)
    if held and random.randint(0, 2) == 0:
        files["hard.txt"] = HardLink(random.choice(held))
    for name in ("link.txt", "linked", "link-to-link.md")[: random.randint(0, 3)]:
        files[name] = Symlink(_target(random, held))
    if random.randint(0, 2) == 0:
        files["folder"] = Directory()
    paths = (*files, "folder", "new.txt", f"made/{random.choice(ODD_NAMES)}", "linked/notes.txt")
    stage = _StepGenerator(random, files, paths, moves=True)
    deny = random.choice(((), (), (), (), ("Edit(src/**)",), ("Read(notes.md)", "Edit(other.txt)")))
    return _scenario(files, stage.steps(60, least=30), deny)


def _target(random: Random, held: list[str]) -> str:
    """Return a target for a link: a file, a directory, a link or a missing path, absolute or relative."""
    target: str = random.choice((*held, "src", "folder", "link.txt", "missing.txt", "."))
    return target if random.randint(0, 1) else f"$WS/{target}"


def _scenario(files: dict[str, Entry], steps: tuple[Step, ...], deny: tuple[str, ...] = ()) -> Scenario:
    return Scenario("fuzz/generated", "Generated sequence", "observed", Given(files, deny), steps)


@dataclass
class _StepGenerator:
    """Generates the steps of a scenario about `paths`, one after the other, based on the estimated state of the
    workspace (`sketch`).
    """

    random: Random
    files: InitVar[dict[str, Entry]]
    paths: tuple[str, ...]
    _: KW_ONLY
    missing: bool | None = None
    """Whether a scenario about one file may start without the file. None for a scenario about several files."""
    large: bool = False
    moves: bool = False
    rarity: Rarity | None = None
    sketch: WorkspaceModel = field(default_factory=WorkspaceModel, init=False)

    def __post_init__(self, files: dict[str, Entry]) -> None:
        self.races = self.random.randint(0, 9) == 9  # a hook makes every call of the product slower
        self.sketch.give(files)

    def steps(self, most: int, least: int = 1) -> tuple[Step, ...]:
        """Return `least` to `most` random steps. At least one of them is a call."""
        drawn: list[Step] = []
        for _ in range(self.random.randint(least, most)):
            drawn.append(self._among_others() if self.moves else self._step(self.random.choice(self.paths)))
        if all(isinstance(step, WorldEvent) for step in drawn):
            drawn.append(self._draw_read(self.paths[0]))
        return tuple(drawn)

    def _step(self, path: str) -> Step:
        match self.random.randint(0, 31):
            case 0 | 1 | 2 | 3 | 4:
                return self._note_call(self._rarest(self._draw_read, path), path)
            case 5 | 6 | 7:
                return self._note_call(self._rarest(self._write, path), path)
            case 8 | 9 | 10:
                return self._event(path)
            case 11:
                return self._note_call(self._wrong(path), path)
            case 12:
                count = self.random.randint(2, 3)
                return ParallelCalls(tuple(self._note_call(self._any_call(path), path) for _ in range(count)))
            case 13 | 14 if self.races:
                call = self._any_call(path)
                event = self._event(path)
                if not isinstance(event, WorldEvent):
                    return self._note_call(call, path)
                return self._note_call(ToolCall(call.tool, call.arguments, (event,)), path)
            case 15 | 16 | 17 | 18 | 19 if not self.sketch.is_fresh(path):
                return self._note_call(self._rarest(self._draw_read, path), path)
            case _:
                return self._note_call(self._rarest(self._edit, path), path)

    def _among_others(self) -> Step:
        """Return a step of a long session. Some steps move a path, or contain parallel calls about several files."""
        match self.random.randint(0, 15):
            case 0 | 1:
                return self._move(self._some_path())
            case 2 | 3:
                paths = [self._some_path() for _ in range(self.random.randint(2, 4))]
                return ParallelCalls(tuple(self._note_call(self._any_call(each), each) for each in paths))
            case _:
                path = self._some_path()
                if (
                    self.sketch.is_a(path, RegularFile)
                    and path not in self.sketch.known
                    and self.random.randint(0, 1)
                ):
                    return self._note_call(self._draw_read(path), path)
                return self._step(path)

    def _some_path(self) -> str:
        """Return a random path, usually one that exists."""
        there = [path for path in self.paths if self.sketch.exists(path)]
        return self.random.choice(there if there and self.random.randint(0, 5) else self.paths)

    def _move(self, path: str) -> Step:
        """Return a random change of a path: a link gets a different target, another path is renamed or deleted."""
        sketch = self.sketch
        free = [each for each in self.paths if not sketch.exists(each) and sketch.has_folder(each)]
        kind = self.random.randint(0, 5)
        event: WorldEvent
        if sketch.is_a(path, Symlink) and kind < 4:
            event = WorldEvent("symlink", path, Symlink(_target(self.random, sketch.paths_of(RegularFile))))
        elif path in sketch.sure and free and kind < 5:
            event = WorldEvent("rename", path, to=self.random.choice(free))
        elif path in sketch.sure:
            event = WorldEvent("delete", path)
        else:
            return self._event(path)
        sketch.event(event)
        return event

    def _rarest(self, draw: Callable[[str], ToolCall], path: str) -> ToolCall:
        """Return a call about a path; with `rarity`, the one of several random calls with the rarest conditions."""
        if self.rarity is None:
            return draw(path)

        def conditions(call: ToolCall) -> tuple[str, tuple[str, ...]]:
            return call.tool, conditions_of(call, path, self.sketch)

        call = self.rarity.rarest(lambda: draw(path), conditions, of=_CALLS_DRAWN)
        self.rarity.note(*conditions(call))
        return call

    def _any_call(self, path: str) -> ToolCall:
        draw = self.random.choice((self._draw_read, self._write, self._edit, self._edit, self._edit))
        return draw(path)

    def _note_call(self, call: ToolCall, path: str) -> ToolCall:
        self.sketch.call(call, path)
        return call

    def _path(self, path: str) -> str:
        if self.missing is None and self.random.randint(0, 9) == 9:
            return self.random.choice((path, f"./{path}", f"$WS/{path}/", f" $WS/{path}", f"~/{path}"))
        if self.missing is False:
            return f"$WS/{path}"  # any other name would look like a new file's
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

    def _text(self) -> str:
        often = self.large and self.random.randint(0, 24) == 24
        text = large_text(self.random) if often else argument_text(self.random)
        return self._argument(text)

    def _argument(self, text: str) -> str:
        """Return a text that a scenario file can contain as an argument: other than a repeated text, it is cut to the
        maximum length.

        If the file may be missing, carriage returns are removed.
        """
        if self.missing and "\r" in text:
            text = text.replace("\r", "")
        return text if isinstance(text, RepeatedText) else text[:LONGEST_AS_IT_IS]

    def _draw_read(self, path: str) -> ToolCall:
        arguments: dict[str, Any] = {"file_path": self._path(path)}
        if self.random.randint(0, 3) == 0:
            arguments["offset"] = self.random.choice((1, 2, 3, 0, 5, 100, -1, 2000))
        if self.random.randint(0, 3) == 0:
            arguments["limit"] = self.random.choice((1, 2, 3, 0, 100, 2000, -1))
        return ToolCall("Read", arguments)

    def _write(self, path: str) -> ToolCall:
        before, text = self.sketch.text(path)[:20_000], self._text()
        content = self.random.choice((*[before + text] * 4, before, "", *[text] * 10))
        return ToolCall("Write", {"file_path": self._path(path), "content": self._argument(content)})

    def _edit(self, path: str) -> ToolCall:
        before = self.sketch.text(path)
        old = quoted_from(self.random, before)
        if (kind := self.random.randint(0, 11)) < 2:
            old = self._text() if kind else ""
        match self.random.randint(0, 9):
            case 0 | 1:
                new = ""
            case 2:
                new = old + self._text()
            case 3:
                new = old
            case 4:
                new = self._text() + old
            case 5:
                new = quoted_from(self.random, before)
            case 6:
                new = self.random.choice((f" {old}", f"{old} ", old.replace(" ", "  "), old.strip()))
            case _:
                new = self._text()
        if self.moves and old == new and self.random.randint(0, 3):
            new = self._text()
        texts = {"old_string": self._argument(old), "new_string": self._argument(new)}
        arguments: dict[str, Any] = {"file_path": self._path(path), **texts}
        if (replaces := self.random.choice((True, True, False, *[None] * 5))) is not None:
            arguments["replace_all"] = replaces
        return ToolCall("Edit", arguments)

    def _wrong(self, path: str) -> ToolCall:
        """Return a call with an invalid argument: missing, of a wrong type, or unknown."""
        call = self._any_call(path)
        arguments = dict(call.arguments)
        name = self.random.choice(sorted({*arguments, "limit", "replace_all", "description"}))
        if name != "file_path" and name in arguments and self.random.randint(0, 1):
            del arguments[name]
        elif name == "file_path" and not self.missing:
            arguments["description"] = "alpha"
        elif name == "file_path":
            arguments[name] = self.random.choice((1, None, [], {}))
        else:
            arguments[name] = self.random.choice(_WRONG_VALUES)
        return ToolCall(call.tool, arguments)

    def _event(self, path: str) -> Step:
        """Return a change of the path by another program. If the path is a directory or a link, or is below one of
        these or a file, return a Read instead.
        """
        sketch = self.sketch
        parts = path.split("/")
        above = {"/".join(parts[:end]) for end in range(1, len(parts))}
        blocked = any(sketch.is_a(each, RegularFile) or sketch.is_a(each, Symlink) for each in above)
        if blocked or sketch.is_a(path, Directory) or sketch.is_a(path, Symlink):
            return self._note_call(self._draw_read(path), path)
        exists = sketch.is_a(path, RegularFile)
        kind = self.random.randint(0, 9)
        event: WorldEvent
        if not exists or kind <= 4:
            event = self._modify(path)
        elif kind <= 7:
            event = WorldEvent("touch", path, mtime=self.random.choice(_SHIFTS))
        elif kind == 8 or self.missing is False:
            event = WorldEvent("chmod", path, mode=self.random.choice(_MODES))
        else:
            event = WorldEvent("delete", path)
        sketch.event(event)
        return event

    def _modify(self, path: str) -> WorldEvent:
        before = data_of(self.sketch.entries.get(path))
        entry = content(self.random, carriage_returns=not self.missing)
        mtime: Seconds | None = self.random.choice((2, 2, 2, Fraction(1, 1000), -10, None))
        if before == entry.data:
            return WorldEvent("touch", path, mtime=self.random.choice(_SHIFTS))
        return WorldEvent("modify", path, RegularFile(entry.content), mtime=mtime)
