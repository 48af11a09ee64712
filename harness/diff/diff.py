"""Compare two sides (contracts or runs) scenario by scenario, and group the differences by cause."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from readfirst.harness.diff.cause import Cause, group_by_cause
from readfirst.harness.diff.difference import Occurrence, occurrences
from readfirst.harness.diff.sources import ContractSide, NoAnswersError, RunSide, Side
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.run.process_pool import work_in_processes
from readfirst.harness.suite.harm_kinds import KINDS, Kind
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.tool_schemas import OfferedTool, load_tools


@dataclass(frozen=True, slots=True)
class HarmChange:
    """A kind of harm. `newly`: scenarios with this harm only on the second side. `no_longer`: only on the first."""

    kind: Kind
    newly: tuple[str, ...]
    no_longer: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    """The differences between two sides (contracts or runs), grouped by cause, the most serious first."""

    before: str
    after: str
    compared: int
    """Number of scenarios with answers of both sides."""
    causes: tuple[Cause, ...]
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The ids of scenarios that were not compared, by the reason."""
    consequences: tuple[Occurrence, ...] = ()
    """Differences that occur only with, or after, a different effect."""
    error: int = 0
    """Number of scenarios without a result, because an adapter, its environment or a run ended early."""
    tools: tuple[str, ...] = ()
    """Lines that describe the differences between the tool definitions that the models of two contracts get."""
    harm: tuple[HarmChange, ...] = ()
    """The changed kinds of harm, the worst first."""

    def with_causes(self, causes: Sequence[Cause]) -> Diff:
        """Return a copy of the result with different causes. Used to add the versions that introduced the causes."""
        return replace(self, causes=tuple(causes))

    @property
    def differing(self) -> frozenset[str]:
        """The ids of the scenarios that contain a difference of one of the causes."""
        return frozenset(occurrence.scenario_id for cause in self.causes for occurrence in cause.occurrences)


@dataclass(frozen=True, slots=True)
class _Compared:
    """The result of comparing two sides in one scenario. `harms` contains the kinds of harm of each side, or is None if
    the sides have equal effects. `left_out` is the reason why the scenario was not compared, or empty.
    """

    left_out: str = ""
    occurrences: Sequence[Occurrence] = ()
    harms: tuple[frozenset[Kind], frozenset[Kind]] | None = None


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The job of comparing two sides. It compares one scenario at a time, in this process or in worker processes."""

    suite: Suite
    before: Side
    after: Side

    def open(self) -> AbstractContextManager[Callable[[str], _Compared]]:
        """Return a context manager that yields the function to compare one scenario. Used by the process pool."""
        return nullcontext(self.compare_scenario)

    def compare_scenario(self, scenario_id: str) -> _Compared:
        """Compare the two sides in one scenario. Raises SuiteError, RecordingError."""
        before, after = self.before, self.after
        if _has_equal_recordings(before, after, scenario_id):
            return _Compared()
        scenario = self.suite.scenario(scenario_id)
        try:
            differences = occurrences(scenario, before.answers(scenario), after.answers(scenario))
        except NoAnswersError as error:
            return _Compared(str(error))
        if any(difference.change.level == "effects" for difference in differences):
            return _Compared("", differences, (before.harms(scenario), after.harms(scenario)))
        return _Compared("", differences)

    def result_for_crash(self, item: str, reason: str, /) -> _Compared:
        """Raise an error after a crash of the worker process that compared the scenario `item`."""
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
    """Compare two sides in the scenarios `ids`, using `jobs` processes. Raises SuiteError, RecordingError."""
    differences: list[Occurrence] = []
    left_out: dict[str, list[str]] = {}
    harmed: dict[str, tuple[frozenset[Kind], frozenset[Kind]]] = {}
    comparison = _Comparison(suite, before, after)
    with ExitStack() as stack:
        if jobs > 1 and len(ids) > 1:
            results = stack.enter_context(work_in_processes(comparison, ids, jobs))
        else:
            results = map(stack.enter_context(comparison.open()), ids)
        for scenario_id, compared in zip(ids, results, strict=True):
            if compared.left_out:
                left_out.setdefault(compared.left_out, []).append(scenario_id)
            differences += compared.occurrences
            if compared.harms is not None:
                harmed[scenario_id] = compared.harms
            advance()
    causes, consequences = group_by_cause(differences)
    changes = [
        HarmChange(
            kind,
            tuple(sorted(scenario_id for scenario_id, (old, new) in harmed.items() if kind in new - old)),
            tuple(sorted(scenario_id for scenario_id, (old, new) in harmed.items() if kind in old - new)),
        )
        for kind in KINDS
    ]
    error_count = sum(
        len(names)
        for reason, names in left_out.items()
        for side in (before, after)
        if isinstance(side, RunSide)
        and (reason == f"{side.name} broke" or (side.interrupted and reason == f"{side.name} did not run it"))
    )
    return Diff(
        before.name,
        after.name,
        len(ids) - sum(map(len, left_out.values())),
        tuple(causes),
        {reason: tuple(names) for reason, names in left_out.items()},
        tuple(consequences),
        error_count,
        tuple(_compare_tool_descriptions(suite, before, after)),
        tuple(change for change in changes if change.newly or change.no_longer),
    )


def _compare_tool_descriptions(suite: Suite, before: Side, after: Side) -> Iterable[str]:
    if not (isinstance(before, ContractSide) and isinstance(after, ContractSide)):
        return ()
    file = suite.file("tools.json")
    tools_by_contract = load_tools(file) if file.exists() else {}
    if before.name not in tools_by_contract or after.name not in tools_by_contract:
        return ()
    return tool_changes(tools_by_contract[before.name], tools_by_contract[after.name])


def _has_equal_recordings(before: Side, after: Side, scenario_id: str) -> bool:
    """Whether both sides are contracts with equal recordings of a scenario, so that the scenario can be skipped."""
    match before, after:
        case ContractSide(contract=left, taken=None), ContractSide(contract=right, taken=None) if (
            left.recorded and right.recorded
        ):
            transcripts = before.suite.recordings.recording(scenario_id).transcripts
            return left.name in transcripts and transcripts[left.name] is transcripts.get(right.name)
        case _:
            return False


_ABSENT = object()


def tool_changes(before: Mapping[str, OfferedTool], after: Mapping[str, OfferedTool]) -> Iterator[str]:
    """Yield a line for each difference between two contracts' tools: in names, arguments or descriptions."""
    for tool in sorted({*before, *after}):
        if tool not in after:
            yield f"{tool} is no longer offered at the start"
        elif tool not in before:
            yield f"{tool} is offered at the start"
        else:
            for compare in (_compare_arguments, _compare_descriptions):
                yield from (f"{tool}: {line}" for line in compare(before[tool], after[tool]))


def _compare_arguments(before: OfferedTool, after: OfferedTool) -> Iterator[str]:
    old, new = before.schema.get("properties", {}), after.schema.get("properties", {})
    for name in {**old, **new}:
        if name not in new:
            yield f"the argument {name} is gone"
        elif name not in old:
            yield f"the argument {name} is new: {_format_value(_without_descriptions(new[name]))}"
        elif _without_descriptions(old[name]) != _without_descriptions(new[name]):
            yield (
                f"the argument {name} is {_format_value(_without_descriptions(new[name]))} instead of"
                f" {_format_value(_without_descriptions(old[name]))}"
            )
        elif old[name] != new[name]:
            yield f"the argument {name} is explained in other words"
    for key in {**before.schema, **after.schema}:
        if key != "properties":
            old_value, new_value = before.schema.get(key, _ABSENT), after.schema.get(key, _ABSENT)
            if old_value != new_value:
                yield f"{key} of the arguments is {_format_value(new_value)} instead of {_format_value(old_value)}"


def _compare_descriptions(before: OfferedTool, after: OfferedTool) -> Iterator[str]:
    old, new = before.facts, after.facts
    if old["sha256"] == new["sha256"]:
        return
    yield f"another description, of {new['characters']:,} characters instead of {old['characters']:,}"
    for name in {**old["states"], **new["states"]}:
        old_value, new_value = old["states"].get(name, _ABSENT), new["states"].get(name, _ABSENT)
        if old_value != new_value:
            yield f"the description states {name}: {_format_value(new_value)} instead of {_format_value(old_value)}"


def _without_descriptions(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_descriptions(item) for name, item in value.items() if name != "description"}
    return [_without_descriptions(item) for item in value] if isinstance(value, list) else value


def _format_value(value: Any) -> str:
    return "nothing" if value is _ABSENT else json.dumps(value, ensure_ascii=False)
