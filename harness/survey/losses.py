"""Losses: which differences of a verdict mean that data was lost, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from readfirst.harness.compare.verdict import Difference, Verdict
from readfirst.harness.suite.contracts import Contract, clause_for
from readfirst.harness.suite.entry import RegularFile
from readfirst.harness.suite.scenario import ParallelCalls, Scenario, ToolCall, WorldEvent

__all__ = ["LOSSES", "Loss", "LossKind", "losses_of"]

LossKind = Literal[
    "edit-loses-external-edit",
    "write-loses-external-edit",
    "write-loses-unread-file",
    "first-of-several-replaced",
    "all-of-several-replaced",
    "other-bytes-changed",
]

LOSSES: Mapping[LossKind, str] = {
    "edit-loses-external-edit": "Edit overwrites what somebody else has changed",
    "write-loses-external-edit": "Write overwrites what somebody else has changed since the file was read",
    "write-loses-unread-file": "Write overwrites a file that was never read",
    "first-of-several-replaced": "Edit silently replaces the first of several matches",
    "all-of-several-replaced": "Edit replaces all of several matches although replace_all is not set",
    "other-bytes-changed": "Edit changes bytes outside the text it replaces",
}
"""Failures that lose data, worst first."""


_MARK = "\ufeff"
_WHOLE = 4096
"""Bytes up to which a difference shows the whole content."""
_BESIDE = 2
"""Characters beside the old text that may go with it: the line's end, in a deletion."""


@dataclass(frozen=True, slots=True)
class Loss:
    """One scenario in which data was lost: how, and at which of its `steps` (from 1)."""

    kind: LossKind
    scenario_id: str
    title: str
    steps: int
    step: int


def losses_of(scenario: Scenario, verdict: Verdict, contract: Contract) -> Iterator[Loss]:
    """Yield the first loss of data among a verdict's differences, if there is one; what follows is left out.

    Only steps up to the first that differs in a file are looked at, because later ones follow from that.
    """
    by_step: dict[int, list[Difference]] = {}
    for difference in verdict.differences:
        if difference.level == "effects":
            by_step.setdefault(difference.step, []).append(difference)
    for index, differences in sorted(by_step.items()):
        changed = [each for each in differences if each.what.startswith("file ")]
        if not changed:
            continue
        step = scenario.steps[index] if index < len(scenario.steps) else None
        if isinstance(step, ToolCall):
            kind = _kind(scenario, index, step, differences, changed[0], contract)
            if kind is not None:
                yield Loss(kind, scenario.id, scenario.title, len(scenario.steps), index + 1)
        return


def _kind(
    scenario: Scenario,
    index: int,
    call: ToolCall,
    differences: Sequence[Difference],
    changed: Difference,
    contract: Contract,
) -> LossKind | None:
    clause = clause_for(scenario, call.expect, contract)
    if clause is None or call.tool not in ("Edit", "Write"):
        return None
    path = changed.what.removeprefix("file ")
    before = _before(scenario, index, path, contract)
    old = str(call.arguments.get("old_string", "")) if call.tool == "Edit" else ""
    theirs = [line for line in _external_lines(scenario, index, path) if not _touches(old, line)]
    gone = bool(theirs) and not any(line in changed.got for line in theirs)
    if gone and any(line in changed.expected for line in theirs):
        return "edit-loses-external-edit" if call.tool == "Edit" else "write-loses-external-edit"
    match clause.error:
        case "not_read" if call.tool == "Write":
            return "write-loses-unread-file"
        case "multiple_matches":
            new = str(call.arguments.get("new_string", ""))
            every = before is not None and _bare(changed.got) == _bare(before).replace(_bare(old), _bare(new))
            return "all-of-several-replaced" if every else "first-of-several-replaced"
        case None if call.tool == "Edit" and not any(each.what == "refused" for each in differences):
            return "other-bytes-changed" if before is not None and _outside(call, before, changed) else None
        case _:
            return None


def _touches(old: str, line: str) -> bool:
    return bool(old) and (old in line or line in old)


def _before(scenario: Scenario, index: int, path: str, contract: Contract) -> str | None:
    """Return the content of a file before a step, as a difference shows it; all before was as the contract says.

    None where it is not known, or longer than what a difference shows whole.
    """
    entry = scenario.given.files.get(path)
    for step in scenario.steps[:index]:
        match step:
            case WorldEvent(kind="modify") if step.path == path:
                entry = step.entry
            case WorldEvent(kind="delete") if step.path == path:
                entry = None
            case ToolCall() | ParallelCalls():
                clause = clause_for(scenario, step.expect, contract)
                if clause is not None and path in clause.files:
                    entry = clause.files[path]
    if not isinstance(entry, RegularFile) or len(entry.data) > _WHOLE:
        return None
    return entry.data.decode("utf-8", "backslashreplace")


def _external_lines(scenario: Scenario, before: int, path: str) -> list[str]:
    """Return the lines that world events put into a file before a step, without those it was given with."""
    given = scenario.given.files.get(path)
    former = _lines(given.data) if isinstance(given, RegularFile) else []
    lines: list[str] = []
    for step in scenario.steps[:before]:
        if isinstance(step, WorldEvent) and step.kind == "modify" and step.path == path:
            entry = step.entry
            lines = _lines(entry.data) if isinstance(entry, RegularFile) else []
    return [line for line in lines if line.strip() and line not in former]


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "backslashreplace").splitlines()


def _outside(call: ToolCall, before: str, changed: Difference) -> bool:
    """Tell whether more of the file was changed than the text that was to be replaced."""
    got = changed.got
    if not before or got.startswith("("):
        return False
    if before[0] == _MARK == changed.expected[:1] and got[:1] != _MARK:
        return True
    old = str(call.arguments.get("old_string", ""))
    if call.arguments.get("replace_all"):
        return "\n" not in str(call.arguments.get("new_string", "")) and _bare(got) == _bare(changed.expected)
    start = _common(before, got)
    rest = min(_common(before[::-1], got[::-1]), len(before) - start, len(got) - start)
    longest = max(len(old), len(old.replace("\r\n", "\n").replace("\n", "\r\n")))
    return len(before) - rest - start > longest + _BESIDE


def _common(one: str, other: str) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _bare(text: str) -> str:
    return text.replace("\r", "").replace(_MARK, "")
