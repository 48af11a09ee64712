"""Verdict: the judgement of one scenario against one contract, per step and per level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from readfirst.harness.adapter_api import ServerUse
from readfirst.harness.harm.harm import Harm
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.scenario_metadata import Heading, Requirement
from readfirst.harness.yaml_io.finding import Position

Level = Literal["safe", "effects", "reason", "text", "verbatim"]
LEVELS: tuple[Level, ...] = ("safe", "effects", "reason", "text", "verbatim")
"""From the weakest to the strictest; each holds only where those before it hold."""


def up_to(level: Level) -> tuple[Level, ...]:
    """Return a level and those below it: what is judged where this one is asked for."""
    return LEVELS[: LEVELS.index(level) + 1]


Status = Literal["passed", "failed", "broken", "unsupported", "unspecified"]
Blame = Literal["implementation", "adapter", "harness", "environment"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One disagreement: at which step (from 0) and call of it, at which level, what was expected and what came.

    `what` names the thing compared (`text`, `refused`, `error`, `file notes.txt`, `shown notes.txt`). `expected` and
    `got` are exact, of what is shown the lines in words; a report makes control characters visible. `late`: it came
    after the step, which is the last one.

    At the level `safe`, `what` is a harm in one line, `expected` what was there and `got` what is there now.
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
        """What differs, for a reader: also that it came after the last step."""
        return f"{self.what}, after the last step" if self.late else self.what


@dataclass(frozen=True, slots=True)
class Verdict:
    """`passed` and `failed` are at the level asked for; `levels` says for each level whether it holds.

    `unsupported`: the adapter lacks a capability (`reason` names it). `unspecified`: the contract says nothing.
    `broken`: the replay ended early (`reason` says why, `blame` whom).
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
    """Calls that were judged."""
    steps: int = 0
    """Calls and groups of parallel calls that were answered; `milliseconds` is the time of these."""
    requirement: Requirement | None = None
    """How binding the scenario is; None in a stream of an earlier readfirst, which did not say it."""
    rule: str = ""
    """The rule that the scenario belongs to; empty where it names none, or the stream does not say it."""
    length: int = 0
    """Given files and steps of the scenario: how much there is to look into."""
    lacks: tuple[str, ...] = ()
    """What an unsupported scenario needs and the implementation does not claim: capabilities, or, where it has these,
    what a call needs beside them (`Read with pages`). Empty where the machine lacks something."""
    server: ServerUse | None = None
    """What the session got of an implementation that runs as a server."""
    harms: tuple[Harm, ...] = ()
    """What was harmed, and what is counted beside it, whether or not the contract does the same."""
    design: str = ""
    """What the implementation declares to be; empty where it says nothing."""
    refuses: tuple[str, ...] = ()
    """The names of the calls that the implementation declares to refuse although the contract answers them."""

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
        """Return the verdict on a scenario of which no outcome is known: no level holds."""
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

    @property
    def left_out(self) -> bool:
        """Whether it was played and is not judged, because of the declared design or a declared refusal."""
        return bool(self.design or self.refuses) and self.status == "unsupported" and self.steps > 0

    @property
    def failing(self) -> tuple[str, ...]:
        """The levels up to the one asked for that fail; `broken` alone for a replay that ended early."""
        if self.status == "broken":
            return ("broken",)
        if self.status != "failed":
            return ()
        return tuple(level for level in up_to(self.level) if not self.levels.get(level, True))
