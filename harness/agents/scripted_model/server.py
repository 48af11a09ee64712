"""A server on the loopback interface that takes the place of an agent's model, with one wire format. A request that
offers the file tools is a turn: it waits until the harness has decided the model's answer. Side requests (titles, quota
checks, token counts) are answered immediately.
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

MAX_REQUEST_BYTES = 64 * 1024 * 1024
"""Maximum length of a request in bytes. The server refuses longer requests."""


@dataclass(slots=True)
class Turn:
    """An agent's request to the model that the harness answers. `size` is the length of the request in bytes."""

    request: Request
    size: int = 0
    _answer: queue.SimpleQueue[Sequence[Block] | None] = field(default_factory=queue.SimpleQueue)

    def answer(self, blocks: Sequence[Block]) -> None:
        """Use `blocks` as the model's answer to the agent."""
        self._answer.put(blocks)

    def abandon(self) -> None:
        """Close the connection of the request. The agent gets no answer."""
        self._answer.put(None)

    def wait(self) -> Sequence[Block] | None:
        """Wait for a call of `answer`, and return its blocks. None if the turn was abandoned."""
        return self._answer.get()


class ScriptedModel:
    """HTTP server in place of the model, with one wire format and a listening socket. A request that offers at least
    one of `tools` becomes a Turn in `events`. Other requests, such as a token count, are answered at once. An invalid
    request becomes a WireError in `events`.
    """

    def __init__(
        self, listener: socket.socket, events: queue.SimpleQueue[Any], wire: Wire, tools: frozenset[str]
    ) -> None:
        self.events = events
        self.wire = wire
        self.tools = tools
        self._server = _Server(listener, self)
        # Daemon threads, because an agent that keeps its connection open must not keep the harness running.
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the server. Open connections are closed when the agent exits."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reply(self, path: str, text: bytes) -> Reply | None:
        """Return the reply to a request. None if the connection must be closed without a reply. Raises WireError."""
        try:
            body = json.loads(text or b"{}")
        except (ValueError, RecursionError) as error:
            raise WireError(f"a request to {path} is not JSON: {error}") from error
        if not isinstance(body, dict):
            raise WireError(f"a request to {path} is not a JSON object")
        side = self.wire.side_reply(path, body)
        if side is not None:
            return side
        request = self.wire.request(path, body)
        blocks: Sequence[Block] | None = (TextBlock("ok"),)
        if self.tools & request.tools:
            turn = Turn(request, len(text))
            self.events.put(turn)
            blocks = turn.wait()
        return None if blocks is None else _truncate_reply(self.wire.reply(request, blocks), blocks)


def _truncate_reply(reply: Reply, blocks: Sequence[Block]) -> Reply:
    """Return the reply. If `ends` of a call in `blocks` is `cut`, the reply is cut after the call's arguments."""
    for block in blocks:
        if isinstance(block, ToolUse) and block.ends == "cut":
            arguments_json = json.dumps(block.arguments)[1:-1].encode()
            position = reply.body.find(arguments_json)
            return replace(
                reply, sent=position + len(arguments_json) if position >= 0 else len(reply.body) // 2
            )
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
        """Ignore the error if the agent closes a connection."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body are sent in one write, without Nagle's algorithm. Otherwise, each step takes 40 ms
    # longer.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Do nothing, so that requests are not printed to standard error."""

    def do_GET(self) -> None:
        """Answer every GET request with 404, because agents use only POST requests."""
        self._send_reply(404, Reply("application/json", b"{}"))

    do_HEAD = do_GET  # noqa: N815 - the base class looks the method up by this name

    def do_POST(self) -> None:
        """Answer one request of the agent in the wire format."""
        try:
            reply = self.server.model.reply(self.path, self._read_body())
        except WireError as error:
            self.server.model.events.put(error)
            self.close_connection = True
            self._send_reply(400, Reply("application/json", json.dumps({"error": str(error)}).encode()))
            return
        if reply is None:
            self.close_connection = True
        else:
            self._send_reply(200, reply)

    def _read_body(self) -> bytes:
        length_header = self.headers.get("content-length", "")
        if not (length_header.isascii() and length_header.isdigit()):
            raise WireError(f"a request to {self.path} has no content-length")
        length = int(length_header)
        if length > MAX_REQUEST_BYTES:
            raise WireError(f"a request to {self.path} has {length} bytes; the limit is {MAX_REQUEST_BYTES}")
        return self.rfile.read(length)

    def _send_reply(self, status: int, reply: Reply) -> None:
        self.send_response(status)
        self.send_header("content-type", reply.kind)
        self.send_header("content-length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body[: reply.sent])
        if reply.sent is not None:
            self.close_connection = True
