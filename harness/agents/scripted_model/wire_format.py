"""Wire formats: what a model and an agent say to each other, and how requests and answers look on the line."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from readfirst.harness.adapter_api import ToolResult


@dataclass(frozen=True, slots=True)
class ToolUse:
    """The model calls a tool. `arguments` may be a string: then it is sent as it is, valid JSON or not.

    `ends` says what else ends with such a string: the connection (`cut`), or the message, which got too long (`limit`).
    """

    id: str
    tool: str
    arguments: Mapping[str, Any] | str
    ends: Literal["cut", "limit"] | None = None


@dataclass(frozen=True, slots=True)
class TextBlock:
    """The model says something and, if nothing else comes with it, ends its turn."""

    text: str


Block = ToolUse | TextBlock


@dataclass(frozen=True, slots=True)
class Request:
    """One request to the model: the tools it offers, and the answers to the model's last calls by call id.

    `offers` are the entries of these tools as they came, by name, where the wire format's reader keeps them; `notes`
    are texts that came with the answers and belong to none of them.

    An answer's `is_error` is the wire format's own flag, False where the format has none. What is no text is
    in its text as `[image image/png 70]`: kind, type, base64 characters.
    """

    model: str
    stream: bool
    tools: frozenset[str] = frozenset()
    answers: Mapping[str, ToolResult] = field(default_factory=dict)
    offers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """The body of an HTTP answer and its content type; `sent` is how many bytes of it come, None: all."""

    kind: str
    body: bytes
    sent: int | None = None


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


def text_of(
    content: str | Sequence[Mapping[str, Any]],
    source: Callable[[Mapping[str, Any]], tuple[object, object]],
    texts: Collection[str] = ("text",),
) -> str:
    """Return what an answer says: blocks of these types as they are, of others a placeholder of type and data."""
    if isinstance(content, str):
        return content
    return "\n".join(
        block["text"] if block["type"] in texts else media(block["type"], *source(block)) for block in content
    )


def of_data_url(url: object) -> tuple[object, object]:
    """Return the type and the data of what a `data:` URL holds."""
    head, _, data = str(url).partition(",")
    return head.removeprefix("data:").partition(";")[0], data


def media(kind: object, media_type: object, data: object) -> str:
    """Return the placeholder in a text for something that is none: kind, type, number of base64 characters."""
    return f"[{kind} {media_type} {len(data) if isinstance(data, str) else 0}]"
