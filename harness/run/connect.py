"""Connect to the implementation that a connect string names. A connect string is `KIND` or `KIND:REST`."""

from __future__ import annotations

import importlib
import re
import shlex
import shutil
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from readfirst.harness.adapter_api import Adapter, AdapterError
from readfirst.harness.extension import extensions
from readfirst.harness.run.kinds import ConnectError as ConnectError
from readfirst.harness.run.kinds import ConnectRequest, Kind, TargetDefaults
from readfirst.harness.run.run_options import DEFAULT, RunOptions
from readfirst.harness.suite.contracts import Contract

if TYPE_CHECKING:
    from readfirst.harness.adapters.json_lines import LinesAdapter
    from readfirst.harness.adapters.server_command import Command
    from readfirst.harness.processes.sandbox import Sandbox
    from readfirst.harness.suite.suite import Suite


CONTRACT_DEPENDENT_KINDS = frozenset({"reference", "claude-code", "recording"})
"""Kinds of connection that depend on the contract. For all other kinds, one replay is compared with all contracts."""

_DOTTED_NAME_PATTERN = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


def connect(
    spec: str, suite: Suite, options: RunOptions = DEFAULT, *, contract: Contract | None = None
) -> Adapter:
    """Return the adapter that a connect string names. `contract` is the contract to compare with, which the adapter for
    `reference` implements (default: the suite's default). If the suite is not trusted, every implementation runs in a
    sandbox. Raises ConnectError for an invalid string or a missing implementation, AdapterError if it does not start,
    and SandboxUnavailableError.
    """
    kind = kind_of(spec)
    _, colon, rest = spec.partition(":")
    if (kind == "reference") == bool(colon) or (colon and not rest):
        raise ConnectError(f"{spec!r}: write {kinds()[kind].form}.")
    used_contract = contract if contract is not None else suite.contracts[suite.contracts.default]
    return kinds()[kind].connect(
        ConnectRequest(
            spec, suite, used_contract, options, _find_sandbox(spec, kind, suite, confine=options.confine)
        )
    )


def kind_of(spec: str) -> str:
    """Return the kind of a connect string, such as `mcp`. Raises ConnectError for an unknown kind."""
    kind = spec.partition(":")[0]
    if kind in KINDS or kind in kinds():
        return kind
    near = get_close_matches(kind, kinds(), 1)
    hint = f" Did you mean {kinds()[near[0]].form}?" if near else ""
    forms = ", ".join(item.form for item in kinds().values())
    raise ConnectError(f"{spec!r}: there is no kind {kind!r}.{hint} Write one of: {forms}.")


@cache
def kinds() -> Mapping[str, Kind]:
    """Return all kinds of connection by name: those of readfirst, and those of installed extensions."""
    return {**KINDS, **extensions("kinds")}


def target_defaults(connect_string: str) -> TargetDefaults | None:
    """Return the default level, baseline and capabilities of a target. None without defaults. Raises ConnectError."""
    defaults = kinds()[kind_of(connect_string)].defaults
    return None if defaults is None else defaults(connect_string)


def _find_sandbox(spec: str, kind: str, suite: Suite, *, confine: bool) -> Sandbox | None:
    """Return the sandbox of the implementation. None unless `confine` is set or the suite is not trusted."""
    if confine and not kinds()[kind].confinable:
        forms = ", ".join(item.form for item in kinds().values() if item.confinable)
        raise ConnectError(f"{spec!r} cannot be confined. --confine is for {forms} (not for agents).")
    if not confine and (kind == "recording" or not suite.needs_sandbox):
        return None
    from readfirst.harness.processes.sandbox import find_sandbox, sandbox_for_suite

    return (
        find_sandbox([root.absolute() for root in suite.roots])
        if confine
        else sandbox_for_suite(*suite.roots)
    )


def _connect_reference(wanted: ConnectRequest) -> Adapter:
    from readfirst.harness.adapters.reference import ReferenceAdapter, reference_server

    name, limit = (wanted.contract.extends or wanted.contract).name, wanted.options.time_limit
    try:
        adapter = ReferenceAdapter(name, time_limit=limit, killable=True)
    except ValueError as error:
        message = f"'reference' cannot follow {name}: {error}"
        if not wanted.contract.recorded:
            message += (
                f". Name your own implementation, or write `extends: 2.1.7` at {name} in contracts.yaml: then the "
                "reference behaves like 2.1.7."
            )
        raise ConnectError(message) from error
    if wanted.sandbox is None:
        return adapter
    served = reference_server(name, time_limit=limit, sandbox=wanted.sandbox)
    _start_adapter(served)
    return served


def _connect_python(wanted: ConnectRequest) -> Adapter:
    from readfirst.harness.adapters.python_adapter import FactoryError, PythonAdapter

    rest = wanted.rest
    module, _, factory = rest.rpartition(":")
    file = Path(module).expanduser() if module.endswith(".py") else None
    if not ((file or _DOTTED_NAME_PATTERN.fullmatch(module)) and _DOTTED_NAME_PATTERN.fullmatch(factory)):
        example = "python:mymodule:Tools, python:package.module:make_tools or python:folder/mytools.py:Tools"
        raise ConnectError(f"'python:{rest}': write {KINDS['python'].form}, for example {example}.")
    if file is not None:
        if not file.is_file():
            raise ConnectError(f"'python:{rest}': there is no file {Path.cwd() / file}.")
        module = str(file.absolute())
    adapter = PythonAdapter(module, factory, time_limit=wanted.options.time_limit, sandbox=wanted.sandbox)
    try:
        _start_adapter(adapter)
    except FactoryError as error:
        raise ConnectError(f"'python:{rest}': {error}") from error
    return adapter


def _start_adapter(adapter: LinesAdapter) -> None:
    try:
        adapter.start()
    except BaseException:
        adapter.close()
        raise


def _connect_mcp(wanted: ConnectRequest) -> Adapter:
    from readfirst.harness.adapters.mcp import McpAdapter, McpConnection

    command = mcp_command(f"mcp:{wanted.rest}")
    connection = McpConnection(
        command.with_absolute_paths(),
        isolation=command.isolation,
        time_limit=wanted.options.time_limit,
        sandbox=wanted.sandbox,
    )
    try:
        return McpAdapter(connection)
    except AdapterError as error:
        connection.close()
        raise command.explain_error(error) from None
    except BaseException:
        connection.close()
        raise


def _connect_lines(wanted: ConnectRequest) -> Adapter:
    from readfirst.harness.adapters.json_lines import LinesAdapter

    try:
        words = shlex.split(wanted.rest)
    except ValueError as error:
        raise ConnectError(f"'lines:{wanted.rest}': {error}. Write the command as in a shell.") from error
    if not words or shutil.which(words[0]) is None:
        problem = f"there is no program {words[0]!r}" if words else "the command is empty"
        is_file = bool(words) and Path(words[0]).is_file()
        hint = f" on the PATH. Write ./{words[0]} for the file here." if is_file else "."
        raise ConnectError(f"'lines:{wanted.rest}': {problem}{hint}")
    adapter = LinesAdapter(words, time_limit=wanted.options.time_limit, sandbox=wanted.sandbox)
    _start_adapter(adapter)
    return adapter


def mcp_command(connect_string: str) -> Command:
    """Return the command of `mcp:COMMAND`, with files relative to the current directory. Raises ConnectError."""
    from readfirst.harness.adapters.server_command import parse_command

    try:
        return parse_command(connect_string.partition(":")[2], Path.cwd())
    except ValueError as error:
        raise ConnectError(f"'{connect_string}': {error}") from error


def _connect_claude_code(wanted: ConnectRequest) -> Adapter:
    module = importlib.import_module("readfirst.harness.agents.claude_code.adapter")
    adapter: Adapter = module.open_claude_code(
        wanted.rest, wanted.suite, contract=wanted.contract, time_limit=wanted.options.time_limit
    )
    return adapter


def _connect_recording(wanted: ConnectRequest) -> Adapter:
    from readfirst.harness.replay.recording_adapter import RecordedAdapter

    rest, suite = wanted.rest, wanted.suite
    recorded = [contract.name for contract in suite.contracts.recorded]
    if rest not in recorded:
        raise ConnectError(
            f"'recording:{rest}': there is no recorded contract {rest!r}, only {', '.join(recorded)}."
        )
    return RecordedAdapter(suite.recordings, rest)


_REFERENCE_BASELINE = Path(__file__).with_name("reference.yaml")
"""Baseline with the known differences of the reference from versions other than the default contract."""

KINDS: Mapping[str, Kind] = {
    "reference": Kind(
        "reference",
        _connect_reference,
        defaults=lambda connect_string: TargetDefaults(connect_string, "text", _REFERENCE_BASELINE),
    ),
    "python": Kind("python:MODULE:FACTORY", _connect_python, confinable=True),
    "mcp": Kind("mcp:COMMAND", _connect_mcp, confinable=True),
    "lines": Kind("lines:COMMAND", _connect_lines, confinable=True),
    "claude-code": Kind("claude-code:VERSION", _connect_claude_code),
    "recording": Kind("recording:CONTRACT", _connect_recording),
}
"""The kinds of connection of readfirst itself, by name. `kinds` adds the kinds of extensions."""
