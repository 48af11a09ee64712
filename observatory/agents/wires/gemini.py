"""The wire format of the Gemini API: `POST .../models/MODEL:generateContent` and `:streamGenerateContent`."""

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
    media,
)

# Small on purpose: an agent that believes its context is full starts to summarise.
_USAGE = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}


class Gemini:
    """Reads and writes Gemini API messages. A user message contains tool results with the key `output` or `error`."""

    name = "gemini"

    def side_reply(self, path: str, body: Mapping[str, Any]) -> Reply | None:  # noqa: ARG002 - the protocol's
        """Return a fixed number for a request to count tokens. None for requests that need the model."""
        return json_reply({"totalTokens": 1}) if ":countTokens" in path else None

    def request(self, path: str, body: Mapping[str, Any]) -> Request:
        """Parse a request: the offered tools, and the tool results after the model's last message. Raises WireError."""
        model, _, method = path.partition("?")[0].rpartition("/")[2].partition(":")
        try:
            tools = frozenset(
                declaration["name"]
                for tool in body.get("tools") or ()
                for declaration in tool.get("functionDeclarations") or ()
            )
            answers: dict[str, ToolResult] = {}
            for content in body["contents"]:
                if content.get("role") == "model":
                    answers = {}
                else:
                    answers.update(_answers(content["parts"]))
            return Request(model, method == "streamGenerateContent", tools, answers)
        except (KeyError, TypeError, AttributeError) as error:
            raise WireError(f"not a request of the Gemini API: {error!r}") from error

    def reply(self, request: Request, blocks: Sequence[Block]) -> Reply:
        """Return the model's answer with the `blocks` (texts and tool calls). A streamed answer is a single event."""
        answer = {
            "candidates": [
                {
                    "content": {"role": "model", "parts": [_part(block) for block in blocks]},
                    "finishReason": "STOP",
                    "index": 0,
                }
            ],
            "usageMetadata": _USAGE,
            "modelVersion": request.model,
        }
        return event_stream([("", answer)]) if request.stream else json_reply(answer)


def _answers(parts: Sequence[Mapping[str, Any]]) -> dict[str, ToolResult]:
    """Return the tool results by the id of the tool call. Some agents omit the id; the key is then an empty text."""
    responses = [part["functionResponse"] for part in parts if "functionResponse" in part]
    answers = {}
    for response in responses:
        given = response["response"]
        output = given["error"] if "error" in given else given.get("output", given)
        texts = [output if isinstance(output, str) else json.dumps(output)]
        for part in response.get("parts") or ():
            data = part["inlineData"]
            texts.append(media("data", data.get("mimeType"), data.get("data")))
        answers[response.get("id", "")] = ToolResult("\n".join(texts), "error" in given)
    return answers


def _part(block: Block) -> dict[str, Any]:
    match block:
        case TextBlock(text):
            return {"text": text}
        case ToolUse(id=name, tool=tool, arguments=arguments):
            given = json.loads(arguments) if isinstance(arguments, str) else arguments
            return {"functionCall": {"id": name, "name": tool, "args": given}}
