"""Functions that the checks of `readfirst check-adapter` use to open a session and to make calls with valid results."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import Adapter, Hook, Session, ToolResult, Workspace
from readfirst.harness.adapter_traits import close_session, traits_of
from readfirst.harness.suite.file_entry import RegularFile, TextContent
from readfirst.harness.workspace.workspace_dir import WorkspaceDir, WorkspacePool

NOTES = "first line\nsecond line\n"
"""The content of the file notes.txt, which most checks read."""


class CheckFailed(Exception):  # noqa: N818 - the check fails, readfirst does not
    """Raised if a check of a connection fails. The message contains the reason, and how to fix it."""


def in_session(
    adapter: Adapter,
    place: WorkspacePool,
    check: Callable[[Session, WorkspaceDir], None],
    hooks: tuple[Hook, ...] = (),
    needs: Collection[str] = (),
) -> None:
    """Run a check in a new session, which needs Read, Write and `needs`, with these hooks. Raises CheckFailed."""
    with place.site(unique=not traits_of(adapter).reuses_paths) as site:
        session = adapter.open(workspace_for(site, hooks, needs))
        try:
            check(session, site)
        finally:
            close_session(session)


def workspace_for(site: WorkspaceDir, hooks: tuple[Hook, ...], needs: Collection[str] = ()) -> Workspace:
    """Return the Workspace for the session of a check. The session does not belong to a scenario."""
    capabilities = frozenset({"Read", "Write", *needs, *(["hooks"] if hooks else [])})
    return Workspace(Path(site.root), Path(site.home), needs=capabilities, isolated=True, hooks=hooks)


def call_tool(session: Session, tool: str, arguments: dict[str, Any]) -> ToolResult:
    """Make a call and return its result. Raises CheckFailed unless the result has a text and a boolean `is_error`."""
    result: object = session.call(tool, arguments)
    if not isinstance(result, ToolResult):
        raise CheckFailed(f"{tool} answered {str(result)[:200]!r}; return a ToolResult(text, is_error)")
    if not isinstance(result.text, str) or not isinstance(result.is_error, bool):
        raise CheckFailed(f"{tool} answered {str(result)[:200]}; text is a string and is_error a boolean")
    return result


def lay_out_notes(site: WorkspaceDir, text: str) -> str:
    """Create the file notes.txt with this text in the workspace, and return its absolute path."""
    site.lay_out({"notes.txt": RegularFile(TextContent(text))})
    return f"{site.root}/notes.txt"


def see_notes(session: Session, path: str) -> None:
    """Read the file at `path`, whose content is `NOTES`. Raises CheckFailed unless the answer shows both lines."""
    result = call_tool(session, "Read", {"file_path": path})
    if result.is_error:
        raise CheckFailed(f"Read of {path}, which exists, is marked as an error: {result.text[:200]!r}")
    if "first line" not in result.text or "second line" not in result.text:
        raise CheckFailed(f"Read did not show the file's lines, but {result.text[:200]!r}")
