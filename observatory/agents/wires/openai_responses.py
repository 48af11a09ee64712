"""The wire format of the OpenAI Responses API: `POST .../responses`, streaming and not."""

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
from readfirst.observatory.agents.wires.openai_chat import of_data_url

# Small on purpose: an agent that believes its context is full starts to summarise.
_USAGE = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
_ID = "resp_scripted"
_TEXTS = ("input_text", "output_text")


class OpenAIResponses:
    """Reads and writes messages of OpenAI's Responses API. A *custom tool* has one argument, which is a text."""

    name = "responses"

    def side_reply(self, path: str, body: Mapping[str, Any]) -> Reply | None:  # noqa: ARG002 - the protocol's
        """Return an empty list for a request that lists models. None for requests that need the model."""
        asks = path.partition("?")[0].endswith("/responses")
        return None if asks else json_reply({"object": "list", "data": []})

    def request(self, path: str, body: Mapping[str, Any]) -> Request:  # noqa: ARG002 - the protocol's signature
        """Parse a request: the offered tools, and the tool results after the model's last items. Raises WireError."""
        try:
            offers = {tool["name"]: tool for tool in body.get("tools") or () if tool.get("name")}
            given = body["input"]
            items = [] if isinstance(given, str) else given
            answers: dict[str, ToolResult] = {}
            for item in items:
                match item:
                    case {"type": "function_call_output" | "custom_tool_call_output"}:
                        text = text_of(
                            item["output"], lambda part: of_data_url(part.get("image_url", "")), _TEXTS
                        )
                        answers[item["call_id"]] = ToolResult(text)
                    case {"type": "function_call" | "custom_tool_call"} | {"role": "assistant"}:
                        answers = {}
                    case Mapping():
                        pass
                    case _:
                        raise TypeError(item)
            return Request(
                str(body.get("model", "")), bool(body.get("stream")), frozenset(offers), answers, offers
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise WireError(f"not a request of the Responses API: {error!r}") from error

    def reply(self, request: Request, blocks: Sequence[Block]) -> Reply:
        """Return the model's answer: one output item for each of the `blocks` (texts and tool calls)."""
        items = [_item(request, number, block) for number, block in enumerate(blocks)]
        response = {"id": _ID, "object": "response", "created_at": 0, "model": request.model}
        done = {**response, "status": "completed", "output": items, "usage": _USAGE}
        if not request.stream:
            return json_reply(done)
        begun = {**response, "status": "in_progress", "output": []}
        events: list[tuple[str, dict[str, Any]]] = [("response.created", {"response": begun})]
        for index, item in enumerate(items):
            for step in ("added", "done"):
                events.append((f"response.output_item.{step}", {"output_index": index, "item": item}))
        events.append(("response.completed", {"response": done}))
        return event_stream(
            [
                (kind, {"type": kind, "sequence_number": number, **data})
                for number, (kind, data) in enumerate(events)
            ]
        )


def _item(request: Request, number: int, block: Block) -> dict[str, Any]:
    match block:
        case TextBlock(text):
            part = {"type": "output_text", "text": text, "annotations": []}
            message = {"type": "message", "role": "assistant", "content": [part]}
            return {**message, "id": f"msg_{number}", "status": "completed"}
        case ToolUse(id=name, tool=tool, arguments=arguments):
            call = {"id": f"item_{name}", "call_id": name, "name": tool, "status": "completed"}
            if request.offers.get(tool, {}).get("type") == "custom":
                return {"type": "custom_tool_call", **call, "input": _only(arguments)}
            text = arguments if isinstance(arguments, str) else json.dumps(arguments)
            return {"type": "function_call", **call, "arguments": text}


def _only(arguments: Mapping[str, Any] | str) -> str:
    """Return the only argument of a custom tool's call. If there are several arguments, return all of them as JSON."""
    if isinstance(arguments, str):
        return arguments
    values = list(arguments.values())
    return values[0] if len(values) == 1 and isinstance(values[0], str) else json.dumps(arguments)
