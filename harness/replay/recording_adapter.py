"""Compute the outcome of a recording from the scenario and its transcript, without a disk."""

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count
from typing import assert_never

from readfirst.harness.adapter_api import SESSION_CAPABILITIES, AdapterError, Session, ToolResult, Workspace
from readfirst.harness.adapter_traits import AdapterTraits
from readfirst.harness.replay.outcome import Breakage, Outcome, StepOutcome
from readfirst.harness.suite.file_entry import Directory, Entry, HardLink, RegularFile, Stamp, Symlink
from readfirst.harness.suite.ownership import OWN
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.scenario import TOOLS, Scenario, SessionEvent, ToolCall, WorldEvent, calls_of
from readfirst.harness.suite.transcript import RecordingError, Transcript, TranscriptStep
from readfirst.harness.workspace.git import Repository
from readfirst.harness.workspace.snapshot import candidate_paths, changes, names_of

State = dict[str, Entry]


class RecordedAdapter:
    """`recording:<contract>`: the recorded outcomes of one contract. It shows that fixtures and recordings
    agree.

    A call that the recording does not contain means that the recording is outdated: the harness is blamed.
    """

    traits = AdapterTraits(frozenset({*TOOLS, *SESSION_CAPABILITIES}))

    def __init__(self, recordings: Recordings, contract: str) -> None:
        self._recordings = recordings
        self._contract = contract

    def outcome(self, scenario: Scenario) -> Outcome:
        """Return the recorded outcome of a scenario."""
        try:
            recording = self._recordings.of(scenario.id, scenario.inputs)
        except RecordingError as error:
            return Outcome(scenario.id, (), Breakage("harness", str(error), 0))
        transcript = recording.transcripts.get(self._contract)
        if transcript is None and scenario.invariant:
            return Outcome(scenario.id, (), Breakage("unsupported", "a recording, like every invariant", 0))
        if transcript is None:
            message = f"{scenario.id} was not recorded for {self._contract}: record it"
            return Outcome(scenario.id, (), Breakage("harness", message, 0))
        return recorded_outcome(scenario, transcript)

    def open(self, workspace: Workspace) -> Session:  # noqa: ARG002 - the protocol's signature
        """Always raises an exception: a recording is compared through `outcome`, and cannot serve a session."""
        raise AdapterError(
            "a recording cannot open a session: call outcome(scenario) instead", blame="harness"
        )


def recorded_outcome(scenario: Scenario, transcript: Transcript) -> Outcome:
    """Return the recorded outcome as a replay on a disk would show it.

    Times are omitted. If the scenario makes calls that were not recorded, the outcome ends with a breakage.
    """
    files = _Files(scenario.given.files)
    before = dict(files.state)
    steps: list[StepOutcome] = []
    made, stale = 0, ""
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
                tools = tuple(call.tool for call in calls_of(step))
                if made == len(transcript.steps):
                    stale = f"it ends before the call {tools[0]}"
                    break
                row, made = transcript.steps[made], made + 1
                if row.tools != tools:
                    stale = f"call {made} was {', '.join(row.tools)}, now it is {', '.join(tools)}"
                    break
                world: Mapping[str, Entry | None] = {}
                if isinstance(step, ToolCall) and row.struck:
                    for event in step.during:
                        files.perform(event)
                    world = changes(former, files.state)
                names = names_of(files.state)
                files.apply(row)
                changed = changes(former, files.state)
                after = names_of(files.state)
                results = [
                    ToolResult(each.raw, each.is_error, None if each.cut is None else each.error)
                    for each in row.results
                ]
                results[-1] = replace(results[-1], reminders=row.reminders)
                steps.append(
                    StepOutcome(tuple(results), changed, world, row.struck, names_before=names, names=after)
                )
    files.repository.close()
    left = [tool for row in transcript.steps[made:] for tool in row.tools]
    if left and not stale:
        were = "call was" if len(left) == 1 else "calls were"
        stale = f"{len(left)} recorded {were} not made: {', '.join(left)}"
    if not stale:
        return Outcome(scenario.id, tuple(steps), None, before)
    message = f"the recording is stale, record the scenario again: {stale}"
    return Outcome(scenario.id, tuple(steps), Breakage("harness", message, len(steps)), before)


class _Files:
    """A workspace in memory: entries as in a snapshot, each file with an inode number."""

    def __init__(self, given: Mapping[str, Entry]) -> None:
        self.state: State = {}
        self.repository = Repository()
        self._numbers = count(1)
        self._away: dict[str, State] = {}
        """By mounted directory, the entries of its unmounted file system, or those that the mounted one covers."""
        for path, entry in sorted(given.items(), key=lambda each: isinstance(each[1], HardLink)):
            self.put(path, entry)

    def put(self, path: str, entry: Entry | None, *, in_place: bool = False) -> None:
        """Set the entry of a path, and create missing directories. If the path is a file with several names (hard
        links), its other names get the new content. `in_place` keeps the inode number.
        """
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
        """Remove a path with everything below it."""
        for each in [each for each in self.state if each == path or each.startswith(f"{path}/")]:
            del self.state[each]

    def perform(self, event: WorldEvent) -> None:
        """Apply a world event."""
        place = next(iter(candidate_paths({"file_path": event.path}, self.state)), event.path)
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
            case "rename":
                moved = {
                    (event.to or "") + each[len(event.path) :]: entry
                    for each, entry in self.state.items()
                    if each == event.path or each.startswith(f"{event.path}/")
                }
                self.remove(event.path)
                self.state.update(moved)
            case "chmod":
                entry = self.state.get(place)
                if isinstance(entry, RegularFile | Directory):
                    for name in (place, *self._names(place)):
                        self.state[name] = replace(entry, mode=event.mode)
            case "symlink" | "mkdir":
                if isinstance(self.state.get(event.path), RegularFile | Symlink):
                    self.remove(event.path)
                self.put(event.path, event.entry or Directory())
            case "mount" | "unmount":
                below = {each: self.state[each] for each in self.state if each.startswith(f"{event.path}/")}
                self.state = {each: entry for each, entry in self.state.items() if each not in below}
                self.state |= self._away.get(event.path, {})
                self._away[event.path] = below
            case "touch" | "buffer":
                pass
            case _:
                assert_never(event.kind)

    def apply(self, row: TranscriptStep) -> None:
        """Apply the changes of a recorded step. Names of one file that get the same bytes still share it."""
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
