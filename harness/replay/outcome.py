"""Outcome: what an implementation did with a scenario, before anybody judges it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.workspace.snapshot import Trace


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """One step: the results of its calls (none for a world event) and what changed on disk.

    `results` hold the text as it came, with `$WS` for the workspace's path. `changes` maps each path that
    differs from before the step to its new state, None where it is gone. What a world event or a `during`
    event of the harness did is listed too.
    """

    results: tuple[ToolResult, ...] = ()
    changes: Mapping[str, Entry | None] = field(default_factory=dict)
    expected_world: Mapping[str, Entry | None] = field(default_factory=dict)
    """What the harness itself changed during the step (`during` events that struck, world events)."""
    struck: bool = False
    """Whether a call with `during` came as far as the moment between validation and execution."""
    milliseconds: float = 0.0
    traces: Mapping[str, Trace] = field(default_factory=dict)
    """What the implementation did to files that hold what they held before."""
    names_before: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """All names of each file that had several, by each of them; after world events of the step."""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The same after the step."""


@dataclass(frozen=True, slots=True)
class Breakage:
    """Why a replay ended early: `blame` is implementation, adapter, harness or environment; `step` counts from 0.

    `unsupported`: the implementation has no way to make a call. `machine`: this machine cannot give the scenario what
    it asks for.
    """

    blame: str
    message: str
    step: int
    details: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The steps that were replayed, and the breakage that ended the replay, if any.

    `before` is the workspace as it was laid out. A step that broke is among `steps` only if its results came.
    `afterwards` is what was done to the workspace after the last step, until the session had ended; nothing is known
    of that where the replay broke. `disturbed`: something else in the conversation may have cost an answer the
    whitespace at both ends.
    """

    scenario_id: str
    steps: tuple[StepOutcome, ...]
    broken: Breakage | None = None
    before: Mapping[str, Entry] = field(default_factory=dict)
    afterwards: StepOutcome = field(default_factory=StepOutcome)
    disturbed: bool = False
