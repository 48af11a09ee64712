"""The adapter `recording:<contract>`: answers and changes the files as was recorded."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from signal import SIGKILL

from readfirst.harness.session import (
    SESSION_CAPABILITIES,
    AdapterTraits,
    Arguments,
    BrokenAdapter,
    Interfere,
    ToolResult,
    UnsupportedCall,
    Workspace,
)
from readfirst.harness.suite.entry import Directory, Entry, RegularFile
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.scenario import TOOLS, Scenario
from readfirst.harness.suite.transcript import RecordedResult, RecordingError, Transcript, TranscriptStep
from readfirst.harness.workspace.site import HOME
from readfirst.harness.workspace.snapshot import ownership_at
from readfirst.harness.workspace.world import create


class RecordingAdapter:
    """Replays one contract's recordings: proves that fixtures and recordings agree.

    Which recording to replay must be said first, with `of`. Anything that the recording does not contain,
    a call above all, means that it is out of date: the harness is to blame.
    """

    traits = AdapterTraits(frozenset({*TOOLS, *SESSION_CAPABILITIES}), repeats_paths=True)

    def __init__(self, recordings: Recordings, contract: str) -> None:
        self._recordings = recordings
        self._contract = contract

    def of(self, scenario: Scenario) -> OneTranscript:
        """Return the adapter that replays the recording of one scenario."""
        return OneTranscript(partial(self._transcript, scenario))

    def _transcript(self, scenario: Scenario) -> Transcript:
        try:
            recording = self._recordings.of(scenario.id, scenario.inputs)
        except RecordingError as error:
            raise BrokenAdapter(str(error), blame="harness") from error
        transcript = recording.transcripts.get(self._contract)
        if transcript is None and scenario.law:
            raise UnsupportedCall("a recording, as of every law")
        if transcript is None:
            message = f"{scenario.id} was not recorded for {self._contract}: record it"
            raise BrokenAdapter(message, blame="harness")
        return transcript

    def open(self, workspace: Workspace) -> RecordedSession:  # noqa: ARG002 - the protocol's signature
        """Refuse: without a scenario there is nothing to replay."""
        raise BrokenAdapter("a recording belongs to a scenario: open it with of(scenario)", blame="harness")


class OneTranscript:
    """Replays one transcript, which is at hand, or read when a session is opened."""

    traits = AdapterTraits(repeats_paths=True, repeats_answers=True)

    def __init__(self, transcript: Transcript | Callable[[], Transcript]) -> None:
        self._transcript = transcript
        self._latest: RecordedSession | None = None

    def open(self, workspace: Workspace) -> RecordedSession:
        """Start at the first call."""
        transcript = self._transcript if isinstance(self._transcript, Transcript) else self._transcript()
        self._latest = RecordedSession(transcript, workspace, self._latest)
        return self._latest


class RecordedSession:
    """One transcript, from its first step to its last; a `former` session that was not closed is gone on with."""

    def __init__(
        self, transcript: Transcript, workspace: Workspace, former: RecordedSession | None = None
    ) -> None:
        self._steps = transcript.steps
        self._root = str(workspace.root)
        self._home = str(workspace.home)
        self._over: bool = False
        self._killed: bool = False
        self._made: list[int] = former._made if former is not None and not former._over else [0]
        """How many calls were made, by all sessions of a scenario."""

    def call(self, tool: str, arguments: Arguments) -> ToolResult:
        """Answer one call as recorded."""
        step = self._step([(tool, arguments)])
        self._apply(step)
        return _answers(step)[0]

    def call_parallel(self, calls: Sequence[tuple[str, Arguments]]) -> Sequence[ToolResult]:
        """Answer the calls of one message as recorded."""
        step = self._step(calls)
        self._apply(step)
        return _answers(step)

    def call_during(self, tool: str, arguments: Arguments, interfere: Interfere) -> ToolResult:
        """Answer one call as recorded; interfere if the recorded product came that far."""
        step = self._step([(tool, arguments)])
        if step.struck:
            interfere()
        self._apply(step)
        return _answers(step)[0]

    def call_interrupted(self, tool: str, arguments: object, how: str, interfere: Interfere) -> ToolResult:
        """Answer one call as recorded; interfere if the recorded product came that far."""
        return self.call_during(tool, {"arguments": arguments, "how": how}, interfere)

    def kill(self, number: int = SIGKILL) -> bool:
        """Let the session that comes next go on: whether an answer came was recorded."""
        self._killed = True
        return number == SIGKILL

    def resume(self) -> None:
        """Go on: the next answer is the next that was recorded."""
        self._killed = False

    def compact(self) -> None:
        """Go on: the next answer is the next that was recorded."""

    def rewind(self) -> None:
        """Go on: what this brings back comes with the next answer."""

    def mention(self, path: str) -> None:
        """Go on: the next answer is the next that was recorded."""

    def sub_agent(self) -> _RecordedAgent:
        """Answer a sub-agent's calls as recorded: they are among the others, in the order of the scenario."""
        return _RecordedAgent(self)

    background_agent = sub_agent

    def close(self) -> None:
        """Complain of recorded calls that were not made."""
        if self._killed:
            return
        self._over = True
        if left := [tool for step in self._steps[self._made[0] :] for tool in step.tools]:
            count = "1 recorded call was" if len(left) == 1 else f"{len(left)} recorded calls were"
            raise _stale(f"{count} not made: {', '.join(left)}")

    def _step(self, calls: Sequence[tuple[str, Arguments]]) -> TranscriptStep:
        made = tuple(tool for tool, _ in calls)
        number = self._made[0]
        if number >= len(self._steps):
            raise _stale(f"it ends before the call {made[0]}")
        step = self._steps[number]
        self._made[0] += 1
        if step.tools != made:
            raise _stale(f"call {number + 1} was {', '.join(step.tools)}, now it is {', '.join(made)}")
        return step

    def _apply(self, step: TranscriptStep) -> None:
        try:
            shared = {path: _shared_file(self._place(path)) for path in step.changes}
            first: dict[tuple[int, Entry | None], Path] = {}
            for path, entry in sorted(step.changes.items()):
                file, place = shared[path], self._place(path)
                written = (
                    first.setdefault((file, entry), place)
                    if file is not None and entry is not None
                    else place
                )
                if written == place:
                    self._put(path, entry)
                else:  # the product wrote the file in place, under all of its names
                    place.unlink()
                    place.hardlink_to(written)
            for path, mode in step.created.items():
                if (place := self._place(path)).is_symlink():
                    raise _stale(f"it gives the link {path} a mode, which would be that of another file")
                place.chmod(mode)
        except OSError as error:
            raise _stale(f"its changes do not fit the workspace: {error}") from error

    def _place(self, path: str) -> Path:
        """Return where a recorded path is, in the workspace or in the home directory."""
        inside_home = path.startswith(HOME)
        root = self._home if inside_home else self._root
        target = Path(root, path.removeprefix(HOME) if inside_home else path)
        # What the last name leads to does not matter: a link there is replaced, not followed.
        inside = Path(os.path.realpath(target.parent)).is_relative_to(root)
        if not inside or ".." in target.parts:
            raise _stale(f"it changes {path}, which leads out of the workspace")
        return target

    def _put(self, path: str, entry: Entry | None) -> None:
        target = self._place(path)
        former, owned = None, None
        if target.is_file() and not target.is_symlink():
            owned = ownership_at(str(target))
        if not target.is_symlink() and target.exists():
            former = stat.S_IMODE(target.stat().st_mode)
        if target.is_dir() and not target.is_symlink():
            if entry is None:
                shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)
        if entry is None:
            return
        if isinstance(entry, RegularFile | Directory) and entry.mode is None:
            entry = replace(entry, mode=former)
        if isinstance(entry, RegularFile) and entry.ownership is None:
            entry = replace(entry, ownership=owned)
        root = self._home if path.startswith(HOME) else self._root
        create(root, path.removeprefix(HOME), entry)


def _shared_file(path: Path) -> int | None:
    """Return the inode of a regular file that has several names; None for everything else."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_ino if stat.S_ISREG(status.st_mode) and status.st_nlink > 1 else None


class _RecordedAgent:
    """A sub-agent in a transcript."""

    def __init__(self, session: RecordedSession) -> None:
        self.call = session.call
        self.call_parallel = session.call_parallel
        self.call_during = session.call_during
        self.call_interrupted = session.call_interrupted


def recorded_result(result: RecordedResult) -> ToolResult:
    """Return what a call answers that was recorded so."""
    return ToolResult(result.raw, result.is_error, None if result.cut is None else result.error)


def _answers(step: TranscriptStep) -> list[ToolResult]:
    """Return the results of a message; what the model is told of files follows the last."""
    *others, last = map(recorded_result, step.results)
    return [*others, replace(last, reminders=step.reminders)]


def _stale(what: str) -> BrokenAdapter:
    return BrokenAdapter(f"the recording is stale, record the scenario again: {what}", blame="harness")
