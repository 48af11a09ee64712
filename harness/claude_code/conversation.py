"""One running product: start it, let its model make calls, take the results, leave no process behind."""

from __future__ import annotations

import itertools
import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.claude_code.environment import BASE_URL, build_environment
from harness.claude_code.hook import Hook, HookCall
from harness.claude_code.scripted_model import ScriptedModel, ToolUse, Turn
from harness.session import BrokenAdapter, ToolResult

__all__ = ["Conversation", "Options"]

_LAUNCHER = Path(__file__).with_name("launcher.py")
_START_SECONDS = 60.0
_END_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Options:
    """How to start the product. `deny` are permission rules; `hook` lets world events strike during a call."""

    command: tuple[str, ...]
    model: str
    tools: tuple[str, ...]
    directory: Path
    deny: tuple[str, ...] = ()
    hook: bool = False
    time_limit: float = 30.0
    """Seconds that one call may take."""
    home: Path | None = None
    """The product's home directory; None: a fresh one that goes with the conversation."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """The product ended: nothing more will come."""

    code: int


class Conversation:
    """A running product whose next step is ours to say.

    `isolation` is empty where the product runs without a network, else the reason why it could not.
    Raises BrokenAdapter where the product does not start, does not answer in time, or ends.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.calls = 0
        self.isolation = ""
        self._ids = itertools.count(1)
        self._events: queue.SimpleQueue[Turn | HookCall | _Ended] = queue.SimpleQueue()
        self._run = Path(tempfile.mkdtemp(prefix="readfirst-run-")).resolve()
        self._process: subprocess.Popen[bytes] | None = None
        self._model: ScriptedModel | None = None
        self._hook: Hook | None = None
        self._turn: Turn | None = None
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    @property
    def home(self) -> Path:
        """The product's home directory (`~`)."""
        return self.options.home or self._run / "home"

    @property
    def usable(self) -> bool:
        """Whether another call can be made: the product waits for its model."""
        return self._turn is not None

    @property
    def pid(self) -> int:
        """The product's process id, which is also its process group."""
        assert self._process is not None
        return self._process.pid

    def call(
        self, tool: str, arguments: Mapping[str, Any], strike: Callable[[], None] | None = None
    ) -> ToolResult:
        """Let the model call one tool; `strike` runs after validation and before execution."""
        return self._exchange([(tool, arguments)], strike)[0]

    def call_parallel(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> Sequence[ToolResult]:
        """Let the model make several calls in one message."""
        return self._exchange(calls, None)

    def close(self) -> None:
        """End the product and everything it started, and remove what was made for it."""
        if self._process is not None:
            _end(self._process)
        if self._turn is not None:
            self._turn.abandon()
        if self._hook is not None:
            self._hook.close()
        if self._model is not None:
            self._model.close()
        shutil.rmtree(self._run, ignore_errors=True)

    def _start(self) -> None:
        options = self.options
        environment = build_environment(self._run, Path(options.command[0]), options.home)
        if options.hook:
            self._hook = Hook(self._run, self._events)
        ours, theirs = socket.socketpair()
        with ours, theirs:
            launcher = [sys.executable, "-I", str(_LAUNCHER), str(theirs.fileno()), BASE_URL, "--"]
            with (self._run / "stdout").open("wb") as stdout, (self._run / "stderr").open("wb") as stderr:
                self._process = subprocess.Popen(
                    [*launcher, *options.command, *_arguments(options, self._hook)],
                    env=dict(environment.variables),
                    cwd=options.directory,
                    stdin=subprocess.DEVNULL,
                    stdout=stdout,
                    stderr=stderr,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                    umask=0o022,
                )
            theirs.close()
            ours.settimeout(_START_SECONDS)
            try:
                message, descriptors, _, _ = socket.recv_fds(ours, 4096, 1)
            except TimeoutError:
                message, descriptors = b"", []
        if not descriptors:
            raise self._broken("the product's launcher did not start", "environment")
        self.isolation = message.decode().removeprefix("open: ").removeprefix("isolated")
        self._model = ScriptedModel(socket.socket(fileno=descriptors[0]), self._events)
        threading.Thread(target=self._watch, args=(self._process,), daemon=True).start()
        self._turn = self._next_turn(_START_SECONDS, None, "environment")

    def _watch(self, process: subprocess.Popen[bytes]) -> None:
        self._events.put(_Ended(process.wait()))

    def _exchange(
        self, calls: Sequence[tuple[str, Mapping[str, Any]]], strike: Callable[[], None] | None
    ) -> list[ToolResult]:
        if self._turn is None:
            raise self._broken("the conversation is over", "adapter")
        uses = [ToolUse(f"toolu_{next(self._ids):06}", tool, arguments) for tool, arguments in calls]
        turn, self._turn = self._turn, None
        turn.answer(uses)
        self.calls += len(uses)
        self._turn = self._next_turn(self.options.time_limit * len(uses), strike, "adapter")
        results = self._turn.results()
        missing = [use.id for use in uses if use.id not in results]
        if missing:
            raise self._broken(
                f"the product gave no result for {len(missing)} of {len(uses)} calls", "adapter"
            )
        return [_tool_result(results[use.id]) for use in uses]

    def _next_turn(self, seconds: float, strike: Callable[[], None] | None, blame: str) -> Turn:
        deadline = time.monotonic() + seconds
        while True:
            try:
                event = self._events.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise self._broken(f"the product did not answer within {seconds:g} s", blame) from None
            match event:
                case Turn():
                    return event
                case HookCall():
                    if strike is not None:
                        strike()
                        strike = None
                    event.release()
                case _Ended(code=code):
                    raise self._broken(f"the product ended with exit code {code}", blame)

    def _broken(self, message: str, blame: str) -> BrokenAdapter:
        last = ""
        for name in ("stderr", "stdout"):
            file = self._run / name
            if file.is_file():
                last += file.read_bytes()[-2000:].decode(errors="replace")
        return BrokenAdapter(message, blame=blame, details=last.strip())


def _arguments(options: Options, hook: Hook | None) -> list[str]:
    settings: dict[str, Any] = {}
    if options.deny:
        settings["permissions"] = {"deny": list(options.deny)}
    if hook is not None:
        settings["hooks"] = {
            "PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": hook.command}]}]
        }
    arguments = ["-p", "go", "--model", options.model, "--allowedTools", ",".join(options.tools)]
    # TodoWrite and Bash bring reminders into results; no scenario needs them.
    arguments += ["--disallowedTools", "TodoWrite,Bash"]
    if settings:
        arguments += ["--settings", json.dumps(settings)]
    return arguments


def _tool_result(block: Mapping[str, Any]) -> ToolResult:
    return ToolResult(_text_of(block.get("content", "")), bool(block.get("is_error", False)))


def _text_of(content: str | Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a result; what is no text stands as `[image image/png 70]`: kind, type, base64 characters."""
    if isinstance(content, str):
        return content
    parts = []
    for block in content:
        if block.get("type") == "text":
            parts.append(block["text"])
        else:
            source = block.get("source", {})
            parts.append(f"[{block.get('type')} {source.get('media_type')} {len(source.get('data', ''))}]")
    return "\n".join(parts)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the product's whole process group and reap the product."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(_END_SECONDS)
