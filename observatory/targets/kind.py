"""The connect strings `target:NAME@VERSION` and `agent:NAME@VERSION` for published implementations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.run.kinds import ConnectError, ConnectRequest, Kind, TargetDefaults

# Modules that read mappings are imported when the first target is used, because most runs use none.
if TYPE_CHECKING:
    from readfirst.observatory.targets.mapping import Target


def _connect(wanted: ConnectRequest) -> Adapter:
    from readfirst.observatory.targets.adapter import open_target

    target = find_target(wanted.spec)
    if wanted.options.confine and target.kind == "agent":
        raise ConnectError(f"'target:{wanted.rest}' is an agent, which --confine does not support.")
    return open_target(target, time_limit=wanted.options.time_limit, sandbox=wanted.sandbox)


def find_target(connect_string: str) -> Target:
    """Return the target of a connect string `target:NAME` or `agent:NAME`. Raises ConnectError."""
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
    from readfirst.observatory.targets.catalogue import baseline_path

    rest, target = connect_string.partition(":")[2], find_target(connect_string)
    name = rest.rpartition("@")[0] if rest.endswith(f"@{target.release.version}") else rest
    baseline = baseline_path(target)
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
