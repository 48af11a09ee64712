"""The wire formats: reading requests, writing responses, and refusals."""

import json

import pytest

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.agents.scripted_model.wire_format import Request, TextBlock, WireError
from readfirst.observatory.agents.wires.formats import WIRES
from tests.rows import rows

ANTHROPIC, OPENAI, GEMINI = WIRES["anthropic"], WIRES["openai"], WIRES["gemini"]
RESPONSES = WIRES["responses"]
GEMINI_PATH = "/v1beta/models/some-model:streamGenerateContent?alt=sse"


def test_anthropic_results_since_the_last_message_of_the_model_are_read() -> None:
    old = {"type": "tool_result", "tool_use_id": "a", "content": "old"}
    new = {
        "type": "tool_result",
        "tool_use_id": "b",
        "content": [{"type": "text", "text": "one"}],
        "is_error": True,
    }
    image = {"type": "image", "source": {"media_type": "image/png", "data": "aGk="}}
    picture = {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "two"}, image]}
    body = {
        "model": "m",
        "tools": [{"name": "Read"}],
        "messages": [
            {"role": "user", "content": [old]},
            {"role": "assistant", "content": []},
            {"role": "user", "content": [new, {"type": "text", "text": "a reminder"}]},
            {"role": "user", "content": [picture]},
            {"role": "user", "content": "said"},
        ],
    }
    assert ANTHROPIC.request("/v1/messages", body) == Request(
        "m",
        False,
        frozenset({"Read"}),
        {"b": ToolResult("one", True), "c": ToolResult("two\n[image image/png 4]")},
        {"Read": {"name": "Read"}},
        notes=("a reminder", "said"),
    )


def test_openai_results_since_the_last_message_of_the_model_are_read() -> None:
    parts = [
        {"type": "text", "text": "one"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
    ]
    body = {
        "model": "m",
        "stream": True,
        "tools": [{"type": "function", "function": {"name": "read"}}],
        "messages": [
            {"role": "tool", "tool_call_id": "a", "content": "old"},
            {"role": "assistant", "content": None},
            {"role": "tool", "tool_call_id": "b", "content": parts},
            {"role": "user", "content": "said"},
        ],
    }
    assert OPENAI.request("/v1/chat/completions", body) == Request(
        "m", True, frozenset({"read"}), {"b": ToolResult("one\n[image_url image/png 4]")}
    )


def test_gemini_results_since_the_last_message_of_the_model_are_read() -> None:
    def response(name: str, value: dict, **more: object) -> dict:
        return {"functionResponse": {"id": name, "name": "read", "response": value, **more}}

    media = [{"inlineData": {"mimeType": "image/png", "data": "aGk="}}]
    body = {
        "tools": [{"functionDeclarations": [{"name": "read"}]}, {"googleSearch": {}}],
        "contents": [
            {"role": "user", "parts": [response("a", {"output": "old"})]},
            {"role": "model", "parts": [{"text": "x"}]},
            {"role": "user", "parts": [response("b", {"error": "no"}), {"text": "a reminder"}]},
            {
                "role": "user",
                "parts": [response("c", {"output": "two"}, parts=media), response("d", {"n": 1})],
            },
        ],
    }
    assert GEMINI.request(GEMINI_PATH, body) == Request(
        "some-model",
        True,
        frozenset({"read"}),
        {
            "b": ToolResult("no", True),
            "c": ToolResult("two\n[data image/png 4]"),
            "d": ToolResult('{"n": 1}'),
        },
    )


def test_outputs_since_the_last_items_of_the_model_are_read() -> None:
    parts = [
        {"type": "input_text", "text": "one"},
        {"type": "input_image", "image_url": "data:image/png;base64,aGk="},
    ]
    said = {"type": "message", "role": "assistant", "content": []}
    body = {
        "model": "m",
        "stream": True,
        "tools": [
            {"type": "function", "name": "run"},
            {"type": "custom", "name": "patch"},
            {"type": "web_search"},
        ],
        "input": [
            {"type": "message", "role": "user", "content": []},
            {"type": "function_call_output", "call_id": "a", "output": "old"},
            said,
            {"type": "function_call", "call_id": "b", "name": "run", "arguments": "{}"},
            {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "x"},
            {"type": "function_call_output", "call_id": "b", "output": parts},
            {"type": "custom_tool_call_output", "call_id": "c", "output": "two"},
        ],
    }
    offers = {tool["name"]: tool for tool in body["tools"][:2]}
    answers = {"b": ToolResult("one\n[input_image image/png 4]"), "c": ToolResult("two")}
    assert RESPONSES.request("/v1/responses", body) == Request("m", True, frozenset(offers), answers, offers)
    assert RESPONSES.request("/v1/responses", {"input": "go"}).answers == {}


def test_only_the_streaming_method_of_gemini_is_answered_by_a_stream() -> None:
    body = {"contents": []}
    assert GEMINI.request(GEMINI_PATH, body).stream
    assert not GEMINI.request("/v1beta/models/some-model:generateContent", body).stream


@rows(
    ("wire", "body"),
    [
        (ANTHROPIC, {"messages": [{"content": "no role"}]}),
        (ANTHROPIC, {"messages": [{"role": "user", "content": [{"type": "tool_result"}]}]}),
        (ANTHROPIC, {"tools": ["Read"]}),
        (OPENAI, {}),
        (OPENAI, {"messages": [{"role": "tool", "content": "without id"}]}),
        (OPENAI, {"messages": [], "tools": [{"name": "read"}]}),
        (RESPONSES, {}),
        (RESPONSES, {"input": [5]}),
        (RESPONSES, {"input": [{"type": "function_call_output", "call_id": "a"}]}),
        (RESPONSES, {"input": [], "tools": ["run"]}),
        (GEMINI, {}),
        (GEMINI, {"contents": [{"role": "user"}]}),
        (GEMINI, {"contents": [{"role": "user", "parts": [{"functionResponse": {"id": "a"}}]}]}),
    ],
)
def test_what_is_not_in_the_format_is_refused(wire, body: dict) -> None:
    with pytest.raises(WireError, match=r"not a request of the .* API: "):
        wire.request("/", body)


@rows("name", sorted(WIRES))
def test_a_message_without_calls_ends_the_turn(name: str) -> None:
    body = json.dumps(json.loads(WIRES[name].reply(Request("m", False), [TextBlock("ok")]).body))
    assert '"ok"' in body
    assert "tool_use" not in body
    assert "tool_calls" not in body
    assert "functionCall" not in body
    assert "function_call" not in body


def test_counts_of_tokens_are_answered_at_once() -> None:
    counted = ANTHROPIC.side_reply("/v1/messages/count_tokens", {"messages": [{"content": "x" * 9}]})
    assert counted is not None
    assert json.loads(counted.body) == {"input_tokens": 3}
    counted = GEMINI.side_reply("/v1beta/models/m:countTokens", {})
    assert counted is not None
    assert json.loads(counted.body) == {"totalTokens": 1}
    assert ANTHROPIC.side_reply("/v1/messages", {}) is None
    assert GEMINI.side_reply(GEMINI_PATH, {}) is None
    assert OPENAI.side_reply("/v1/chat/completions", {}) is None
    assert RESPONSES.side_reply("/v1/responses", {}) is None
    assert RESPONSES.side_reply("/v1/responses/compact", {}) is not None
