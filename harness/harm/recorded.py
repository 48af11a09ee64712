"""Recorded: the outcome of a recording, made from the scenario and its transcript without a disk."""

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count

from readfirst.harness.replay.outcome import Outcome, StepOutcome
from readfirst.harness.session import ToolResult
from readfirst.harness.suite.entry import Directory, Entry, HardLink, RegularFile, Stamp, Symlink
from readfirst.harness.suite.ownership import OWN
from readfirst.harness.suite.scenario import Scenario, SessionEvent, ToolCall, WorldEvent
from readfirst.harness.suite.transcript import Transcript, TranscriptStep
from readfirst.harness.workspace.git import Repository
from readfirst.harness.workspace.meant import meant
from readfirst.harness.workspace.snapshot import changes
from readfirst.harness.workspace.traces import names_of

State = dict[str, Entry]


def recorded_outcome(scenario: Scenario, transcript: Transcript) -> Outcome:
    """Return what the product was recorded to do, as a replay of the recording on a disk would show it.

    Times are left out.
    """
    files = _Files(scenario.given.files)
    before = dict(files.state)
    steps: list[StepOutcome] = []
    rows = iter(transcript.steps)
    for step in scenario.steps:
        former = dict(files.state)
        match step:
            case WorldEvent():
                files.perform(step)
                changed = changes(former, files.state)
                steps.append(StepOutcome(changes=changed, expected_world=changed))
            case SessionEvent():
                steps.append(StepOutcome())
            case _:
                row = next(rows, None)
                if row is None:
                    break
                world: Mapping[str, Entry | None] = {}
                if isinstance(step, ToolCall) and row.struck:
                    for event in step.during:
                        files.perform(event)
                    world = changes(former, files.state)
                names = names_of(files.state)
                files.apply(row)
                results = [ToolResult(each.raw, each.is_error, each.error) for each in row.results]
                results[-1] = ToolResult(
                    results[-1].text, results[-1].is_error, results[-1].error, row.reminders
                )
                steps.append(
                    StepOutcome(
                        tuple(results),
                        changes(former, files.state),
                        world,
                        row.struck,
                        names_before=names,
                        names=names_of(files.state),
                    )
                )
    files.repository.close()
    return Outcome(scenario.id, tuple(steps), None, before)


class _Files:
    """A workspace that is only thought of: entries as a snapshot has them, each file with its number."""

    def __init__(self, given: Mapping[str, Entry]) -> None:
        self.state: State = {}
        self.repository = Repository()
        self._numbers = count(1)
        for path, entry in sorted(given.items(), key=lambda each: isinstance(each[1], HardLink)):
            self.put(path, entry)

    def put(self, path: str, entry: Entry | None, *, in_place: bool = False) -> None:
        """Put an entry at a path, with the folders above it; the names of a file that is kept share its bytes."""
        if entry is None:
            self.remove(path)
            return
        for folder in _folders(path):
            self.state.setdefault(folder, Directory(0o755))
        former = self.state.get(path)
        match entry:
            case HardLink(to):
                self._share(to, path)
            case RegularFile():
                stamp = former.stamp if in_place and isinstance(former, RegularFile) else None
                mode, owned = 0o644, entry.ownership
                if isinstance(former, RegularFile):
                    mode, owned = former.mode or 0, owned or former.ownership
                fresh = RegularFile(
                    entry.data,
                    mode if entry.mode is None else entry.mode,
                    None,
                    stamp or Stamp(next(self._numbers), 1, 0),
                    owned if owned != OWN else None,
                )
                self.state[path] = fresh
                for other in self._names(path):
                    self.state[other] = fresh
            case Directory(mode):
                self.state[path] = Directory(0o755 if mode is None else mode)
            case _:
                self.state[path] = entry

    def remove(self, path: str) -> None:
        """Remove what is at a path or below it."""
        for each in [each for each in self.state if each == path or each.startswith(f"{path}/")]:
            del self.state[each]

    def perform(self, event: WorldEvent) -> None:
        """Let a world event happen."""
        place = next(iter(meant({"file_path": event.path}, self.state)), event.path)
        match event.kind:
            case "modify":
                if isinstance(event.entry, RegularFile):
                    self.put(place, event.entry, in_place=True)
                else:
                    self.remove(event.path)
                    self.put(event.path, event.entry)
            case "git":
                for path, entry in self.repository.changed_by(event.path, self.state).items():
                    self.remove(path)
                    self.put(path, entry)
            case "delete":
                self.remove(event.path)
            case "rename" if event.to is not None:
                moved = {
                    event.to + each[len(event.path) :]: entry
                    for each, entry in self.state.items()
                    if each == event.path or each.startswith(f"{event.path}/")
                }
                self.remove(event.path)
                self.state.update(moved)
            case "chmod":
                entry = self.state.get(place)
                if isinstance(entry, RegularFile):
                    self.state[place] = replace(entry, mode=event.mode)
                elif isinstance(entry, Directory):
                    self.state[place] = Directory(event.mode)
            case "symlink" | "mkdir":
                if isinstance(self.state.get(event.path), RegularFile | Symlink):
                    self.remove(event.path)
                self.put(event.path, event.entry or Directory())
            case _:
                pass

    def apply(self, row: TranscriptStep) -> None:
        """Let the changes of a recorded step happen; names of one file that get the same bytes still share it."""
        written: dict[tuple[int, bytes], str] = {}
        for path, entry in sorted(row.changes.items()):
            former = self.state.get(path)
            inode = former.stamp.inode if isinstance(former, RegularFile) and former.stamp is not None else 0
            if isinstance(entry, RegularFile) and inode:
                first = written.setdefault((inode, entry.data), path)
                if first != path:
                    self._share(first, path)
                    continue
            self.put(path, entry)
        for path, mode in row.created.items():
            entry = self.state.get(path)
            if isinstance(entry, RegularFile):
                self.state[path] = RegularFile(entry.data, mode, None, entry.stamp)
            else:
                self.state[path] = Directory(mode)

    def _share(self, first: str, path: str) -> None:
        file = self.state.get(first)
        if isinstance(file, RegularFile) and file.stamp is not None:
            shared = RegularFile(file.data, file.mode, None, Stamp(file.stamp.inode, 2, 0))
            for name in (first, path, *self._names(first)):
                self.state[name] = shared

    def _names(self, path: str) -> list[str]:
        entry = self.state.get(path)
        if not isinstance(entry, RegularFile) or entry.stamp is None or entry.stamp.names < 2:
            return []
        inode = entry.stamp.inode
        return [
            each
            for each, other in self.state.items()
            if isinstance(other, RegularFile) and other.stamp is not None and other.stamp.inode == inode
        ]


def _folders(path: str) -> Iterable[str]:
    while (path := posixpath.dirname(path)) and not path.startswith(("$", "..")):
        yield path
