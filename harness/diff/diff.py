"""Diff: hold two sides against each other, scenario by scenario, and group what differs by its cause."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from readfirst.harness.diff.cause import Cause, grouped
from readfirst.harness.diff.difference import Occurrence, occurrences
from readfirst.harness.diff.sources import ContractSide, RunSide, Side
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.run.process_pool import work_in_processes
from readfirst.harness.suite.harm_kinds import KINDS, Kind
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.tool_schemas import OfferedTool, load_tools


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


@dataclass(frozen=True, slots=True)
class _Compared:
    """How two sides differ in one scenario, and what each harmed if its effects differ; or why that is open."""

    left_out: str = ""
    occurrences: Sequence[Occurrence] = ()
    harms: tuple[frozenset[Kind], frozenset[Kind]] | None = None


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Two sides, to be held against each other scenario by scenario, here or in a worker."""

    suite: Suite
    before: Side
    after: Side

    @contextmanager
    def open(self) -> Iterator[Callable[[str], _Compared]]:
        """Return what compares one scenario."""
        yield self.compared

    def compared(self, scenario_id: str) -> _Compared:
        """Compare one scenario. Raises SuiteError, RecordingError."""
        before, after = self.before, self.after
        if _recorded_alike(before, after, scenario_id):
            return _Compared()
        scenario = self.suite.scenario(scenario_id)
        if why := before.silent(scenario) or after.silent(scenario):
            return _Compared(why)
        found = occurrences(scenario, before.answers(scenario), after.answers(scenario))
        if any(each.change.level == "effects" for each in found):
            return _Compared("", found, (before.harms(scenario), after.harms(scenario)))
        return _Compared("", found)

    def lost(self, item: str, reason: str, /) -> _Compared:
        """Raise an error that says why there is no result."""
        raise ReadfirstError(f"{item} was not compared: {reason}")


def diff(
    suite: Suite,
    before: Side,
    after: Side,
    ids: Sequence[str],
    *,
    jobs: int = 1,
    advance: Callable[[], None] = lambda: None,
) -> Diff:
    """Compare two sides on these scenarios in as many processes as `jobs`. `advance` is called for each.

    Raises SuiteError, RecordingError.
    """
    found: list[Occurrence] = []
    left_out: dict[str, list[str]] = {}
    harmed: dict[str, tuple[frozenset[Kind], frozenset[Kind]]] = {}
    comparison = _Comparison(suite, before, after)
    with ExitStack() as stack:
        if jobs > 1 and len(ids) > 1:
            results = stack.enter_context(work_in_processes(comparison, ids, jobs))
        else:
            results = map(stack.enter_context(comparison.open()), ids)
        for scenario_id, here in zip(ids, results, strict=True):
            if here.left_out:
                left_out.setdefault(here.left_out, []).append(scenario_id)
            found += here.occurrences
            if here.harms is not None:
                harmed[scenario_id] = here.harms
            advance()
    causes, consequences = grouped(found)
    changes = [
        HarmChange(
            kind,
            tuple(sorted(each for each, (old, new) in harmed.items() if kind in new - old)),
            tuple(sorted(each for each, (old, new) in harmed.items() if kind in old - new)),
        )
        for kind in KINDS
    ]
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
        len(ids) - sum(map(len, left_out.values())),
        tuple(causes),
        {why: tuple(names) for why, names in left_out.items()},
        tuple(consequences),
        broken,
        tuple(_of_tools(suite, before, after)),
        tuple(each for each in changes if each.newly or each.no_longer),
    )


def _of_tools(suite: Suite, before: Side, after: Side) -> Iterable[str]:
    if not (isinstance(before, ContractSide) and isinstance(after, ContractSide)):
        return ()
    file = suite.file_about_contracts("tools.json")
    known = load_tools(file) if file.exists() else {}
    if before.name not in known or after.name not in known:
        return ()
    return tool_changes(known[before.name], known[after.name])


def _recorded_alike(before: Side, after: Side, scenario_id: str) -> bool:
    """Whether both are contracts that gave the same, which a recording tells sooner than a scenario."""
    match before, after:
        case ContractSide(contract=one), ContractSide(contract=other) if one.recorded and other.recorded:
            gave = before.suite.recordings.recording(scenario_id).transcripts
            return one.name in gave and gave[one.name] is gave.get(other.name)
        case _:
            return False


_ABSENT = object()


def tool_changes(before: Mapping[str, OfferedTool], after: Mapping[str, OfferedTool]) -> Iterator[str]:
    """Yield a line for each difference: tools, their arguments, what their descriptions state."""
    for tool in sorted({*before, *after}):
        if tool not in after:
            yield f"{tool} is no longer offered at the start"
        elif tool not in before:
            yield f"{tool} is offered at the start"
        else:
            for line in (*_arguments(before[tool], after[tool]), *_description(before[tool], after[tool])):
                yield f"{tool}: {line}"


def _arguments(before: OfferedTool, after: OfferedTool) -> Iterator[str]:
    old, new = before.schema.get("properties", {}), after.schema.get("properties", {})
    for name in {**old, **new}:
        if name not in new:
            yield f"the argument {name} is gone"
        elif name not in old:
            yield f"the argument {name} is new: {_shown(_without_words(new[name]))}"
        elif _without_words(old[name]) != _without_words(new[name]):
            yield (
                f"the argument {name} is {_shown(_without_words(new[name]))} instead of"
                f" {_shown(_without_words(old[name]))}"
            )
        elif old[name] != new[name]:
            yield f"the argument {name} is explained in other words"
    for key in {**before.schema, **after.schema}:
        if key != "properties":
            one, other = before.schema.get(key, _ABSENT), after.schema.get(key, _ABSENT)
            if one != other:
                yield f"{key} of the arguments is {_shown(other)} instead of {_shown(one)}"


def _description(before: OfferedTool, after: OfferedTool) -> Iterator[str]:
    old, new = before.facts, after.facts
    if old["sha256"] == new["sha256"]:
        return
    yield f"another description, of {new['characters']:,} characters instead of {old['characters']:,}"
    for name in {**old["states"], **new["states"]}:
        one, other = old["states"].get(name, _ABSENT), new["states"].get(name, _ABSENT)
        if one != other:
            yield f"the description states {name}: {_shown(other)} instead of {_shown(one)}"


def _without_words(value: Any) -> Any:
    match value:
        case dict():
            return {name: _without_words(each) for name, each in value.items() if name != "description"}
        case list():
            return [_without_words(each) for each in value]
        case _:
            return value


def _shown(value: Any) -> str:
    return "nothing" if value is _ABSENT else json.dumps(value, ensure_ascii=False)
