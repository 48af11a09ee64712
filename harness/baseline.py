"""Baseline: the accepted failures of one target, read from a YAML file, and what they make of a verdict."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from harness.scenario import Position
from harness.strict_yaml import Document, load, read
from harness.verdict import LEVELS, Verdict

__all__ = [
    "BROKEN",
    "Acceptance",
    "Baseline",
    "BaselineError",
    "Ruling",
    "load_baseline",
    "rule",
    "write_baseline",
]

BROKEN = "broken"
"""Stands in `fails` for a scenario whose replay may end early (a crash, a hang)."""

_ORDER = (*LEVELS, BROKEN)


class BaselineError(Exception):
    """The baseline file cannot be used; one line per problem, each with file:line:column and what to write."""


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

    An entry accepts exactly the failures it lists: one more is not conformant, one less makes the entry stale.
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
    file: Path,
    *,
    schema: Mapping[str, Any],
    ids: Collection[str],
    contracts: Collection[str],
    default_contract: str,
) -> Baseline:
    """Read a baseline file. `schema` is `baseline.schema.json`; `ids` and `contracts` are what entries may name.

    Raises StrictYamlError for what is not strict YAML, BaselineError for everything else that is wrong.
    """
    document = load(read(file), file)
    problems = _schema_problems(document, schema)
    if problems:
        raise BaselineError("\n".join(problems))
    accepted: dict[tuple[str, str], Acceptance] = {}
    for number, item in enumerate(document.value.get("accepted", [])):
        position = document.position(("accepted", number))
        scenario_id, contract = item["scenario"], item.get("contract", default_contract)
        if scenario_id not in ids:
            place = document.position(("accepted", number, "scenario"))
            problems.append(
                f"{place}: no scenario has the id {scenario_id!r}.{_suggestion(scenario_id, ids)}"
            )
        if contract not in contracts:
            place = document.position(("accepted", number, "contract"))
            problems.append(f"{place}: no contract is called {contract!r}.{_suggestion(contract, contracts)}")
        if (scenario_id, contract) in accepted:
            first = accepted[scenario_id, contract].position.line
            problems.append(
                f"{position}: {scenario_id} ({contract}) is already accepted in line {first}. Merge the two."
            )
        accepted[scenario_id, contract] = Acceptance(
            scenario_id, contract, frozenset(item["fails"]), item["reason"], position
        )
    if problems:
        raise BaselineError("\n".join(problems))
    return Baseline(document.value["target"], file, accepted)


def _suggestion(name: str, known: Collection[str]) -> str:
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    return f" Write {close[0]!r}?" if close else " Remove the entry."


def _schema_problems(document: Document, schema: Mapping[str, Any]) -> list[str]:
    from jsonschema import (
        Draft202012Validator,
    )  # here, because few runs have a baseline and it takes long to import

    errors = sorted(
        Draft202012Validator(schema).iter_errors(document.value), key=lambda e: list(map(str, e.path))
    )
    return [
        f"{document.position(tuple(error.path))}: {error.message}. See docs/running.md." for error in errors
    ]


def write_baseline(target: str, verdicts: Iterable[Verdict], old: Baseline | None = None) -> str:
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
