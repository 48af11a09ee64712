"""Verdicts: the judgement of one scenario against one contract, per step and level."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from readfirst.harness.adapter_traits import ServerUse
from readfirst.harness.harm.harm import Harm
from readfirst.harness.suite.contracts import Contract, clause_for
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.scenario_metadata import Heading, Requirement
from readfirst.harness.suite.transcript import TranscriptStep
from readfirst.harness.yaml_io.finding import Position

Level = Literal["safe", "effects", "reason", "text", "verbatim"]
LEVELS: tuple[Level, ...] = ("safe", "effects", "reason", "text", "verbatim")
"""From the weakest to the strictest level. A level holds only if all levels before it hold."""


def up_to(level: Level) -> tuple[Level, ...]:
    """Return a level and all levels below it, which are judged together."""
    return LEVELS[: LEVELS.index(level) + 1]


Status = Literal["passed", "failed", "error", "unsupported", "unspecified"]
Blame = Literal["implementation", "adapter", "harness", "environment"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: its step (from 0), call and level, the expected and the actual value.

    `what` names the compared item (`text`, `refused`, `error`, `file notes.txt`, `shown notes.txt`). `expected`
    and `got` are exact; for shown lines, a description. Reports escape control characters. `late` means after
    the last step.

    At the level `safe`, `what` is a harm in one line, `expected` the content before and `got` the content after
    it.
    """

    step: int
    call: int
    level: Level
    what: str
    expected: str
    got: str
    blame: Blame = "implementation"
    position: Position | None = None
    late: bool = False

    @property
    def label(self) -> str:
        """The compared item for a reader, including whether the difference came after the last step."""
        return f"{self.what}, after the last step" if self.late else self.what


@dataclass(frozen=True, slots=True)
class Verdict:
    """`passed` and `failed` refer to the requested level; `levels` states for each level whether it holds.

    `unsupported`: the adapter lacks a capability (`reason` names it). `unspecified`: the contract has no
    clause. `error`: the replay ended early (`reason` and `blame` explain it).
    """

    scenario_id: str
    contract: str
    level: Level
    status: Status
    levels: dict[Level, bool]
    differences: tuple[Difference, ...] = ()
    blame: Blame | None = None
    reason: str = ""
    milliseconds: float = 0.0
    calls: int = 0
    """Number of judged calls."""
    steps: int = 0
    """Number of answered calls and groups of parallel calls; `milliseconds` is their total time."""
    requirement: Requirement | None = None
    """Requirement of the scenario. None in JSON lines of an earlier readfirst."""
    rule: str = ""
    """The rule of the scenario. Empty if it has none, or if the JSON lines do not contain it."""
    length: int = 0
    """Number of given files and steps of the scenario."""
    lacks: tuple[str, ...] = ()
    """Missing capabilities, or features of calls (`Read with pages`). Empty if the machine lacks something."""
    server: ServerUse | None = None
    """How the session used the server, if the implementation is a server."""
    harms: tuple[Harm, ...] = ()
    """All harms, blind edits and overcautious refusals, even if the contract does the same."""
    design: str = ""
    """The declared design of the implementation. Empty if none is declared."""
    by_hand: bool = False
    """Whether the expectations are written by hand; see `contract_expectations.is_by_hand`."""
    suite: str = ""
    """Name of the suite of the scenario, if the run contains several suites."""
    refuses: tuple[str, ...] = ()
    """Names of the calls that the implementation declares to refuse although the contract answers them."""
    answers: Mapping[int, TranscriptStep] = field(default_factory=dict, compare=False, repr=False)
    """The answers of the steps with differences, by step from 0."""

    @classmethod
    def unplayed(
        cls,
        scenario: Scenario | Heading,
        contract: str,
        level: Level,
        status: Status,
        reason: str,
        *,
        blame: Blame | None = None,
        lacks: tuple[str, ...] = (),
    ) -> Verdict:
        """Return the verdict of a scenario without an outcome: no level holds."""
        return cls(
            scenario.id,
            contract,
            level,
            status,
            dict.fromkeys(LEVELS, False),
            blame=blame,
            reason=reason,
            requirement=scenario.requirement,
            rule=scenario.rule,
            length=scenario.length if isinstance(scenario, Scenario) else 0,
            lacks=lacks,
        )

    def as_unsupported(self, reason: str, lacks: Sequence[str]) -> Verdict:
        """Return the verdict of a scenario that was replayed, but is not judged: no level holds."""
        return replace(
            self,
            status="unsupported",
            levels=dict.fromkeys(LEVELS, False),
            differences=(),
            answers={},
            blame=None,
            reason=reason,
            lacks=tuple(lacks),
        )

    @property
    def judged(self) -> bool:
        """Whether the contract covers the scenario and the implementation could be tested."""
        return self.status in ("passed", "failed", "error")

    @property
    def left_out(self) -> bool:
        """Whether the scenario was replayed but not judged, because of the declared design or refusals."""
        return bool(self.design or self.refuses) and self.status == "unsupported" and self.steps > 0

    @property
    def failing(self) -> tuple[str, ...]:
        """The failing levels up to the requested one. Only `error` for a replay that ended early."""
        if self.status == "error":
            return ("error",)
        if self.status != "failed":
            return ()
        return tuple(level for level in up_to(self.level) if not self.levels.get(level, True))


def verdict_without_replay(
    scenario: Scenario,
    contract: Contract,
    level: Level,
    capabilities: frozenset[str],
    lacks: Callable[[str, Mapping[str, Any]], str] = lambda _tool, _arguments: "",
) -> Verdict | None:
    """Return the verdict if it is known without a replay. None if the scenario must be replayed.

    `unspecified`: the contract has no clause for any call (`documented`) or for one of them (a recorded
    contract), the scenario is disputed, or it is an invariant that the adapter cannot run. `unsupported`: the
    adapter lacks a capability, or support for a call, as `lacks` reports.
    """
    calls = list(scenario.calls())
    missing = sorted(scenario.needs - capabilities)
    if not missing:
        said = ((call.tool, lacks(call.tool, call.arguments)) for call in calls)
        missing = sorted({_lacking(tool, lacking) for tool, lacking in said if lacking})
    judged = [clause_for(scenario, call.expect, contract) is not None for call in calls]
    absent = sorted(scenario.needs - contract.capabilities) if contract.recorded else []
    status: Status
    if scenario.invariant and not missing and not scenario.disputed:
        return None
    if not judged or not (all(judged) if contract.recorded else any(judged)):
        lacking_tool = f"has no {', '.join(absent)}" if absent else "says nothing about it"
        status, reason = "unspecified", f"{contract.name} {lacking_tool}"
    elif scenario.disputed:
        status, reason = "unspecified", f"it is disputed: {scenario.disputed}"
    elif absent:
        status, reason = "unspecified", f"{contract.name} has no {', '.join(absent)}"
    elif missing:
        status, reason = "unsupported", "the adapter lacks " + ", ".join(missing)
    else:
        return None
    lacking = tuple(missing) if status == "unsupported" else ()
    return Verdict.unplayed(scenario, contract.name, level, status, reason, lacks=lacking)


def _lacking(tool: str, said: str) -> str:
    """Return the adapter's reason for an unsupported call. A prefix, the tool, distinguishes it from capabilities."""
    return said if said == tool or said.startswith(f"{tool} ") else f"{tool}: {said}"
