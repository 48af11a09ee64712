"""Baseline: the accepted failures of one target, read from a YAML file, and what they make of a verdict."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from harness.finding import SuiteError
from harness.inspection import Inspection, did_you_mean
from harness.scenario import Position
from harness.strict_yaml import load, read
from harness.verdict import LEVELS, Verdict

__all__ = [
    "BROKEN",
    "Acceptance",
    "Baseline",
    "BaselineError",
    "Ruling",
    "baseline_text",
    "load_baseline",
    "rule",
]

BROKEN = "broken"
"""Stands in `fails` for a scenario whose replay may end early (a crash, a hang)."""

_ORDER = (*LEVELS, BROKEN)


class BaselineError(SuiteError):
    """The baseline file cannot be used as it is; each finding says what to write where."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """One accepted failure: the levels that fail, or `broken`, and why this is accepted."""

    scenario_id: str
    contract: str
    fails: frozenset[str]
    reason: str
    position: Position


@dataclass(frozen=True, slots=True)
class Baseline:
    """The accepted failures of `target` (its connect string), by scenario id and contract."""

    target: str
    file: Path
    accepted: Mapping[tuple[str, str], Acceptance] = field(default_factory=dict)

    def of(self, scenario_id: str, contract: str) -> Acceptance | None:
        """Return what is accepted of a scenario on a contract, or None."""
        return self.accepted.get((scenario_id, contract))


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a verdict means for the exit code.

    `conformant`: it holds, or its failure is accepted, or it was not judged. `accepted` is the reason of the
    baseline for a failure that it accepts, else empty. `stale` is the complaint about an entry that is no
    longer true, with the line to change, else empty.
    """

    conformant: bool
    accepted: str = ""
    stale: str = ""


def _failing(verdict: Verdict) -> frozenset[str]:
    """Return the levels up to the one asked for that fail; `broken` alone for a replay that ended early."""
    if verdict.status == "broken":
        return frozenset({BROKEN})
    if verdict.status != "failed":
        return frozenset()
    asked = LEVELS[: LEVELS.index(verdict.level) + 1]
    return frozenset(level for level in asked if not verdict.levels.get(level, True))


def _in_order(names: Iterable[str]) -> str:
    return "[" + ", ".join(sorted(names, key=_ORDER.index)) + "]"


def rule(verdict: Verdict, baseline: Baseline | None = None) -> Ruling:
    """Judge a verdict against the baseline.

    An entry accepts exactly the failures it lists: one more is not conformant, one less makes it stale.
    Levels above the one asked for are not looked at.
    """
    failing = _failing(verdict)
    entry = baseline.of(verdict.scenario_id, verdict.contract) if baseline else None
    if entry is None:
        return Ruling(conformant=not failing)
    asked = {*LEVELS[: LEVELS.index(verdict.level) + 1], BROKEN}
    listed = entry.fails & asked
    if failing - listed:
        return Ruling(conformant=False)
    if listed - failing:
        return Ruling(conformant=False, stale=_stale(entry, verdict, failing))
    return Ruling(conformant=True, accepted=entry.reason if failing else "")


def _stale(entry: Acceptance, verdict: Verdict, failing: frozenset[str]) -> str:
    left = failing | {name for name in entry.fails if _above(name, verdict)}
    where = f"{entry.position}: {entry.scenario_id} ({entry.contract})"
    if left:
        gone = _in_order(entry.fails - left)
        return f"{where} no longer fails as {gone} says. Write there: fails: {_in_order(left)}"
    now = "passes" if verdict.status == "passed" else f"is {verdict.status}"
    return f"{where} {now} now, but the baseline says fails: {_in_order(entry.fails)}. Remove the entry."


def _above(level: str, verdict: Verdict) -> bool:
    return level in LEVELS and LEVELS.index(level) > LEVELS.index(verdict.level)


def load_baseline(
    file: Path, ids: Collection[str], contracts: Collection[str], default_contract: str
) -> Baseline:
    """Read a baseline file; its entries may name `ids` and `contracts` only.

    Raises StrictYamlError for what is not strict YAML, BaselineError with all other problems.
    """
    look = Inspection(load(read(file), file))
    keys = ("target", "accepted")
    top = look.mapping(look.document.value, (), "a baseline", keys, required=keys) or {}
    target = look.string(top["target"], ("target",), "target") if "target" in top else None
    items = look.sequence(top["accepted"], ("accepted",), "accepted") if "accepted" in top else None
    accepted: dict[tuple[str, str], Acceptance] = {}
    for number, item in enumerate(items or []):
        entry = _entry(look, number, item, ids, contracts, default_contract)
        if entry is None:
            continue
        first = accepted.setdefault((entry.scenario_id, entry.contract), entry)
        if first is not entry:
            message = (
                f"{entry.scenario_id} ({entry.contract}) is already accepted in line {first.position.line}"
            )
            look.note(("accepted", number), message, "Merge the two.")
    look.finish(BaselineError)
    return Baseline(str(target), file, accepted)


def _entry(
    look: Inspection,
    number: int,
    item: object,
    ids: Collection[str],
    contracts: Collection[str],
    default_contract: str,
) -> Acceptance | None:
    at = ("accepted", number)
    keys = ("scenario", "contract", "fails", "reason")
    fields = look.mapping(item, at, "an entry", keys, required=("scenario", "fails", "reason"))
    if fields is None or not {"scenario", "fails", "reason"} <= fields.keys():
        return None
    reason = look.string(fields["reason"], (*at, "reason"), "reason")
    fails = look.sequence(fields["fails"], (*at, "fails"), "fails", empty=False) or []
    for index, name in enumerate(fails):
        look.choice(name, (*at, "fails", index), "a level in fails", _ORDER)
        if name in fails[:index]:
            look.note((*at, "fails", index), f"fails names {name} twice", "Name it once.")
    scenario_id = look.string(fields["scenario"], (*at, "scenario"), "scenario")
    if scenario_id is not None and scenario_id not in ids:
        message = f"no scenario has the id {scenario_id!r}"
        look.note((*at, "scenario"), message, _suggestion(scenario_id, ids))
    contract = look.string(fields.get("contract", default_contract), (*at, "contract"), "contract")
    if contract is not None and contract not in contracts:
        look.note((*at, "contract"), f"no contract is called {contract!r}", did_you_mean(contract, contracts))
    if scenario_id is None or contract is None or reason is None:
        return None
    levels = frozenset(name for name in fails if isinstance(name, str))
    return Acceptance(scenario_id, contract, levels, reason, look.document.position(at))


def _suggestion(name: str, known: Collection[str]) -> str:
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    return f"Write {close[0]}, or remove the entry." if close else "Remove the entry."


def baseline_text(target: str, verdicts: Iterable[Verdict], old: Baseline | None = None) -> str:
    """Return the text of a baseline that accepts exactly the failures among `verdicts`.

    Reasons are kept from `old`; a new entry gets a reason that asks for one. Entries of `old` for scenarios
    that are not among `verdicts` are kept as they are.
    """
    import json

    entries: dict[tuple[str, str], tuple[frozenset[str], str]] = {}
    if old:
        entries = {key: (entry.fails, entry.reason) for key, entry in old.accepted.items()}
    for verdict in verdicts:
        key = (verdict.scenario_id, verdict.contract)
        known = old.of(*key) if old else None
        kept = {name for name in known.fails if _above(name, verdict)} if known else set()
        fails = _failing(verdict) | kept
        if fails:
            entries[key] = (fails, known.reason if known else "not explained yet")
        else:
            entries.pop(key, None)
    lines = ["# Accepted failures: what is listed here does not fail a run, and must keep failing as listed."]
    lines.append(f"target: {json.dumps(target, ensure_ascii=True)}")
    lines.append("accepted:" if entries else "accepted: []")
    for (scenario_id, contract), (fails, reason) in sorted(entries.items()):
        lines.append(f"  - scenario: {scenario_id}")
        lines.append(f"    contract: {json.dumps(contract)}")
        lines.append(f"    fails: {_in_order(fails)}")
        lines.append(f"    reason: {json.dumps(reason, ensure_ascii=True)}")
    return "\n".join(lines) + "\n"
