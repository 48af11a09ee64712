"""An MCP server for tests, without the calls: they are in the scripts that start it, each wrong in a way of its own.

A script that may start anywhere puts the checkout on its path first; one that is copied has this file beside it.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("Read", "Edit", "Write")]


def say(number: object, **parts: object) -> None:
    """Write a message, an answer to the request of that number."""
    print(json.dumps({"jsonrpc": "2.0", "id": number, **parts}), flush=True)


def text(shown: str, is_error: bool = False) -> dict[str, object]:
    """Return the result of a call."""
    return {"content": [{"type": "text", "text": shown}], "isError": is_error}


def serve(
    call: Callable[..., Mapping[str, object] | None],
    *,
    tools: Sequence[object] = TOOLS,
    page: int = 1000,
    server: tuple[str, str] = ("miniature", "1"),
    begin: Callable[[], Mapping[str, object]] = dict,
) -> None:
    """Answer until the input ends. `call` gets name, arguments and the request's number; None: it has answered itself.

    `begin` is called for each handshake, and may change the answer. Tools are listed so many at a time.
    """
    for line in sys.stdin:
        message = json.loads(line)
        number, params = message.get("id"), message.get("params") or {}
        if number is None:
            continue
        result: Any
        match message["method"]:
            case "initialize":
                info = {"name": server[0], "version": server[1]}
                agreed = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}}
                result = {**agreed, "serverInfo": info, **begin()}
            case "tools/list":
                start = int(params.get("cursor") or 0)
                more = {"nextCursor": str(start + page)} if start + page < len(tools) else {}
                result = {"tools": tools[start : start + page], **more}
            case _:
                result = call(params["name"], params["arguments"], number)
        if result is not None:
            say(number, result=result)
