"""Check that sessions are independent: that an earlier or simultaneous session does not affect a session."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

from readfirst.harness.adapter_api import Adapter, Session, ToolResult
from readfirst.harness.adapter_traits import close_session, traits_of
from readfirst.harness.replay.session_router import run_simultaneously
from readfirst.harness.run.check_session import (
    NOTES,
    CheckFailed,
    call_tool,
    in_session,
    lay_out_notes,
    workspace_for,
)
from readfirst.harness.suite.file_entry import Entry, RegularFile, TextContent
from readfirst.harness.suite.scenario import AT_ONCE
from readfirst.harness.workspace.workspace_dir import WorkspaceDir, WorkspacePool

_FIRST_READ_PATH, _SECOND_READ_PATH, _WRITTEN_PATH = "read.txt", "read-too.txt", "written.txt"
_CHANGING_CALLS = (
    ("Edit", _FIRST_READ_PATH, {"old_string": "first", "new_string": "1st"}),
    ("Write", _SECOND_READ_PATH, {"content": "new\n"}),
    ("Edit", _WRITTEN_PATH, {"old_string": "first", "new_string": "1st"}),
)
"""Calls that change unread files. Their results show whether the session knows an earlier session's Reads."""


@dataclass(frozen=True, slots=True)
class _Change:
    """The result of a call that changes a file: the tool, the path, whether it failed, and all files afterwards."""

    tool: str
    path: str
    is_error: bool
    files: Mapping[str, Entry]

    @property
    def outcome_name(self) -> str:
        """The word that messages use for the result: `refused` or `answered`."""
        return "refused" if self.is_error else "answered"


def check_later_session(adapter: Adapter, place: WorkspacePool) -> None:
    """Check that an earlier session has no effect on a later session that uses the same paths. The earlier session
    reads and writes files. The later session changes files without reading them. Raises CheckFailed.
    """
    expected = _perform_changes(adapter, place)
    for text in (NOTES, NOTES.upper()):
        in_session(adapter, place, partial(_use_files_first, adapter, text))
        for before, after in zip(expected, _perform_changes(adapter, place), strict=True):
            if before != after:
                verb = "is" if before.is_error != after.is_error else "leaves other files and is"
                raise CheckFailed(
                    f"{after.tool} of {after.path} {verb} {after.outcome_name} because an earlier session read this "
                    f"path; without the earlier session it was {before.outcome_name}. Store the files that a session "
                    "has read in the object that open() returns, not in a module or in an object that all sessions "
                    "share."
                )


def _use_files_first(adapter: Adapter, text: str, session: Session, site: WorkspaceDir) -> None:
    tools = traits_of(adapter).capabilities
    site.lay_out({path: RegularFile(TextContent(text)) for path in (_FIRST_READ_PATH, _SECOND_READ_PATH)})
    for path in (_FIRST_READ_PATH, _SECOND_READ_PATH):
        call_tool(session, "Read", {"file_path": f"{site.root}/{path}"})
    if "Write" in tools:
        call_tool(session, "Write", {"file_path": f"{site.root}/{_WRITTEN_PATH}", "content": text})


def _perform_changes(adapter: Adapter, place: WorkspacePool) -> list[_Change]:
    changes = []
    tools = traits_of(adapter).capabilities

    def change_files(session: Session, site: WorkspaceDir) -> None:
        site.lay_out(
            {
                path: RegularFile(TextContent(NOTES))
                for path in (_FIRST_READ_PATH, _SECOND_READ_PATH, _WRITTEN_PATH)
            }
        )
        for tool, path, arguments in _CHANGING_CALLS:
            if tool in tools:
                result = call_tool(session, tool, {"file_path": f"{site.root}/{path}", **arguments})
                changes.append(_Change(tool, path, result.is_error, site.snapshot()))

    in_session(adapter, place, change_files, needs=("Edit",))
    return changes


def check_own_workspace(adapter: Adapter, place: WorkspacePool) -> None:
    """Check that a session reads its own file instead of an earlier file at the same path. Raises CheckFailed."""
    for text in ("one\n", "two\n"):

        def check_own_text(session: Session, site: WorkspaceDir, text: str = text) -> None:
            result = call_tool(session, "Read", {"file_path": lay_out_notes(site, text)})
            if text.strip() not in result.text:
                mismatch = f"the session shows {result.text[:100]!r}, not {text!r}"
                raise CheckFailed(f"{mismatch}. Create a new state in open(), or remove reuses_paths.")

        in_session(adapter, place, check_own_text)


def check_simultaneous_sessions(adapter: Adapter, place: WorkspacePool) -> None:
    """Check that two sessions can each write a file at the same time. Raises CheckFailed."""
    traits = traits_of(adapter)
    contents = {f"{side}.txt": f"line of {side}\n" * 1000 for side in ("first", "second")}
    answers: dict[str, ToolResult] = {}
    with ExitStack() as stack:
        site = stack.enter_context(place.site(unique=not traits.reuses_paths))
        workspace = workspace_for(site, (), (AT_ONCE,))
        second_adapter = adapter
        if traits.clone is not None:
            second_adapter = traits.clone()
            stack.callback(traits_of(second_adapter).close)

        def write_file(session: Session, path: str) -> None:
            arguments = {"file_path": f"{site.root}/{path}", "content": contents[path]}
            answers[path] = call_tool(session, "Write", arguments)

        writes = []
        for path, owner in zip(contents, (adapter, second_adapter), strict=True):
            session = owner.open(workspace)
            stack.callback(close_session, session)
            writes.append(partial(write_file, session, path))
        run_simultaneously(writes)
        entries = site.snapshot()
        for path, content in contents.items():
            answer, entry = answers[path], entries.get(path)
            if answer.is_error or not (isinstance(entry, RegularFile) and entry.data == content.encode()):
                raise CheckFailed(
                    f"Write of {path} answered {answer.text[:100]!r}, and the file does not contain the written text. "
                    "Use a separate connection for each session, or a lock, or do not declare the capability at_once."
                )
