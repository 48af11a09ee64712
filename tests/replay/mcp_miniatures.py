"""Tiny MCP servers, each wrong in one way; started as `python mcp_miniatures.py WAY [FILE]`."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

WAY = sys.argv[1]
STARTED = time.monotonic_ns()
TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("Read", "Edit", "Write")]


def say(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def text(shown: str, is_error: bool = False) -> dict[str, object]:
    return {"content": [{"type": "text", "text": shown}], "isError": is_error}


def called(way: str) -> dict[str, object]:
    match way:
        case "hangs":
            time.sleep(3600)
        case "hangs-with-child":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)", sys.argv[2]])
            Path(sys.argv[2]).touch()
            time.sleep(3600)
        case "exits":
            sys.stderr.write("x" * 5000 + " the last words\n")
            sys.exit(3)
        case "crashes":
            os.kill(os.getpid(), 11)
        case "closes":
            os.close(1)
            time.sleep(3600)
        case "garbage":
            print("hello from the server", flush=True)
        case "floods":
            piece = "x" * 1024 * 1024
            while True:
                sys.stdout.write(piece)
        case "floods-errors":
            sys.stderr.write("y" * 3_000_000)
        case "no-result":
            return {"content": "not a list"}
        case "asks":
            shown = []
            for method in ("ping", "roots/list"):
                say({"jsonrpc": "2.0", "id": method, "method": method})
                answer = json.loads(sys.stdin.readline())
                shown.append("error" if "error" in answer else answer["result"])
            return text(f"{shown}")
        case "shows-much":
            return text("much " * 100_000)
        case "start":
            return text(str(STARTED))
        case "where":
            return text(f"{Path.cwd()} {os.environ['HOME']}")
    return text("done")


def main() -> None:
    if WAY == "never-starts":
        sys.exit(4)
    if WAY == "silent":
        time.sleep(3600)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        answer = {"jsonrpc": "2.0", "id": message["id"]}
        params = message.get("params") or {}
        match message["method"]:
            case "initialize":
                info = {"name": "miniature", "version": "1"}
                result = {
                    "protocolVersion": "3000-01-01"
                    if WAY == "from-the-future"
                    else params["protocolVersion"],
                    "capabilities": {"tools": {}},
                    "serverInfo": info,
                }
                say(answer | {"result": result})
            case "tools/list":
                tools = (
                    [{**tool, "name": f"my_{tool['name']}"} for tool in TOOLS] if WAY == "renamed" else TOOLS
                )
                say(answer | {"result": {"tools": tools}})
            case "tools/call" if WAY == "error":
                say(answer | {"error": {"code": -32602, "message": "no such argument"}})
            case "tools/call" if WAY.startswith("stops"):
                new = Path(params["arguments"]["file_path"])
                new.write_text(params["arguments"]["content"][:2])
                notice = json.loads(sys.stdin.readline())
                assert notice["method"] == "notifications/cancelled", notice
                assert notice["params"]["requestId"] == message["id"], notice
                if WAY == "stops":
                    new.unlink()
                if WAY == "stops-and-answers":
                    new.unlink()
                    say(answer | {"result": text("it was given up", True)})
            case "tools/call":
                say(answer | {"result": called(WAY)})


main()
