"""Connect strings: `KIND` or `KIND:REST` names an implementation and how to reach it."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from readfirst.harness.exit_code import ReadfirstError
from readfirst.harness.session import TIME_LIMIT, Adapter, BrokenAdapter
from readfirst.harness.suite.contracts import Contract

if TYPE_CHECKING:
    from readfirst.harness.adapters.command import Command
    from readfirst.harness.processes.sandbox import Sandbox
    from readfirst.harness.suite.suite import Suite
    from readfirst.harness.targets.mapping import Release, Target

__all__ = [
    "KINDS",
    "TOLD_THE_CONTRACT",
    "ConnectError",
    "connect",
    "find_target",
    "mcp_command",
]

KINDS = {
    "reference": "reference",
    "python": "python:MODULE:FACTORY",
    "mcp": "mcp:COMMAND",
    "target": "target:NAME@VERSION",
    "agent": "agent:NAME@VERSION",
    "claude-code": "claude-code:VERSION",
    "recording": "recording:CONTRACT",
}
"""The kinds of connection, each with the string to write."""

TOLD_THE_CONTRACT = frozenset({"reference", "claude-code", "recording"})
"""The kinds that behave as a contract says; any other does what it does, whatever it is compared with."""

_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


class ConnectError(ReadfirstError):
    """A connect string cannot be used; the message says what to write instead."""


def connect(
    spec: str,
    suite: Suite,
    *,
    contract: Contract | None = None,
    time_limit: float = TIME_LIMIT,
    confine: bool = False,
) -> Adapter:
    """Return the adapter that a connect string names.

    `contract` is what the implementation is compared with (default: the suite's default); the reference implements
    exactly that one. `time_limit` is in seconds per call. `confine` lets it write to its workspace and home alone, and
    takes its network (`harness.processes.sandbox`).

    Raises:
        ConnectError: The string is wrong, or what it names does not exist.
        BrokenAdapter: What it names exists and does not start.
    """
    kind, colon, rest = spec.partition(":")
    if kind not in KINDS:
        near = get_close_matches(kind, KINDS, 1)
        hint = f" Did you mean {KINDS[near[0]]}?" if near else ""
        raise ConnectError(f"{spec!r}: there is no kind {kind!r}.{hint} Write one of: {_kinds()}.")
    if (kind == "reference") == bool(colon) or (colon and not rest):
        raise ConnectError(f"{spec!r}: write {KINDS[kind]}.")
    held = contract if contract is not None else suite.contracts[suite.contracts.default]
    if not confine:
        return _CONNECTIONS[kind](rest, suite, held, time_limit)
    if kind not in _CONFINABLE:
        kinds = ", ".join(KINDS[name] for name in _CONFINABLE)
        raise ConnectError(f"{spec!r} cannot be confined. --confine is for {kinds} (no agents).")
    from readfirst.harness.processes.sandbox import find_sandbox

    return _CONFINABLE[kind](rest, suite, held, time_limit, find_sandbox())


def _kinds() -> str:
    return ", ".join(KINDS.values())


def _reference(rest: str, suite: Suite, contract: Contract, time_limit: float) -> Adapter:  # noqa: ARG001
    from readfirst.harness.adapters.reference import ReferenceAdapter

    try:
        return ReferenceAdapter(contract.name, seconds=time_limit)
    except ValueError as error:
        raise ConnectError(f"'reference' cannot follow {contract.name}: {error}") from error


def _python(
    rest: str,
    suite: Suite,  # noqa: ARG001
    contract: Contract,  # noqa: ARG001
    time_limit: float,
    sandbox: Sandbox | None = None,
) -> Adapter:
    from readfirst.harness.adapters.python_process import FactoryError, PythonAdapter

    module, _, factory = rest.rpartition(":")
    file = Path(module).expanduser() if module.endswith(".py") else None
    if not ((file or _DOTTED.fullmatch(module)) and _DOTTED.fullmatch(factory)):
        example = "python:mymodule:Tools, python:package.module:make_tools or python:folder/mytools.py:Tools"
        raise ConnectError(f"'python:{rest}': write {KINDS['python']}, for example {example}.")
    if file is not None:
        if not file.is_file():
            raise ConnectError(f"'python:{rest}': there is no file {Path.cwd() / file}.")
        module = str(file.absolute())
    adapter = PythonAdapter(module, factory, time_limit=time_limit, sandbox=sandbox)
    try:
        adapter.start()
    except FactoryError as error:
        raise ConnectError(f"'python:{rest}': {error}") from error
    return adapter


def _mcp(
    rest: str,
    suite: Suite,  # noqa: ARG001
    contract: Contract,  # noqa: ARG001
    time_limit: float,
    sandbox: Sandbox | None = None,
) -> Adapter:
    from readfirst.harness.adapters.mcp import McpAdapter, McpConnection

    command = mcp_command(f"mcp:{rest}")
    connection = McpConnection(
        command.located(), isolation=command.isolation, time_limit=time_limit, sandbox=sandbox
    )
    try:
        return McpAdapter(connection)
    except BrokenAdapter as error:
        connection.close()
        raise command.explained(error) from None
    except BaseException:
        connection.close()
        raise


def mcp_command(connect_string: str) -> Command:
    """Return the command of `mcp:COMMAND`, written where the user stands. Raises ConnectError."""
    from readfirst.harness.adapters.command import parse_command

    try:
        return parse_command(connect_string.partition(":")[2], Path.cwd())
    except ValueError as error:
        raise ConnectError(f"'{connect_string}': {error}") from error


def _target(
    rest: str,
    suite: Suite,  # noqa: ARG001
    contract: Contract,  # noqa: ARG001
    time_limit: float,
    sandbox: Sandbox | None = None,
) -> Adapter:
    from readfirst.harness.targets.adapter import open_target

    target, release = find_target(f"target:{rest}")
    if sandbox is not None and target.kind == "agent":
        raise ConnectError(f"'target:{rest}' is an agent, which --confine does not support.")
    return open_target(target, release, time_limit=time_limit, sandbox=sandbox)


def find_target(connect_string: str) -> tuple[Target, Release]:
    """Return what `target:NAME` or `agent:NAME` names, and its version. Raises ConnectError."""
    from readfirst.harness.source.finding import SuiteError
    from readfirst.harness.targets.catalogue import UnknownTargetError, find

    try:
        return find(connect_string.partition(":")[2])
    except UnknownTargetError as error:
        raise ConnectError(f"{connect_string!r}: {error}") from error
    except SuiteError as error:
        raise ConnectError(f"{connect_string!r}: the mapping is not valid.\n{error}") from error


def _agent(rest: str, suite: Suite, contract: Contract, time_limit: float) -> Adapter:
    """An agent is a target; the kind says that it must be one."""
    from readfirst.harness.targets.catalogue import UnknownTargetError, find

    with suppress(UnknownTargetError):
        target, _ = find(rest)
        if target.kind != "agent":
            raise ConnectError(f"'agent:{rest}': {target.name} is not an agent. Write target:{rest}.")
    return _target(rest, suite, contract, time_limit)


def _claude_code(rest: str, suite: Suite, contract: Contract, time_limit: float) -> Adapter:
    module = importlib.import_module("readfirst.harness.agents.claude_code.adapter")
    opened: Adapter = module.open_claude_code(rest, suite, contract=contract, time_limit=time_limit)
    return opened


def _recording(rest: str, suite: Suite, contract: Contract, time_limit: float) -> Adapter:  # noqa: ARG001
    from readfirst.harness.adapters.recording import RecordingAdapter
    from readfirst.harness.suite.recordings import Recordings

    recorded = [each.name for each in suite.contracts.recorded]
    if rest not in recorded:
        raise ConnectError(
            f"'recording:{rest}': there is no recorded contract {rest!r}, only {_list(recorded)}."
        )
    return RecordingAdapter(Recordings(suite.recordings_root), rest)


def _list(names: list[str]) -> str:
    return ", ".join(names)


_CONNECTIONS: dict[str, Callable[[str, Suite, Contract, float], Adapter]] = {
    "reference": _reference,
    "python": _python,
    "mcp": _mcp,
    "target": _target,
    "agent": _agent,
    "claude-code": _claude_code,
    "recording": _recording,
}
_CONFINABLE: dict[str, Callable[[str, Suite, Contract, float, Sandbox], Adapter]] = {
    "python": _python,
    "mcp": _mcp,
    "target": _target,
}
