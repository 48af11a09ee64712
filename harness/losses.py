"""Losses: which differences of a verdict mean that data was lost, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from harness.contracts import Contract, clause_for
from harness.entry import RegularFile
from harness.scenario import Scenario, ToolCall, WorldEvent
from harness.verdict import Difference, Verdict

__all__ = ["LOSSES", "Loss", "LossKind", "losses_of"]

LossKind = Literal[
    "edit-loses-external-edit",
    "write-loses-external-edit",
    "write-loses-unread-file",
    "several-matches-replaced",
    "other-bytes-changed",
]

LOSSES: Mapping[LossKind, str] = {
    "edit-loses-external-edit": "Edit overwrites what somebody else has changed",
    "write-loses-external-edit": "Write overwrites what somebody else has changed since the file was read",
    "write-loses-unread-file": "Write overwrites a file that was never read",
    "several-matches-replaced": "Edit changes a file in which its text occurs several times, without a word",
    "other-bytes-changed": "Edit changes bytes outside of what it was to replace",
}
"""Failures that lose data, worst first."""


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
    clause = clause_for(call.expect, contract)
    if clause is None or call.tool not in ("Edit", "Write"):
        return None
    theirs = _external_lines(scenario, index, changed.what.removeprefix("file "))
    gone = bool(theirs) and not any(line in changed.got for line in theirs)
    if gone and any(line in changed.expected for line in theirs):
        return "edit-loses-external-edit" if call.tool == "Edit" else "write-loses-external-edit"
    match clause.error:
        case "not_read" if call.tool == "Write":
            return "write-loses-unread-file"
        case "multiple_matches":
            return "several-matches-replaced"
        case None if call.tool == "Edit" and not any(each.what == "refused" for each in differences):
            return "other-bytes-changed" if _outside(call, changed) else None
        case _:
            return None


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


def _outside(call: ToolCall, changed: Difference) -> bool:
    """Tell whether what differs from the expected content lies outside of the text that was to be put there."""
    expected, got = changed.expected, changed.got
    new = str(call.arguments.get("new_string", ""))
    if call.arguments.get("replace_all"):
        return _bare(expected) == _bare(got)
    start = _common(expected, got)
    end = len(expected) - min(_common(expected[::-1], got[::-1]), len(expected) - start)
    if start >= end:
        # Something was added in one place; line ends and marks are never part of what was to be put.
        return _bare(expected) == _bare(got)
    for variant in (new, new.replace("\r\n", "\n"), new.replace("\n", "\r\n")):
        at = expected.find(variant) if variant else -1
        while at >= 0:
            if at <= start and end <= at + len(variant):
                return False
            at = expected.find(variant, at + 1)
    return True


def _common(one: str, other: str) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _bare(text: str) -> str:
    return text.replace("\r", "").replace("\ufeff", "")
