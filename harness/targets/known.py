"""Known: what the command line needs of a target before it is started: its full name, level and baseline."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.adapters.connect import ConnectError
from harness.finding import SuiteError
from harness.targets.catalogue import UnknownTargetError, find, known_failures
from harness.verdict import Level

__all__ = ["Known", "known_target"]


@dataclass(frozen=True, slots=True)
class Known:
    """`connect` names the version; `baseline` is the file of the known failures, which need not be there."""

    connect: str
    level: Level
    baseline: Path


def known_target(connect_string: str) -> Known:
    """Return what is known of `target:NAME` or `agent:NAME`, which is the same target. Raises ConnectError."""
    kind, _, rest = connect_string.partition(":")
    try:
        target, release = find(rest)
    except UnknownTargetError as error:
        raise ConnectError(f"{connect_string!r}: {error}") from error
    except SuiteError as error:
        raise ConnectError(f"{connect_string!r}: the mapping is not right.\n{error}") from error
    if kind == "agent" and target.kind != "agent":
        raise ConnectError(f"{connect_string!r}: {target.name} is no agent. Write target:{rest}.")
    name = rest.rpartition("@")[0] if rest.endswith(f"@{release.version}") else rest
    baseline = known_failures(target, release)
    return Known(f"target:{name}@{release.version}", target.level, baseline)
