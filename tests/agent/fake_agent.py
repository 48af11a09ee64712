"""A substitute for an agent (`fake_agent.py anthropic URL`) or for the product (`fake_agent.py product`)."""

import json
import os
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

PRODUCT = sys.argv[1] == "product"
URL = os.environ["ANTHROPIC_BASE_URL"] if PRODUCT else sys.argv[2]
SPOKEN_WITH = "--input-format" in sys.argv
TOOLS = ["Read", "Edit"] if PRODUCT else ["look", "change"]


def post(messages, tools):
    """Send the conversation to the model. Return the content of its answer, which arrives as a stream."""
    body = {"model": "m", "stream": True, "messages": messages, "tools": [{"name": name} for name in tools]}
    kind = {"content-type": "application/json"}
    request = urllib.request.Request(URL + "/v1/messages", json.dumps(body).encode(), kind)
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
        text = answer.read().decode()
    blocks = []
    for event in (json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")):
        if event["type"] == "content_block_start":
            blocks.append({**event["content_block"], "text": ""})
        elif event["type"] == "content_block_delta":
            blocks[-1]["text"] += event["delta"].get("partial_json", "")
    for block in blocks:
        if block["type"] == "tool_use":
            block["input"] = json.loads(block["text"])
    return blocks


def settings():
    """Return the settings of the product. Empty without a settings file."""
    file = Path(os.environ["CLAUDE_CONFIG_DIR"], "settings.json")
    return json.loads(file.read_text()) if file.exists() else {}


def connect(host, port):
    """Try to connect. Return "connected" or the error. Tests check with it that the sandbox has no network."""
    try:
        with socket.create_connection((host, port), timeout=2):
            return "connected"
    except OSError as error:
        return f"{type(error).__name__}: {error}"


def run_hooks(path):
    """Run the commands of all PreToolUse hooks in the settings. Return the content of the file `path`."""
    for group in settings()["hooks"]["PreToolUse"]:
        for hook in group["hooks"]:
            subprocess.run(["sh", "-c", hook["command"]], input=b"{}", check=True)
    return Path(path).read_text()


def receive_user_message():
    """Answer control requests from standard input until a user message arrives. Return the content of this message."""
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


def run_tool(tool, arguments):
    match tool:
        case "Environment":
            return json.dumps({"environ": dict(os.environ), "cwd": str(Path.cwd())})
        case "Connect":
            return connect(**arguments)
        case "Settings":
            return json.dumps(settings())
        case "Image":
            return [{"type": "image", "source": {"media_type": "image/png", "data": "aGk="}}]
        case "Hooked":
            return run_hooks(arguments["file_path"])
        case "Interfaces":
            return json.dumps([name for _, name in socket.if_nameindex()])
        case "Die":
            print("last words", flush=True)
            os._exit(3)
    return json.dumps(arguments)


def main():
    for offered in ([], TOOLS[:1]) if PRODUCT else ([],):
        side = post([{"role": "user", "content": "go"}], offered)
        assert not [each for each in side if each["type"] == "tool_use"], "a side request got a call"
    messages = [{"role": "user", "content": receive_user_message() if SPOKEN_WITH else "go"}]
    while True:
        blocks = post(messages, TOOLS)
        messages.append({"role": "assistant", "content": blocks})
        calls = [each for each in blocks if each["type"] == "tool_use"]
        if SPOKEN_WITH and not calls:
            print(json.dumps({"type": "result"}), flush=True)
            messages.append({"role": "user", "content": receive_user_message()})
            continue
        results = [
            {
                "type": "tool_result",
                "tool_use_id": call["id"],
                "content": run_tool(call["name"], call["input"]),
                "is_error": False,
            }
            for call in calls
        ]
        messages.append({"role": "user", "content": results[::-1]})


main()
