"""A stand-in for the product: asks the scripted model what to do and answers calls of a few made-up tools."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

TOOLS = [{"name": "Read"}, {"name": "Edit"}]


def ask(messages: list, tools: list = TOOLS) -> list:
    body = {"model": "fake", "stream": True, "messages": messages, "tools": tools}
    request = urllib.request.Request(
        os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages",
        json.dumps(body).encode(),
        {"content-type": "application/json"},
    )
    blocks: list = []
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
        for line in answer.read().decode().splitlines():
            event = json.loads(line.removeprefix("data: ")) if line.startswith("data: ") else {}
            if event.get("type") == "content_block_start":
                blocks.append({**event["content_block"], "input": ""})
            elif event.get("type") == "content_block_delta" and "partial_json" in event["delta"]:
                blocks[-1]["input"] += event["delta"]["partial_json"]
    return [block for block in blocks if block["type"] == "tool_use"]


def run(tool: str, arguments: dict, settings: dict) -> object:
    match tool:
        case "Environment":
            return json.dumps({"environ": dict(os.environ), "cwd": str(Path.cwd())})
        case "Interfaces":
            with Path("/proc/net/dev").open() as file:
                return json.dumps(sorted(line.split(":")[0].strip() for line in file if ":" in line))
        case "Connect":
            try:
                with socket.create_connection((arguments["host"], arguments["port"]), timeout=2):
                    return "connected"
            except OSError as error:
                return type(error).__name__ + ": " + str(error)
        case "Settings":
            return json.dumps(settings)
        case "Arguments":
            return json.dumps(sys.argv[1:])
        case "Die":
            sys.stderr.write("last words\n")
            sys.stderr.flush()
            os._exit(3)
        case "Hang":
            time.sleep(60)
        case "Spawn":
            return str(subprocess.Popen(["sleep", "60"]).pid)
        case "Image":
            return [{"type": "image", "source": {"media_type": "image/png", "data": "aGk="}}]
        case "Hooked":
            for group in settings["hooks"]["PreToolUse"]:
                for hook in group["hooks"]:
                    subprocess.run(["sh", "-c", hook["command"]], input=b"{}", check=True)
            return Path(arguments["file_path"]).read_text()
        case "Forget":
            return None
    return json.dumps(arguments)


def hear() -> str:
    """Answer requests of the user's program until the user says something, and return it."""
    for line in sys.stdin:
        said = json.loads(line)
        if said["type"] == "user":
            Path("message").write_text(said["uuid"])
            return said["message"]["content"]
        kept = said["request"] == {"subtype": "rewind_files", "user_message_id": Path("message").read_text()}
        response = {"subtype": "success", "response": {"canRewind": kept and not Path("gone").exists()}}
        print("a line that is no JSON")
        print(json.dumps({"type": "control_response", "response": response}), flush=True)
    sys.exit()


def main() -> None:
    file = Path(os.environ["CLAUDE_CONFIG_DIR"], "settings.json")
    settings = json.loads(file.read_text()) if file.exists() else {}
    is_spoken_with = "--input-format" in sys.argv
    messages: list = [{"role": "user", "content": hear() if is_spoken_with else "go"}]
    ask([{"role": "user", "content": "a title, please"}], tools=[])
    ask([{"role": "user", "content": "explore"}], tools=[tool for tool in TOOLS if tool["name"] == "Read"])
    while True:
        results = []
        uses = ask(messages)
        if is_spoken_with and not uses:
            print(json.dumps({"type": "result"}), flush=True)
            messages += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": hear()}]
            continue
        for use in uses:
            content = run(use["name"], json.loads(use["input"]), settings)
            if content is not None:
                block = {"type": "tool_result", "tool_use_id": use["id"], "content": content}
                results.append({**block, "is_error": True} if use["name"] == "Refuse" else block)
        messages.append({"role": "user", "content": results[::-1]})


main()
