"""The wire format of the Anthropic Messages API: `POST /v1/messages` and `/v1/messages/count_tokens`."""

import itertools
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

_message_numbers = itertools.count(1)
"""Numbers for the ids of replies. The product merges messages with the same id."""


class AnthropicMessages:
    """Wire format of Anthropic's Messages API. Tool results are blocks of user messages with a flag `is_error`."""

    name = "anthropic"

    def side_reply(self, path: str, body: Mapping[str, Any]) -> Reply | None:
        """Return the reply to a request for a token count. None for other requests."""
        if "count_tokens" in path:
            return json_reply({"input_tokens": _count_tokens(body.get("messages") or ())})
        return None

    def request(self, path: str, body: Mapping[str, Any]) -> Request:  # noqa: ARG002 - the protocol's signature
        """Parse a request: the offered tools, and the results after the model's last message."""
        try:
            offers = {tool.get("name", ""): tool for tool in body.get("tools") or ()}
            answers: dict[str, ToolResult] = {}
            notes: list[str] = []
            for message in body.get("messages") or ():
                if message["role"] == "assistant":
                    answers, notes = {}, []
                    continue
                content = message["content"]
                blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
                answers.update(_parse_results(blocks))
                notes += [block["text"] for block in blocks if block.get("type") == "text"]
            return Request(
                str(body.get("model", "")),
                bool(body.get("stream")),
                frozenset(offers),
                answers,
                offers,
                tuple(notes),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise WireError(f"not a request of the Messages API: {error!r}") from error

    def reply(self, request: Request, blocks: Sequence[Block]) -> Reply:
        """Convert a message of the model to the reply for a request."""
        tokens = self.tokens(blocks)
        if request.stream:
            return _format_stream(request.model, blocks, tokens)
        return json_reply(_format_message(request.model, blocks, tokens))

    def tokens(self, blocks: Sequence[Block]) -> int:  # noqa: ARG002 - subclasses use it
        """Return the number of tokens that the model reports as used."""
        # A small number: a product whose context seems to be full summarises the conversation.
        return 1


def _parse_results(content: Sequence[Mapping[str, Any]]) -> dict[str, ToolResult]:
    return {
        block["tool_use_id"]: ToolResult(
            text_of(block.get("content", ""), _media_source), bool(block.get("is_error", False))
        )
        for block in content
        if block.get("type") == "tool_result"
    }


def _media_source(block: Mapping[str, Any]) -> tuple[object, object]:
    source = block.get("source", {})
    return source.get("media_type"), source.get("data")


def _count_tokens(messages: Sequence[Mapping[str, Any]]) -> int:
    """Estimate the number of tokens of messages: a quarter of the number of characters, rounded up."""
    characters = 0
    for message in messages:
        content = message.get("content", "")
        blocks = [{"text": content}] if isinstance(content, str) else content
        characters += sum(len(block.get("text") or "") for block in blocks)
    return -(-characters // 4)


def _find_stop_reason(blocks: Sequence[Block]) -> str:
    if any(isinstance(block, ToolUse) and block.ends == "limit" for block in blocks):
        return "max_tokens"
    return "tool_use" if any(isinstance(block, ToolUse) for block in blocks) else "end_turn"


def _start_message(model: str, tokens: int) -> dict[str, Any]:
    return {
        "id": f"msg_{next(_message_numbers):06}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": tokens, "output_tokens": 1},
    }


def _format_message(model: str, blocks: Sequence[Block], tokens: int) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    for block in blocks:
        match block:
            case TextBlock(text):
                content.append({"type": "text", "text": text})
            case ToolUse(id=name, tool=tool, arguments=arguments):
                arguments_value = json.loads(arguments) if isinstance(arguments, str) else arguments
                content.append({"type": "tool_use", "id": name, "name": tool, "input": arguments_value})
    return {**_start_message(model, tokens), "content": content, "stop_reason": _find_stop_reason(blocks)}


def _format_stream(model: str, blocks: Sequence[Block], tokens: int) -> Reply:
    events: list[dict[str, Any]] = [{"type": "message_start", "message": _start_message(model, tokens)}]
    for index, block in enumerate(blocks):
        match block:
            case TextBlock(text):
                block_start: dict[str, Any] = {"type": "text", "text": ""}
                delta = {"type": "text_delta", "text": text}
            case ToolUse(id=name, tool=tool, arguments=arguments):
                block_start = {"type": "tool_use", "id": name, "name": tool, "input": {}}
                arguments_json = arguments if isinstance(arguments, str) else json.dumps(arguments)
                delta = {"type": "input_json_delta", "partial_json": arguments_json}
        events += (
            {"type": "content_block_start", "index": index, "content_block": block_start},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        )
    stop = {"stop_reason": _find_stop_reason(blocks), "stop_sequence": None}
    events += (
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    )
    return event_stream([(event["type"], event) for event in events])
