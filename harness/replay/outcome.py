"""The outcome of a scenario on an implementation, before it is judged."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.workspace.snapshot import Trace


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """One step: the results of its calls (none for a world event) and the changes on disk.

    `results` contain the text as it came, with `$WS` for the workspace's path. `changes` maps each changed path
    to its new state. None if the path is gone. Changes by world events and `during` events are included.
    """

    results: tuple[ToolResult, ...] = ()
    changes: Mapping[str, Entry | None] = field(default_factory=dict)
    expected_world: Mapping[str, Entry | None] = field(default_factory=dict)
    """Changes that the harness itself made during the step (`during` events that happened, world events)."""
    struck: bool = False
    """Whether a call with `during` reached the moment between validation and execution."""
    milliseconds: float = 0.0
    traces: Mapping[str, Trace] = field(default_factory=dict)
    """Traces that the implementation left on unchanged files."""
    names_before: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """All names of each file with several names, by each name; after world events of the step."""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The same after the step."""


@dataclass(frozen=True, slots=True)
class Breakage:
    """Why a replay ended early. `blame` is implementation, adapter, harness or environment; `step` counts from
    0.

    `unsupported`: the implementation cannot make such a call. `machine`: this machine lacks something that the
    scenario needs.
    """

    blame: str
    message: str
    step: int
    details: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The replayed steps, and the breakage that ended the replay, if any.

    `before` is the initial workspace. A step that broke is among `steps` only if its results came. `afterwards`
    contains changes between the last step and the end of the session; None if the replay broke. `disturbed`
    means that another part of the conversation may have stripped whitespace around an answer.
    """

    scenario_id: str
    steps: tuple[StepOutcome, ...]
    broken: Breakage | None = None
    before: Mapping[str, Entry] = field(default_factory=dict)
    afterwards: StepOutcome = field(default_factory=StepOutcome)
    disturbed: bool = False
