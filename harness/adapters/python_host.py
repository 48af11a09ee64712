"""The process that hosts a Python implementation.

    python -m readfirst.harness.adapters.python_host SOCKET MODULE FACTORY

SOCKET is an inherited file descriptor; MODULE is a module's name, or a file that ends with `.py`. It answers one
message (`harness.adapters.framing`) with one message until the socket ends.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import os
import socket
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from readfirst.harness.adapters.framing import MAXIMUM_MESSAGE, Framing
from readfirst.harness.adapters.sent import received
from readfirst.harness.session import close_session, traits_of

_ROOM = MAXIMUM_MESSAGE - 1024 * 1024
"""Bytes of a message that an answer's text may take; the rest is for what comes with it."""


_DECLARED = {
    "call": "Read, Edit and Write",
    "call_parallel": "`parallel`",
    "call_during": "`during`",
    "call_interrupted": "`cancel`, `stop` or `cut`",
    "resume": "`resume`",
    "compact": "`compact`",
    "rewind": "`rewind`",
    "mention": "`mentions`",
    "sub_agent": "`agents`",
    "background_agent": "`background`",
}
"""What an adapter declares whose sessions have a method."""


class _NoFactoryError(Exception):
    """The module, or the name in it, is not there."""


def main(arguments: list[str]) -> int:
    """Host `MODULE:FACTORY` until the socket ends; return the exit status."""
    connection = socket.socket(fileno=int(arguments[0]))
    connection.set_inheritable(False)
    framing = Framing(connection)
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        host = _Host(_adapter(arguments[1], arguments[2]), framing)
        traits = traits_of(host.adapter)
        framing.send({"capabilities": sorted(traits.capabilities), "design": traits.design})
    except _NoFactoryError as error:
        framing.send({"no_factory": str(error)})
        return 1
    except (Exception, SystemExit) as error:
        framing.send(_raised(error))
        return 1
    while (message := framing.receive_or_end()) is not None:
        try:
            answer = host.answer(message)
        except (Exception, SystemExit) as error:
            answer = _raised(error)
        framing.send(answer)
    return 0


def _adapter(module: str, factory: str) -> Any:
    """Return the adapter: what the name stands for if its `open` can be called, else what calling it gives."""
    found: Any = _loaded(Path(module)) if module.endswith(".py") else _imported(module)
    for name in factory.split("."):
        if not hasattr(found, name):
            raise _NoFactoryError(f"module {module} has no {factory}.")
        found = getattr(found, name)
    opens = getattr(found, "open", None)
    if opens is None or (isinstance(found, type) and not inspect.ismethod(opens)):
        if not callable(found):
            raise _NoFactoryError(
                f"{module}:{factory} is {found!r}: neither an object with open() nor callable."
            )
        found = found()
    if not callable(getattr(found, "open", None)):
        raise _NoFactoryError(f"{module}:{factory} gave {found!r}, which has no method open(workspace).")
    return found


def _imported(module: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and (module == error.name or module.startswith(error.name + ".")):
            raise _NoFactoryError(
                f"there is no module {module} in {Path.cwd()} or on Python's path."
            ) from error
        raise


def _loaded(file: Path) -> ModuleType:
    """Run a file as a module, with its neighbours importable as for a script."""
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None  # its name ends with .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module


class _Host:
    def __init__(self, adapter: Any, framing: Framing) -> None:
        self.adapter = adapter
        self.framing = framing
        self.sessions: dict[int, Any] = {}

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        number, do = message["session"], message["do"]
        if do == "open":
            self.sessions[number] = self.adapter.open(received(message))
            return {}
        if do == "close":
            close_session(self.sessions.pop(number))
            return {}
        asked = getattr(self.sessions[number], do, None)
        if asked is None:
            raise TypeError(f"the adapter declares {_DECLARED[do]}, but its session has no {do}()")
        match do:
            case "call":
                return {"results": [_result(asked(message["tool"], message["arguments"]))]}
            case "call_during":
                return {"results": [_result(asked(message["tool"], message["arguments"], self._interfere))]}
            case "call_interrupted":
                given = message["tool"], message["arguments"], message["how"]
                return {"results": [_result(asked(*given, self._interfere))]}
            case "call_parallel":
                return {"results": [*map(_result, asked([(tool, each) for tool, each in message["calls"]]))]}
            case "sub_agent" | "background_agent":
                self.sessions[message["agent"]] = asked()
            case "mention":
                asked(message["path"])
            case _:
                asked()
        return {}

    def _interfere(self) -> None:
        self.framing.send({"interfere": True})
        if self.framing.receive_or_end() is None:
            os._exit(1)


def _is_too_long(text: str) -> bool:
    """Tell whether a text does not fit into a message, in which a character may take twelve bytes."""
    return 12 * len(text) > _ROOM and len(json.dumps(text)) > _ROOM


def _result(result: Any) -> Any:
    """Return the result as plain values, unchecked: the harness judges them."""
    if not hasattr(result, "text") or not hasattr(result, "is_error"):
        return {"garbage": repr(result)[:500]}
    values: dict[str, Any] = {
        "text": result.text,
        "is_error": result.is_error,
        "error": getattr(result, "error", None),
    }
    for name, value in values.items():
        if not isinstance(value, str | bool | None):
            return {"garbage": f"a result whose {name} is {value!r}"[:500]}
    reminders = getattr(result, "reminders", ())
    if not isinstance(reminders, tuple | list) or not all(isinstance(each, str) for each in reminders):
        return {"garbage": f"a result whose reminders are {reminders!r}"[:500]}
    values["reminders"] = list(reminders)
    if isinstance(result.text, str) and _is_too_long(result.text):
        return {"garbage": f"a text of {len(result.text)} characters"}
    return values


def _raised(error: BaseException) -> dict[str, Any]:
    details = "".join(traceback.format_exception(error))
    return {"raised": f"{type(error).__name__}: {error}"[:2000], "details": details[-8192:]}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
