"""The loop of an MCP server for tests. The scripts that use it execute the calls, and each is wrong in one way.

A script that may start in any directory adds the checkout to its path first. A script that is copied needs a copy of
this file next to it.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("Read", "Edit", "Write")]


def say(number: object, **parts: object) -> None:
    """Write the response to the request with this number."""
    print(json.dumps({"jsonrpc": "2.0", "id": number, **parts}), flush=True)


def text(content: str, is_error: bool = False) -> dict[str, object]:
    """Return the result of a tool call with this text."""
    return {"content": [{"type": "text", "text": content}], "isError": is_error}


def serve(
    call: Callable[..., Mapping[str, object] | None],
    *,
    tools: Sequence[object] = TOOLS,
    page: int = 1000,
    server: tuple[str, str] = ("miniature", "1"),
    begin: Callable[[], Mapping[str, object]] = dict,
) -> None:
    """Answer requests until the input ends.

    `call` receives the tool's name, the arguments and the request's number. It returns the result, or None if it has
    written the response itself. `begin` is called for each handshake, and returns changes to its result. `page` is the
    number of tools on a page of the list.
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
