"""Kinds of connection: how a connect string of each kind is written, connected and judged by default."""

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
    """A connect string cannot be used; the message says what to write instead."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An implementation to connect. `spec` is the connect string; the other fields are as in `connect`."""

    spec: str
    suite: Suite
    contract: Contract
    options: RunOptions
    sandbox: Sandbox | None

    @property
    def rest(self) -> str:
        """The connect string after its kind."""
        return self.spec.partition(":")[2]


@dataclass(frozen=True, slots=True)
class TargetDefaults:
    """Defaults of a target that are known before it is started.

    `connect` is the connect string with the version; `baseline` is the file of the known failures, which may be
    missing. `claims` are the capabilities, of Read, Edit and Write, that the target states to have; None if it states
    nothing.
    """

    connect: str
    level: Level
    baseline: Path
    claims: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of connection. `form` is the connect string to write, `mcp:COMMAND`.

    `connect` returns the adapter. `defaults` returns the defaults of a connect string, `hint` the connect string that a
    word without a kind probably means, empty if none; both raise ConnectError. `confinable`: `--confine` works.
    """

    form: str
    connect: Callable[[Wanted], Adapter]
    confinable: bool = False
    defaults: Callable[[str], TargetDefaults] | None = None
    hint: Callable[[str], str] | None = None
