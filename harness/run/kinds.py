"""Define kinds of connection: the form of their connect strings, and the functions that connect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.suite.contracts import Contract

if TYPE_CHECKING:
    from readfirst.harness.compare.verdict import Level
    from readfirst.harness.processes.sandbox import Sandbox
    from readfirst.harness.suite.suite import Suite


class ConnectError(ReadfirstError):
    """Raised if a connect string cannot be used. The message suggests a connect string to use instead."""


@dataclass(frozen=True, slots=True)
class ConnectRequest:
    """The connect string `spec`, and the other arguments of `connect`, for a kind of connection."""

    spec: str
    suite: Suite
    contract: Contract
    options: RunOptions
    sandbox: Sandbox | None

    @property
    def rest(self) -> str:
        """The part of the connect string after the kind and the colon."""
        return self.spec.partition(":")[2]


@dataclass(frozen=True, slots=True)
class TargetDefaults:
    """Defaults of `readfirst run` for a target, known before the target is started."""

    connect: str
    """The connect string with the target's version."""
    level: Level
    baseline: Path
    """The file may be missing."""
    claims: frozenset[str] | None = None
    """The tools among Read, Edit and Write that the mapping declares. None without a declaration."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of connection, such as `mcp`."""

    form: str
    """How its connect strings are written, for example `mcp:COMMAND`."""
    connect: Callable[[ConnectRequest], Adapter]
    """Returns the adapter for a connect string."""
    confinable: bool = False
    """Whether `--confine` is supported."""
    defaults: Callable[[str], TargetDefaults] | None = None
    """Returns the default options of a run. May raise ConnectError."""
    hint: Callable[[str], str] | None = None
    """Returns a suggested connect string for a word without a kind, or an empty text. May raise ConnectError."""
