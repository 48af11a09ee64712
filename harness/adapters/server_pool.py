"""Server pool: assign a server to each session: shared, or started for it."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

from readfirst.harness.adapter_api import Adapter, Workspace
from readfirst.harness.adapter_traits import IsolationDecision, ServerUse, traits_of
from readfirst.harness.adapters.isolation_probe import Independence, try_servers
from readfirst.harness.adapters.mcp_process import McpServer
from readfirst.harness.pluralize import pluralize
from readfirst.harness.suite.scenario import AT_ONCE, Scenario
from readfirst.harness.workspace.workspace_dir import WorkspaceDir, WorkspacePool

Isolation = Literal["auto", "process", "directory"]
Start = Callable[[Workspace, Path], McpServer]
"""Starts a server for a workspace, in a directory. Raises AdapterError."""

_ALONE_FIRST = 4
"""Number of sessions on separate servers before the probe. Shorter runs are faster without it."""
_REPEATED_FAILURES = 10
"""Number of failures on a shared server that are repeated on a separate server. After the first scenario with another
result on its separate server, every failure is repeated.
"""
_MOST_APART = 5
"""Number of scenarios that may give another result on a shared server than on a separate one. If more scenarios do, and
these exceed one in `_ONE_IN` of the sessions on shared servers, sharing ends.
"""
_ONE_IN = 3
_IN_SUCCESSION = 3
"""All servers are replaced after so many consecutive sessions whose result differs on a separate server."""

_AS_ASKED = "as asked"
_UNTRIED = "as asked, without a trial: what fails may pass alone"
_TOO_FEW = "too few to test whether they can share one"
_FRESH = "these need a working directory or rules of their own"
_APART = "these gave another result on a shared server"
_INDEPENDENT = "no session affects another"
_ANEW = "a handshake begins each session anew"
_AGAIN = "the server remembers nothing of earlier sessions"


class ServerPool:
    """Assigns servers to sessions according to `isolation`.

    `process`: every session has a separate server, started in its workspace when the files exist. `directory`:
    sessions share a server in the directory above all workspaces, except those that need a working directory or
    separate rules. `auto`: like `directory` if a probe shows that sessions give the same results as with
    separate servers, otherwise like `process`. A scenario that gives a different result on a separate server is
    excluded from sharing. A separate server serves the next session of its workspace, too, if the probe shows that
    this makes no difference. If a handshake starts a new session, one server serves nearly all
    sessions in one workspace.

    `bound` is the reason why a server can serve only one workspace, if it is known without a probe; otherwise
    empty. `home` is the home directory of shared servers. Not thread-safe.
    """

    def __init__(self, start: Start, home: Path, isolation: Isolation = "auto", bound: str = "") -> None:
        self.isolation = isolation
        self.use: ServerUse | None = None
        """Server use of the latest session. None before the first."""
        self._start = start
        self._home = home
        self._bound = bound
        self._shared: _Shared | None = None
        self._sharing: set[Path] = set()
        self._again: dict[Path, _Kept] = {}
        self._apart: set[str] = set()
        self._shares = 0
        self._latest_apart = 0  # number of consecutive sessions with different results on the shared server
        self._in_succession = 0
        self._found = Independence(refusal={"process": _AS_ASKED, "auto": _TOO_FEW}.get(isolation, ""))
        self._tried = isolation != "auto"
        self._sessions = 0
        self._repeated = 0
        self._alone = False
        self._fresh = True  # whether the latest session got a server that serves no other session
        self._anew = False  # whether a server performs a new handshake before the next session

    @contextmanager
    def site(self, place: WorkspacePool, scenario: Scenario, adapter: Adapter) -> Iterator[WorkspaceDir]:
        """Lend an empty workspace during the block. The session that `adapter` opens in this workspace uses a shared
        or a separate server, as the pool decides.
        """
        self._sessions += 1
        if not self._tried and self._sessions > _ALONE_FIRST:
            self._tried = True
            self._found = self._try(place, adapter)
        began = time.monotonic()
        chosen, lent = self._choose_server(place, scenario)
        use = self.use = replace(chosen, decision=self._decision())
        with lent as site:
            yield site
        self.use = replace(use, seconds=time.monotonic() - began)

    def server(self, workspace: Workspace) -> tuple[McpServer, bool]:
        """Return a server for the workspace, and whether it is a separate server. Raises AdapterError."""
        root = workspace.root
        if root in self._sharing or (self.isolation == "directory" and not _alone(workspace)):
            folder, shared = root.parents[2], self._shared
            if shared is None or not shared.server.alive or shared.folder != folder:
                self._end_shared()
                self._home.mkdir(exist_ok=True)
                shared = self._shared = _Shared(folder, self._start(Workspace(folder, self._home), folder))
            return shared.server, False
        if self._fresh:
            return self._start(workspace, root), True
        kept = self._again.get(root)
        if kept is None or not kept.serves(root):
            self._end_kept(root)
            kept = self._again[root] = _Kept(root.stat(), self._start(workspace, root))
        elif self._anew:
            kept.server.begin_anew()
        return kept.server, False

    def doubts(self, status: str) -> bool:
        """Whether the latest scenario must be repeated on a separate server: its session used a shared server, and
        other sessions on this server may be the reason for its failure. `status` is the status of the verdict.
        """
        if self.isolation != "auto" or self.use is None or self._fresh or status not in ("failed", "error"):
            return False
        if status == "failed":
            self._repeated += 1
        return status == "error" or bool(self._apart) or self._repeated <= _REPEATED_FAILURES

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Start a separate server for each session during the block."""
        self._alone = True
        try:
            yield
        finally:
            self._alone = False

    def separate(self, scenario_id: str) -> None:
        """Note that a scenario gave another result on a separate server than on a shared one.

        The scenario no longer uses shared servers. If there are many such scenarios, no scenario does. After several
        of them in succession the shared servers may be spoiled, and are replaced.
        """
        self._apart.add(scenario_id)
        self._in_succession = self._in_succession + 1 if self._shares == self._latest_apart + 1 else 1
        self._latest_apart = self._shares
        if self._in_succession == _IN_SUCCESSION:
            self.reset()
            self._in_succession = 0
        if len(self._apart) > max(_MOST_APART, self._shares / _ONE_IN):
            why = f"{pluralize(len(self._apart), 'scenario')} gave another result on a shared server"
            self._found = Independence(again=self._found.again, refusal=why)

    def reset(self) -> None:
        """End all servers that serve more than one session, because a spoiled server may affect more than its
        workspace. Servers of open sessions that serve only this session continue.
        """
        self._end_shared()
        for root in [*self._again]:
            self._end_kept(root)

    def _decision(self) -> IsolationDecision | None:
        """Return how servers are assigned to sessions. None before the probe has run."""
        found = self._found
        if not self._tried:
            return None
        if found.anew:
            return IsolationDecision("restarted", _ANEW)
        if not found.refusal:
            return IsolationDecision("shared", _UNTRIED if self.isolation == "directory" else _INDEPENDENT)
        if found.again:
            return IsolationDecision("shared", _AGAIN)
        return IsolationDecision("process", found.refusal)

    def _try(self, place: WorkspacePool, adapter: Adapter) -> Independence:
        traits = traits_of(adapter)
        found = try_servers(
            adapter.open,
            traits.capabilities,
            alone=place.site,
            shared=partial(self._site_to_share, place),
            again=partial(self._site_to_keep, place),
            anew=partial(self._site_to_keep, place, anew=True),
            share=not self._bound,
            mask=traits.mask,
        )
        self.reset()
        return replace(found, refusal=self._bound or found.refusal)

    def _choose_server(
        self, place: WorkspacePool, scenario: Scenario
    ) -> tuple[ServerUse, AbstractContextManager[WorkspaceDir]]:
        """Return how the next session uses a server, and the workspace to lend."""
        found, apart = self._found, scenario.id in self._apart
        own = self._alone or apart or bool(scenario.given.deny) or "sessions" in scenario.needs
        self._fresh = own or not (found.again or found.anew)
        self._anew = found.anew
        if found.anew and not own:
            self._shares += 1
            return ServerUse(shared=True, why=_ANEW), place.site()
        if not (found.anew or found.refusal or own or _alone(scenario)):
            self._fresh = False
            self._shares += 1
            why = _UNTRIED if self.isolation == "directory" else _INDEPENDENT
            return ServerUse(shared=True, why=why), self._site_to_share(place)
        if found.again and not own:
            self._shares += 1
            return ServerUse(shared=True, why=_AGAIN), place.site()
        use = ServerUse(shared=False, why=found.refusal or (_APART if apart else _FRESH))
        return use, place.site()

    @contextmanager
    def _site_to_keep(self, place: WorkspacePool, *, anew: bool = False) -> Iterator[WorkspaceDir]:
        """Lend a workspace whose server is kept for the next session at its path, with a new handshake if `anew`."""
        self._fresh, self._anew = False, anew
        try:
            with place.site() as site:
                yield site
        finally:
            self._fresh, self._anew = True, False

    @contextmanager
    def _site_to_share(self, place: WorkspacePool) -> Iterator[WorkspaceDir]:
        with place.site(unique=True) as site:
            root = Path(site.root)
            self._sharing.add(root)
            try:
                yield site
            finally:
                self._sharing.discard(root)

    def _end_kept(self, root: Path) -> None:
        kept = self._again.pop(root, None)
        if kept is not None:
            kept.server.end()

    def _end_shared(self) -> None:
        if self._shared is not None:
            self._shared.server.end()
            self._shared = None


def _alone(whose: Workspace | Scenario) -> bool:
    """Whether a session needs a separate server. This is the case if it uses relative paths or deny rules,
    if it kills the program, or if a second session runs at the same time.
    """
    deny = whose.given.deny if isinstance(whose, Scenario) else whose.deny
    return whose.relative or bool(deny) or bool({AT_ONCE, "kill", "sessions"} & whose.needs)


@dataclass(frozen=True, slots=True)
class _Shared:
    folder: Path
    server: McpServer


@dataclass(frozen=True, slots=True)
class _Kept:
    """A server for consecutive sessions at one path. `began` is the state of its directory at its start."""

    began: os.stat_result
    server: McpServer

    def serves(self, root: Path) -> bool:
        """Whether the server still runs, and `root` is its original directory, not a new directory at the same path."""
        return self.server.is_running and os.path.samestat(self.began, root.stat())
