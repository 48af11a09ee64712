"""Check that the connection to an implementation works, before it is judged (`readfirst check-adapter`)."""

import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from readfirst.harness.adapter_api import (
    BASIC_CAPABILITIES,
    SESSION_CAPABILITIES,
    Adapter,
    AdapterError,
    Hook,
    InterruptibleSession,
    KillableSession,
    ParallelSession,
    RacingSession,
    Session,
    ToolResult,
)
from readfirst.harness.adapter_traits import Design, close_session, design_named, refusals_named, traits_of
from readfirst.harness.compare.design import find_contradiction
from readfirst.harness.replay.interrupt_on_write import WriteWatcher
from readfirst.harness.replay.session_router import SessionRouter
from readfirst.harness.run.capabilities import supported_capabilities
from readfirst.harness.run.check_independence import (
    check_later_session,
    check_own_workspace,
    check_simultaneous_sessions,
)
from readfirst.harness.run.check_session import (
    NOTES,
    CheckFailed,
    call_tool,
    in_session,
    lay_out_notes,
    see_notes,
    workspace_for,
)
from readfirst.harness.suite.file_entry import Entry, RegularFile, TextContent
from readfirst.harness.suite.scenario import AT_ONCE, BUFFERS, TOOLS, SessionEvent, ToolCall, WorldEvent
from readfirst.harness.workspace.snapshot import changes, traces
from readfirst.harness.workspace.workspace_dir import WorkspaceDir, WorkspacePool

_FUTURE_MTIME_S = Fraction(400_000_000)
"""Seconds that are added to the modification time of a file, so that the implementation detects the change."""
_VALID_CAPABILITIES = frozenset({*TOOLS, *SESSION_CAPABILITIES, AT_ONCE, BUFFERS})
_DENYING_HOOK = Hook("PreToolUse", "Write", "cat >/dev/null; echo 'No writing here.' >&2; exit 2")
_MENTION = SessionEvent("mention", path="notes.txt")
_DELEGATION = (SessionEvent("agent"), SessionEvent("end"))


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check. `problem` is the reason why the check failed, with advice. Empty if it passed."""

    name: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class PlannedCheck:
    """A check that has not run yet. If it fails and `is_essential`, all later checks are skipped."""

    name: str
    check: Callable[[], None]
    is_essential: bool = False


def run_checks(
    plan: Iterable[PlannedCheck], watch: Callable[[str], AbstractContextManager[object]] = nullcontext
) -> Iterator[Check]:
    """Run the checks in order, and yield their results. Each runs in the context that `watch(NAME)` returns."""
    for planned in plan:
        with watch(planned.name):
            check = _run_check(planned.name, planned.check)
        yield check
        if planned.is_essential and check.problem:
            return


def plan_checks(
    adapter: Adapter, place: WorkspacePool, settle: float = 0.0, claims: frozenset[str] | None = None
) -> list[PlannedCheck]:
    """Return the checks of an adapter's connection. `settle` is the number of seconds to wait for late writes after an
    answer. `claims` are the required capabilities.
    """
    required = BASIC_CAPABILITIES if claims is None else claims
    capabilities = traits_of(adapter).capabilities
    design = traits_of(adapter).design
    plan: list[PlannedCheck] = []

    def add(name: str, check: Callable[..., None], *arguments: Any, is_essential: bool = False) -> None:
        plan.append(PlannedCheck(name, partial(check, *arguments), is_essential))

    add("its capabilities are known", _check_declaration, adapter)
    add(f"it has {', '.join(sorted(required))}", _check_required, adapter, required)
    add("a session opens and closes", in_session, adapter, place, lambda _s, _site: None, is_essential=True)
    for capability, name, check in _SESSION_CHECKS:
        if capability in capabilities:
            add(name, in_session, adapter, place, check, (), (capability,))
    if "hooks" in capabilities:
        name = "a hook that denies a call keeps it from being made"
        add(name, in_session, adapter, place, _check_hook, (_DENYING_HOOK,))
    if "Read" in capabilities:
        add("a later session sees its own workspace", check_own_workspace, adapter, place)
        name = "a later session knows of no file that an earlier session read or wrote"
        add(name, check_later_session, adapter, place)
    if {AT_ONCE, "Write"} <= capabilities:
        name = "two sessions write at the same moment, each a file of its own"
        add(name, check_simultaneous_sessions, adapter, place)
    if design is not None and {"Read", "Edit"} <= capabilities:
        add(f"it edits as the design {design} does", _check_design, design, adapter, place)
    has_methods = partial(_check_methods, capabilities - {"kill"})
    add("it has what it declares", in_session, adapter, place, has_methods)
    name = "files stay as they are after the answer, and when session and program have ended"
    add(name, _check_later_changes, adapter, place, settle)
    return plan


def _run_check(name: str, check: Callable[[], None]) -> Check:
    try:
        check()
    except CheckFailed as error:
        return Check(name, str(error))
    except AdapterError as error:
        details = f"\n{error.details.strip()}" if error.details else ""
        return Check(name, f"{error}{details}")
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        problem = f"the adapter raised {type(error).__name__}: {error}"
        return Check(name, f"{problem} ({last.filename}:{last.lineno})")
    return Check(name)


def _check_declaration(adapter: Adapter) -> None:
    traits = traits_of(adapter)
    design_named(traits.design)
    refusals_named(traits.refuses)
    if unknown := traits.capabilities - _VALID_CAPABILITIES:
        names = ", ".join(sorted(unknown))
        raise CheckFailed(
            f"`capabilities` contains the unknown {names}. Known capabilities: {', '.join(sorted(_VALID_CAPABILITIES))}"
        )
    if not traits.capabilities & set(TOOLS):
        raise CheckFailed("capabilities names no tool, so every scenario is unsupported")


def _check_required(adapter: Adapter, required: frozenset[str]) -> None:
    declared = supported_capabilities(traits_of(adapter))
    if missing := sorted(required - declared):
        names = ",".join(sorted(declared & required)) or "Read"
        raise CheckFailed(
            f"the adapter lacks {', '.join(missing)}, so the scenarios that need them are not judged. "
            "Add them to `capabilities`, or to `tools` of a mapping. "
            f"If they are missing on purpose, list the required capabilities: --require {names}"
        )


def _check_design(design: Design, adapter: Adapter, sites: WorkspacePool) -> None:
    if problem := find_contradiction(design, adapter, sites):
        raise CheckFailed(problem)


def _check_missing_file(session: Session, site: WorkspaceDir) -> None:
    result = call_tool(session, "Read", {"file_path": f"{site.root}/missing.txt"})
    if not result.is_error:
        raise CheckFailed(
            f"Read of a missing file is not marked as an error: {result.text[:200]!r}. Set is_error."
        )


def _write_new_file(session: Session, site: WorkspaceDir) -> None:
    result = call_tool(session, "Write", {"file_path": f"{site.root}/new.txt", "content": "new\n"})
    if result.is_error:
        raise CheckFailed(f"Write of a new file is marked as an error: {result.text[:200]!r}")


def _check_write(session: Session, site: WorkspaceDir) -> None:
    _write_new_file(session, site)
    entries = site.snapshot()
    if not _has_content(entries.pop("new.txt", None), "new\n"):
        problem = f"{site.root}/new.txt does not exist afterwards, or has other content"
        raise CheckFailed(f"{problem}. Check that the tool uses the path of the call unchanged.")
    if entries:
        raise CheckFailed(
            f"Write also left {', '.join(sorted(entries))}; keep files of your own outside the workspace"
        )


def _check_unicode(session: Session, site: WorkspaceDir) -> None:
    text = "caf\u00e9 \u2192 \U0001f600\n"
    path = lay_out_notes(site, text)
    result = call_tool(session, "Read", {"file_path": path})
    if text.strip() not in result.text:
        raise CheckFailed(
            f"Read showed {result.text[:100]!r} for {text!r}. Use UTF-8 between adapter and program."
        )


def _check_long_answer(session: Session, site: WorkspaceDir, *, lines: int) -> None:
    path = lay_out_notes(site, NOTES)
    site.lay_out({"long.txt": RegularFile(TextContent("line of the file\n" * lines))})
    call_tool(session, "Read", {"file_path": f"{site.root}/long.txt"})
    see_notes(session, path)


def _check_long_calls(session: Session, site: WorkspaceDir) -> None:
    for lines in (2**16, 2**19):
        content, path = "line of the file\n" * lines, f"long-{lines}.txt"
        answer = call_tool(session, "Write", {"file_path": f"{site.root}/{path}", "content": content})
        if not answer.is_error and not _has_content(site.snapshot().get(path), content):
            problem = f"{site.root}/{path} has other content afterwards"
            raise CheckFailed(f"{problem}. Read each message to its end.")
    _write_new_file(session, site)


def _has_content(entry: Entry | None, content: str) -> bool:
    return isinstance(entry, RegularFile) and entry.data == content.encode()


def _check_events(*events: SessionEvent) -> Callable[[Session, WorkspaceDir], None]:
    def check_session_after_events(session: Session, site: WorkspaceDir) -> None:
        path = lay_out_notes(site, NOTES)
        see_notes(session, path)
        router = SessionRouter(lambda: session)
        for event in events:
            router.perform_event(event, site.root)
            see_notes(router.session, path)

    return check_session_after_events


def _check_rewind(session: Session, site: WorkspaceDir) -> None:
    path = lay_out_notes(site, NOTES)
    _write_new_file(session, site)
    SessionRouter(lambda: session).perform_event(SessionEvent("rewind"))
    see_notes(session, path)
    if "new.txt" in site.snapshot():
        raise CheckFailed(f"{site.root}/new.txt, which Write created, is still there after a rewind")


def _check_cancelled_write(session: Session, site: WorkspaceDir) -> None:
    if isinstance(session, InterruptibleSession):
        arguments = {"file_path": f"{site.root}/new.txt", "content": "new\n"}
        result = session.call_interrupted("Write", arguments, "cancelled", lambda: None)
        _require_refusal(result, site, "was given up")
        _write_new_file(session, site)


def _check_stopped_write(session: Session, site: WorkspaceDir) -> None:
    if isinstance(session, InterruptibleSession):
        content = "".join(f"line {number}\n" for number in range(100_000))
        arguments = {"file_path": f"{site.root}/new.txt", "content": content}
        with WriteWatcher(site.root) as watch:
            session.call_interrupted("Write", arguments, "stopped", watch.wait)
        entry = site.snapshot().get("new.txt")
        if entry is not None and not _has_content(entry, content):
            problem = "new.txt contains only a part of the written text"
            raise CheckFailed(f"{problem}. Write a temporary file, and rename it to the path.")


def _check_cut_write(session: Session, site: WorkspaceDir) -> None:
    if isinstance(session, InterruptibleSession):
        begun = ToolCall(
            "Write", {"file_path": f"{site.root}/new.txt", "content": "new\n"}
        ).truncated_arguments
        _require_refusal(session.call_interrupted("Write", begun, "cut", lambda: None), site, "was cut off")


def _require_refusal(result: ToolResult, site: WorkspaceDir, reason: str) -> None:
    if not result.is_error or "new.txt" in site.snapshot():
        raise CheckFailed(
            f"Write answered {result.text[:200]!r}, though the call {reason}. Refuse such a call, and write nothing."
        )


def _check_reminder(session: Session, site: WorkspaceDir) -> None:
    call_tool(session, "Write", {"file_path": f"{site.root}/new.txt", "content": "new\n"})
    changed = RegularFile(TextContent("changed\n"))
    site.perform(WorldEvent("modify", "new.txt", changed, mtime=_FUTURE_MTIME_S))
    reminders = call_tool(session, "Read", {"file_path": f"{site.root}/missing.txt"}).reminders
    if not isinstance(reminders, tuple) or not any("new.txt" in str(reminder) for reminder in reminders):
        raise CheckFailed(
            f"new.txt changed, and the reminders of the next result do not name it: {reminders!r}. "
            "Name each changed file in ToolResult.reminders."
        )


def _check_hook(session: Session, site: WorkspaceDir) -> None:
    path = f"{site.root}/new.txt"
    result = call_tool(session, "Write", {"file_path": path, "content": "new\n"})
    if not result.is_error or "new.txt" in site.snapshot():
        raise CheckFailed(
            f"Write answered {result.text[:200]!r}, though a hook exits with 2 before each Write. "
            "Run the command of each hook in Workspace.hooks, and refuse the call."
        )


def _check_later_changes(adapter: Adapter, sites: WorkspacePool, settle: float) -> None:
    traits = traits_of(adapter)
    with sites.site(unique=not traits.reuses_paths) as site:
        path, new = lay_out_notes(site, NOTES), f"{site.root}/new.txt"
        calls = {
            "Read": {"file_path": path},
            "Write": {"file_path": new, "content": "new\n"},
            "Edit": {"file_path": path, "old_string": "not there", "new_string": "x"},
        }
        session = adapter.open(workspace_for(site, (), ("Edit",)))
        try:
            for tool, arguments in calls.items():
                if tool in traits.capabilities:
                    call_tool(session, tool, arguments)
            before = site.snapshot()
            time.sleep(settle)
            _require_unchanged(before, site, f"within {settle * 1000:g} ms after the last answer")
        finally:
            close_session(session)
        time.sleep(settle)
        _require_unchanged(before, site, "when the session was closed")
        traits.reset()
        _require_unchanged(before, site, "when the program ended")


def _require_unchanged(before: Mapping[str, Entry], site: WorkspaceDir, when: str) -> None:
    after = site.snapshot()
    if changed := sorted({*changes(before, after), *traces(before, after)}):
        raise CheckFailed(
            f"{', '.join(changed)} changed {when}, though no call was made. Answer after all files are written."
        )


_INTERRUPTS = "call_interrupted(tool, arguments, how, interfere)"
_METHODS: tuple[tuple[str, type, str], ...] = (
    ("parallel", ParallelSession, "call_parallel(calls)"),
    ("cancel", InterruptibleSession, _INTERRUPTS),
    ("cut", InterruptibleSession, _INTERRUPTS),
    ("stop", InterruptibleSession, _INTERRUPTS),
    ("kill", KillableSession, "kill()"),
    ("during", RacingSession, "call_during(tool, arguments, interfere)"),
)
"""Methods that a session must have for a capability: the capability, the protocol class, and the method."""


def _check_methods(capabilities: frozenset[str], session: Session, _site: WorkspaceDir) -> None:
    for name, kind, method in _METHODS:
        if name in capabilities and not isinstance(session, kind):
            raise CheckFailed(f"capabilities names {name}, but the session has no {method}")


_SESSION_CHECKS: tuple[tuple[str, str, Callable[[Session, WorkspaceDir], None]], ...] = (
    ("Read", "an existing file is read", lambda s, site: see_notes(s, lay_out_notes(site, NOTES))),
    ("Read", "a missing file is refused, and the answer marked as an error", _check_missing_file),
    ("Write", "a new file is written, in the workspace and nowhere else", _check_write),
    ("Read", "text that is not ASCII arrives unchanged", _check_unicode),
    ("Read", "an answer of 128 KiB arrives, and the next one, too", partial(_check_long_answer, lines=2**13)),
    ("Write", "calls of one and of eight megabytes arrive, and the next one, too", _check_long_calls),
    (
        "Read",
        "an answer of eight megabytes arrives, or none so long is given, and the next one, too",
        partial(_check_long_answer, lines=2**19),
    ),
    ("resume", "a resumed conversation answers", _check_events(SessionEvent("resume"))),
    (
        "compact",
        "a conversation answers after a summary took its place",
        _check_events(SessionEvent("compact")),
    ),
    ("rewind", "a rewind removes a file that was written before it", _check_rewind),
    ("mentions", "a conversation answers after its user mentioned a file", _check_events(_MENTION)),
    ("agents", "a sub-agent answers, and the conversation after it", _check_events(*_DELEGATION)),
    ("cancel", "a Write that is given up makes no file, and the next one does", _check_cancelled_write),
    ("stop", "a Write that is given up while it writes leaves a complete file or none", _check_stopped_write),
    ("cut", "a truncated Write creates no file", _check_cut_write),
    ("kill", "its program can be killed", partial(_check_methods, frozenset({"kill"}))),
    ("reminders", "a file that changed after it was written is reported", _check_reminder),
)
"""Checks that each use a new session: the required capability, the name of the check, and its function."""
