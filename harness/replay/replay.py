"""Replay a scenario: create its workspace, perform its steps on an implementation, and record the outcome."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from signal import Signals
from typing import Any

from readfirst.harness.adapter_api import (
    NO_ANSWER,
    Adapter,
    AdapterError,
    Hook,
    InterruptibleSession,
    KillableSession,
    ParallelSession,
    RacingSession,
    Session,
    ToolResult,
    UnsupportedCall,
)
from readfirst.harness.adapter_traits import traits_of
from readfirst.harness.processes import trace
from readfirst.harness.processes.temp_dirs import ScratchError
from readfirst.harness.replay.interference import Interference
from readfirst.harness.replay.interrupt_on_write import WriteWatcher, killed_when_writing
from readfirst.harness.replay.outcome import Breakage, Outcome, StepOutcome, breakage_of, check_answers
from readfirst.harness.replay.session_router import Conversation, at_once, require_method
from readfirst.harness.replay.site import lend_site, mount_disks
from readfirst.harness.suite.event_kinds import INTERRUPTIONS
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.scenario import (
    ParallelCalls,
    Scenario,
    SessionEvent,
    Step,
    ToolCall,
    WorldEvent,
)
from readfirst.harness.workspace.guarded_directory import SpoiltError
from readfirst.harness.workspace.platform_support import require_distinct_names, require_platform
from readfirst.harness.workspace.snapshot import changes, names_of, pass_time, traces
from readfirst.harness.workspace.workspace_dir import HOME, TEMPORARY, WorkspaceDir, WorkspacePool

_UMASK = 0o022
_ATTEMPTS = 3
"""Maximum number of replays of a scenario if another part of the conversation disturbs its answers. Disturbances are
periodic, so the second replay usually succeeds.
"""

_LATE, _LATER = 0.00005, 21
"""One of two simultaneous sessions starts 0 to 20 times `_LATE` seconds late; `_LATER` delays are different."""


def replay(
    scenario: Scenario,
    adapter: Adapter,
    place: WorkspacePool,
    *,
    settle: float = 0.0,
    to_the_end: bool = False,
) -> Outcome:
    """Perform a scenario in a new session and return the outcome of each step.

    After every step, and again after the session, all bytes of the workspace are compared with the state before.
    `settle` is a number of seconds to wait for late writes: before the session is closed, and before the last
    comparison. With `to_the_end`, a process that serves several sessions is also ended before the last comparison. An
    error ends the replay and becomes the breakage of the outcome, with the party to blame; only an interruption is
    raised.

    `place` provides the workspaces, or the pool `servers` of the adapter if it has one. The path of a workspace is
    used again only if the adapter declares `reuses_paths`, because a process that serves several sessions could
    remember its Reads of this path.

    If another part of the conversation may have changed answers (`was_contaminated`), the scenario is replayed again,
    at most three times in all. If this happens each time, the outcome is marked as `disturbed`.
    """
    traits = traits_of(adapter)
    for _ in range(_ATTEMPTS):
        outcome = _replay_once(scenario, adapter, place, settle, to_the_end)
        disturbed = traits.was_contaminated()
        if not disturbed or outcome.error is not None:
            break
    return replace(outcome, disturbed=True) if disturbed else outcome


def _replay_once(
    scenario: Scenario, adapter: Adapter, place: WorkspacePool, settle: float, to_the_end: bool
) -> Outcome:
    former = os.umask(_UMASK)
    outcome = None
    try:
        with lend_site(scenario, adapter, place) as site, mount_disks(scenario, adapter, site):
            outcome = _Replay(scenario, site, settle).perform(adapter, to_the_end=to_the_end)
            if place.keep is not None:
                place.keep(scenario.id, site)
    except UnsupportedCall as error:
        broken: Breakage | None = Breakage("machine", str(error), 0)
    except SpoiltError as error:
        broken = Breakage("implementation", str(error), 0)
    except (OSError, ScratchError) as error:
        doing = "prepare" if outcome is None else "clear"
        broken = Breakage("environment", f"cannot {doing} the workspace: {error}", 0)
    else:
        broken = None
    finally:
        os.umask(former)
    if outcome is None:
        outcome = Outcome(scenario.id, (), broken)
    elif outcome.error is None and broken is not None:
        outcome = replace(outcome, error=replace(broken, step=max(len(outcome.steps) - 1, 0)))
    if outcome.error is not None and outcome.error.blame == "implementation":
        # It may have spoiled more than this workspace.
        traits_of(adapter).reset()
    return outcome


def _is_judged(broken: Breakage | None) -> bool:
    """Whether the changes of the workspace are judged: if the replay did not break, or broke because the session does
    not support a call and so has changed nothing.
    """
    return broken is None or broken.blame == "unsupported"


class _Replay:
    adapter: Adapter

    def __init__(self, scenario: Scenario, site: WorkspaceDir, settle: float) -> None:
        self.scenario = scenario
        self.site = site
        self.settle = settle
        self.before: dict[str, Entry] = {}
        self.state: dict[str, Entry] = {}
        self.steps: list[StepOutcome] = []
        self.index = 0
        self.hooks: tuple[Hook, ...] = ()
        self.other: Adapter | None = None
        self.named: tuple[dict[str, Entry], dict[str, tuple[str, ...]]] | None = None
        self.written_by = 0
        """Latest time of an observed change, in nanoseconds. Given files are much older."""

    def perform(self, adapter: Adapter, *, to_the_end: bool) -> Outcome:
        trace.scenario(self.scenario.id, self.site.root)
        require_platform(self.scenario.platform, self.site.root)
        require_distinct_names(self.scenario, self.site.root)
        self.site.lay_out(self.scenario.given.files)
        self.before = self.state = self.site.snapshot()
        self._look_for_strays()
        broken = self._play(adapter)
        afterwards = StepOutcome()
        if _is_judged(broken):
            try:
                if to_the_end:
                    traits_of(adapter).reset()
                self._settle(broken)
                afterwards = self._afterwards()
            except (Exception, SystemExit) as error:
                broken = breakage_of(error, self.index, self.site.normalised)
        return Outcome(self.scenario.id, tuple(self.steps), broken, self.before, afterwards)

    def _play(self, adapter: Adapter) -> Breakage | None:
        """Perform the steps in a session, close the session, and return the breakage. None if nothing broke."""
        broken = None
        conversation = None
        try:
            try:
                workspace = self.site.workspace(self.scenario)
                if traits_of(adapter).needs_isolation(self.scenario):
                    workspace = replace(workspace, isolated=True)
                self.hooks = workspace.hooks
                self.adapter = adapter
                conversation = Conversation(
                    lambda: adapter.open(workspace), lambda: self._another(adapter).open(workspace)
                )
                if self.site.confined:
                    self._take_over_from_the_start()
                for index, step in enumerate(self.scenario.steps):
                    self.index = index
                    self._perform(step, conversation)
            except (Exception, SystemExit) as error:
                broken = breakage_of(error, self.index, self.site.normalised)
            self._settle(broken)
        finally:
            try:
                if conversation is not None:
                    conversation.close()
                if self.other is not None:
                    traits_of(self.other).close()
            except (Exception, SystemExit) as error:
                broken = broken or breakage_of(error, self.index, self.site.normalised)
        return broken

    def _another(self, adapter: Adapter) -> Adapter:
        """Return an adapter for a second simultaneous session: a clone of `adapter`, or itself if it needs none."""
        another = traits_of(adapter).clone
        if another is None:
            return adapter
        self.other = another()
        return self.other

    def _settle(self, broken: Breakage | None) -> None:
        if self.settle and _is_judged(broken):
            time.sleep(self.settle)

    def _afterwards(self) -> StepOutcome:
        """Return the changes of the workspace since the last step."""
        before = self.state
        changed = self._changes()
        names = self._names(before)
        return StepOutcome(
            (), changed, traces=traces(before, self.state), names_before=names, names=self._names()
        )

    def _names(self, state: dict[str, Entry] | None = None) -> dict[str, tuple[str, ...]]:
        """Return all names of each file with several (hard links), by each name. `state` None: the current state."""
        state = self.state if state is None else state
        if self.named is None or self.named[0] is not state:
            self.named = state, names_of(state)
        return self.named[1]

    def _take_over_from_the_start(self) -> None:
        """Accept the files that a program creates at home and in its temporary directory during its start."""
        now = self.site.snapshot().items()
        self.state = self.state | {path: entry for path, entry in now if path.startswith((HOME, TEMPORARY))}

    def _look_for_strays(self) -> None:
        given = self.scenario.given.files
        if len(self.before) > len(given):
            folders = {path[:end] for path in given for end, each in enumerate(path) if each == "/"}
            strays = self.before.keys() - given.keys() - folders
            if path := next((path for path in strays if not path.startswith((HOME, TEMPORARY))), None):
                raise SpoiltError(f"a process of an earlier scenario still writes into the workspace: {path}")

    def _perform(self, step: Step, conversation: Conversation) -> None:
        match step:
            case SessionEvent():
                trace.event(self.index + 1, step)
                conversation.undergo(step, self.site.root)
                if step.kind == "rewind":  # Restored files are compared at the next call.
                    changed, self.written_by = {}, time.time_ns()
                else:
                    changed = self._changes()
                if step.kind in ("other", "back"):
                    pass_time(self.written_by)
                self.steps.append(StepOutcome(changes=changed))
            case WorldEvent():
                trace.event(self.index + 1, step)
                before = self.state
                early = self._changes()
                self.site.perform(step)
                # Changes since the last answer were not made by the event.
                world = {path: entry for path, entry in self._changes().items() if path not in early}
                self.steps.append(StepOutcome(changes=changes(before, self.state), expected_world=world))
            case ToolCall(signal=str(name)):
                self._perform_killed(step, Signals[name], conversation)
            case ToolCall(during=(), interrupted=None):
                arguments, session = self._next_arguments(step), conversation.session
                self._record(lambda: [session.call(step.tool, arguments)], 1)
            case ToolCall():
                self._perform_race(step, conversation.session)
            case ParallelCalls(sides=sides) if sides:
                self._perform_at_once(step, (conversation.session, conversation.apart))
            case ParallelCalls(calls):
                session = require_method(conversation.session, ParallelSession, "parallel", "call_parallel")
                together = [(call.tool, self._next_arguments(call)) for call in calls]
                self._record(lambda: session.call_parallel(together), len(calls))

    def _next_arguments(self, call: ToolCall) -> Any:
        """Return the arguments of a call with `$WS` replaced by the path of the workspace, and log the call."""
        arguments = self.site.substituted(call.arguments)
        trace.call(self.index + 1, call.tool, arguments)
        return arguments

    def _perform_race(self, call: ToolCall, session: Session) -> None:
        """Make a call with events between its validation and its execution, or a call that ends early.

        A call that is `stopped` is cancelled when it has started to write.
        """
        how = call.interrupted
        if how is None:
            racing = require_method(session, RacingSession, "during", "call_during")
        else:
            ending = require_method(
                session, InterruptibleSession, INTERRUPTIONS[how].needs, "call_interrupted"
            )
        arguments = self._next_arguments(call)
        interfere = Interference(self.site, call.during)

        def make() -> list[ToolResult]:
            if how is None:
                return [racing.call_during(call.tool, arguments, interfere)]
            if how == "stopped":
                with WriteWatcher(self.site.root) as watch:
                    return [ending.call_interrupted(call.tool, arguments, how, watch.wait)]
            given = arguments if how == "cancelled" else self.site.substituted(call.begun)
            return [ending.call_interrupted(call.tool, given, how, interfere)]

        self._record(make, 1, interfere)
        interfere.end()

    def _perform_at_once(self, group: ParallelCalls, sessions: Sequence[Session]) -> None:
        """Make the calls of two sessions at the same time."""
        asked = [(call.tool, self._next_arguments(call)) for call in group.calls]
        results: dict[int, ToolResult] = {}

        def act(side: int, session: Session) -> None:
            for number, (tool, arguments) in enumerate(asked):
                if group.sides[number] == side:
                    # A session that is always a little later would never meet the other.
                    if side == self.index % 2:
                        time.sleep(self.index % _LATER * _LATE)
                    results[number] = session.call(tool, arguments)

        def make() -> list[ToolResult]:
            at_once([partial(act, side, session) for side, session in enumerate(sessions)])
            return [results[number] for number in range(len(asked))]

        self._record(make, len(asked))

    def _perform_killed(self, call: ToolCall, number: Signals, conversation: Conversation) -> None:
        """Make a call, and send the signal `number` to the program during the call. The program may exit."""
        session = require_method(conversation.session, KillableSession, "kill", "kill()")
        if call.paused:
            require_method(session, RacingSession, "during", "call_during")
        arguments = self._next_arguments(call)
        ended = False

        def kill(by: int = number) -> bool:
            nonlocal ended
            ended = bool(session.kill(by))
            return ended

        interfere = Interference(self.site, call.during, finally_=kill)

        def make() -> list[ToolResult]:
            if not call.paused:
                make = lambda: session.call(call.tool, arguments)  # noqa: E731 - one expression
                return [killed_when_writing(self.site.root, make, kill)]
            try:
                return [session.call_during(call.tool, arguments, interfere)]
            except AdapterError:
                if not ended:
                    raise
                return [NO_ANSWER]

        self._record(make, 1, interfere)
        interfere.end()
        conversation.killed()
        if traits_of(self.adapter).servers is None:  # the killed process served no other session
            traits_of(self.adapter).reset()

    def _record(
        self, call: Callable[[], Sequence[ToolResult]], expected: int, interfere: Interference | None = None
    ) -> None:
        started = time.perf_counter()
        answered = call()
        milliseconds = (time.perf_counter() - started) * 1000
        results = check_answers(answered, expected, self._normalise_text)
        trace.answers(self.index + 1, answered)
        world = interfere.changes if interfere is not None else {}
        struck = interfere is not None and interfere.count > 0
        before = self.state
        changed = self._changes()
        if interfere is None or interfere.state is None:
            left, start = traces(before, self.state), before
        else:
            start = interfere.state[1]
            left = traces(before, interfere.state[0]) | traces(start, self.state)
        self.steps.append(
            StepOutcome(
                results, changed, world, struck, milliseconds, left, self._names(start), self._names()
            )
        )

    def _changes(self) -> dict[str, Entry | None]:
        try:
            now = self.site.snapshot()
        except OSError as error:
            raise AdapterError(f"cannot read the workspace: {error}", blame="environment") from error
        if now is not self.state:
            self.written_by = time.time_ns()
        changed = changes(self.state, now)
        self.state = now
        return changed

    def _normalise_text(self, text: str) -> str:
        for number, hook in enumerate(self.hooks, 1):
            text = text.replace(hook.command, f"$HOOK{number}")
        return self.site.normalised(text)
