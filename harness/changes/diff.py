"""Diff: hold two sides against each other, scenario by scenario, and group what differs by its cause."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from readfirst.harness.changes.cause import Cause, grouped
from readfirst.harness.changes.occurrence import Occurrence, occurrences
from readfirst.harness.changes.sides import ContractSide, RunSide, Side
from readfirst.harness.changes.tool_changes import tool_changes
from readfirst.harness.harm.harm import KINDS, Kind
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.tools import load_tools, tools_file

__all__ = ["Diff", "HarmChange", "diff"]


@dataclass(frozen=True, slots=True)
class HarmChange:
    """A kind of harm: the scenarios in which only the second side does it, and those in which only the first does."""

    kind: Kind
    newly: tuple[str, ...]
    no_longer: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    """What differs between two sides, the gravest cause first.

    `compared` counts scenarios that both sides speak of, `left_out` those that one does not, by reason.
    `consequences` are differences after or beside one of the effects, that no scenario shows by themselves.
    `broken`: scenarios without a result, because an adapter or its surroundings broke, or a run was cut off.
    """

    before: str
    after: str
    compared: int
    causes: tuple[Cause, ...]
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    consequences: tuple[Occurrence, ...] = ()
    broken: int = 0
    tools: tuple[str, ...] = ()
    """What the models of two contracts are given otherwise of the tools."""
    harm: tuple[HarmChange, ...] = ()
    """The worst kind first."""

    def with_causes(self, causes: Sequence[Cause]) -> Diff:
        """Return the same with these causes."""
        return replace(self, causes=tuple(causes))

    @property
    def differing(self) -> frozenset[str]:
        """The scenarios that differ."""
        return frozenset(each.scenario_id for cause in self.causes for each in cause.occurrences)


def diff(
    suite: Suite,
    before: Side,
    after: Side,
    ids: Sequence[str],
    *,
    advance: Callable[[], None] = lambda: None,
) -> Diff:
    """Compare two sides on these scenarios. `advance` is called for each. Raises SuiteError, RecordingError."""
    found: list[Occurrence] = []
    left_out: dict[str, list[str]] = {}
    harmed: dict[str, tuple[frozenset[Kind], frozenset[Kind]]] = {}
    compared = 0
    for scenario_id in ids:
        if _recorded_alike(before, after, scenario_id):
            compared += 1
            advance()
            continue
        scenario = suite.scenario(scenario_id)
        why = before.silent(scenario) or after.silent(scenario)
        if why:
            left_out.setdefault(why, []).append(scenario_id)
        else:
            compared += 1
            here = occurrences(scenario, before.answers(scenario), after.answers(scenario))
            found += here
            if any(each.change.level == "effects" for each in here):
                harmed[scenario_id] = before.harms(scenario), after.harms(scenario)
        advance()
    causes, consequences = grouped(found)
    broken = sum(
        len(names)
        for why, names in left_out.items()
        for side in (before, after)
        if isinstance(side, RunSide)
        and (why == f"{side.name} broke" or (side.interrupted and why == f"{side.name} did not run it"))
    )
    return Diff(
        before.name,
        after.name,
        compared,
        tuple(causes),
        {why: tuple(names) for why, names in left_out.items()},
        tuple(consequences),
        broken,
        tuple(_of_tools(suite, before, after)),
        tuple(_harm_changes(harmed)),
    )


def _harm_changes(
    harmed: Mapping[str, tuple[frozenset[Kind], frozenset[Kind]]],
) -> Iterator[HarmChange]:
    for kind in KINDS:
        newly = sorted(each for each, (old, new) in harmed.items() if kind in new - old)
        no_longer = sorted(each for each, (old, new) in harmed.items() if kind in old - new)
        if newly or no_longer:
            yield HarmChange(kind, tuple(newly), tuple(no_longer))


def _of_tools(suite: Suite, before: Side, after: Side) -> Iterable[str]:
    if not (isinstance(before, ContractSide) and isinstance(after, ContractSide)):
        return ()
    file = tools_file(suite.root)
    known = load_tools(file) if file.exists() else {}
    if before.name not in known or after.name not in known:
        return ()
    return tool_changes(known[before.name], known[after.name])


def _recorded_alike(before: Side, after: Side, scenario_id: str) -> bool:
    """Whether both are contracts that gave the same, which a recording tells sooner than a scenario."""
    match before, after:
        case ContractSide(contract=one), ContractSide(contract=other) if one.recorded and other.recorded:
            transcripts = before.recording(scenario_id).transcripts
            return one.name in transcripts and transcripts[one.name] == transcripts.get(other.name)
        case _:
            return False
