"""Prewarmed servers: each starts in a separate empty workspace while another one works."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from readfirst.harness.adapter_api import BrokenAdapter, Workspace
from readfirst.harness.adapters.mcp_process import McpServer
from readfirst.harness.workspace.guarded_directory import SpoiltError
from readfirst.harness.workspace.workspace_dir import WorkspaceDir, WorkspacePool

Start = Callable[[Workspace, Path], McpServer]
"""Starts a server for a workspace, in a directory. Raises BrokenAdapter."""

_MOST = 2
"""Maximum number of waiting servers. More would slow down the one that works."""


class Prestart:
    """Lends workspaces whose server was started in advance, before their files exist. It starts such servers
    as soon as a second session needs one.
    """

    def __init__(self, start: Start) -> None:
        self._start = start
        self._waiting: deque[_Slot] = deque()
        self._lent: dict[Path, _Slot] = {}
        self._sites = 0

    @contextmanager
    def site(self, place: WorkspacePool) -> Iterator[WorkspaceDir]:
        """Lend an empty workspace, and start servers for the next ones."""
        self._sites += 1
        slot = None
        while self._waiting and slot is None:
            slot = self._waiting.popleft()
            if not place.holds(slot.site):
                slot.drop()
                slot = None
        slot = slot or _Slot(self._start, place)
        while len(self._waiting) < min(self._sites - 1, _MOST):
            self._waiting.append(_Slot(self._start, place))
        root = Path(slot.site.root)
        with slot.held:
            slot.wait()
            self._lent[root] = slot
            try:
                yield slot.site
            finally:
                if self._lent.pop(root, None) is not None:  # the server was not used
                    slot.end()

    def server(self, root: Path) -> McpServer | None:
        """Return the server of a lent workspace, once. None if it does not run."""
        slot = self._lent.pop(root, None)
        return slot.server() if slot is not None else None

    def close(self) -> None:
        """End the waiting servers."""
        while self._waiting:
            self._waiting.pop().drop()


class _Slot:
    """A reserved workspace, and the server that a thread starts in it."""

    def __init__(self, start: Start, place: WorkspacePool) -> None:
        with ExitStack() as stack:
            self.site = stack.enter_context(place.site())
            self.held = stack.pop_all()
        root = Path(self.site.root)
        self._server: Future[McpServer] = Future()
        self._thread = threading.Thread(
            target=_fill, args=(self._server, start, Workspace(root, Path(self.site.home)), root), daemon=True
        )
        self._thread.start()

    def wait(self) -> None:
        """Wait until the server has started or failed."""
        self._thread.join()

    def server(self) -> McpServer | None:
        """Return the server. None if it did not start, or has exited."""
        try:
            server = self._server.result()
        except BrokenAdapter:
            return None
        if not server.runs:
            server.end()
            return None
        return server

    def end(self) -> None:
        """End the server."""
        with suppress(BrokenAdapter):
            self._server.result().end(at_once=True)

    def drop(self) -> None:
        """End the server, and return the workspace."""
        self.end()
        with suppress(SpoiltError, OSError):
            self.held.close()


def _fill(future: Future[McpServer], start: Start, workspace: Workspace, directory: Path) -> None:
    try:
        future.set_result(start(workspace, directory))
    except BaseException as error:
        future.set_exception(error)
