"""An MCP server with unusual tools: `python stand_in.py [TOOLS]`, next to a copy of `tests/mcp_lines.py`. TOOLS is a
JSON file of tools. Only `read_file`, `edit_file` and `write_file` work; they require a Read before a change. Without
TOOLS, a change requires the hash of the file instead; each answer contains the hash.
"""

import json
import sys
from hashlib import sha256
from pathlib import Path

sys.dont_write_bytecode = True  # writes no files next to the user's files

from mcp_lines import serve, text  # noqa: E402

seen = {}
HASHING = {
    "read_file": ["path"],
    "replace_in_file": ["path", "find", "replace_with", "hash"],
    "save_file": ["path", "content", "hash"],
}


def hash_file(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()[:12]


def call_with_hash(name: str, given: dict[str, str]) -> str:
    """Execute a call of a tool that requires the hash of a file. Raises ValueError for a wrong hash, for a text that
    does not occur exactly once, and for a file that is not UTF-8.
    """
    path = Path(given["path"])
    if name == "read_file":
        return f"hash: {hash_file(path)}\n{path.read_bytes().decode()}"
    if path.exists() and given.get("hash") != hash_file(path):
        raise ValueError("The hash is not that of the file.")
    content = given.get("content")
    if content is None:
        before = path.read_bytes().decode()
        count = before.count(given["find"]) if given["find"] else 0
        if count == 0 or (count > 1 and not given.get("every")):
            raise ValueError(f"The text is in {count} places.")
        content = before.replace(given["find"], given["replace_with"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())
    return f"hash: {hash_file(path)}"


def call_after_read(name: str, given: dict[str, str]) -> str:
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


def tool(name: str, arguments: list[str]) -> dict:
    every = {"every": {"type": "boolean"}} if "find" in arguments else {}
    properties = {each: {"type": "string"} for each in arguments} | every
    required = [each for each in arguments if each != "hash"]
    return {"name": name, "inputSchema": {"type": "object", "properties": properties, "required": required}}


listed = sys.argv[1:]
answer = call_after_read if listed else call_with_hash


def call(name: str, given: dict[str, str], _: object) -> dict:
    try:
        return text(answer(name, given))
    except (ValueError, OSError) as error:
        return text(str(error), True)


tools = json.loads(Path(listed[0]).read_text()) if listed else [tool(*each) for each in HASHING.items()]
# Two tools per page, like servers with many tools.
serve(call, tools=tools, page=2, server=("My / files", "2.0"))
