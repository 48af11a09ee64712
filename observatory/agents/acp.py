"""A scripted client of the Agent Client Protocol: the user's editor, which reads and writes files for the agent."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import Editor
from readfirst.harness.agents.json_lines import JsonLines

_INITIALIZE, _OPEN, _PROMPT = 1, 2, 3
_NO_METHOD, _FAILED, _NOT_FOUND = -32601, -32603, -32002
"""Error codes that AcpClient sends: for an unknown method, for a failed request, and for a missing file."""


class AcpClient(JsonLines):
    """Plays the user's editor for an agent that uses the Agent Client Protocol (https://agentclientprotocol.com). Opens
    a session in `folder`, sends `prompt`, reads and writes files, grants every permission, and offers no terminal.
    """

    def __init__(self, directory: Path, folder: Path, prompt: str, editor: Editor) -> None:
        super().__init__(directory)
        self._folder = folder
        self._prompt = prompt
        self._editor = editor
        files = {"readTextFile": True, "writeTextFile": True}
        self._ask(
            _INITIALIZE,
            "initialize",
            {"protocolVersion": 1, "clientCapabilities": {"fs": files, "terminal": False}},
        )

    def receive(self, message: Mapping[str, Any]) -> None:
        """Answer the agent's request, or, if `message` is a response of the agent, send the next request."""
        number, method = message.get("id"), message.get("method")
        if isinstance(method, str) and number is not None:
            self._answer(number, method, message.get("params") or {})
        elif number == _INITIALIZE and "result" in message:
            self._ask(_OPEN, "session/new", {"cwd": str(self._folder), "mcpServers": []})
        elif number == _OPEN and "result" in message:
            session = message["result"]["sessionId"]
            said = [{"type": "text", "text": self._prompt}]
            self._ask(_PROMPT, "session/prompt", {"sessionId": session, "prompt": said})

    def _ask(self, number: int, method: str, params: Mapping[str, Any]) -> None:
        self.tell(jsonrpc="2.0", id=number, method=method, params=params)

    def _answer(self, number: object, method: str, asked: Mapping[str, Any]) -> None:
        try:
            result = self._answer_request(method, asked)
        except FileNotFoundError as error:
            self._refuse(number, _NOT_FOUND, f"Resource not found: {error.filename}")
        except (OSError, ValueError, KeyError, TypeError) as error:
            self._refuse(number, _FAILED, f"Internal error: {error}")
        except NotImplementedError:
            self._refuse(number, _NO_METHOD, f"Method not found: {method}")
        else:
            self.tell(jsonrpc="2.0", id=number, result=result)

    def _refuse(self, number: object, code: int, text: str) -> None:
        self.tell(jsonrpc="2.0", id=number, error={"code": code, "message": text})

    def _answer_request(self, method: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        match method:
            case "fs/read_text_file":
                return {"content": self._editor.read(asked["path"], asked.get("line"), asked.get("limit"))}
            case "fs/write_text_file":
                self._editor.write(asked["path"], asked["content"])
                return {}
            case "session/request_permission":
                allowed = (each for each in asked["options"] if str(each.get("kind", "")).startswith("allow"))
                option = next(allowed, None)
                if option is None:
                    return {"outcome": {"outcome": "cancelled"}}
                return {"outcome": {"outcome": "selected", "optionId": option["optionId"]}}
            case _:
                raise NotImplementedError
