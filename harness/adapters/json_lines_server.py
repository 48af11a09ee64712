"""Serve a Python adapter with the protocol of `docs/protocol.md`; `json_lines` contains the harness's client."""

import json
import os
import stat
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from readfirst.harness.adapter_api import Adapter, Hook, Permissions, Session, Workspace
from readfirst.harness.adapter_traits import close_session, traits_of

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable

# Rarely used modules are imported on first use, because many processes import this module.


def message_from_workspace(workspace: Workspace) -> dict[str, Any]:
    """Return the JSON request that opens a session in this workspace, as in `docs/protocol.md`."""
    given = workspace.permissions
    permissions = None
    if given is not None:
        further = [*map(str, given.additional)]
        permissions = {**asdict(given), "directory": str(given.directory), "additional": further}
    return {
        "root": str(workspace.root),
        "home": str(workspace.home),
        "needs": sorted(workspace.needs),
        "deny": workspace.deny,
        "hooks": [*map(asdict, workspace.hooks)],
        "permissions": permissions,
    }


def workspace_from_message(message: Mapping[str, Any]) -> Workspace:
    """Return the workspace in a request to open a session. `isolated` is true unless the request states `false`."""
    given = message["permissions"]
    permissions = None
    if given is not None:
        further = tuple(map(Path, given["additional"]))
        permissions = Permissions(given["mode"], Path(given["directory"]), tuple(given["allow"]), further)
    return Workspace(
        root=Path(message["root"]),
        home=Path(message["home"]),
        deny=tuple(message["deny"]),
        needs=frozenset(message["needs"]),
        isolated=message.get("isolated", True),
        hooks=tuple(Hook(each["event"], each["matcher"], each["command"]) for each in message["hooks"]),
        permissions=permissions,
    )


PROTOCOL = 1
"""Version of the protocol. The first messages of the client and of the server contain it."""
_MAX_QUOTED_CHARS = 500
"""Maximum number of characters of an invalid result in an error message."""
_MAX_TRACEBACK_CHARS = 8192
"""Maximum characters of a traceback in an error message. Only the end of a longer traceback is sent."""


class MissingObjectError(Exception):
    """Raised if the module or object that the user named does not exist."""


class _ProblemError(Exception):
    """Raised if a request cannot be answered. The message is sent to the client as `problem`."""


class _CallCancelled(BaseException):
    """Raised in a paused call when the client cancels the call. Not an Exception, so that no adapter catches it."""


def private_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Return copies of standard input and output. Later output of this process goes to standard error."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - of a descriptor
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return requests, answers


def serve_lines(
    make_adapter: Callable[[], Adapter],
    name: str,
    version: str,
    requests: IO[bytes],
    answers: IO[bytes],
    *,
    saves_sessions: bool = False,
) -> None:
    """Answer requests until the input ends. The first request creates the adapter. With `saves_sessions`, a session
    that may be killed is pickled to a file, so that another process can resume the session.
    """
    server = _Server(make_adapter, {"name": name, "version": version}, requests, answers, saves_sessions)
    while (message := server.next()) is not None:
        server.answer(message)
    server.close()


@dataclass
class _Server:
    make_adapter: Callable[[], Adapter]
    identity: Mapping[str, str]
    requests: IO[bytes]
    answers: IO[bytes]
    saves_sessions: bool
    sessions: dict[int, Session] = field(default_factory=dict)
    saved_files: dict[int, Path] = field(default_factory=dict)
    """Files of saved conversations, which outlive this process. The key is the number of the session."""
    runner: "asyncio.Runner | None" = None
    """Used to run coroutines. None before the first coroutine."""

    @cached_property
    def _adapter(self) -> Adapter:
        return self.make_adapter()

    def next(self) -> dict[str, Any] | None:
        """Return the next valid request. None at the end of the input. Invalid messages get an error as answer."""
        while line := self.requests.readline():
            try:
                message = json.loads(line)
            except (ValueError, RecursionError) as error:
                self._send({}, {"problem": f"this is not JSON: {error}"})
                continue
            if isinstance(message, dict) and {"id", "do"} <= message.keys():
                return message
            self._send({}, {"problem": "a request is an object with id and do"})
        return None

    def answer(self, message: Mapping[str, Any]) -> None:
        """Execute one request, and send its answer."""
        if message["do"] in ("go", "cancel"):
            return  # the call has already been answered
        self._save_session(message.get("session"))
        try:
            answer = self._perform_request(message)
        except _CallCancelled:
            answer = {"text": "The call was cancelled.", "refused": True}
        except _ProblemError as error:
            answer = {"problem": str(error)}
        except MissingObjectError as error:
            answer = {"problem": str(error), "not_there": True}
        except (Exception, SystemExit) as error:
            import traceback

            details = "".join(traceback.format_exception(error))[-_MAX_TRACEBACK_CHARS:]
            answer = {"problem": f"it raised {type(error).__name__}: {error}", "details": details}
        self._send(message, answer)

    def _save_session(self, number: Any) -> None:
        """Save a conversation that may be killed, before a request changes it. Another process can then resume it."""
        if number in self.saved_files:
            import pickle

            unfinished = self.saved_files[number].with_suffix(".begun")
            unfinished.write_bytes(pickle.dumps(self.sessions[number]))
            unfinished.replace(self.saved_files[number])  # the process may be killed during the write

    def _send(self, message: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        line = json.dumps(
            {"id": message.get("id"), **answer},
            separators=(",", ":"),
            default=lambda value: {"not": repr(value)},
        )
        self.answers.write(line.encode("ascii") + b"\n")
        self.answers.flush()

    def _perform_request(self, message: Mapping[str, Any]) -> dict[str, Any]:
        do = message["do"]
        try:
            if do == "hello":
                traits = traits_of(self._adapter)
                design: dict[str, Any] = {"design": traits.design} if traits.design else {}
                if traits.refuses:
                    design["refuses"] = sorted(traits.refuses)
                names = sorted(traits.capabilities)
                return {"protocol": PROTOCOL, **self.identity, "capabilities": names, **design}
            number = message["session"]
            if do == "open":
                perform: Callable[[], Any] = partial(self._open, number, workspace_from_message(message))
            elif number not in self.sessions:
                raise _ProblemError(f"there is no session {number}")
            elif do == "close":
                if saved := self.saved_files.pop(number, None):
                    saved.unlink(missing_ok=True)
                    with suppress(OSError):  # the directory may contain other conversations
                        saved.parent.rmdir()
                perform = partial(close_session, self.sessions.pop(number))
            else:
                if "killed" in message and number in self.saved_files:
                    import pickle

                    saved = self.saved_files[number]
                    saved.with_name(f"{saved.stem}.{int(message['killed'])}").replace(saved)
                    self.sessions[number] = pickle.loads(saved.read_bytes())
                perform = self._bind_request(self.sessions[number], message)
        except KeyError as error:
            raise _ProblemError(f"{do} lacks {error}") from error
        result = self._await_value(perform())
        match do:
            case "call" | "cut":
                return _message_from_result(result)
            case "calls":
                return {"results": [_message_from_result(self._await_value(each)) for each in result]}
            case "agent":
                self.sessions[message["agent"]] = result
        return {}

    def _await_value(self, value: Any) -> Any:
        """Return the result of an awaitable value, such as a coroutine. Return any other value unchanged."""
        if not hasattr(value, "__await__"):
            return value
        if self.runner is None:
            import asyncio

            self.runner = asyncio.Runner()
        return self.runner.run(_await_result(value))

    def close(self) -> None:
        """Close the event loop that was used for coroutines, and cancel its running tasks."""
        if self.runner is not None:
            self.runner.close()

    def _open(self, number: int, workspace: Any) -> None:
        self.sessions[number] = self._await_value(self._adapter.open(workspace))
        if self.saves_sessions and {"kill", "resume"} <= workspace.needs:
            from hashlib import sha256

            self.saved_files[number] = (
                _saved_sessions_directory()
                / f"{sha256(os.fsencode(workspace.home)).hexdigest()}.{int(number)}"
            )

    def _bind_request(self, session: Session, message: Mapping[str, Any]) -> Callable[[], Any]:
        """Return a function that executes a request in a session. Raises KeyError for a missing field."""
        name, given, capability = self._find_method(message)
        method = getattr(session, name, None)
        if method is None:
            raise _ProblemError(f"the adapter declares {capability}, but its session has no {name}()")
        return partial(method, *given)

    def _find_method(self, message: Mapping[str, Any]) -> tuple[str, Sequence[Any], str]:
        """Return a request's session method, the method's arguments, and its capability, such as `parallel`."""
        match message["do"]:
            case "call":
                call, how = (message["tool"], message["arguments"]), message.get("ends")
                if how is not None:
                    return "call_interrupted", (*call, how, lambda: self._pause(message)), "cancel or stop"
                if message.get("pause"):
                    return "call_during", (*call, lambda: self._pause(message)), "during"
                return "call", call, "Read, Edit and Write"
            case "cut":
                given = message["tool"], message["text"], message["by"], lambda: None
                return "call_interrupted", given, "cut"
            case "calls":
                calls = [(each["tool"], each["arguments"]) for each in message["calls"]]
                return "call_parallel", (calls,), "parallel"
            case "mention":
                return "mention", (message["path"],), "mentions"
            case "agent":
                return (
                    ("background_agent", (), "background")
                    if message.get("background")
                    else ("sub_agent", (), "agents")
                )
            case "resume" | "compact" | "rewind" as do:
                return do, (), do
        raise _ProblemError(f"unknown request {message['do']!r}")

    def _pause(self, message: Mapping[str, Any]) -> None:
        """Tell the client that the current call is valid, and wait until the client continues or cancels the call."""
        self._send(message, {"validated": True})
        following = self.next()
        if following is None:
            sys.exit(1)
        if following["do"] != "go" and "ends" not in message:
            raise _CallCancelled


_MAX_AGE_S = 3600.0
"""Maximum age of a saved conversation in seconds. An older file is removed, because its run was killed."""


def _saved_sessions_directory() -> Path:
    """Return the directory of this user's saved conversations. Raises _ProblemError if others may write to it."""
    import tempfile

    folder = Path(tempfile.gettempdir()) / f"readfirst-conversations-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise _ProblemError(f"another user may write to {folder}: remove this directory")
    for each in folder.iterdir():
        with suppress(FileNotFoundError):  # another process may have removed it
            if time.time() - each.stat().st_mtime > _MAX_AGE_S:
                each.unlink()
    return folder


async def _await_result(value: "Awaitable[Any]") -> Any:
    return await value


def _message_from_result(result: Any) -> dict[str, Any]:
    """Return the JSON value of a call's result. The harness validates its fields."""
    if not hasattr(result, "text") or not hasattr(result, "is_error"):
        raise _ProblemError(f"the answer is {repr(result)[:_MAX_QUOTED_CHARS]}, not a ToolResult")
    return {
        "text": result.text,
        "refused": result.is_error,
        "error": getattr(result, "error", None),
        "reminders": getattr(result, "reminders", ()),
    }
