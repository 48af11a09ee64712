"""Settle: divide the contracts among the clauses of one expectation, by what each was seen to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from harness.contracts import Contract, clause_for
from harness.emit import Value
from harness.rewrite import ClauseEdit, Keep, New, Update
from harness.scenario import Clause, Expectation, ReadGate, When
from harness.transcribe import Observation

__all__ = ["Settled", "divide", "settle"]

Seen = Sequence[tuple[Contract, Observation]]
Stated = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Settled:
    """The clauses to write (None: those that are there are right), and whether one of them was wrong.

    `contradicted`: a clause of the file holds for nobody any more, or not for a contract that it was recorded for.
    """

    edits: tuple[ClauseEdit, ...] | None
    contradicted: bool


@dataclass(frozen=True, slots=True)
class _Old:
    """The clause of the file at `index`."""

    index: int


@dataclass(frozen=True, slots=True)
class _Fresh:
    """What no clause of the file states: the observation at `index` of those that were found."""

    index: int


_Group = _Old | _Fresh


def settle(expect: Expectation, seen: Seen, known: frozenset[str]) -> Settled:
    """Return clauses that state what every contract in `seen` did; `known` were recorded before.

    `seen` stands in release order. A clause that still holds for somebody stays as a person wrote it. What the
    documents state stays in any case: where the product does nothing like it, as a clause of their own.
    """
    fresh: list[Stated] = []
    groups = [_group(expect, contract, observation, fresh) for contract, observation in seen]
    if not expect and not any(fresh):
        return Settled(None, False)
    used = {group.index for group in groups if isinstance(group, _Old)}
    lost = [
        index
        for index, clause in enumerate(expect)
        if clause.recorded and used.isdisjoint(_alike(expect, clause))
    ]
    contradicted = any(expect[index].documented is None for index in lost) or any(
        _wrongly_selected(expect, contract, observation)
        for contract, observation in seen
        if contract.name in known
    )
    whens = divide([(contract, group) for (contract, _), group in zip(seen, groups, strict=True)])
    if _stands(expect, groups, whens, lost):
        return Settled(None, contradicted)
    # What only documents state, and what they state although no product does so.
    edits: list[ClauseEdit] = [
        Keep(index)
        for index, clause in enumerate(expect)
        if clause.documented is not None and index not in used
    ]
    replaced = _replaced(expect, seen, groups, [index for index in lost if expect[index].documented is None])
    for group in dict.fromkeys(groups):
        for number, when in enumerate(whens[group]):
            edits.append(_edit(group, when, fresh, replaced if number == 0 else {}, again=number > 0))
    return Settled(tuple(edits), contradicted)


def divide(points: Sequence[tuple[Contract, _Group]]) -> dict[_Group, list[When | None]]:
    """Return the conditions under which each group holds: disjoint, and together all contracts.

    Between two contracts that differ the newer one's version is the border. The model class is named only where
    models differ.
    """
    segments = list(_segments(points))
    both = any(segment.relaxed is not None and segment.relaxed != segment.enforced for segment in segments)
    enforced = _runs([(segment.version, segment.enforced) for segment in segments])
    if not both:
        return _collected([(group, _range(enforced, place)) for place, (_, group) in enumerate(enforced)])
    relaxed = _runs(
        [(segment.version, segment.relaxed) for segment in segments if segment.relaxed is not None]
    )
    if len(enforced) == len(relaxed) == 1:
        return _collected([(enforced[0][1], When(None, "enforced")), (relaxed[0][1], When(None, "relaxed"))])
    kinds = [(segment.version, (segment.enforced, _apart(segment))) for segment in segments]
    conditions: list[tuple[_Group, When | None]] = []
    # Ungated where models agree, or where only one class exists; else one clause for each class.
    rows: list[tuple[ReadGate | None, list[tuple[Version, _Group | None]]]] = [
        (None, [(version, group if other is None else None) for version, (group, other) in kinds]),
        ("enforced", [(version, group if other is not None else None) for version, (group, other) in kinds]),
        ("relaxed", [(version, other) for version, (_, other) in kinds]),
    ]
    for gate, row in rows:
        runs = _runs(row)
        for place, (_, group) in enumerate(runs):
            if group is not None:
                bounds = _range(runs, place)
                conditions.append((group, When(bounds.claude_code if bounds else None, gate)))
    first = {version: number for number, (version, _) in enumerate(kinds)}
    conditions.sort(key=lambda item: _start(item[1], first))
    return _collected(conditions)


@dataclass(frozen=True, slots=True)
class _Segment:
    """What the two classes of models get from `version` on; `relaxed` None: there is no such class yet."""

    version: Version
    enforced: _Group
    relaxed: _Group | None


def _segments(points: Sequence[tuple[Contract, _Group]]) -> Iterator[_Segment]:
    relaxed: _Group | None = None
    # Before the first version with an older model, that model's first answer holds.
    enforced = next((group for contract, group in points if contract.read_gate == "enforced"), None)
    for version, row in groupby(points, key=lambda point: Version(point[0].version or "0")):
        for contract, group in row:
            if contract.read_gate == "relaxed":
                relaxed = group
            else:
                enforced = group
        only = relaxed if enforced is None else enforced
        assert only is not None
        yield _Segment(version, only, relaxed)


def _apart(segment: _Segment) -> _Group | None:
    """Return what the relaxed class gets where that is something else."""
    return segment.relaxed if segment.relaxed != segment.enforced else None


def _runs(row: Sequence[tuple[Version, _Group | None]]) -> list[tuple[Version, _Group | None]]:
    """Return where each run of one group begins."""
    return [next(run) for _, run in groupby(row, key=lambda item: item[1])]


def _range(runs: Sequence[tuple[Version, _Group | None]], place: int) -> When | None:
    bounds = []
    if place > 0:
        bounds.append(f">={runs[place][0]}")
    if place + 1 < len(runs):
        bounds.append(f"<{runs[place + 1][0]}")
    return When(SpecifierSet(",".join(bounds))) if bounds else None


def _start(when: When | None, first: Mapping[Version, int]) -> tuple[int, str]:
    gate = (when.read_gate or "") if when is not None else ""
    for specifier in when.claude_code if when is not None and when.claude_code is not None else ():
        if specifier.operator == ">=":
            return first[Version(specifier.version)], gate
    return 0, gate


def _collected(conditions: Sequence[tuple[_Group | None, When | None]]) -> dict[_Group, list[When | None]]:
    collected: dict[_Group, list[When | None]] = {}
    for group, when in conditions:
        if group is not None:
            collected.setdefault(group, []).append(when)
    return collected


def _group(expect: Expectation, contract: Contract, observation: Observation, fresh: list[Stated]) -> _Group:
    """Return the clause that states it: the one that is selected already, another one, or a fresh one."""
    selected = clause_for(expect, contract)
    order = sorted(range(len(expect)), key=lambda index: expect[index] is not selected)
    for index in order:
        if observation.agrees(expect[index]):
            return _Old(_foremost(expect, expect[index]))
    stated = observation.recorded()
    if stated not in fresh:
        fresh.append(stated)
    return _Fresh(fresh.index(stated))


def _alike(expect: Expectation, clause: Clause) -> list[int]:
    """Return the places of the clauses that state the same: what came back is said more than once."""
    stated = (clause.error, clause.text, clause.files)
    return [index for index, other in enumerate(expect) if (other.error, other.text, other.files) == stated]


def _foremost(expect: Expectation, clause: Clause) -> int:
    """Return which of the clauses that state the same is kept: the documented one, else the first."""
    return min(_alike(expect, clause), key=lambda index: (expect[index].documented is None, index))


def _wrongly_selected(expect: Expectation, contract: Contract, observation: Observation) -> bool:
    clause = clause_for(expect, contract)
    if clause is None or (clause.documented is not None and clause.when is None):
        return False
    return not observation.agrees(clause)


def _stands(
    expect: Expectation,
    groups: Sequence[_Group],
    whens: Mapping[_Group, Sequence[When | None]],
    lost: Sequence[int],
) -> bool:
    """Whether the file's clauses already say all of it, in the same words and for the same contracts."""
    if lost or any(isinstance(group, _Fresh) for group in groups):
        return False
    for group in whens:
        if isinstance(group, _Old):
            written = [expect[index].when for index in _alike(expect, expect[group.index])]
            if sorted(map(str, written)) != sorted(map(str, whens[group])):
                return False
    return True


def _replaced(
    expect: Expectation, seen: Seen, groups: Sequence[_Group], lost: Sequence[int]
) -> dict[_Group, int]:
    """Return which fresh clause stands where a lost one stood, so that its comments stay."""
    replaced: dict[_Group, int] = {}
    left = list(lost)
    for (contract, _), group in zip(seen, groups, strict=True):
        selected = clause_for(expect, contract)
        for index in left:
            if isinstance(group, _Fresh) and group not in replaced and expect[index] is selected:
                replaced[group] = index
                left.remove(index)
                break
    return replaced


def _edit(
    group: _Group,
    when: When | None,
    fresh: Sequence[Stated],
    replaced: Mapping[_Group, int],
    *,
    again: bool,
) -> ClauseEdit:
    match group:
        case _Old(index=index):
            return Keep(index, when, again=again)
        case _Fresh(index=index):
            recorded = fresh[index]
            if group in replaced:
                return Update(replaced[group], recorded, when)
            return New(recorded, when)
