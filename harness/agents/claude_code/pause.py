"""Pause: a PreToolUse hook that stops the product between validation and execution until the harness has acted."""

from __future__ import annotations

import os
import queue
import shlex
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class HookCall:
    """The product waits in its hook; `release` lets it go on."""

    answers: int

    def release(self) -> None:
        """Let the call execute."""
        os.write(self.answers, b"\n")


class PausingHook:
    """Two named pipes below `directory`; the hook command writes a line to one and waits for a line from the other.

    Each call of the hook arrives as a HookCall in `events`.
    """

    def __init__(self, directory: Path, events: queue.SimpleQueue[Any]) -> None:
        asks, answers = directory / "hook-asks", directory / "hook-answers"
        for pipe in (asks, answers):
            os.mkfifo(pipe)
        # Open for both directions: neither side ever waits for the other to open its end.
        self._asks = os.open(asks, os.O_RDWR)
        self._answers = os.open(answers, os.O_RDWR)
        self._events = events
        # Reading the hook's input first keeps the product from writing into a closed pipe.
        self.command = (
            f"cat >/dev/null; echo ask >{shlex.quote(str(asks))}; read -r answer <{shlex.quote(str(answers))}"
        )
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening; whoever waits in the hook is released first."""
        os.write(self._asks, b"end\n")
        self._thread.join()
        os.close(self._asks)
        os.close(self._answers)

    def _listen(self) -> None:
        with os.fdopen(os.dup(self._asks), "r", buffering=1) as asks:
            for line in iter(asks.readline, ""):
                if line == "end\n":
                    return
                self._events.put(HookCall(self._answers))
