"""The loop of an MCP server, for scripts that execute the calls. A copied script needs a copy of this file."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("Read", "Edit", "Write")]


def say(number: object, **parts: object) -> None:
    """Write the response to the request with this number. `parts` is usually its result."""
    print(json.dumps({"jsonrpc": "2.0", "id": number, **parts}), flush=True)


def text(content: str, is_error: bool = False) -> dict[str, object]:
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

    `call` receives the name of the tool, the arguments, and the number of the request. It returns the result, or None
    if it has written the response itself. `begin` is called for each handshake and returns changes to the handshake's
    result. `page` is the maximum number of tools in one response to a request for the list of tools.
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
