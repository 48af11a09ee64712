"""Generate: strategies for whole scenarios - a workspace, changes that no tool makes, and calls about both."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from harness.entry import Directory, Entry, HardLink, RegularFile, Symlink
from harness.fuzz.sketch import Sketch
from harness.fuzz.texts import arguments_text, contents, variants_of
from harness.scenario import Given, ParallelCalls, Scenario, Step, ToolCall, WorldEvent

__all__ = ["MOST_STEPS", "scenarios", "several_files", "single_file"]

MOST_STEPS = 24

_NAMES = (
    "notes.txt",
    "notes.txt",
    "notes.txt",
    "notes.md",
    "src/main.py",
    "two words.txt",
    "naïve.txt",
    "run",
    ".env",
    "data.json",
    "page.mdx",
    "old.TXT",
)
_SEVERAL = ("notes.txt", "other.txt", "src/main.py", "notes.md")
_SHIFTS = (2, 2, 2, 1, -10, 0)
_MODES = (0o644, 0o755, 0o600, 0o444)
_WRONG_VALUES: tuple[Any, ...] = (1, 0, -1, 1.5, True, None, "", "1", "true", [], ["alpha"], {}, {"a": 1})


def scenarios(*, most_steps: int = MOST_STEPS) -> st.SearchStrategy[Scenario]:
    """Return the strategy for any scenario; most are about a single file."""
    single = single_file(most_steps=most_steps)
    return st.one_of(*[single] * 15, several_files(most_steps=2 * most_steps))


@st.composite
def single_file(draw: st.DrawFn, *, most_steps: int = MOST_STEPS) -> Scenario:
    """Draw a scenario about one path: such scenarios can share a session of the product.

    A file that may be missing has no carriage returns around it: only then would the product's choice of a new
    file's line ends depend on what lies beside the workspace.
    """
    path = draw(st.sampled_from(_NAMES))
    files: dict[str, Entry] = {}
    may_be_missing = draw(st.integers(0, 3)) == 0
    if not may_be_missing or draw(st.booleans()):
        files[path] = draw(contents(carriage_returns=not may_be_missing))
    stage = _Stage(draw, files, (path,), carriage_returns=not may_be_missing, removes=may_be_missing)
    return _scenario(files, stage.steps(most_steps))


@st.composite
def several_files(draw: st.DrawFn, *, most_steps: int = 2 * MOST_STEPS) -> Scenario:
    """Draw a scenario about several paths: files, links to them, directories, and what is missing."""
    files: dict[str, Entry] = {}
    for path in _SEVERAL:
        if draw(st.booleans()):
            files[path] = draw(contents())
    first = next((path for path, entry in files.items() if isinstance(entry, RegularFile)), None)
    if first is not None and draw(st.booleans()):
        files["hard.txt"] = HardLink(first)
    if draw(st.booleans()):
        files["link.txt"] = Symlink(draw(st.sampled_from(("notes.txt", "$WS/other.txt", "missing.txt", "src"))))
    if draw(st.booleans()):
        files["folder"] = Directory()
    paths = (*_SEVERAL, "hard.txt", "link.txt", "folder", "folder/new.txt", "missing/deep/new.txt")
    stage = _Stage(draw, files, paths, carriage_returns=True, removes=True)
    return _scenario(files, stage.steps(most_steps))


def _scenario(files: dict[str, Entry], steps: tuple[Step, ...]) -> Scenario:
    return Scenario("fuzz/generated", "Generated sequence", "observed", Given(files), steps)


class _Stage:
    """Draws one step after the other about `paths`, in view of what probably lies there by then."""

    def __init__(
        self,
        draw: st.DrawFn,
        files: dict[str, Entry],
        paths: tuple[str, ...],
        *,
        carriage_returns: bool,
        removes: bool,
    ) -> None:
        self.draw = draw
        self.paths = paths
        self.carriage_returns = carriage_returns
        self.removes = removes
        self.sketch = Sketch()
        self.sketch.give(files)

    def steps(self, most: int) -> tuple[Step, ...]:
        """Draw up to `most` steps, at least one of them a call."""
        drawn: list[Step] = []
        for _ in range(self.draw(st.integers(1, most))):
            path = self.draw(st.sampled_from(self.paths))
            drawn.append(self._step(path))
        if all(isinstance(step, WorldEvent) for step in drawn):
            drawn.append(self._read(self.paths[0]))
        return tuple(drawn)

    def _step(self, path: str) -> Step:
        match self.draw(st.integers(0, 31)):
            case 0 | 1 | 2 | 3 | 4:
                return self._called(self._read(path), path)
            case 5 | 6 | 7:
                return self._called(self._write(path), path)
            case 8 | 9 | 10:
                return self._event(path)
            case 11:
                return self._called(self._wrong(path), path)
            case 12:
                count = self.draw(st.integers(2, 3))
                return ParallelCalls(tuple(self._called(self._any_call(path), path) for _ in range(count)))
            case 13:
                call = self._any_call(path)
                event = self._event(path)
                if not isinstance(event, WorldEvent):
                    return self._called(call, path)
                return self._called(ToolCall(call.tool, call.arguments, (event,)), path)
            case _:
                return self._called(self._edit(path), path)

    def _any_call(self, path: str) -> ToolCall:
        match self.draw(st.integers(0, 4)):
            case 0:
                return self._read(path)
            case 1:
                return self._write(path)
            case _:
                return self._edit(path)

    def _called(self, call: ToolCall, path: str) -> ToolCall:
        self.sketch.call(call, path)
        return call

    def _path(self, path: str) -> str:
        folder, _, name = path.rpartition("/")
        above = f"{folder}/" if folder else ""
        match self.draw(st.integers(0, 29)):
            case 29:
                return f"$WS/./{path}"
            case 28:
                return f"$WS//{path}"
            case 27:
                return f"$WS/{above}x/../{name}"
            case _:
                return f"$WS/{path}"

    def _text(self) -> str:
        text = self.draw(arguments_text())
        return text if self.carriage_returns else text.replace("\r", "")

    def _read(self, path: str) -> ToolCall:
        arguments: dict[str, Any] = {"file_path": self._path(path)}
        if self.draw(st.integers(0, 3)) == 0:
            arguments["offset"] = self.draw(st.sampled_from((1, 2, 3, 0, 5, 100, -1, 2000)))
        if self.draw(st.integers(0, 3)) == 0:
            arguments["limit"] = self.draw(st.sampled_from((1, 2, 3, 0, 100, 2000, -1)))
        return ToolCall("Read", arguments)

    def _write(self, path: str) -> ToolCall:
        content = self._text()
        if self.draw(st.integers(0, 3)) == 0:
            content = self.sketch.text(path)[:20_000] + content
        if not self.carriage_returns:
            content = content.replace("\r", "")
        return ToolCall("Write", {"file_path": self._path(path), "content": content})

    def _edit(self, path: str) -> ToolCall:
        draw = self.draw
        kind = draw(st.integers(0, 11))
        old = "" if kind == 0 else self._text() if kind == 1 else draw(variants_of(self.sketch.text(path)))
        match draw(st.integers(0, 9)):
            case 0 | 1:
                new = ""
            case 2:
                new = old + self._text()
            case 3:
                new = old
            case 4:
                new = self._text() + old
            case 5:
                new = draw(variants_of(self.sketch.text(path)))
            case _:
                new = self._text()
        if not self.carriage_returns:
            old, new = old.replace("\r", ""), new.replace("\r", "")
        arguments: dict[str, Any] = {"file_path": self._path(path), "old_string": old, "new_string": new}
        match draw(st.integers(0, 7)):
            case 0 | 1:
                arguments["replace_all"] = True
            case 2:
                arguments["replace_all"] = False
            case _:
                pass
        return ToolCall("Edit", arguments)

    def _wrong(self, path: str) -> ToolCall:
        """Draw a call whose arguments do not fit: one is missing, of another type, or unknown."""
        call = self._any_call(path)
        arguments = dict(call.arguments)
        name = self.draw(st.sampled_from(sorted({*arguments, "limit", "replace_all", "description"})))
        if name != "file_path" and name in arguments and self.draw(st.booleans()):
            del arguments[name]
        elif name == "file_path":
            arguments[name] = self.draw(st.sampled_from((1, None, [], {})))
        else:
            arguments[name] = self.draw(st.sampled_from(_WRONG_VALUES))
        return ToolCall(call.tool, arguments)

    def _event(self, path: str) -> Step:
        """Draw a change that can be made, as far as the sketch knows; else a Read."""
        draw, sketch = self.draw, self.sketch
        if path in sketch.directories or path in sketch.links or not self._is_reachable(path):
            return self._called(self._read(path), path)
        exists = path in sketch.files
        kind = draw(st.integers(0, 9))
        event: WorldEvent
        if not exists or kind <= 4:
            event = self._modify(path)
        elif kind <= 7:
            event = WorldEvent("touch", path, mtime=draw(st.sampled_from(_SHIFTS)))
        elif kind == 8 or not self.removes:
            event = WorldEvent("chmod", path, mode=draw(st.sampled_from(_MODES)))
        else:
            event = WorldEvent("delete", path)
        sketch.event(event)
        return event

    def _modify(self, path: str) -> WorldEvent:
        draw = self.draw
        before = self.sketch.files.get(path)
        entry = draw(contents(carriage_returns=self.carriage_returns))
        mtime = draw(st.sampled_from((2, 2, 2, -10, None)))
        if before == entry.data:
            return WorldEvent("touch", path, mtime=draw(st.sampled_from(_SHIFTS)))
        return WorldEvent("modify", path, RegularFile(entry.content), mtime=mtime)

    def _is_reachable(self, path: str) -> bool:
        """Tell whether every folder above the path is one, or is missing."""
        parts = path.split("/")
        above = ["/".join(parts[:end]) for end in range(1, len(parts))]
        return not any(each in self.sketch.files or each in self.sketch.links for each in above)
