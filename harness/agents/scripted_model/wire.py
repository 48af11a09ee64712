"""Wire formats: how requests to a model and its answers look on the line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from readfirst.harness.agents.scripted_model.message import Block, Reply, Request


class WireError(Exception):
    """A request is not in the wire format; the message says what is missing where."""


class Wire(Protocol):
    """One wire format."""

    name: str

    def side_reply(self, path: str, body: Mapping[str, Any]) -> Reply | None:
        """Return the answer to a request that asks for no message (a count of tokens), None for all others."""
        ...

    def request(self, path: str, body: Mapping[str, Any]) -> Request:
        """Read a request for a message. Raises WireError."""
        ...

    def reply(self, request: Request, blocks: Sequence[Block]) -> Reply:
        """Write the model's message, as a stream where the request asks for one."""
        ...


def json_reply(value: object) -> Reply:
    """Return a reply that is one JSON value."""
    return Reply("application/json", json.dumps(value).encode())


def event_stream(events: Sequence[tuple[str, object]]) -> Reply:
    """Return a reply of server-sent events: pairs of name (empty: none) and data (a string as it is, else JSON)."""
    lines = []
    for name, data in events:
        if name:
            lines.append(f"event: {name}\n")
        lines.append(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
    return Reply("text/event-stream", "".join(lines).encode())


def media(kind: object, media_type: object, data: object) -> str:
    """Return what stands in a text for something that is none: kind, type, number of base64 characters."""
    return f"[{kind} {media_type} {len(data) if isinstance(data, str) else 0}]"
