"""Compute the outcome of a scenario from its recording, without running a program or using a disk."""

import posixpath
from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import assert_never

from readfirst.harness.adapter_api import SESSION_CAPABILITIES, AdapterError, Session, ToolResult, Workspace
from readfirst.harness.adapter_traits import AdapterTraits
from readfirst.harness.replay.outcome import Breakage, Outcome, StepOutcome
from readfirst.harness.suite.file_entry import Directory, Entry, HardLink, RegularFile, Stamp, Symlink
from readfirst.harness.suite.ownership import DEFAULT_OWNERSHIP
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.scenario import TOOLS, Scenario, SessionEvent, ToolCall, WorldEvent, calls_of
from readfirst.harness.suite.transcript import RecordingError, Transcript, TranscriptStep
from readfirst.harness.workspace.git import Repository
from readfirst.harness.workspace.snapshot import candidate_paths, changes, hard_link_names

State = dict[str, Entry]


class RecordedAdapter:
    """Adapter for `recording:CONTRACT`, which returns the recorded outcomes of a contract. Used to check that scenarios
    and recordings agree. A missing or outdated recording gives an error with blame `harness`.
    """

    traits = AdapterTraits(frozenset({*TOOLS, *SESSION_CAPABILITIES}))

    def __init__(self, recordings: Recordings, contract: str) -> None:
        self._recordings = recordings
        self._contract = contract

    def outcome(self, scenario: Scenario) -> Outcome:
        """Return the outcome of a scenario with the recorded answers and changes."""
        try:
            transcript = self._recordings.of(scenario.id, scenario.inputs).transcripts.get(self._contract)
        except RecordingError as error:
            return Outcome(scenario.id, (), Breakage("harness", str(error), 0))
        if transcript is not None:
            return recorded_outcome(scenario, transcript)
        if scenario.invariant:
            return Outcome(scenario.id, (), Breakage("unsupported", "a recording, like every invariant", 0))
        message = f"{scenario.id} was not recorded for {self._contract}: record it"
        return Outcome(scenario.id, (), Breakage("harness", message, 0))

    def open(self, workspace: Workspace) -> Session:  # noqa: ARG002 - the protocol's signature
        """Raise AdapterError, because a recording cannot answer calls. Use `outcome` instead."""
        raise AdapterError(
            "a recording cannot open a session: call outcome(scenario) instead", blame="harness"
        )


def recorded_outcome(scenario: Scenario, transcript: Transcript) -> Outcome:
    """Return a transcript's outcome, without durations and file times. Contains an error if a call was not recorded."""
    files = _MemoryWorkspace(scenario.given.files)
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
                names = hard_link_names(files.state)
                files.apply(row)
                changed = changes(former, files.state)
                after = hard_link_names(files.state)
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


class _MemoryWorkspace:
    """A workspace in memory, to apply recorded changes. `state`: entries as in a snapshot, with inode numbers."""

    def __init__(self, given: Mapping[str, Entry]) -> None:
        self.state: State = {}
        self.repository = Repository()
        self._inode_numbers = count(1)
        self._hidden: dict[str, State] = {}
        """Files that are hidden because a file system is mounted on their directory, by directory."""
        for path, entry in sorted(given.items(), key=lambda item: isinstance(item[1], HardLink)):
            self.put(path, entry)

    def put(self, path: str, entry: Entry | None, *, in_place: bool = False) -> None:
        """Write the entry at a path and at the other names of the file (hard links), and create missing directories.
        Without `entry`, remove the path.
        """
        if entry is None:
            self.remove(path)
            return
        parent = posixpath.dirname(path)
        while parent and not parent.startswith(("$", "..")):
            self.state.setdefault(parent, Directory(0o755))
            parent = posixpath.dirname(parent)
        former = self.state.get(path)
        match entry:
            case HardLink(to):
                self._link_names(to, path)
            case RegularFile():
                stamp = former.stamp if in_place and isinstance(former, RegularFile) else None
                mode, owned = 0o644, entry.ownership
                if isinstance(former, RegularFile):
                    mode, owned = former.mode or 0, owned or former.ownership
                fresh = RegularFile(
                    entry.data,
                    mode if entry.mode is None else entry.mode,
                    None,
                    stamp or Stamp(next(self._inode_numbers), 1, 0),
                    owned if owned != DEFAULT_OWNERSHIP else None,
                )
                for name in (path, *self._names_of(former if in_place else None)):
                    self.state[name] = fresh
            case Directory(mode):
                self.state[path] = Directory(0o755 if mode is None else mode)
            case _:
                self.state[path] = entry

    def remove(self, path: str) -> None:
        """Remove a file, link or directory, including everything in it."""
        for name in self._paths_at(path):
            del self.state[name]

    def _paths_at(self, path: str) -> list[str]:
        return [name for name in self.state if name == path or name.startswith(f"{path}/")]

    def perform(self, event: WorldEvent) -> None:
        """Apply an event of the scenario, such as a change by another program, to the workspace."""
        target = next(iter(candidate_paths({"file_path": event.path}, self.state)), event.path)
        match event.kind:
            case "modify":
                if isinstance(event.entry, RegularFile):
                    self.put(target, event.entry, in_place=True)
                else:
                    self.remove(event.path)
                    self.put(event.path, event.entry)
            case "git":
                for path, entry in self.repository.run(event.path, self.state).items():
                    self.remove(path)
                    self.put(path, entry)
            case "delete":
                self.remove(event.path)
            case "rename":
                names = self._paths_at(event.path)
                moved = {(event.to or "") + name[len(event.path) :]: self.state.pop(name) for name in names}
                self.state.update(moved)
            case "chmod":
                entry = self.state.get(target)
                if isinstance(entry, RegularFile | Directory):
                    for name in (target, *self._names_of(entry)):
                        self.state[name] = replace(entry, mode=event.mode)
            case "symlink" | "mkdir":
                if isinstance(self.state.get(event.path), RegularFile | Symlink):
                    self.remove(event.path)
                self.put(event.path, event.entry or Directory())
            case "mount" | "unmount":
                names = [name for name in self._paths_at(event.path) if name != event.path]
                below = {name: self.state.pop(name) for name in names}
                self.state |= self._hidden.get(event.path, {})
                self._hidden[event.path] = below
            case "touch" | "buffer":
                pass
            case _:
                assert_never(event.kind)

    def apply(self, row: TranscriptStep) -> None:
        """Apply the changes of a recorded step. Names of one file (hard links) stay linked if they get equal bytes."""
        written: dict[tuple[int, bytes], str] = {}
        for path, entry in sorted(row.changes.items()):
            former = self.state.get(path)
            inode = former.stamp.inode if isinstance(former, RegularFile) and former.stamp is not None else 0
            if isinstance(entry, RegularFile) and inode:
                first = written.setdefault((inode, entry.data), path)
                if first != path:
                    self._link_names(first, path)
                    continue
            self.put(path, entry)
        for path, mode in row.created.items():
            entry = self.state.get(path)
            if isinstance(entry, RegularFile):
                self.state[path] = RegularFile(entry.data, mode, None, entry.stamp)
            else:
                self.state[path] = Directory(mode)

    def _link_names(self, first: str, path: str) -> None:
        file = self.state.get(first)
        if isinstance(file, RegularFile) and file.stamp is not None:
            shared = RegularFile(file.data, file.mode, None, Stamp(file.stamp.inode, 2, 0))
            for name in (first, path, *self._names_of(file)):
                self.state[name] = shared

    def _names_of(self, entry: Entry | None) -> list[str]:
        """Return all names of a file with several names (hard links). Empty for all other entries."""
        if not isinstance(entry, RegularFile) or entry.stamp is None or entry.stamp.names < 2:
            return []
        inode = entry.stamp.inode
        return [
            name
            for name, other in self.state.items()
            if isinstance(other, RegularFile) and other.stamp is not None and other.stamp.inode == inode
        ]
