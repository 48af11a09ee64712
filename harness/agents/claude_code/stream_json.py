"""Communicate with the product through JSON Lines on standard input and output, as the Agent SDK does."""

import json
import queue
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.agents.json_lines import JsonLines

ARGUMENTS = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
"""Command-line options that make the product read user messages from standard input."""


class JsonDialogue(JsonLines):
    """Takes the role of the user: sends messages, interrupts the product, and restores files to an earlier state."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self._messages: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        self._last_message_id = ""

    def say(self, text: str) -> None:
        """Send a message of the user to the product."""
        self._last_message_id = str(uuid.uuid4())
        message = {"role": "user", "content": text}
        self.tell(
            type="user", message=message, parent_tool_use_id=None, session_id="", uuid=self._last_message_id
        )

    def receive(self, message: Mapping[str, Any]) -> None:
        """Store a message of the product until `_wait_for_message` uses it."""
        self._messages.put(message)

    def rewind(self, seconds: float) -> None:
        """Make the product restore the files after the model's turn. Raises AdapterError after `seconds`."""
        self._wait_for_message(lambda message: message.get("type") == "result", seconds)
        request = {"subtype": "rewind_files", "user_message_id": self._last_message_id}
        self.tell(type="control_request", request_id=self._last_message_id, request=request)
        answer = self._wait_for_message(lambda message: message.get("type") == "control_response", seconds)[
            "response"
        ]
        response = answer.get("response") or {}
        if answer.get("subtype") != "success" or not response.get("canRewind", True):
            raise AdapterError(
                "the product does not restore files at a rewind",
                blame="environment",
                details=json.dumps(answer),
            )

    def interrupt(self, seconds: float) -> None:
        """Interrupt the product as the user. Raises AdapterError if the product does not confirm within `seconds`."""
        self.tell(type="control_request", request_id="interrupt", request={"subtype": "interrupt"})
        self._wait_for_message(
            lambda message: message.get("type") == "control_response", seconds, "take an interrupt"
        )

    def _wait_for_message(
        self,
        is_wanted: Callable[[Mapping[str, Any]], bool],
        seconds: float,
        action: str = "restore files at a rewind",
    ) -> Mapping[str, Any]:
        deadline = time.monotonic() + seconds
        while True:
            try:
                message = self._messages.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise AdapterError(f"the product does not {action}", blame="environment") from None
            if is_wanted(message):
                return message
