"""A small MCP server that needs only Python: Read, Edit and Write without any checks."""

import json
import sys
from pathlib import Path


def answer(name: str, given: dict[str, str]) -> str:
    path = Path(given["file_path"])
    if name == "Write":
        path.write_text(given["content"])
    elif name == "Edit":
        path.write_text(path.read_text().replace(given["old_string"], given["new_string"], 1))
    return path.read_text()


def result(method: str, params: dict) -> dict:
    if method == "initialize":
        server = {"name": "plain", "version": "1"}
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": server,
        }
    if method == "tools/list":
        return {
            "tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("Read", "Edit", "Write")]
        }
    try:
        text, failed = answer(params["name"], params["arguments"]), False
    except (OSError, KeyError) as error:
        text, failed = str(error), True
    return {"content": [{"type": "text", "text": text}], "isError": failed}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        answered = result(message["method"], message.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answered}), flush=True)
