"""Verdicts: the result of judging one scenario by one contract, with the differences of each step and level."""

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
"""The levels from the weakest to the strictest. A level holds only if all levels before it hold."""


def up_to(level: Level) -> tuple[Level, ...]:
    """Return a level and all weaker levels, because all of them are judged together."""
    return LEVELS[: LEVELS.index(level) + 1]


Status = Literal["passed", "failed", "error", "unsupported", "unspecified"]
Blame = Literal["implementation", "adapter", "harness", "environment"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between an outcome and a contract, in a call. `step` and `call` are numbers from 0."""

    step: int
    call: int
    level: Level
    what: str
    """The name of the compared item (`text`, `file notes.txt`), or at the level `safe` a description of the harm."""
    expected: str
    """The expected value, or at the level `safe` the content before the harm."""
    got: str
    """The actual value, or at the level `safe` the content after the harm."""
    blame: Blame = "implementation"
    position: Position | None = None
    late: bool = False
    """Whether the difference occurred after the last step."""

    @property
    def label(self) -> str:
        """The name of the compared item for reports, with a note if the difference occurred after the last step."""
        return f"{self.what}, after the last step" if self.late else self.what


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of judging one scenario by one contract, at the requested level and all weaker levels."""

    scenario_id: str
    contract: str
    level: Level
    status: Status
    """`passed` and `failed` refer to the requested level. `error` means that the replay ended early."""
    levels: dict[Level, bool]
    """For each level, whether it holds."""
    differences: tuple[Difference, ...] = ()
    blame: Blame | None = None
    reason: str = ""
    """The reason for the status, such as a missing capability. Empty if the scenario passed or failed."""
    milliseconds: float = 0.0
    calls: int = 0
    """Number of calls that were compared."""
    steps: int = 0
    """Number of steps with answered calls, single or in parallel. `milliseconds` is their total time."""
    requirement: Requirement | None = None
    """Requirement of the scenario. None if the verdict is from JSON lines of an older readfirst, which lack it."""
    rule: str = ""
    """The rule of the scenario. Empty if it has none, or if the JSON lines do not contain it."""
    length: int = 0
    """Number of given files and steps of the scenario. Used to show the shortest failing scenario first."""
    lacks: tuple[str, ...] = ()
    """Missing capabilities, or features of calls (`Read with pages`). Empty if only the machine lacks something."""
    server: ServerUse | None = None
    """How the session used the server, if the implementation is a server."""
    harms: tuple[Harm, ...] = ()
    """All harms, blind edits and overcautious refusals, even if the contract does the same harm."""
    design: str = ""
    """The declared design of the implementation. Empty if none is declared."""
    by_hand: bool = False
    """Whether the expectations are written by hand; see `contract_expectations.is_by_hand`."""
    suite: str = ""
    """Name of the scenario's suite. Empty if the run uses only one suite."""
    refuses: tuple[str, ...] = ()
    """Names of the calls that the implementation declares to refuse although the contract answers them."""
    answers: Mapping[int, TranscriptStep] = field(default_factory=dict, compare=False, repr=False)
    """The answers of those steps that have differences. The keys are the numbers of the steps, from 0."""

    @classmethod
    def without_replay(
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
        """Create the verdict of a scenario that was not replayed, or whose replay ended early. No level holds."""
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
        """Return a copy with the status `unsupported`, for a replayed scenario that is not judged. No level holds."""
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
        """Whether the scenario counts as judged: it passed, failed, or ended early (`error`)."""
        return self.status in ("passed", "failed", "error")

    @property
    def left_out(self) -> bool:
        """Whether the scenario was replayed, but is not judged because of the declared design or refusals."""
        return bool(self.design or self.refuses) and self.status == "unsupported" and self.steps > 0

    @property
    def failing(self) -> tuple[str, ...]:
        """The failed levels of the scenario, up to the requested level. Only `error` if the replay ended early."""
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
    """Return the verdict of a scenario if it is known without a replay, otherwise None. The verdict is `unspecified` if
    the contract does not cover the scenario, if the expected result is disputed, or if the scenario is an invariant
    that the adapter cannot run. It is `unsupported` if the adapter lacks a capability, or a feature of a call: `lacks`
    returns the missing feature, or an empty text.
    """
    calls = list(scenario.calls())
    missing = sorted(scenario.needs - capabilities)
    if not missing:
        reasons = ((call.tool, lacks(call.tool, call.arguments)) for call in calls)
        missing = sorted({_with_tool(tool, feature) for tool, feature in reasons if feature})
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
    return Verdict.without_replay(scenario, contract.name, level, status, reason, lacks=lacking)


def _with_tool(tool: str, feature: str) -> str:
    """Return the name of an unsupported feature with the name of its tool: `Read with pages`."""
    return feature if feature == tool or feature.startswith(f"{tool} ") else f"{tool}: {feature}"
