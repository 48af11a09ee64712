"""Tiny MCP servers: `mcp_miniatures.py WAY [FILE]` does one thing wrong, or nothing."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))
from tests.mcp_lines import TOOLS, say, serve, text

WAY = sys.argv[1]


def answer_call(way: str) -> dict[str, object]:
    """Answer a call in the wrong way with this name, or never."""
    match way:
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
        case "no-result":
            return {"content": "not a list"}
        case "asks":
            shown = []
            for method in ("ping", "roots/list"):
                say(method, method=method)
                answer = json.loads(sys.stdin.readline())
                shown.append("error" if "error" in answer else answer["result"])
            return text(f"{shown}")
        case "shows-much":
            return text("much " * 100_000)
    return text("done")


def stop_writing(arguments: dict[str, str], number: int) -> None:
    """Write a part of a file, and then wait for the message that the call is cancelled."""
    new = Path(arguments["file_path"])
    new.write_text(arguments["content"][:2])
    notice = json.loads(sys.stdin.readline())
    assert notice["method"] == "notifications/cancelled", notice
    assert notice["params"]["requestId"] == number, notice
    if WAY != "stops-halfway":
        new.unlink()
    if WAY == "stops-and-answers":
        say(number, result=text("it was given up", True))


def call(_: str, arguments: dict[str, str], number: int) -> dict[str, object] | None:
    if WAY == "error":
        return say(number, error={"code": -32602, "message": "no such argument"})
    return stop_writing(arguments, number) if WAY.startswith("stops") else answer_call(WAY)


def main() -> None:
    if WAY == "never-starts":
        sys.exit(4)
    future = {"protocolVersion": "3000-01-01"} if WAY == "from-the-future" else {}
    renamed = [{**tool, "name": f"my_{tool['name']}"} for tool in TOOLS]
    serve(call, tools=renamed if WAY == "renamed" else TOOLS, begin=lambda: future)


main()
