"""Write a baseline: an entry a line, in the order of scenarios."""

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

from readfirst.harness.compare.baseline import (
    CHANCE,
    FAILED_LEVELS,
    UNEXPLAINED,
    Acceptance,
    Baseline,
    FailedLevel,
    is_above,
    lowest_failure,
)
from readfirst.harness.compare.missing_capabilities import MissingCapabilities
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.suite.contracts import order
from readfirst.harness.yaml_io.finding import Position

_NOWHERE = Position(Path(), 0, 0)
_LONGEST_COMMENT = 160
"""Characters of the comment behind an entry without an explanation."""


def baseline_text(
    name: str,
    verdicts: Iterable[Verdict],
    old: Baseline | None = None,
    *,
    of_all: bool = True,
    suite: str = "",
    added: bool = False,
    lucky: Container[str] = (),
) -> str:
    """Return the text of a baseline that accepts exactly the failures among `verdicts`.

    `name` is the name of the run, `suite` the version of the suite. Entries of `old` keep reason and link. A new
    entry gets UNEXPLAINED, and so does an entry whose failure has become a harm. Entries of `old` stay as they are if
    no verdict is about them, if they vary, or if they belong to a rule under which a scenario fails.

    `of_all`: the verdicts are of all scenarios. Otherwise what `old` lists as not judged stays listed. `lucky` are
    scenarios that may pass in the next run. `added`: `old` does not know the scenarios of `verdicts`.
    """
    accepted = dict(old.accepted) if old else {}
    judged_rules: set[tuple[str, str]] = set()
    entries: list[Acceptance] = []
    unjudged = []
    observed: dict[Acceptance, str] = {}
    for verdict in verdicts:
        if verdict.lacks:
            unjudged.append(verdict)
        key = verdict.scenario_id, verdict.contract
        known, failing = accepted.pop(key, None), lowest_failure(verdict)
        of_rule = old.accepted.get((verdict.rule, verdict.contract)) if old else None
        judged_rules.add((verdict.rule, verdict.contract))
        if known is not None and (known.varies or is_above(known.level, verdict)):
            level = min(known.level, failing or known.level, key=FAILED_LEVELS.index)
            entries.append(_at_level(known, level))
        elif failing is None:
            continue
        elif known is not None:
            entries.append(_at_level(known, failing))
        elif of_rule is not None and FAILED_LEVELS.index(failing) >= FAILED_LEVELS.index(of_rule.level):
            entries.append(of_rule)
        else:
            varies = verdict.scenario_id in lucky
            reason = CHANCE if varies and failing != "safe" else UNEXPLAINED
            entries.append(Acceptance(*key, failing, reason, _NOWHERE, varies))
        if entries[-1].reason == UNEXPLAINED:
            observed[entries[-1]] = _first_symptom(verdict)
    kept = (entry for key, entry in accepted.items() if not (of_all and key in judged_rules))
    lacking = MissingCapabilities.of(unjudged)
    if old is not None and old.lacking is not None and (added or not of_all):
        lacking = lacking.with_former(old.lacking, of_others=added)
    lines = [*_heading(name, suite), *lacking.lines(), *_lines(dict.fromkeys((*entries, *kept)), observed)]
    return "\n".join(lines) + "\n"


def _at_level(entry: Acceptance, level: FailedLevel) -> Acceptance:
    """Return an entry with another level. A reason that was written for a harmless failure does not explain a harm."""
    is_new_harm = level == "safe" and entry.level != "safe"
    return replace(entry, level=level, reason=UNEXPLAINED if is_new_harm else entry.reason)


def _heading(name: str, suite: str) -> Iterable[str]:
    yield "# Accepted failures: what is listed here does not fail a run, and must keep failing as listed."
    yield f"name: {json.dumps(name)}"
    if suite:
        yield f"suite: {json.dumps(suite)}"


def _first_symptom(verdict: Verdict) -> str:
    """Return the first harm of a verdict, or else the first difference, or the reason that it broke."""
    differences = (f"{each.what}: expected {each.expected}, got {each.got}" for each in verdict.differences)
    text = next(chain((harm.line for harm in verdict.harms), differences, (verdict.reason,)))
    return json.dumps(text[:_LONGEST_COMMENT], ensure_ascii=False)[1:-1]


def _lines(entries: Iterable[Acceptance], observed: Mapping[Acceptance, str]) -> Iterator[str]:
    """Yield the lines of the entries, with the failure that was `observed` as a comment."""
    ordered = sorted(entries, key=lambda entry: (not entry.of_rule, entry.subject, order(entry.contract)))
    yield "accepted:" if ordered else "accepted: []"
    for entry in ordered:
        subject = "rule" if entry.of_rule else "scenario"
        values: dict[str, object] = {subject: entry.subject, "contract": entry.contract, "level": entry.level}
        values |= {"varies": True} if entry.varies else {}
        values |= {"harms": list(entry.harms)} if entry.harms else {}
        values |= {"reason": entry.reason} | ({"link": entry.link} if entry.link else {})
        shown = (f"{key}: {_scalar(key, value)}" for key, value in values.items())
        comment = f"  # {observed[entry]}" if observed.get(entry) else ""
        yield f"  - {{{', '.join(shown)}}}{comment}"


def _scalar(key: str, value: object) -> str:
    return str(value) if key in ("rule", "scenario", "level") else json.dumps(value, ensure_ascii=False)
