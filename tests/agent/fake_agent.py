"""A substitute for an agent (`fake_agent.py FORMAT URL`) or for the product (`fake_agent.py product`)."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

PRODUCT = sys.argv[1] == "product"
FORMAT, URL = ("anthropic", os.environ["ANTHROPIC_BASE_URL"]) if PRODUCT else sys.argv[1:3]
SPOKEN_WITH = "--input-format" in sys.argv
STREAM = "--whole" not in sys.argv
TOOLS = ["Read", "Edit"] if PRODUCT else ["look", "change"]


class Anthropic:
    path = "/v1/messages"

    def __init__(self):
        self.messages = [{"role": "user", "content": "go"}]

    def body(self, tools):
        return {
            "model": "m",
            "stream": STREAM,
            "messages": self.messages,
            "tools": [{"name": t} for t in tools],
        }

    def calls(self, answer):
        blocks = answer.get("content", [])
        if STREAM:
            blocks = []
            for event in answer["events"]:
                if event["type"] == "content_block_start":
                    blocks.append({**event["content_block"], "text": ""})
                elif event["type"] == "content_block_delta":
                    blocks[-1]["text"] += event["delta"].get("partial_json", "")
            for block in blocks:
                if block["type"] == "tool_use":
                    block["input"] = json.loads(block["text"])
        self.messages.append({"role": "assistant", "content": blocks})
        return [(b["id"], b["name"], b["input"]) for b in blocks if b["type"] == "tool_use"]

    def tell(self, results):
        content = [
            {"type": "tool_result", "tool_use_id": name, "content": text, "is_error": failed}
            for name, _, text, failed in results
        ]
        self.messages.append({"role": "user", "content": content})


class OpenAI:
    path = "/v1/chat/completions"

    def __init__(self):
        self.messages = [{"role": "user", "content": "go"}]

    def body(self, tools):
        offered = [{"type": "function", "function": {"name": name}} for name in tools]
        return {"model": "m", "stream": STREAM, "messages": self.messages, "tools": offered}

    def calls(self, answer):
        if STREAM:
            assert answer["events"].pop() == "[DONE]"
            calls = {}
            for chunk in answer["events"]:
                for choice in chunk["choices"]:
                    for part in choice["delta"].get("tool_calls", ()):
                        calls.setdefault(part["index"], part)
            found = list(calls.values())
        else:
            found = answer["choices"][0]["message"].get("tool_calls", [])
        self.messages.append({"role": "assistant", "content": None, "tool_calls": found})
        return [(c["id"], c["function"]["name"], json.loads(c["function"]["arguments"])) for c in found]

    def tell(self, results):
        for name, _, text, _ in results:
            self.messages.append({"role": "tool", "tool_call_id": name, "content": text})


class Gemini:
    def __init__(self):
        self.path = "/v1beta/models/m:" + ("streamGenerateContent?alt=sse" if STREAM else "generateContent")
        self.contents = [{"role": "user", "parts": [{"text": "go"}]}]

    def body(self, tools):
        declarations = [{"name": name} for name in tools]
        return {"contents": self.contents, "tools": [{"functionDeclarations": declarations}]}

    def calls(self, answer):
        events = answer["events"] if STREAM else [answer]
        parts = [part for event in events for part in event["candidates"][0]["content"]["parts"]]
        self.contents.append({"role": "model", "parts": parts})
        found = [part["functionCall"] for part in parts if "functionCall" in part]
        return [(call["id"], call["name"], call["args"]) for call in found]

    def tell(self, results):
        parts = [
            {"functionResponse": {"id": i, "name": n, "response": {"error" if failed else "output": text}}}
            for i, n, text, failed in results
        ]
        self.contents.append({"role": "user", "parts": parts})


class Responses:
    path = "/v1/responses"

    def __init__(self):
        self.input = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}]

    def body(self, tools):
        offered = [{"type": "function", "name": name} for name in tools]
        offered += [{"type": "custom", "name": "Text"}, {"type": "web_search"}] if tools else []
        return {"model": "m", "stream": STREAM, "input": self.input, "tools": offered}

    def calls(self, answer):
        items = answer.get("output", [])
        if STREAM:
            items = [
                event["item"] for event in answer["events"] if event["type"] == "response.output_item.done"
            ]
            assert answer["events"][-1]["response"]["output"] == items
        self.input += items
        calls = []
        for item in items:
            if item["type"] == "function_call":
                calls.append((item["call_id"], item["name"], json.loads(item["arguments"])))
            elif item["type"] == "custom_tool_call":
                calls.append((item["call_id"], item["name"], item["input"]))
        return calls

    def tell(self, results):
        for name, tool, text, _ in results:
            kind = "custom_tool_call_output" if tool == "Text" else "function_call_output"
            self.input.append({"type": kind, "call_id": name, "output": text})


FORMATS = {"anthropic": Anthropic, "openai": OpenAI, "gemini": Gemini, "responses": Responses}


def post(path, data, kind="application/json"):
    """Send a request to the model and return its answer. A streamed answer becomes `{"events": [...]}`."""
    request = urllib.request.Request(URL + path, data, {"content-type": kind})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
        text = answer.read().decode()
        if answer.headers["content-type"] != "text/event-stream":
            return json.loads(text)
    data = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return {"events": [each if each == "[DONE]" else json.loads(each) for each in data]}


def post_without_body(path, header=""):
    """Send the head of a request and wait for the response. A `header` that is not empty ends with a line break."""
    address = urllib.parse.urlsplit(URL)
    with socket.create_connection((address.hostname, address.port)) as connection:
        connection.sendall(f"POST {path} HTTP/1.1\r\nhost: x\r\n{header}\r\n".encode())
        connection.recv(1000)


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


def run_tool(tool, arguments, path):
    match tool:
        case "Environment":
            if "create" in arguments:
                Path(arguments["create"]).write_text("made")
            said = "" if SPOKEN_WITH else sys.stdin.read()
            return json.dumps({"environ": dict(os.environ), "cwd": str(Path.cwd()), "input": said})
        case "Connect":
            return connect(**arguments)
        case "Settings":
            return json.dumps(settings())
        case "Arguments":
            return json.dumps(sys.argv[2:])
        case "Image":
            return [{"type": "image", "source": {"media_type": "image/png", "data": "aGk="}}]
        case "Hooked":
            return run_hooks(arguments["file_path"])
        case "Interfaces":
            with Path("/proc/net/dev").open() as file:
                return json.dumps(sorted(line.split(":")[0].strip() for line in file if ":" in line))
        case "File":
            return Path(arguments["path"]).expanduser().read_text()
        case "Die":
            print("last words", flush=True)
            os._exit(3)
        case "Hang":
            time.sleep(60)
        case "Shout":
            for _ in range(200):
                print("x" * 100_000)
            print("the end", flush=True)
            os._exit(4)
        case "Spawn":
            return str(subprocess.Popen(["sleep", "60"]).pid)
        case "Garbage":
            post(path, b"{not json")
        case "Nonsense":
            post(path, json.dumps({"messages": [{}], "contents": [{}], "input": 5}).encode())
        case "Lengthless":
            post_without_body(path)
        case "Flood":
            post_without_body(path, f"content-length: {10**12}\r\n")
        case "Forget":
            return None
    return json.dumps(arguments)


def main():
    wire = FORMATS[FORMAT]()
    side = FORMATS[FORMAT]()
    for offered in ([], TOOLS[:1]) if PRODUCT else ([],):
        assert not side.calls(post(side.path, json.dumps(side.body(offered)).encode())), (
            "a side request got a call"
        )
    if SPOKEN_WITH:
        wire.messages[0]["content"] = receive_user_message()
    while True:
        answer = post(wire.path, json.dumps(wire.body(TOOLS)).encode())
        results = []
        calls = wire.calls(answer)
        if SPOKEN_WITH and not calls:
            print(json.dumps({"type": "result"}), flush=True)
            wire.messages.append({"role": "user", "content": receive_user_message()})
            continue
        for name, tool, arguments in calls:
            text = run_tool(tool, arguments, wire.path)
            if text is not None:
                results.append((name, tool, text, tool == "Refuse"))
        wire.tell(results[::-1])


main()
