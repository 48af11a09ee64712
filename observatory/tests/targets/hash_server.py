"""An MCP server that changes a file only with the hash of the file, which its answers contain.

It refuses an empty text to find, and files that are not UTF-8.
"""

import json
import sys
from hashlib import sha256
from pathlib import Path

TOOLS = {
    "read_file": ["path"],
    "replace_in_file": ["path", "find", "replace_with", "hash"],
    "save_file": ["path", "content", "hash"],
}


def hashed(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()[:12]


def call(name: str, given: dict[str, str]) -> str:
    path = Path(given["path"])
    if name == "read_file":
        return f"hash: {hashed(path)}\n{path.read_bytes().decode()}"
    if path.exists() and given.get("hash") != hashed(path):
        raise ValueError("The hash is not that of the file.")
    if name == "save_file":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(given["content"].encode())
        return f"hash: {hashed(path)}"
    text = path.read_bytes().decode()
    count = text.count(given["find"]) if given["find"] else 0
    if count == 0 or (count > 1 and not given.get("every")):
        raise ValueError(f"The text is in {count} places.")
    path.write_bytes(text.replace(given["find"], given["replace_with"]).encode())
    return f"hash: {hashed(path)}"


def schema(names: list[str]) -> dict:
    every = {"every": {"type": "boolean"}} if "find" in names else {}
    properties = {name: {"type": "string"} for name in names} | every
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in names if name != "hash"],
    }


def answer(method: str, params: dict) -> dict:
    match method:
        case "initialize":
            offered = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}}
            return offered | {"serverInfo": {"name": "hashes", "version": "1"}}
        case "tools/list":
            return {"tools": [{"name": name, "inputSchema": schema(given)} for name, given in TOOLS.items()]}
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
