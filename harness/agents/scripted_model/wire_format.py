"""Wire formats: the messages between an agent and its model, and their encoding for several model APIs."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from readfirst.harness.adapter_api import ToolResult


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call of the model."""

    id: str
    tool: str
    arguments: Mapping[str, Any] | str
    """A string is sent unchanged, even if it is not valid JSON."""
    ends: Literal["cut", "limit"] | None = None
    """How the message ends early: the connection is cut, or the maximum length is reached. None if it is complete."""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A text in a message of the model. A message that contains only texts ends the model's turn."""

    text: str


Block = ToolUse | TextBlock


@dataclass(frozen=True, slots=True)
class Request:
    """A request of an agent to the model: the offered tools, and the results of the model's last calls."""

    model: str
    stream: bool
    tools: frozenset[str] = frozenset()
    answers: Mapping[str, ToolResult] = field(default_factory=dict)
    """The results by call id. Media are replaced by a placeholder such as `[image image/png 70]`; see `media`."""
    offers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The descriptions of the tools. Empty for some wire formats."""
    notes: tuple[str, ...] = ()
    """Additional texts next to the results."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The body and the content type of an HTTP response to an agent. `sent`: number of bytes to send (None: all)."""

    kind: str
    body: bytes
    sent: int | None = None


class WireError(Exception):
    """Raised if a request is not valid in the wire format. The message describes the error."""


class Wire(Protocol):
    """A wire format. Converts the requests of one model API to `Request`, and `Block` to `Reply`."""

    name: str

    def side_reply(self, path: str, body: Mapping[str, Any]) -> Reply | None:
        """Return the reply to a side request, for example for a token count. None for all other requests."""

    def request(self, path: str, body: Mapping[str, Any]) -> Request:
        """Parse a request for a message of the model. Raises WireError."""

    def reply(self, request: Request, blocks: Sequence[Block]) -> Reply:
        """Convert a message of the model to a reply. The reply is a stream if the request requires one."""


def json_reply(value: object) -> Reply:
    """Return a reply whose body is a JSON value."""
    return Reply("application/json", json.dumps(value).encode())


def event_stream(events: Sequence[tuple[str, object]]) -> Reply:
    """Return a reply with server-sent events. Each event has a name, perhaps empty, and a string or a JSON value."""
    lines = []
    for name, data in events:
        if name:
            lines.append(f"event: {name}\n")
        lines.append(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
    return Reply("text/event-stream", "".join(lines).encode())


def text_of(
    content: str | Sequence[Mapping[str, Any]],
    source: Callable[[Mapping[str, Any]], tuple[object, object]],
    texts: Collection[str] = ("text",),
) -> str:
    """Return the text of a result that an agent sends to its model. Blocks whose type is not in `texts` become
    placeholders. `source` returns the media type and the data of such a block.
    """
    if isinstance(content, str):
        return content
    return "\n".join(
        block["text"] if block["type"] in texts else media(block["type"], *source(block)) for block in content
    )


def media(kind: object, media_type: object, data: object) -> str:
    """Return a placeholder for media in a text, `[image image/png 70]`: kind, type, number of base64 characters."""
    return f"[{kind} {media_type} {len(data) if isinstance(data, str) else 0}]"
