"""The wire format of the OpenAI chat API: `POST .../chat/completions`, streaming and not."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.agents.scripted_model.wire_format import (
    Block,
    Reply,
    Request,
    TextBlock,
    ToolUse,
    WireError,
    event_stream,
    json_reply,
    text_of,
)

# Small on purpose: an agent that believes its context is full starts to summarise.
_USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


class OpenAIChat:
    """Reads and writes messages of OpenAI's Chat Completions API. Tool results are messages without an error flag."""

    name = "openai"

    def side_reply(self, path: str, body: Mapping[str, Any]) -> Reply | None:  # noqa: ARG002 - the protocol's
        """Return an empty list for a request that lists models. None for requests that need the model."""
        return None if "chat/completions" in path else json_reply({"object": "list", "data": []})

    def request(self, path: str, body: Mapping[str, Any]) -> Request:  # noqa: ARG002 - the protocol's signature
        """Parse a request: the offered tools, and the tool results after the model's last message. Raises WireError."""
        try:
            tools = frozenset(tool["function"]["name"] for tool in body.get("tools") or ())
            answers: dict[str, ToolResult] = {}
            for message in body["messages"]:
                if message["role"] == "assistant":
                    answers = {}
                elif message["role"] == "tool":
                    answers[message["tool_call_id"]] = ToolResult(
                        text_of(
                            message["content"],
                            lambda part: of_data_url(part.get("image_url", {}).get("url", "")),
                        )
                    )
            return Request(str(body.get("model", "")), bool(body.get("stream")), tools, answers)
        except (KeyError, TypeError, AttributeError) as error:
            raise WireError(f"not a request of the chat API: {error!r}") from error

    def reply(self, request: Request, blocks: Sequence[Block]) -> Reply:
        """Return the model's answer: one message that contains the `blocks` (texts and tool calls)."""
        message = _message(blocks)
        reason = "tool_calls" if "tool_calls" in message else "stop"
        if not request.stream:
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return json_reply({**_envelope(request.model, "chat.completion", [choice]), "usage": _USAGE})
        for index, call in enumerate(message.get("tool_calls", ())):
            call["index"] = index
        choices = (
            [{"index": 0, "delta": message, "finish_reason": None}],
            [{"index": 0, "delta": {}, "finish_reason": reason}],
        )
        chunks: list[object] = [_envelope(request.model, "chat.completion.chunk", each) for each in choices]
        chunks.append({**_envelope(request.model, "chat.completion.chunk", []), "usage": _USAGE})
        return event_stream([*(("", chunk) for chunk in chunks), ("", "[DONE]")])


def of_data_url(url: object) -> tuple[object, object]:
    """Parse a `data:` URL of an image, and return its media type and its data."""
    head, _, data = str(url).partition(",")
    return head.removeprefix("data:").partition(";")[0], data


def _message(blocks: Sequence[Block]) -> dict[str, Any]:
    texts = [block.text for block in blocks if isinstance(block, TextBlock)]
    calls = [
        {
            "id": use.id,
            "type": "function",
            "function": {
                "name": use.tool,
                "arguments": use.arguments if isinstance(use.arguments, str) else json.dumps(use.arguments),
            },
        }
        for use in blocks
        if isinstance(use, ToolUse)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": "".join(texts) or None}
    if calls:
        message["tool_calls"] = calls
    return message


def _envelope(model: str, kind: str, choices: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {"id": "chatcmpl-scripted", "object": kind, "created": 0, "model": model, "choices": choices}
