"""Dialogue: the product is spoken with in lines of JSON, as the Agent SDK does, on its standard input and output."""

from __future__ import annotations

import json
import os
import queue
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from readfirst.harness.session import BrokenAdapter

__all__ = ["ARGUMENTS", "JsonDialogue"]

ARGUMENTS = [
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
    "--replay-user-messages",
]
"""What makes the product take what its user says from its standard input."""


class JsonDialogue:
    """A named pipe below `directory`, the product's standard input, and what the product prints.

    Each message of the user has an id of its own; the product keeps what files were under the latest.
    """

    def __init__(self, directory: Path) -> None:
        self.entrance = directory / "said"
        os.mkfifo(self.entrance)
        # Open for both directions: it does not wait for the product to open its end.
        self._said: int | None = os.open(self.entrance, os.O_RDWR)
        self._heard: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        self._part = b""
        self._message = ""

    def say(self, text: str) -> None:
        """Let the user say something."""
        self._message = str(uuid.uuid4())
        message = {"role": "user", "content": text}
        self._tell(type="user", message=message, parent_tool_use_id=None, session_id="", uuid=self._message)

    def hear(self, part: bytes) -> None:
        """Take what the product printed next; what is no line of JSON is passed over."""
        *lines, self._part = (self._part + part).split(b"\n")
        for line in lines:
            try:
                heard = json.loads(line)
            except ValueError:
                continue
            if isinstance(heard, dict):
                self._heard.put(heard)

    def rewind(self, seconds: float) -> None:
        """Have files brought back once the model's turn has ended. BrokenAdapter: they are not, within `seconds`."""
        self._wait(lambda heard: heard.get("type") == "result", seconds)
        request = {"subtype": "rewind_files", "user_message_id": self._message}
        self._tell(type="control_request", request_id=self._message, request=request)
        answer = self._wait(lambda heard: heard.get("type") == "control_response", seconds)["response"]
        told = answer.get("response") or {}
        if answer.get("subtype") != "success" or not told.get("canRewind", True):
            raise BrokenAdapter(
                "the product does not bring files back", blame="environment", details=json.dumps(answer)
            )

    def hang_up(self) -> None:
        """End the product's standard input."""
        if self._said is not None:
            os.close(self._said)
            self._said = None

    def _tell(self, **said: object) -> None:
        assert self._said is not None
        os.write(self._said, json.dumps(said).encode() + b"\n")

    def _wait(self, wanted: Callable[[Mapping[str, Any]], bool], seconds: float) -> Mapping[str, Any]:
        deadline = time.monotonic() + seconds
        while True:
            try:
                heard = self._heard.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise BrokenAdapter("the product does not bring files back", blame="environment") from None
            if wanted(heard):
                return heard
