"""Sent: a workspace as the JSON values that cross to a process of its own, and as it is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from readfirst.harness.session import Hook, Permissions, Workspace


def sent(workspace: Workspace) -> dict[str, Any]:
    """Return what a session is opened with; `docs/protocol.md` describes it."""
    given = workspace.permissions
    permissions = None
    if given is not None:
        further = [*map(str, given.additional)]
        permissions = {**asdict(given), "directory": str(given.directory), "additional": further}
    return {
        "root": str(workspace.root),
        "home": str(workspace.home),
        "needs": sorted(workspace.needs),
        "deny": workspace.deny,
        "hooks": [*map(asdict, workspace.hooks)],
        "permissions": permissions,
    }


def received(message: Mapping[str, Any]) -> Workspace:
    """Return the workspace of a message; one that does not say otherwise is isolated."""
    given = message["permissions"]
    permissions = None
    if given is not None:
        further = tuple(map(Path, given["additional"]))
        permissions = Permissions(given["mode"], Path(given["directory"]), tuple(given["allow"]), further)
    return Workspace(
        root=Path(message["root"]),
        home=Path(message["home"]),
        deny=tuple(message["deny"]),
        needs=frozenset(message["needs"]),
        isolated=message.get("isolated", True),
        hooks=tuple(Hook(each["event"], each["matcher"], each["command"]) for each in message["hooks"]),
        permissions=permissions,
    )
