"""A probe detects whether sessions of a server, or its start directory, affect a session."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import BASIC_CAPABILITIES, AdapterError, ToolResult, Workspace
from readfirst.harness.adapters.isolation_probe import SharingResult, probe_servers
from readfirst.harness.adapters.mask_tokens import mask_tokens
from readfirst.harness.workspace.workspace_dir import WorkspaceDir, WorkspacePool
from tests.replay.leaky_servers import Server
from tests.rows import rows


@contextmanager
def translate_exit() -> Iterator[None]:
    try:
        yield
    except SystemExit as error:
        raise AdapterError("the server ended") from error


class Session:
    def __init__(self, server: Server) -> None:
        self.server = server

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        with translate_exit():
            return ToolResult(*self.server.call(tool, dict(arguments)))


class Servers:
    """Starts servers with one fault, for one session or for several."""

    def __init__(self, way: str, place: WorkspacePool) -> None:
        self.way, self.place = way, place
        self.started: dict[str, Server] = {}
        self.home = Path(place.base, "h")
        self.home.mkdir()

    def open(self, workspace: Workspace) -> Session:
        started = self.started.pop(str(workspace.root), None)
        return Session(started or Server(self.way, workspace.root, workspace.home))

    @contextmanager
    def again(self, *, restarted: bool = False) -> Iterator[WorkspaceDir]:
        """Yield a workspace for another session of the same server. With `restarted`, it begins with a handshake."""
        with self.place.site() as site:
            one = self.started.get("again") or Server(self.way, Path(site.root), Path(site.home))
            self.started[site.root] = self.started["again"] = one
            if restarted:
                with translate_exit():
                    one.restart_session()
            yield site

    @contextmanager
    def shared(self) -> Iterator[WorkspaceDir]:
        with self.place.site(unique=True) as site:
            one = self.started.get("shared") or Server(self.way, Path(self.place.base), self.home)
            self.started[site.root] = self.started["shared"] = one
            yield site


def probe(
    way: str, place: WorkspacePool, *, share: bool = True, tools: frozenset[str] = BASIC_CAPABILITIES
) -> SharingResult:
    """Return the result of the probe for the fault `way` of leaky_servers.py."""
    servers = Servers(way, place)
    return probe_servers(
        servers.open,
        tools,
        separate=place.site,
        shared=servers.shared,
        reused=servers.again,
        restarted=partial(servers.again, restarted=True),
        share=share,
    )


DIFFERS = "is answered differently"
UNREAD = f"an Edit of an unread file {DIFFERS}"
AFTER_ANOTHER = f"{UNREAD} after another session: answered instead of refused"
ABOVE = f"{UNREAD} above the workspace: other files"
FOUND = {
    "honest": SharingResult(),
    "forgets": SharingResult(reusable=True),
    "restarted": SharingResult(reusable_after_handshake=True),
    **dict.fromkeys(
        ("by-name", "by-inode", "by-content", "by-time", "anything-read", "refuses-once"),
        SharingResult(refusal=AFTER_ANOTHER),
    ),
    "reminds": SharingResult(
        refusal=f'a Write {DIFFERS} after another session: "remember the list" instead of ""'
    ),
    "ends": SharingResult(refusal=f"a call {DIFFERS} after another session: it broke (the server ended)"),
    "confined": SharingResult(
        refusal=f"a Read of a file outside {DIFFERS} above the workspace: answered instead of refused"
    ),
    "tells-where": SharingResult(
        refusal=f'a Read {DIFFERS} above the workspace: "2/s/12/a.txt: one" instead of "a.txt: one"'
    ),
    "logs-here": SharingResult(refusal=f"{ABOVE} (../../../server.log, server.log)"),
    "logs-at-home": SharingResult(refusal=f"{ABOVE} ($HOME/server.log)"),
    "counts-calls": SharingResult(
        refusal=f'a Read {DIFFERS} after another session: "version 37" instead of "version 1"'
    ),
    **dict.fromkeys(("random-id", "tells-the-time"), SharingResult()),
}


@pytest.mark.parametrize("way", FOUND)
def test_the_probe_detects_how_one_session_affects_another(place: WorkspacePool, way: str) -> None:
    assert probe(way, place) == FOUND[way]


@pytest.mark.parametrize("way", ["restarted-but-for-texts", "restarted-reminds", "restarted-ends"])
def test_the_probe_detects_a_server_that_a_handshake_does_not_reset(place: WorkspacePool, way: str) -> None:
    assert not probe(way, place).reusable_after_handshake


def test_the_probe_compares_a_digest_that_is_equal_on_separate_servers(place: WorkspacePool) -> None:
    assert probe("digests-all", place).refusal.startswith(f"a Read {DIFFERS} after another session")


def test_if_servers_are_not_shared_the_probe_uses_only_one_workspace(place: WorkspacePool) -> None:
    assert probe("anything-read", place, share=False) == SharingResult()


def test_the_probe_calls_only_available_tools(place: WorkspacePool) -> None:
    tools = frozenset({"Read"})
    assert probe("anything-read", place, tools=tools) == SharingResult(reusable=True)


def test_the_probe_reports_that_a_server_that_always_fails_cannot_be_shared(place: WorkspacePool) -> None:
    def broken(workspace: Workspace) -> Session:
        raise AdapterError("it never starts")

    ways = dict.fromkeys(("separate", "shared", "reused", "restarted"), place.site)
    found = probe_servers(broken, BASIC_CAPABILITIES, **ways)
    assert found == SharingResult(refusal="a separate server broke when this was tried: it never starts")


KEPT = ("     3→three", "version 4", "deadbeef", "12345678 bytes", "/s/12/notes.txt")


@rows(
    ("text", "masked"),
    [
        ("id 6f1c4d2e-94f1-4a3e-8e0c-0d5b9d1f2a3b", "id …"),
        ("etag 9f86d081884c", "etag …"),
        ("at 2026-11-29T06:15:41.123Z", "at …"),
        ("at 2026-11-29 06:15, or 06:15:41", "at …, or …"),
        ("mtime 1795932941.25", "mtime …"),
        ("read in 12.5 ms", "read in …"),
        *((text, text) for text in KEPT),
    ],
)
def test_the_probe_masks_only_ids_times_and_random_tokens_in_answers(text: str, masked: str) -> None:
    assert mask_tokens(text) == masked
