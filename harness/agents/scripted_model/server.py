"""The server: a model's interface on loopback, in one wire format, whose answers are the harness's tool calls.

A request that offers the file tools is a turn: it waits until the harness has decided what the model says.
Side requests (titles, quota checks, token counts) are answered at once and spend nothing.
"""

import json
import queue
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from readfirst.harness.agents.scripted_model.wire_format import (
    Block,
    Reply,
    Request,
    TextBlock,
    ToolUse,
    Wire,
    WireError,
)

MAXIMUM_REQUEST = 64 * 1024 * 1024
"""The longest request in bytes; whoever sends more floods."""


@dataclass(slots=True)
class Turn:
    """One request of the agent that asks the model what to do next; `size` is its length in bytes."""

    request: Request
    size: int = 0
    _answer: queue.SimpleQueue[Sequence[Block] | None] = field(default_factory=queue.SimpleQueue)

    def answer(self, blocks: Sequence[Block]) -> None:
        """Send `blocks` to the agent as an answer of the model."""
        self._answer.put(blocks)

    def abandon(self) -> None:
        """Close the connection without an answer."""
        self._answer.put(None)

    def wait(self) -> Sequence[Block] | None:
        """Block until the harness answered."""
        return self._answer.get()


class ScriptedModel:
    """Serves one wire format on a listening socket and puts each Turn into `events`.

    `tools` tell a turn from a side request: a turn offers at least one of them. A request that is not in the
    wire format is refused, and the WireError is put into `events`.
    """

    def __init__(
        self, listener: socket.socket, events: queue.SimpleQueue[Any], wire: Wire, tools: frozenset[str]
    ) -> None:
        self.events = events
        self.wire = wire
        self.tools = tools
        self.side_requests = 0
        self._server = _Server(listener, self)
        # Daemon threads: an agent that keeps its connection open must not keep the harness alive.
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop serving; open connections die with the agent."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reply(self, path: str, text: bytes) -> Reply | None:
        """Return what to answer to a request, None to close the connection. Raises WireError."""
        try:
            body = json.loads(text or b"{}")
        except (ValueError, RecursionError) as error:
            raise WireError(f"a request to {path} is not JSON: {error}") from error
        if not isinstance(body, dict):
            raise WireError(f"a request to {path} is no JSON object")
        side = self.wire.side_reply(path, body)
        if side is not None:
            self.side_requests += 1
            return side
        request = self.wire.request(path, body)
        blocks: Sequence[Block] | None = (TextBlock("ok"),)
        if self.tools & request.tools:
            turn = Turn(request, len(text))
            self.events.put(turn)
            blocks = turn.wait()
        else:
            self.side_requests += 1
        return None if blocks is None else _broken_off(self.wire.reply(request, blocks), blocks)


def _broken_off(reply: Reply, blocks: Sequence[Block]) -> Reply:
    """Return a reply that ends where the arguments of a call do, if the connection is to end there."""
    for block in blocks:
        if isinstance(block, ToolUse) and block.ends == "cut":
            written = json.dumps(block.arguments)[1:-1].encode()
            place = reply.body.find(written)
            return replace(reply, sent=place + len(written) if place >= 0 else len(reply.body) // 2)
    return reply


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, listener: socket.socket, model: ScriptedModel) -> None:
        super().__init__(("127.0.0.1", 0), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.model = model

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that the agent dropped is not an event."""


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
        self._send(404, Reply("application/json", b"{}"))

    do_HEAD = do_GET  # noqa: N815 - the base class looks the method up by this name

    def do_POST(self) -> None:
        """Serve one request in the wire format."""
        try:
            reply = self.server.model.reply(self.path, self._body())
        except WireError as error:
            self.server.model.events.put(error)
            self.close_connection = True
            self._send(400, Reply("application/json", json.dumps({"error": str(error)}).encode()))
            return
        if reply is None:
            self.close_connection = True
        else:
            self._send(200, reply)

    def _body(self) -> bytes:
        length_header = self.headers.get("content-length", "")
        if not (length_header.isascii() and length_header.isdigit()):
            raise WireError(f"a request to {self.path} has no content-length")
        length = int(length_header)
        if length > MAXIMUM_REQUEST:
            raise WireError(f"a request to {self.path} has {length} bytes; the limit is {MAXIMUM_REQUEST}")
        return self.rfile.read(length)

    def _send(self, status: int, reply: Reply) -> None:
        self.send_response(status)
        self.send_header("content-type", reply.kind)
        self.send_header("content-length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body[: reply.sent])
        if reply.sent is not None:
            self.close_connection = True
