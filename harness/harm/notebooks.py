"""Judge answered NotebookEdits cell by cell."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from readfirst.harness.harm.unrequested_changes import UnlocatedHarm
from readfirst.harness.suite.harm_kinds import HARMS, Kind

_CELL_NUMBER_PATTERN = re.compile(r"cell-([0-9]{1,9})")
_EMPTY_VALUES: Mapping[str, Any] = {"execution_count": None, "outputs": [], "metadata": {}}
"""Keys that a tool may add to a cell that it writes, with their empty values (convention `notebook-outputs`)."""
_RUN_KEYS = ("execution_count", "outputs")
"""Keys that describe the last run of a cell."""

Cell = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Slot:
    """A cell that the notebook must contain after the calls.

    `cell` is the cell before the calls; None for an inserted cell. `source` and `type` are those that a call
    requests; None if no call changes them.
    """

    cell: Cell | None
    source: str | None = None
    type: str | None = None

    @property
    def is_named(self) -> bool:
        """Whether a call replaces the source of this cell, or inserts the cell."""
        return self.source is not None

    def differing_keys(self, actual: Cell) -> list[str]:
        """Return the keys of an actual cell whose values are not allowed for this required cell."""
        if self.cell is not None and not self.is_named:
            return [key for key in sorted({*self.cell, *actual}) if _differs_at(self.cell, actual, key)]
        previous = self.cell or {}
        keys = []
        for key in sorted({*previous, *actual}):
            if key == "source":
                is_allowed = _source_of(actual) == self.source
            elif key == "cell_type":
                is_allowed = actual.get(key) == (self.type or previous.get(key, actual.get(key)))
            elif key in _RUN_KEYS:
                is_allowed = (
                    not _differs_at(previous, actual, key)
                    or actual.get(key, _EMPTY_VALUES[key]) == _EMPTY_VALUES[key]
                )
            elif self.cell is None:
                is_allowed = key == "id" or actual[key] == _EMPTY_VALUES.get(key)
            else:
                is_allowed = not _differs_at(previous, actual, key)
            if not is_allowed:
                keys.append(key)
        return keys if "source" in actual else [*keys, "source"]


@dataclass(frozen=True, slots=True)
class _RequiredCells:
    """The cells that the notebook must contain after the calls, in order, and the cells that calls delete."""

    slots: tuple[_Slot, ...]
    removed: tuple[Cell, ...] = ()


def notebook_harms(
    path: str, calls: Sequence[Mapping[str, Any]], before: bytes | None, after: bytes | None
) -> list[UnlocatedHarm]:
    """Return the harms that answered NotebookEdits of one notebook did. The layout of its JSON does not matter.

    A call may have several meanings, because a cell id is ambiguous. The meaning with the fewest harms is used.
    """
    previous, now = _parse_notebook(before), _parse_notebook(after)
    if previous is None:
        return []
    if now is None:
        return [UnlocatedHarm("lost", f"{path}, which is no notebook any more")]
    harms = []
    changed_keys = [key for key in sorted({*previous, *now} - {"cells"}) if _differs_at(previous, now, key)]
    if changed_keys:
        harms.append(
            UnlocatedHarm("spoiled", f"what is beside the cells of {path}: {', '.join(changed_keys)}")
        )
    candidates = [_RequiredCells(tuple(map(_Slot, previous["cells"])))]
    for arguments in calls:
        candidates = [
            next_candidate for candidate in candidates for next_candidate in _apply_call(candidate, arguments)
        ] or candidates
    harms_by_candidate = [
        _compare_cells(path, candidate, previous["cells"], now["cells"]) for candidate in candidates
    ]
    return harms + min(
        harms_by_candidate, key=lambda harms: (sum(harm.kind in HARMS for harm in harms), len(harms))
    )


def _apply_call(required: _RequiredCells, arguments: Mapping[str, Any]) -> Iterator[_RequiredCells]:
    """Yield the required cells after one more call: one result for each possible meaning of the call's cell id."""
    slots, mode = required.slots, arguments.get("edit_mode") or "replace"
    source, cell_type = str(arguments.get("new_source", "")), arguments.get("cell_type")
    for index in _named_indexes(slots, arguments):
        if mode == "insert":
            number = arguments.get("cell_number")
            position = index if isinstance(number, int) or index < 0 else index + 1
            new = _Slot(None, source, cell_type)
            yield replace(required, slots=(*slots[: max(position, 0)], new, *slots[max(position, 0) :]))
        elif index == len(slots) and mode == "replace":
            yield replace(required, slots=(*slots, _Slot(None, source, cell_type)))
        elif 0 <= index < len(slots):
            slot = slots[index]
            if mode == "delete":
                removed = (*required.removed, slot.cell) if slot.cell is not None else required.removed
                yield _RequiredCells((*slots[:index], *slots[index + 1 :]), removed)
            else:
                edited = replace(slot, source=source, type=cell_type or slot.type)
                yield replace(required, slots=(*slots[:index], edited, *slots[index + 1 :]))


def _named_indexes(slots: Sequence[_Slot], arguments: Mapping[str, Any]) -> Iterator[int]:
    """Yield the indexes of cells that a call may mean: `cell-3` is an id or an index (convention `notebook-cells`)."""
    name, number = arguments.get("cell_id"), arguments.get("cell_number")
    if name is None:
        yield number if isinstance(number, int) else -1
        return
    for index, slot in enumerate(slots):
        if slot.cell is not None and slot.cell.get("id") == name:
            yield index
    numbered = _CELL_NUMBER_PATTERN.fullmatch(str(name))
    if numbered:
        yield int(numbered[1])


def _compare_cells(
    path: str, required: _RequiredCells, previous: Sequence[Cell], now: Sequence[Cell]
) -> list[UnlocatedHarm]:
    slots = required.slots
    if len(slots) == len(now) and all(
        not slot.differing_keys(cell) for slot, cell in zip(slots, now, strict=True)
    ):
        return []
    if [*previous] == [*now]:
        return [UnlocatedHarm("untrue", f"the call was answered, and the cells of {path} are what they were")]
    return _CellPairs(path, required, previous, now).find_harms()


@dataclass
class _CellPairs:
    """Pairs of required and actual cells."""

    path: str
    required: _RequiredCells
    previous: Sequence[Cell]
    now: Sequence[Cell]
    pairs: dict[int, int] = field(default_factory=dict)

    def find_harms(self) -> list[UnlocatedHarm]:
        """Return the harms of missing, additional and changed cells."""
        slots, now = self.required.slots, self.now
        self._pair_cells(lambda slot, cell: not slot.differing_keys(cell))
        if len(self.pairs) == len(slots) == len(now):
            return [self._order_harm()]
        missing, extra = self._unpaired_cells()
        edited_elsewhere = self._edited_elsewhere(missing, extra)
        if edited_elsewhere:
            return [edited_elsewhere]
        undeleted = [position for position in extra if now[position] in self.required.removed]
        harms = []
        if undeleted and missing:
            harms += [
                UnlocatedHarm("lost", f"{self._cell_name(index)}, which the call did not name, is gone")
                for index in missing
            ]
            return harms
        if undeleted:
            return [
                UnlocatedHarm(
                    "untrue", f"the call was answered, and the cell that it named is still in {self.path}"
                )
            ]
        self._pair_cells(
            lambda slot, cell: slot.cell is not None and "id" in cell and slot.cell.get("id") == cell["id"]
        )
        self._pair_cells(lambda slot, cell: slot.is_named and _source_of(cell) == slot.source)
        self._pair_cells(
            lambda slot, cell: slot.cell is not None and _source_of(slot.cell) == _source_of(cell)
        )
        missing, extra = self._unpaired_cells()
        if len(missing) == len(extra):
            self.pairs.update(zip(missing, extra, strict=True))
            missing, extra = [], []
        for index, position in sorted(self.pairs.items()):
            if keys := slots[index].differing_keys(now[position]):
                harms.append(self._harm_of_change(index, keys))
        for index in missing:
            what = f"{self._cell_name(index)}, which the call did not name, is gone"
            if slots[index].cell is None:
                harms.append(
                    UnlocatedHarm("untrue", f"the call was answered, and {self.path} has no new cell")
                )
            else:
                harms.append(UnlocatedHarm("lost", what))
        if extra:
            harms.append(
                UnlocatedHarm("stray", f"{self.path} has {len(extra)} more cells than were asked for")
            )
        return harms

    def _pair_cells(self, is_pair: Any) -> None:
        paired = set(self.pairs.values())
        for index, slot in enumerate(self.required.slots):
            if index in self.pairs:
                continue
            free = [position for position in range(len(self.now)) if position not in paired]
            for at in sorted(free, key=lambda position: position != index):
                if is_pair(slot, self.now[at]):
                    self.pairs[index] = at
                    paired.add(at)
                    break

    def _unpaired_cells(self) -> tuple[list[int], list[int]]:
        paired = set(self.pairs.values())
        missing = [index for index in range(len(self.required.slots)) if index not in self.pairs]
        return missing, [position for position in range(len(self.now)) if position not in paired]

    def _order_harm(self) -> UnlocatedHarm:
        slots = self.required.slots
        old_positions = [self.pairs[index] for index, slot in enumerate(slots) if slot.cell is not None]
        if old_positions == sorted(old_positions):
            return UnlocatedHarm(
                "misplaced", f"the new cell is in another place of {self.path} than was asked for"
            )
        return UnlocatedHarm("spoiled", f"the order of the cells of {self.path}")

    def _edited_elsewhere(self, missing: Sequence[int], extra: Sequence[int]) -> UnlocatedHarm | None:
        """Return the harm if a call changed a cell other than the cell that it named. None if this did not happen.
        `missing` and `extra` are the indexes of required and actual cells without a counterpart.
        """
        slots, now = self.required.slots, self.now
        named_indexes = [
            index for index in missing if slots[index].is_named and slots[index].cell is not None
        ]
        unchanged = [
            index for index in named_indexes if slots[index].cell in [now[position] for position in extra]
        ]
        other_indexes = [index for index in missing if index not in named_indexes]
        for index in unchanged:
            if other_indexes and any(_source_of(now[position]) == slots[index].source for position in extra):
                what = f"{self._cell_name(other_indexes[0])} was edited, and the call named {self._cell_name(index)}"
                return UnlocatedHarm("misplaced", what)
        return None

    def _cell_name(self, index: int) -> str:
        cell = self.required.slots[index].cell
        number = next((position for position, old_cell in enumerate(self.previous, 1) if old_cell is cell), 0)
        return f"cell {number} of {self.path}" if number else f"the new cell of {self.path}"

    def _harm_of_change(self, index: int, differing_keys: Sequence[str]) -> UnlocatedHarm:
        slot, name = self.required.slots[index], self._cell_name(index)
        keys = ", ".join(differing_keys)
        if not slot.is_named:
            kind: Kind = "lost" if "source" in differing_keys else "spoiled"
            return UnlocatedHarm(kind, f"the {keys} of {name}, which the call did not name")
        if slot.cell is None or "source" in differing_keys or "cell_type" in differing_keys:
            return UnlocatedHarm("altered", f"the {keys} of {name}, which was written, is not what was asked")
        return UnlocatedHarm("spoiled", f"the {keys} of {name} beside its source")


def _differs_at(previous: Mapping[str, Any], now: Mapping[str, Any], key: str) -> bool:
    return (key in previous) != (key in now) or previous.get(key) != now.get(key)


def _source_of(cell: Cell) -> str:
    source = cell.get("source", "")
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


def _parse_notebook(data: bytes | None) -> dict[str, Any] | None:
    """Return the parsed notebook. None if it is not a notebook, or if a cell is not an object."""
    try:
        value = json.loads((data or b"").decode("utf-8-sig"), parse_constant=str)
    except (ValueError, RecursionError):
        return None
    cells = value.get("cells") if isinstance(value, dict) else None
    return value if isinstance(cells, list) and all(isinstance(cell, dict) for cell in cells) else None
