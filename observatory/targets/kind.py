"""The kinds `target:NAME@VERSION` and `agent:NAME@VERSION`: published implementations, by name or by mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.run.kinds import ConnectError, ConnectRequest, Kind, TargetDefaults

# Modules that read mappings are imported with the first target: most runs have none.
if TYPE_CHECKING:
    from readfirst.observatory.targets.mapping import Target


def _connect(wanted: ConnectRequest) -> Adapter:
    from readfirst.observatory.targets.adapter import open_target

    target = find_target(wanted.spec)
    if wanted.options.confine and target.kind == "agent":
        raise ConnectError(f"'target:{wanted.rest}' is an agent, which --confine does not support.")
    return open_target(target, time_limit=wanted.options.time_limit, sandbox=wanted.sandbox)


def find_target(connect_string: str) -> Target:
    """Return the target `target:NAME`, or the agent `agent:NAME`. Raises ConnectError."""
    from readfirst.harness.yaml_io.finding import SuiteError
    from readfirst.observatory.targets.catalogue import UnknownTargetError, find

    kind, _, name = connect_string.partition(":")
    try:
        target = find(name)
    except UnknownTargetError as error:
        raise ConnectError(f"{connect_string!r}: {error}") from error
    except SuiteError as error:
        raise ConnectError(f"{connect_string!r}: the mapping is not valid.", details=str(error)) from error
    if kind == "agent" and target.kind != "agent":
        raise ConnectError(f"{connect_string!r}: {target.name} is not an agent. Write target:{name}.")
    return target


def _defaults(connect_string: str) -> TargetDefaults:
    from readfirst.observatory.targets.catalogue import known_failures

    rest, target = connect_string.partition(":")[2], find_target(connect_string)
    name = rest.rpartition("@")[0] if rest.endswith(f"@{target.release.version}") else rest
    baseline = known_failures(target)
    return TargetDefaults(f"target:{name}@{target.release.version}", target.level, baseline, target.claims)


def _hint(word: str) -> str:
    from readfirst.harness.yaml_io.finding import SuiteError
    from readfirst.observatory.targets.catalogue import UnknownTargetError, find

    try:
        target = find(word)
    except (UnknownTargetError, SuiteError):
        return ""
    return f"{'agent' if target.kind == 'agent' else 'target'}:{word}"


TARGET = Kind("target:NAME@VERSION", _connect, confinable=True, defaults=_defaults, hint=_hint)
AGENT = Kind("agent:NAME@VERSION", _connect, defaults=_defaults)
