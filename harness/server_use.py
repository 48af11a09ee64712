"""How scenarios share the servers of an implementation."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class IsolationDecision:
    """How servers are assigned to scenarios, and the reason.

    `shared`: one server for many scenarios. `restarted`: the same, with a new handshake before each scenario.
    `process`: one server for each scenario.
    """

    kind: Literal["shared", "restarted", "process"]
    why: str


@dataclass(frozen=True, slots=True)
class ServerUse:
    """What a session got of an implementation that runs as a server: a shared one or one of its own, and why.

    `decision` is how servers are assigned in general. None before it is known. `seconds` is the time of the session,
    including the start of a server.
    """

    shared: bool
    why: str
    decision: IsolationDecision | None = field(default=None, compare=False)
    seconds: float = field(default=0.0, compare=False)
