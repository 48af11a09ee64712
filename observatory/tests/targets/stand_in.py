"""An MCP server with tools of other names: `python stand_in.py TOOLS`, where TOOLS is a JSON file of tools.

`read_file`, `edit_file` and `write_file` work, whatever else is in the file; a file must be read before it is changed.
"""

import json
import sys
from pathlib import Path

TOOLS = json.loads(Path(sys.argv[1]).read_text())
PAGE = 2
"""Tools are listed two at a time, as a server with many does."""
seen = {}


def call(name: str, given: dict[str, str]) -> str:
    path = Path(given["path"])
    if name == "read_file":
        seen[path] = path.read_bytes()
        return seen[path].decode()
    if path.exists() and path not in seen:
        raise ValueError(f"Read {path} first.")
    if name == "edit_file":
        path.write_bytes(path.read_bytes().replace(given["old"].encode(), given["new"].encode(), 1))
    else:
        path.write_text(given["content"])
    seen[path] = path.read_bytes()
    return "done"


def answer(method: str, params: dict) -> dict:
    match method:
        case "initialize":
            offered = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}}
            return offered | {"serverInfo": {"name": "My / files", "version": "2.0"}}
        case "tools/list":
            start = int(params.get("cursor") or 0)
            more = {"nextCursor": str(start + PAGE)} if start + PAGE < len(TOOLS) else {}
            return {"tools": TOOLS[start : start + PAGE]} | more
        case _:
            try:
                return {"content": [{"type": "text", "text": call(params["name"], params["arguments"])}]}
            except (ValueError, OSError) as error:
                return {"content": [{"type": "text", "text": str(error)}], "isError": True}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = answer(message["method"], message.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
