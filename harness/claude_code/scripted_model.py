"""The scripted model: a Messages API on loopback whose answers are the harness's tool calls.

A request that carries the file tools is a turn: it waits until the harness has decided what the model says.
Side requests (titles, quota checks, token counts) are answered at once and spend nothing.
"""

from __future__ import annotations

import json
import queue
import socket
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["ScriptedModel", "TextBlock", "ToolUse", "Turn"]

_JSON = "application/json"
_EVENTS = "text/event-stream"


@dataclass(frozen=True, slots=True)
class ToolUse:
    """The model calls a tool. `arguments` may be a string: then it is sent as it is, valid JSON or not."""

    id: str
    tool: str
    arguments: Mapping[str, Any] | str


@dataclass(frozen=True, slots=True)
class TextBlock:
    """The model says something and, if nothing else comes with it, ends its turn."""

    text: str


@dataclass(slots=True)
class Turn:
    """One request of the product that asks the model what to do next."""

    body: Mapping[str, Any]
    _answer: queue.SimpleQueue[Sequence[ToolUse | TextBlock] | None] = field(
        default_factory=queue.SimpleQueue
    )

    def answer(self, blocks: Sequence[ToolUse | TextBlock]) -> None:
        """Let the model say `blocks`; the product gets them at once."""
        self._answer.put(blocks)

    def abandon(self) -> None:
        """Close the connection without an answer."""
        self._answer.put(None)

    def wait(self) -> Sequence[ToolUse | TextBlock] | None:
        """Block until the harness answered."""
        return self._answer.get()

    def results(self) -> dict[str, Mapping[str, Any]]:
        """Return the tool_result blocks of the last message by the id of their call."""
        content = self.body["messages"][-1]["content"]
        if isinstance(content, str):
            return {}
        return {block["tool_use_id"]: block for block in content if block.get("type") == "tool_result"}


class ScriptedModel:
    """Serves the Messages API on a listening socket and hands each turn to `turns`.

    `tools` tell a turn from a side request: a turn offers at least one of them.
    """

    def __init__(
        self,
        listener: socket.socket,
        turns: queue.SimpleQueue[Any],
        tools: frozenset[str] = frozenset({"Read", "View"}),
    ) -> None:
        self.turns = turns
        self.tools = tools
        self.side_requests = 0
        self._server = _Server(listener, self)
        # Daemon threads: a product that keeps its connection open must not keep the harness alive.
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop serving; open connections die with the product."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, listener: socket.socket, model: ScriptedModel) -> None:
        super().__init__(("127.0.0.1", 0), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.model = model

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that the product dropped is no event."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body leave in one write, Nagle off: otherwise every step costs 40 ms more.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on standard error."""

    def do_GET(self) -> None:
        """Answer whatever else is asked: nothing is here."""
        self._send(404, _JSON, b"{}")

    do_HEAD = do_GET  # noqa: N815 - the base class looks the method up by this name

    def do_POST(self) -> None:
        """Serve one request of the Messages API."""
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        model = self.server.model
        if "count_tokens" in self.path:
            model.side_requests += 1
            self._send(200, _JSON, json.dumps({"input_tokens": _tokens(body.get("messages") or ())}).encode())
            return
        blocks: Sequence[ToolUse | TextBlock] | None
        if model.tools.intersection(tool.get("name", "") for tool in body.get("tools") or ()):
            turn = Turn(body)
            model.turns.put(turn)
            blocks = turn.wait()
        else:
            model.side_requests += 1
            blocks = (TextBlock("ok"),)
        if blocks is None:
            self.close_connection = True
        elif body.get("stream"):
            self._send(200, _EVENTS, _event_stream(body.get("model", ""), blocks))
        else:
            self._send(200, _JSON, json.dumps(_message(body.get("model", ""), blocks)).encode())

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _tokens(messages: Sequence[Mapping[str, Any]]) -> int:
    """Return a quarter of the messages' characters, rounded up: the product's cap on tokens asks for a count."""
    characters = 0
    for message in messages:
        content = message.get("content", "")
        blocks = [{"text": content}] if isinstance(content, str) else content
        characters += sum(len(block.get("text") or "") for block in blocks)
    return -(-characters // 4)


def _stop_reason(blocks: Sequence[ToolUse | TextBlock]) -> str:
    return "tool_use" if any(isinstance(block, ToolUse) for block in blocks) else "end_turn"


def _envelope(model: str) -> dict[str, Any]:
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        # Small on purpose: a product that believes its context is full starts to summarise.
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _message(model: str, blocks: Sequence[ToolUse | TextBlock]) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    for block in blocks:
        match block:
            case TextBlock(text):
                content.append({"type": "text", "text": text})
            case ToolUse(id=name, tool=tool, arguments=arguments):
                given = json.loads(arguments) if isinstance(arguments, str) else arguments
                content.append({"type": "tool_use", "id": name, "name": tool, "input": given})
    return {**_envelope(model), "content": content, "stop_reason": _stop_reason(blocks)}


def _event_stream(model: str, blocks: Sequence[ToolUse | TextBlock]) -> bytes:
    events: list[dict[str, Any]] = [{"type": "message_start", "message": _envelope(model)}]
    for index, block in enumerate(blocks):
        match block:
            case TextBlock(text):
                opened: dict[str, Any] = {"type": "text", "text": ""}
                delta = {"type": "text_delta", "text": text}
            case ToolUse(id=name, tool=tool, arguments=arguments):
                opened = {"type": "tool_use", "id": name, "name": tool, "input": {}}
                given = arguments if isinstance(arguments, str) else json.dumps(arguments)
                delta = {"type": "input_json_delta", "partial_json": given}
        events += (
            {"type": "content_block_start", "index": index, "content_block": opened},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        )
    stop = {"stop_reason": _stop_reason(blocks), "stop_sequence": None}
    events += (
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    )
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
