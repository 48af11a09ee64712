"""Check adapter: whether a connection works at all, before anybody judges the implementation."""

import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from readfirst.harness.adapter_api import (
    BASIC_CAPABILITIES,
    SESSION_CAPABILITIES,
    Adapter,
    BrokenAdapter,
    Design,
    Hook,
    InterruptibleSession,
    KillableSession,
    ParallelSession,
    RacingSession,
    Session,
    ToolResult,
    close_session,
    design_named,
    refusals_named,
    traits_of,
)
from readfirst.harness.compare.design import contradicted
from readfirst.harness.replay.interrupt_on_write import WriteWatcher
from readfirst.harness.replay.session_router import Conversation
from readfirst.harness.run.capabilities import claimed
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

_LATER = Fraction(400_000_000)
"""In seconds: later than anything that the session did."""
_KNOWN = frozenset({*TOOLS, *SESSION_CAPABILITIES, AT_ONCE, BUFFERS})
_DENYING = Hook("PreToolUse", "Write", "cat >/dev/null; echo 'No writing here.' >&2; exit 2")
_MENTION = SessionEvent("mention", path="notes.txt")
_DELEGATION = (SessionEvent("agent"), SessionEvent("end"))


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried: `problem` is empty if it works, else what happened and what to do."""

    name: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class PlannedCheck:
    """A check that was not made yet. If an `essential` check fails, the checks after it are left out."""

    name: str
    check: Callable[[], None]
    is_essential: bool = False


def run_checks(
    plan: Iterable[PlannedCheck], watch: Callable[[str], AbstractContextManager[object]] = nullcontext
) -> Iterator[Check]:
    """Make the checks, and yield each result. `watch` is entered for the name of each check while it runs."""
    for planned in plan:
        with watch(planned.name):
            check = _tried(planned.name, planned.check)
        yield check
        if planned.is_essential and check.problem:
            return


def plan_checks(
    adapter: Adapter, place: WorkspacePool, settle: float = 0.0, claims: frozenset[str] | None = None
) -> list[PlannedCheck]:
    """Return the checks of an adapter, which judge no rule of the contract.

    `settle` is in seconds, for whoever writes after an answer. `claims` is what must be claimed (default: Read, Edit,
    Write).
    """
    required = BASIC_CAPABILITIES if claims is None else claims
    plan = [
        PlannedCheck("its capabilities are known", lambda: _declares(adapter)),
        PlannedCheck(f"it has {', '.join(sorted(required))}", lambda: _claims(adapter, required)),
        PlannedCheck(
            "a session opens and closes",
            lambda: in_session(adapter, place, lambda _s, _site: None),
            is_essential=True,
        ),
    ]
    capabilities = traits_of(adapter).capabilities
    checks: list[tuple[str, str, Callable[[Session, WorkspaceDir], None]]] = [
        ("Read", "an existing file is read", _reads),
        ("Read", "a missing file is refused, and the answer marked as an error", _misses),
        ("Write", "a new file is written, in the workspace and nowhere else", _writes),
        ("Read", "text that is not ASCII arrives unchanged", _unicode),
        ("Read", "an answer of 128 KiB arrives, and the next one, too", partial(_reads_much, lines=2**13)),
        ("Write", "calls of one and of eight megabytes arrive, and the next one, too", _writes_much),
        (
            "Read",
            "an answer of eight megabytes arrives, or none so long is given, and the next one, too",
            partial(_reads_much, lines=2**19),
        ),
        ("resume", "a resumed conversation answers", _goes_on_after(SessionEvent("resume"))),
        (
            "compact",
            "a conversation answers after a summary took its place",
            _goes_on_after(SessionEvent("compact")),
        ),
        ("rewind", "a rewind removes a file that was written before it", _rewinds),
        ("mentions", "a conversation answers after its user mentioned a file", _goes_on_after(_MENTION)),
        ("agents", "a sub-agent answers, and the conversation after it", _goes_on_after(*_DELEGATION)),
        ("cancel", "a Write that is given up makes no file, and the next one does", _gives_up),
        ("stop", "a Write that is given up while it writes leaves a complete file or none", _stops),
        ("cut", "a Write of which only the beginning came makes no file", _is_cut),
        ("kill", "its program can be killed", _methods(frozenset({"kill"}))),
        ("reminders", "a file that changed after it was written is reported", _reminds),
    ]
    for needed, name, check in checks:
        if needed in capabilities:
            plan.append(PlannedCheck(name, partial(in_session, adapter, place, check, needs=(needed,))))
    if "hooks" in capabilities:
        name = "a hook that denies a call keeps it from being made"
        plan.append(PlannedCheck(name, lambda: in_session(adapter, place, _hooked, (_DENYING,))))
    if "Read" in capabilities:
        name = "a later session sees its own workspace"
        plan.append(PlannedCheck(name, lambda: check_own_workspace(adapter, place)))
        name = "a later session knows of no file that an earlier session read or wrote"
        plan.append(PlannedCheck(name, lambda: check_later_session(adapter, place)))
    if {AT_ONCE, "Write"} <= capabilities:
        name = "two sessions write at the same moment, each a file of its own"
        plan.append(PlannedCheck(name, lambda: check_simultaneous_sessions(adapter, place)))
    design = traits_of(adapter).design
    if design is not None and {"Read", "Edit"} <= capabilities:
        name = f"it edits as the design {design} does"
        plan.append(PlannedCheck(name, partial(_designed, design, adapter, place)))
    has_methods = _methods(capabilities - {"kill"})
    plan.append(PlannedCheck("it has what it declares", lambda: in_session(adapter, place, has_methods)))
    name = "files stay as they are after the answer, and when session and program have ended"
    plan.append(PlannedCheck(name, lambda: _leaves(adapter, place, settle)))
    return plan


def _tried(name: str, check: Callable[[], None]) -> Check:
    try:
        check()
    except CheckFailed as error:
        return Check(name, str(error))
    except BrokenAdapter as error:
        details = f"\n{error.details.strip()}" if error.details else ""
        return Check(name, f"{error}{details}")
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return Check(
            name, f"the adapter raised {type(error).__name__}: {error} ({last.filename}:{last.lineno})"
        )
    return Check(name)


def _declares(adapter: Adapter) -> None:
    design_named(traits_of(adapter).design)
    refusals_named(traits_of(adapter).refuses)
    unknown = traits_of(adapter).capabilities - _KNOWN
    if unknown:
        names = ", ".join(sorted(unknown))
        raise CheckFailed(f"capabilities names {names}; known are: {', '.join(sorted(_KNOWN))}")
    if not traits_of(adapter).capabilities & set(TOOLS):
        raise CheckFailed("capabilities names no tool, so every scenario is unsupported")


def _claims(adapter: Adapter, required: frozenset[str]) -> None:
    there = claimed(traits_of(adapter))
    if missing := sorted(required - there):
        named = ",".join(sorted(there & required)) or "Read"
        raise CheckFailed(
            f"it lacks {', '.join(missing)}, so the scenarios that need them are not judged. "
            "Add them to `capabilities`, or to `tools` of a mapping. "
            f"If they are missing on purpose, list the required capabilities: --require {named}"
        )


def _designed(design: Design, adapter: Adapter, place: WorkspacePool) -> None:
    if problem := contradicted(design, adapter, place):
        raise CheckFailed(problem)


def _reads(session: Session, site: WorkspaceDir) -> None:
    see_notes(session, lay_out_notes(site, NOTES))


def _misses(session: Session, site: WorkspaceDir) -> None:
    result = call_tool(session, "Read", {"file_path": f"{site.root}/missing.txt"})
    if not result.is_error:
        raise CheckFailed(
            f"Read of a missing file is not marked as an error: {result.text[:200]!r}. Set is_error."
        )


def _writes_one(session: Session, site: WorkspaceDir) -> None:
    result = call_tool(session, "Write", {"file_path": f"{site.root}/new.txt", "content": "new\n"})
    if result.is_error:
        raise CheckFailed(f"Write of a new file is marked as an error: {result.text[:200]!r}")


def _writes(session: Session, site: WorkspaceDir) -> None:
    _writes_one(session, site)
    there = site.snapshot()
    entry = there.pop("new.txt", None)
    if not isinstance(entry, RegularFile) or entry.data != b"new\n":
        where = f"{site.root}/new.txt"
        raise CheckFailed(
            f"{where} does not exist afterwards, or has other content. Is the path used as given?"
        )
    if there:
        raise CheckFailed(
            f"Write also left {', '.join(sorted(there))}; keep files of your own outside the workspace"
        )


def _unicode(session: Session, site: WorkspaceDir) -> None:
    text = "caf\u00e9 \u2192 \U0001f600\n"
    path = lay_out_notes(site, text)
    result = call_tool(session, "Read", {"file_path": path})
    if text.strip() not in result.text:
        raise CheckFailed(
            f"Read showed {result.text[:100]!r} for {text!r}. Use UTF-8 between adapter and program."
        )


def _reads_much(session: Session, site: WorkspaceDir, *, lines: int) -> None:
    path = lay_out_notes(site, NOTES)
    site.lay_out({"long.txt": RegularFile(TextContent("line of the file\n" * lines))})
    call_tool(session, "Read", {"file_path": f"{site.root}/long.txt"})
    see_notes(session, path)


def _writes_much(session: Session, site: WorkspaceDir) -> None:
    for lines in (2**16, 2**19):
        content, path = "line of the file\n" * lines, f"long-{lines}.txt"
        answer = call_tool(session, "Write", {"file_path": f"{site.root}/{path}", "content": content})
        entry = site.snapshot().get(path)
        if not answer.is_error and not (isinstance(entry, RegularFile) and entry.data == content.encode()):
            raise CheckFailed(
                f"{site.root}/{path} has other content afterwards. Is a message read to its end?"
            )
    _writes_one(session, site)


def _goes_on_after(*events: SessionEvent) -> Callable[[Session, WorkspaceDir], None]:
    def look(session: Session, site: WorkspaceDir) -> None:
        path = lay_out_notes(site, NOTES)
        see_notes(session, path)
        conversation = Conversation(lambda: session)
        for event in events:
            conversation.undergo(event, site.root)
            see_notes(conversation.session, path)

    return look


def _rewinds(session: Session, site: WorkspaceDir) -> None:
    path = lay_out_notes(site, NOTES)
    _writes_one(session, site)
    Conversation(lambda: session).undergo(SessionEvent("rewind"))
    see_notes(session, path)
    if "new.txt" in site.snapshot():
        raise CheckFailed(f"{site.root}/new.txt, which Write created, is still there after a rewind")


def _gives_up(session: Session, site: WorkspaceDir) -> None:
    if isinstance(session, InterruptibleSession):
        given = {"file_path": f"{site.root}/new.txt", "content": "new\n"}
        _refuses(session.call_interrupted("Write", given, "cancelled", lambda: None), site, "was given up")
        _writes_one(session, site)


def _stops(session: Session, site: WorkspaceDir) -> None:
    if isinstance(session, InterruptibleSession):
        content = "".join(f"line {number}\n" for number in range(100_000))
        given = {"file_path": f"{site.root}/new.txt", "content": content}
        with WriteWatcher(site.root) as watch:
            session.call_interrupted("Write", given, "stopped", watch.wait)
        made = site.snapshot().get("new.txt")
        if made is not None and not (isinstance(made, RegularFile) and made.data == content.encode()):
            raise CheckFailed(
                "new.txt holds a part of what was to be written. Write another file, and rename it."
            )


def _is_cut(session: Session, site: WorkspaceDir) -> None:
    if isinstance(session, InterruptibleSession):
        begun = ToolCall("Write", {"file_path": f"{site.root}/new.txt", "content": "new\n"}).begun
        _refuses(session.call_interrupted("Write", begun, "cut", lambda: None), site, "was cut off")


def _refuses(result: ToolResult, site: WorkspaceDir, why: str) -> None:
    if not result.is_error or "new.txt" in site.snapshot():
        raise CheckFailed(
            f"Write answered {result.text[:200]!r}, though it {why}. Refuse it, and write nothing."
        )


def _reminds(session: Session, site: WorkspaceDir) -> None:
    path = f"{site.root}/new.txt"
    call_tool(session, "Write", {"file_path": path, "content": "new\n"})
    site.perform(WorldEvent("modify", "new.txt", RegularFile(TextContent("changed\n")), mtime=_LATER))
    reminders = call_tool(session, "Read", {"file_path": f"{site.root}/missing.txt"}).reminders
    if not isinstance(reminders, tuple) or not any("new.txt" in str(each) for each in reminders):
        raise CheckFailed(
            f"the next result says {reminders!r} of the change. Name the file in ToolResult.reminders."
        )


def _hooked(session: Session, site: WorkspaceDir) -> None:
    path = f"{site.root}/new.txt"
    result = call_tool(session, "Write", {"file_path": path, "content": "new\n"})
    if not result.is_error or "new.txt" in site.snapshot():
        raise CheckFailed(
            f"Write answered {result.text[:200]!r}, though a hook exits with 2 before each Write. "
            "Run the command of each hook in Workspace.hooks, and refuse the call."
        )


def _leaves(adapter: Adapter, place: WorkspacePool, settle: float) -> None:
    traits = traits_of(adapter)
    with place.site(unique=not traits.reuses_paths) as site:
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
            there = site.snapshot()
            time.sleep(settle)
            _unchanged(there, site, f"within {settle * 1000:g} ms after the last answer")
        finally:
            close_session(session)
        time.sleep(settle)
        _unchanged(there, site, "when the session was closed")
        traits.reset()
        _unchanged(there, site, "when the program ended")


def _unchanged(there: Mapping[str, Entry], site: WorkspaceDir, when: str) -> None:
    now = site.snapshot()
    if changed := sorted({*changes(there, now), *traces(there, now)}):
        raise CheckFailed(
            f"{', '.join(changed)} changed {when}, though no call was made. Answer when all is written."
        )


def _methods(capabilities: frozenset[str]) -> Callable[[Session, WorkspaceDir], None]:
    def look(session: Session, _site: WorkspaceDir) -> None:
        if "parallel" in capabilities and not isinstance(session, ParallelSession):
            raise CheckFailed("capabilities names parallel, but the session has no call_parallel(calls)")
        interrupts = {"cancel", "stop", "cut"} & capabilities
        if interrupts and not isinstance(session, InterruptibleSession):
            raise CheckFailed(
                f"capabilities names {min(interrupts)}, but the session has no "
                "call_interrupted(tool, arguments, how, interfere)"
            )
        if "kill" in capabilities and not isinstance(session, KillableSession):
            raise CheckFailed("capabilities names kill, but the session has no kill()")
        if "during" in capabilities and not isinstance(session, RacingSession):
            raise CheckFailed(
                "capabilities names during, but the session has no call_during(tool, arguments, interfere)"
            )

    return look
