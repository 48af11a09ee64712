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
from readfirst.harness.replay.interrupt_on_write import WriteWatcher, kill_when_writing
from readfirst.harness.replay.outcome import Breakage, Outcome, StepOutcome, breakage_of, check_answers
from readfirst.harness.replay.session_router import SessionRouter, require_method, run_simultaneously
from readfirst.harness.replay.site import mount_disks, open_site
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
from readfirst.harness.workspace.snapshot import changes, hard_link_names, traces, wait_for_later_time
from readfirst.harness.workspace.workspace_dir import HOME, TEMPORARY, WorkspaceDir, WorkspacePool

_UMASK = 0o022
_MAX_ATTEMPTS = 3
"""Maximum replays of a scenario. Messages outside the scenario, such as periodic reminders, cause a repetition."""

_STAGGER_STEP_S, _STAGGER_STEPS = 0.00005, 21
"""To vary which of two simultaneous sessions is first, one waits for 0 to 20 times `_STAGGER_STEP_S` seconds."""


def replay(
    scenario: Scenario,
    adapter: Adapter,
    pool: WorkspacePool,
    *,
    settle: float = 0.0,
    ends_process: bool = False,
) -> Outcome:
    """Perform a scenario in a new session and return the outcome of each step.

    All bytes of the workspace are compared after every step and after the session. `settle` is a number of seconds to
    wait for late writes: before the session is closed, and before the last comparison. With `ends_process`, the process
    of the implementation is ended before the last comparison. An exception ends the replay and becomes the `error` of
    the outcome.

    The workspaces are from the adapter's pool of servers (`servers`), if any, otherwise from `pool`. A path is used
    again only if the adapter declares `reuses_paths`.

    If the adapter reports messages outside the scenario (`was_contaminated`), such as periodic reminders, the scenario
    is replayed again, at most three times in all. If the messages occur each time, the outcome is `disturbed`.
    """
    traits = traits_of(adapter)
    for _ in range(_MAX_ATTEMPTS):
        outcome = _replay_once(scenario, adapter, pool, settle, ends_process)
        disturbed = traits.was_contaminated()
        if not disturbed or outcome.error is not None:
            break
    return replace(outcome, disturbed=True) if disturbed else outcome


def _replay_once(
    scenario: Scenario, adapter: Adapter, pool: WorkspacePool, settle: float, ends_process: bool
) -> Outcome:
    previous_umask = os.umask(_UMASK)
    outcome, breakage = None, None
    try:
        with open_site(scenario, adapter, pool) as site, mount_disks(scenario, adapter, site):
            outcome = _Replay(scenario, site, settle).perform(adapter, ends_process=ends_process)
            if pool.keep is not None:
                pool.keep(scenario.id, site)
    except UnsupportedCall as error:
        breakage = Breakage("machine", str(error), 0)
    except SpoiltError as error:
        breakage = Breakage("implementation", str(error), 0)
    except (OSError, ScratchError) as error:
        verb = "prepare" if outcome is None else "clear"
        breakage = Breakage("environment", f"cannot {verb} the workspace: {error}", 0)
    finally:
        os.umask(previous_umask)
    if outcome is None:
        outcome = Outcome(scenario.id, (), breakage)
    elif outcome.error is None and breakage is not None:
        outcome = replace(outcome, error=replace(breakage, step=max(len(outcome.steps) - 1, 0)))
    if outcome.error is not None and outcome.error.blame == "implementation":
        # It may have spoiled more than this workspace.
        traits_of(adapter).reset()
    return outcome


def _are_changes_judged(breakage: Breakage | None) -> bool:
    """Whether changes after the last step are judged: the replay was complete, or ended at an unsupported call."""
    return breakage is None or breakage.blame == "unsupported"


class _Replay:
    """One replay of a scenario. `state` is the last snapshot of the workspace, `index` the current step's index."""

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
        self.second_adapter: Adapter | None = None
        self.names_of_state: tuple[dict[str, Entry], dict[str, tuple[str, ...]]] | None = None
        self.last_change_ns = 0
        """Latest time of a change in the workspace, in nanoseconds. Given files are much older."""

    def perform(self, adapter: Adapter, *, ends_process: bool) -> Outcome:
        trace.scenario(self.scenario.id, self.site.root)
        require_platform(self.scenario.platform, self.site.root)
        require_distinct_names(self.scenario, self.site.root)
        self.site.lay_out(self.scenario.given.files)
        self.before = self.state = self.site.snapshot()
        self._refuse_unexpected_files()
        breakage = self._perform_steps(adapter)
        afterwards = StepOutcome()
        if _are_changes_judged(breakage):
            try:
                if ends_process:
                    traits_of(adapter).reset()
                self._wait_for_late_writes(breakage)
                before, changed = self.state, self._update_state()
                afterwards = StepOutcome(
                    (),
                    changed,
                    traces=traces(before, self.state),
                    names_before=self._file_names(before),
                    names=self._file_names(self.state),
                )
            except (Exception, SystemExit) as error:
                breakage = breakage_of(error, self.index, self.site.with_placeholders)
        return Outcome(self.scenario.id, tuple(self.steps), breakage, self.before, afterwards)

    def _perform_steps(self, adapter: Adapter) -> Breakage | None:
        """Perform the steps in a session, and close it. Return the reason if the replay ended early, else None."""
        breakage = None
        router = None
        try:
            try:
                workspace = self.site.workspace(self.scenario)
                if traits_of(adapter).needs_isolation(self.scenario):
                    workspace = replace(workspace, isolated=True)
                self.hooks = workspace.hooks
                self.adapter = adapter
                router = SessionRouter(
                    lambda: adapter.open(workspace), lambda: self._second_adapter().open(workspace)
                )
                if self.site.confined:
                    # Accept files that the program creates at home and in its temporary directory during its start.
                    now = self.site.snapshot().items()
                    own = {path: entry for path, entry in now if path.startswith((HOME, TEMPORARY))}
                    self.state = self.state | own
                for index, step in enumerate(self.scenario.steps):
                    self.index = index
                    self._perform(step, router)
            except (Exception, SystemExit) as error:
                breakage = breakage_of(error, self.index, self.site.with_placeholders)
            self._wait_for_late_writes(breakage)
        finally:
            try:
                if router is not None:
                    router.close()
                if self.second_adapter is not None:
                    traits_of(self.second_adapter).close()
            except (Exception, SystemExit) as error:
                breakage = breakage or breakage_of(error, self.index, self.site.with_placeholders)
        return breakage

    def _second_adapter(self) -> Adapter:
        """Return the adapter for a simultaneous session: a clone, or this adapter if it declares no `clone`."""
        clone = traits_of(self.adapter).clone
        if clone is None:
            return self.adapter
        self.second_adapter = clone()
        return self.second_adapter

    def _wait_for_late_writes(self, breakage: Breakage | None) -> None:
        if self.settle and _are_changes_judged(breakage):
            time.sleep(self.settle)

    def _file_names(self, state: dict[str, Entry]) -> dict[str, tuple[str, ...]]:
        """Return all names of each file with hard links, by each of these names. The last result is cached."""
        if self.names_of_state is None or self.names_of_state[0] is not state:
            self.names_of_state = state, hard_link_names(state)
        return self.names_of_state[1]

    def _refuse_unexpected_files(self) -> None:
        """Raise SpoiltError if the new workspace already contains a file that is not a given file of the scenario."""
        given = self.scenario.given.files
        if len(self.before) > len(given):
            parents = {path[:end] for path in given for end, letter in enumerate(path) if letter == "/"}
            unexpected = self.before.keys() - given.keys() - parents
            if path := next((path for path in unexpected if not path.startswith((HOME, TEMPORARY))), None):
                raise SpoiltError(f"a process of an earlier scenario still writes into the workspace: {path}")

    def _perform(self, step: Step, router: SessionRouter) -> None:
        match step:
            case SessionEvent():
                trace.event(self.index + 1, step)
                router.perform_event(step, self.site.root)
                if step.kind == "rewind":  # Restored files are compared at the next call.
                    changed, self.last_change_ns = {}, time.time_ns()
                else:
                    changed = self._update_state()
                if step.kind in ("other", "back"):
                    wait_for_later_time(self.last_change_ns)
                self.steps.append(StepOutcome(changes=changed))
            case WorldEvent():
                trace.event(self.index + 1, step)
                before = self.state
                early = self._update_state()
                self.site.perform(step)
                # Changes since the last answer were not made by the event.
                world = {path: entry for path, entry in self._update_state().items() if path not in early}
                self.steps.append(StepOutcome(changes=changes(before, self.state), expected_world=world))
            case ToolCall(signal=str(name)):
                self._perform_killed(step, Signals[name], router)
            case ToolCall(during=(), interrupted=None):
                arguments, session = self._next_arguments(step), router.session
                self._record(lambda: [session.call(step.tool, arguments)], 1)
            case ToolCall():
                self._perform_race(step, router.session)
            case ParallelCalls(sides=sides) if sides:
                self._perform_at_once(step, (router.session, router.simultaneous_session))
            case ParallelCalls(calls):
                session = require_method(router.session, ParallelSession, "parallel", "call_parallel")
                pairs = [(call.tool, self._next_arguments(call)) for call in calls]
                self._record(lambda: session.call_parallel(pairs), len(calls))

    def _next_arguments(self, call: ToolCall) -> Any:
        """Log a call, and return its arguments with the path of the workspace instead of `$WS`."""
        arguments = self.site.with_root(call.arguments)
        trace.call(self.index + 1, call.tool, arguments)
        return arguments

    def _perform_race(self, call: ToolCall, session: Session) -> None:
        """Make a call with `during` events between its validation and its execution, or a call that is interrupted."""
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
            given = arguments if how == "cancelled" else self.site.with_root(call.truncated_arguments)
            return [ending.call_interrupted(call.tool, given, how, interfere)]

        self._record(make, 1, interfere)
        interfere.end()

    def _perform_at_once(self, group: ParallelCalls, sessions: Sequence[Session]) -> None:
        """Make calls in two sessions at the same time."""
        pairs = [(call.tool, self._next_arguments(call)) for call in group.calls]
        results: dict[int, ToolResult] = {}

        def act(side: int, session: Session) -> None:
            for number, (tool, arguments) in enumerate(pairs):
                if group.sides[number] == side:
                    # With an equal delay each time, one session would always be first.
                    if side == self.index % 2:
                        time.sleep(self.index % _STAGGER_STEPS * _STAGGER_STEP_S)
                    results[number] = session.call(tool, arguments)

        def make() -> list[ToolResult]:
            run_simultaneously([partial(act, side, session) for side, session in enumerate(sessions)])
            return [results[number] for number in range(len(pairs))]

        self._record(make, len(pairs))

    def _perform_killed(self, call: ToolCall, number: Signals, router: SessionRouter) -> None:
        """Make a call, and send the signal `number` to the program during the call. The program may exit."""
        session = require_method(router.session, KillableSession, "kill", "kill()")
        if call.paused:
            require_method(session, RacingSession, "during", "call_during")
        arguments = self._next_arguments(call)
        has_exited = False

        def kill(by: int = number) -> bool:
            nonlocal has_exited
            has_exited = bool(session.kill(by))
            return has_exited

        interfere = Interference(self.site, call.during, afterwards=kill)

        def make() -> list[ToolResult]:
            if not call.paused:
                return [kill_when_writing(self.site.root, partial(session.call, call.tool, arguments), kill)]
            try:
                return [session.call_during(call.tool, arguments, interfere)]
            except AdapterError:
                if not has_exited:
                    raise
                return [NO_ANSWER]

        self._record(make, 1, interfere)
        interfere.end()
        router.note_kill()
        if traits_of(self.adapter).servers is None:  # the killed process served no other session
            traits_of(self.adapter).reset()

    def _record(
        self, make: Callable[[], Sequence[ToolResult]], calls: int, interfere: Interference | None = None
    ) -> None:
        """Make a step's calls with `make`, and append the outcome to `steps`. `calls`: expected number of results."""
        started = time.perf_counter()
        answers = make()
        milliseconds = (time.perf_counter() - started) * 1000
        results = check_answers(answers, calls, self._normalise_text)
        trace.answers(self.index + 1, answers)
        world = interfere.changes if interfere is not None else {}
        interfered = interfere is not None and interfere.count > 0
        before = self.state
        changed = self._update_state()
        if interfere is None or interfere.state is None:
            traces_left, start = traces(before, self.state), before
        else:
            start = interfere.state[1]
            traces_left = traces(before, interfere.state[0]) | traces(start, self.state)
        names_before, names = self._file_names(start), self._file_names(self.state)
        self.steps.append(
            StepOutcome(results, changed, world, interfered, milliseconds, traces_left, names_before, names)
        )

    def _update_state(self) -> dict[str, Entry | None]:
        """Take a snapshot of the workspace, and return the changes since the previous snapshot."""
        try:
            now = self.site.snapshot()
        except OSError as error:
            raise AdapterError(f"cannot read the workspace: {error}", blame="environment") from error
        if now is not self.state:
            self.last_change_ns = time.time_ns()
        changed = changes(self.state, now)
        self.state = now
        return changed

    def _normalise_text(self, text: str) -> str:
        for number, hook in enumerate(self.hooks, 1):
            text = text.replace(hook.command, f"$HOOK{number}")
        return self.site.with_placeholders(text)
