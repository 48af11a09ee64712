"""What a model and an agent say to each other, whatever the wire format: requests, tool calls, their answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from readfirst.harness.session import ToolResult


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

    An answer's `is_error` is the wire format's own flag, False where the format has none. What is no text stands
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
