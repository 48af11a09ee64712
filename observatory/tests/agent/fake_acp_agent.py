"""A substitute for an agent in an editor: `fake_acp_agent.py URL WAY`. It speaks the Agent Client Protocol on standard
input and output, and calls its model at URL in Anthropic's wire format. It reads files through the editor, and writes
them through the editor (WAY `editor`) or directly to the disk (`disk`).
"""

import json
import sys
import urllib.request
from pathlib import Path

URL, WAY = sys.argv[1:3]
asked = 0


def tell(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def read_message():
    return json.loads(sys.stdin.readline())


def send_request(method, **params):
    global asked
    asked += 1
    tell(id=f"a{asked}", method=method, params={"sessionId": "s", **params})
    message = read_message()
    assert message["id"] == f"a{asked}", message
    if "error" in message:
        raise LookupError(message["error"]["message"])
    return message["result"]


def serve(method, result):
    message = read_message()
    assert message["method"] == method, message
    tell(id=message["id"], result=result)
    return message["params"]


def model(messages):
    offered = [{"name": name} for name in ("Read", "Edit", "Write")]
    body = json.dumps({"model": "m", "messages": messages, "tools": offered}).encode()
    request = urllib.request.Request(f"{URL}/v1/messages", body, {"content-type": "application/json"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
        return json.loads(answer.read())["content"]


def execute_tool(tool, given):
    path = given["file_path"]
    if tool == "Read":
        return send_request("fs/read_text_file", path=path, **given.get("range", {}))["content"]
    content = given.get("content")
    if content is None:
        content = send_request("fs/read_text_file", path=path)["content"]
        if given["old_string"] not in content:
            raise LookupError("it is not there")
        content = content.replace(given["old_string"], given["new_string"])
    options = [{"optionId": "no", "kind": "reject_once"}, {"optionId": "yes", "kind": "allow_once"}]
    outcome = send_request("session/request_permission", options=options, toolCall={})["outcome"]
    assert outcome == {"outcome": "selected", "optionId": "yes"}, outcome
    if WAY == "disk":
        Path(path).write_text(content)
    else:
        send_request("fs/write_text_file", path=path, content=content)
    return "done"


print("not a message", flush=True)
agreed = serve("initialize", {"protocolVersion": 1})
assert agreed["clientCapabilities"]["fs"] == {"readTextFile": True, "writeTextFile": True}, agreed
serve("session/new", {"sessionId": "s"})
prompt = read_message()
assert prompt["params"]["prompt"] == [{"type": "text", "text": "go"}], prompt
tell(method="session/update", params={"sessionId": "s", "update": {}})
messages = [{"role": "user", "content": "go"}]
while True:
    content = model(messages)
    results = []
    for block in content:
        if block["type"] != "tool_use":
            continue
        result = {"type": "tool_result", "tool_use_id": block["id"]}
        try:
            results.append({**result, "content": execute_tool(block["name"], block["input"])})
        except LookupError as error:
            results.append({**result, "content": str(error), "is_error": True})
    messages += [{"role": "assistant", "content": content}, {"role": "user", "content": results}]
