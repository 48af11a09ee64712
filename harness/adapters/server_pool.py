"""Assign a server to each session: one that is shared with other sessions, or a new one."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from readfirst.harness.adapter_api import Adapter, Workspace
from readfirst.harness.adapter_traits import IsolationDecision, ServerUse, traits_of
from readfirst.harness.adapters.isolation_probe import SharingResult, probe_servers
from readfirst.harness.adapters.mcp_process import McpServer
from readfirst.harness.pluralize import pluralize
from readfirst.harness.suite.scenario import AT_ONCE, Scenario
from readfirst.harness.workspace.workspace_dir import WorkspaceDir, WorkspacePool

Isolation = Literal["auto", "process", "directory"]
Start = Callable[[Workspace, Path], McpServer]
"""A function that starts a server for a workspace, in a directory. Raises AdapterError."""

_SESSIONS_BEFORE_PROBE = 4
"""Number of sessions that use separate servers before the probe runs. Shorter runs are faster without the probe."""
_MAX_REPEATED_FAILURES = 10
"""Maximum failures to repeat on a separate server. After the first different result, all failures are repeated."""
_MAX_DIFFERENT_SCENARIOS = 5
"""Sessions share servers until more scenarios than this number have a different result on a separate server."""
_SESSIONS_PER_DIFFERENCE = 3
_MAX_CONSECUTIVE = 3
"""Shared servers are replaced after this number of consecutive scenarios with a different result on a separate server.
"""

_REQUESTED = "as asked"
_REQUESTED_SHARED = "as asked, without a trial: what fails may pass alone"
_TOO_FEW = "too few to test whether they can share one"
_NEEDS_SEPARATE = "these need a working directory or rules of their own"
_DIFFERENT_WHEN_SHARED = "these gave another result on a shared server"
_INDEPENDENT = "no session affects another"
_HANDSHAKE_RESTARTS = "a new handshake starts each session"
_REMEMBERS_NOTHING = "the server remembers nothing of earlier sessions"


class ServerPool:
    """Assigns servers to sessions according to `isolation`. Used by adapters for MCP servers. Not thread-safe.

    - `process`: every session has a separate server, which is started in the workspace after the files are created.
    - `directory`: sessions share a server in the directory above all workspaces. A session that needs a working
      directory or deny rules has a separate server.
    - `auto`: as `directory` if a probe shows that sessions give the same results as with separate servers, otherwise as
      `process`. A scenario with a different result on a separate server is excluded from sharing.

    `bound` is the reason why a server can serve only one workspace, for example because its command contains `$WS`.
    Empty without a known reason. `home` is the home directory of shared servers.
    """

    def __init__(self, start: Start, home: Path, isolation: Isolation = "auto", bound: str = "") -> None:
        self.isolation = isolation
        self.use: ServerUse | None = None
        """How the latest session uses its server. None before the first session."""
        self._start = start
        self._home = home
        self._bound = bound
        self._shared: _SharedServer | None = None
        """The directory above all workspaces, and the server that sessions share in it."""
        self._shared_roots: set[Path] = set()
        self._kept_servers: dict[Path, _KeptServer] = {}
        self._different: set[str] = set()
        self._shared_sessions = 0
        self._latest_difference = 0  # value of `_shared_sessions` at the latest different result
        self._consecutive = 0
        self._sharing = SharingResult(refusal={"process": _REQUESTED, "auto": _TOO_FEW}.get(isolation, ""))
        self._was_probed = isolation != "auto"
        self._why_shared = _REQUESTED_SHARED if isolation == "directory" else _INDEPENDENT
        self._sessions = 0
        self._repeated_failures = 0
        self._separate_only = False
        self._is_separate = True  # whether the latest session got a server that serves no other session
        self._repeats_handshake = False  # whether the handshake is repeated before the next session

    @contextmanager
    def site(self, pool: WorkspacePool, scenario: Scenario, adapter: Adapter) -> Iterator[WorkspaceDir]:
        """Lend an empty workspace to a `with` block, and choose a shared or a separate server for the session in it."""
        self._sessions += 1
        if not self._was_probed and self._sessions > _SESSIONS_BEFORE_PROBE:
            self._was_probed = True
            self._sharing = self._probe(pool, adapter)
        began = time.monotonic()
        chosen, lent = self._choose_server(pool, scenario)
        use = self.use = replace(chosen, decision=self._decision())
        with lent as site:
            yield site
        self.use = replace(use, seconds=time.monotonic() - began)

    def server(self, workspace: Workspace) -> tuple[McpServer, bool]:
        """Return a server for the workspace, and whether the server must end with the session. Raises AdapterError."""
        root = workspace.root
        if root in self._shared_roots or (
            self.isolation == "directory" and not _needs_separate_server(workspace)
        ):
            folder, shared = root.parents[2], self._shared
            if shared is None or not shared.server.alive or shared.folder != folder:
                self._end_shared()
                self._home.mkdir(exist_ok=True)
                server = self._start(Workspace(folder, self._home), folder)
                shared = self._shared = _SharedServer(folder, server)
            return shared.server, False
        if self._is_separate:
            return self._start(workspace, root), True
        kept = self._kept_servers.get(root)
        if kept is None or not kept.serves(root):
            self._end_kept(root)
            kept = self._kept_servers[root] = _KeptServer(root.stat(), self._start(workspace, root))
        elif self._repeats_handshake:
            kept.server.repeat_handshake()
        return kept.server, False

    def must_repeat(self, status: str) -> bool:
        """Whether to repeat the latest scenario on a separate server. `status` is the status of its verdict."""
        if (
            self.isolation != "auto"
            or self.use is None
            or self._is_separate
            or status not in ("failed", "error")
        ):
            return False
        if status == "failed":
            self._repeated_failures += 1
        return status == "error" or bool(self._different) or self._repeated_failures <= _MAX_REPEATED_FAILURES

    @contextmanager
    def alone(self) -> Iterator[None]:
        """During the `with` block, use a separate server for each session."""
        self._separate_only = True
        try:
            yield
        finally:
            self._separate_only = False

    def note_difference(self, scenario_id: str) -> None:
        """From now on, use separate servers for a scenario, because its result on a separate server was different.
        After many such scenarios, sessions no longer share servers.
        """
        self._different.add(scenario_id)
        is_next = self._shared_sessions == self._latest_difference + 1
        self._consecutive = self._consecutive + 1 if is_next else 1
        self._latest_difference = self._shared_sessions
        if self._consecutive == _MAX_CONSECUTIVE:  # the state of the shared servers may be wrong
            self.reset()
            self._consecutive = 0
        maximum = max(_MAX_DIFFERENT_SCENARIOS, self._shared_sessions / _SESSIONS_PER_DIFFERENCE)
        if len(self._different) > maximum:
            why = f"{pluralize(len(self._different), 'scenario')} gave another result on a shared server"
            self._sharing = SharingResult(reusable=self._sharing.reusable, refusal=why)

    def reset(self) -> None:
        """End all servers that several sessions use. Servers of a single session continue."""
        self._end_shared()
        for root in [*self._kept_servers]:
            self._end_kept(root)

    def _decision(self) -> IsolationDecision | None:
        """Return the decision whether sessions share servers, with its reason. None before the probe has run."""
        sharing = self._sharing
        if not self._was_probed:
            return None
        if sharing.reusable_after_handshake:
            return IsolationDecision("restarted", _HANDSHAKE_RESTARTS)
        if not sharing.refusal:
            return IsolationDecision("shared", self._why_shared)
        if sharing.reusable:
            return IsolationDecision("shared", _REMEMBERS_NOTHING)
        return IsolationDecision("process", sharing.refusal)

    def _probe(self, pool: WorkspacePool, adapter: Adapter) -> SharingResult:
        traits = traits_of(adapter)
        sharing = probe_servers(
            adapter.open,
            traits.capabilities,
            separate=pool.site,
            shared=partial(self._lend_shared, pool),
            reused=partial(self._lend_kept, pool),
            restarted=partial(self._lend_kept, pool, restarts=True),
            share=not self._bound,
            mask=traits.mask,
        )
        self.reset()
        return replace(sharing, refusal=self._bound or sharing.refusal)

    def _choose_server(
        self, pool: WorkspacePool, scenario: Scenario
    ) -> tuple[ServerUse, AbstractContextManager[WorkspaceDir]]:
        """Decide which server the next session uses. Also return a context manager that lends the workspace."""
        sharing, is_different = self._sharing, scenario.id in self._different
        deny, needs = scenario.given.deny, scenario.needs
        is_separate = self._separate_only or is_different or bool(deny) or "sessions" in needs
        why = ""
        lend: Callable[[], AbstractContextManager[WorkspaceDir]] = pool.site
        if not is_separate and sharing.reusable_after_handshake:
            why = _HANDSHAKE_RESTARTS
        elif not (is_separate or sharing.refusal or _needs_separate_server(scenario)):
            why, lend = self._why_shared, partial(self._lend_shared, pool)
        elif not is_separate and sharing.reusable:
            why = _REMEMBERS_NOTHING
        self._is_separate, self._repeats_handshake = not why, sharing.reusable_after_handshake
        if why:
            self._shared_sessions += 1
            return ServerUse(shared=True, why=why), lend()
        why = sharing.refusal or (_DIFFERENT_WHEN_SHARED if is_different else _NEEDS_SEPARATE)
        return ServerUse(shared=False, why=why), lend()

    @contextmanager
    def _lend_kept(self, pool: WorkspacePool, *, restarts: bool = False) -> Iterator[WorkspaceDir]:
        """Lend a workspace whose sessions share one server. With `restarts`, each session repeats the handshake."""
        self._is_separate, self._repeats_handshake = False, restarts
        try:
            with pool.site() as site:
                yield site
        finally:
            self._is_separate, self._repeats_handshake = True, False

    @contextmanager
    def _lend_shared(self, pool: WorkspacePool) -> Iterator[WorkspaceDir]:
        with pool.site(unique=True) as site:
            root = Path(site.root)
            self._shared_roots.add(root)
            try:
                yield site
            finally:
                self._shared_roots.discard(root)

    def _end_kept(self, root: Path) -> None:
        kept = self._kept_servers.pop(root, None)
        if kept is not None:
            kept.server.end()

    def _end_shared(self) -> None:
        if self._shared is not None:
            self._shared.server.end()
            self._shared = None


def _needs_separate_server(session: Workspace | Scenario) -> bool:
    """Whether a scenario needs a separate server: for relative paths, deny rules, a kill, or several sessions."""
    deny = session.given.deny if isinstance(session, Scenario) else session.deny
    return session.relative or bool(deny) or bool({AT_ONCE, "kill", "sessions"} & session.needs)


class _SharedServer(NamedTuple):
    """A server for all sessions in a directory."""

    folder: Path
    server: McpServer


@dataclass(frozen=True, slots=True)
class _KeptServer:
    """A server for consecutive sessions. `began` is the `stat` result of its directory when the server started."""

    began: os.stat_result
    server: McpServer

    def serves(self, root: Path) -> bool:
        """Whether the server still runs, and `root` is still the start directory of the server."""
        return self.server.is_running and os.path.samestat(self.began, root.stat())
