"""Dialogue: the product is spoken with in lines of JSON, as the Agent SDK does, on its standard input and output."""

import json
import queue
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import BrokenAdapter
from readfirst.harness.agents.json_lines import JsonLines

ARGUMENTS = [
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
]
"""Options with which the product reads the user's messages from standard input."""


class JsonDialogue(JsonLines):
    """What the user says, each message with an id of its own, under which the product keeps what files were."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self._heard: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        self._message = ""

    def say(self, text: str) -> None:
        """Let the user say something."""
        self._message = str(uuid.uuid4())
        message = {"role": "user", "content": text}
        self.tell(type="user", message=message, parent_tool_use_id=None, session_id="", uuid=self._message)

    def take(self, message: Mapping[str, Any]) -> None:
        """Keep a message until it is waited for."""
        self._heard.put(message)

    def rewind(self, seconds: float) -> None:
        """Have files brought back once the model's turn has ended. BrokenAdapter: they are not, within `seconds`."""
        self._wait(lambda heard: heard.get("type") == "result", seconds)
        request = {"subtype": "rewind_files", "user_message_id": self._message}
        self.tell(type="control_request", request_id=self._message, request=request)
        answer = self._wait(lambda heard: heard.get("type") == "control_response", seconds)["response"]
        response = answer.get("response") or {}
        if answer.get("subtype") != "success" or not response.get("canRewind", True):
            raise BrokenAdapter(
                "the product does not bring files back", blame="environment", details=json.dumps(answer)
            )

    def interrupt(self, seconds: float) -> None:
        """Let the user give up what the product does. BrokenAdapter: it does not say so within `seconds`."""
        self.tell(type="control_request", request_id="interrupt", request={"subtype": "interrupt"})
        self._wait(lambda heard: heard.get("type") == "control_response", seconds, "take an interrupt")

    def _wait(
        self,
        wanted: Callable[[Mapping[str, Any]], bool],
        seconds: float,
        what: str = "bring files back",
    ) -> Mapping[str, Any]:
        deadline = time.monotonic() + seconds
        while True:
            try:
                heard = self._heard.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise BrokenAdapter(f"the product does not {what}", blame="environment") from None
            if wanted(heard):
                return heard
