"""Write a baseline: an entry a line, in the order of scenarios."""

import json
from collections.abc import Container, Iterable, Iterator
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
from readfirst.harness.compare.verdict import Level, Verdict
from readfirst.harness.suite.contracts import order
from readfirst.harness.yaml_io.finding import Position

_NOWHERE = Position(Path(), 0, 0)
_BY_CHANCE = "passed when this was written; left to chance, like others of its rule"
_LONGEST_COMMENT = 160
"""Maximum characters of the comment after an entry without an explanation."""


def baseline_text(
    name: str,
    verdicts: Iterable[Verdict],
    old: Baseline | None = None,
    *,
    of_all: bool = True,
    suite: str = "",
    added: bool = False,
    lucky: Container[str] = (),
    level: Level | None = None,
) -> str:
    """Return the text of a baseline that accepts exactly the failures among `verdicts`.

    `name` is the name of the run, `suite` the version of the suite, `level` the level of the run. Entries of `old` keep
    reason, comment and link. A new entry gets UNEXPLAINED, and so does an entry whose failure has become a harm.
    An entry of `old` stays as it is if no verdict is about it, if it varies (`varies: true`), or if its level is above
    that of the run. An entry for a rule stays if a scenario of the rule fails at its level or above.

    `of_all`: the verdicts are of all scenarios. If False, the missing capabilities that `old` lists stay listed.
    `lucky` are scenarios that pass or fail by chance: if one of them fails, those of its rule that pass now get the
    same entry. `added`: `old` contains none of the scenarios of `verdicts`.
    """
    accepted = dict(old.accepted) if old else {}
    judged_rules: set[tuple[str, str]] = set()
    entries: list[Acceptance] = []
    unjudged = []
    spared: list[Verdict] = []
    by_chance: dict[tuple[str, str], Acceptance] = {}
    for verdict in verdicts:
        if verdict.lacks:
            unjudged.append(verdict)
        key = verdict.scenario_id, verdict.contract
        known, failing = accepted.pop(key, None), lowest_failure(verdict)
        of_rule = old.accepted.get((verdict.rule, verdict.contract)) if old else None
        judged_rules.add((verdict.rule, verdict.contract))
        if known is not None and (known.varies or is_above(known.level, verdict)):
            worst = min(known.level, failing or known.level, key=FAILED_LEVELS.index)
            entries.append(_at_level(known, worst))
        elif failing is None:
            if verdict.status == "passed" and verdict.scenario_id in lucky:
                spared.append(verdict)
            continue
        elif known is not None:
            entries.append(_at_level(known, failing))
        elif of_rule is not None and FAILED_LEVELS.index(failing) >= FAILED_LEVELS.index(of_rule.level):
            entries.append(of_rule)
        else:
            varies = verdict.scenario_id in lucky
            reason = CHANCE if varies and failing != "safe" else UNEXPLAINED
            entries.append(Acceptance(*key, failing, reason, _NOWHERE, varies))
        entry = entries[-1]
        if entry.reason == UNEXPLAINED and failing is not None and not entry.of_rule:
            entry = entries[-1] = replace(entry, comment=_first_symptom(verdict))
        if entry.varies and not entry.of_rule and verdict.scenario_id in lucky:
            rule = verdict.rule, verdict.contract
            known = by_chance.get(rule, entry)
            by_chance[rule] = min(known, entry, key=lambda each: FAILED_LEVELS.index(each.level))
    for verdict in spared:
        if verdict.rule and (model := by_chance.get((verdict.rule, verdict.contract))) is not None:
            entries.append(replace(model, subject=verdict.scenario_id, position=_NOWHERE, comment=_BY_CHANCE))
    kept = (entry for key, entry in accepted.items() if entry.varies or not (of_all and key in judged_rules))
    lacking = MissingCapabilities.of(unjudged)
    if old is not None and old.lacking is not None and (added or not of_all):
        lacking = lacking.with_former(old.lacking, of_others=added)
    heading = [
        "# Accepted failures: what is listed here does not fail a run, and must keep failing as listed.",
        f"name: {json.dumps(name)}",
        *([f"suite: {json.dumps(suite)}"] if suite else []),
        *([f"level: {level}"] if level is not None else []),
    ]
    lines = [*heading, *lacking.lines(), *_lines(dict.fromkeys((*entries, *kept)))]
    return "\n".join(lines) + "\n"


def _at_level(entry: Acceptance, level: FailedLevel) -> Acceptance:
    """Return an entry with another level. If it now accepts a harm, its reason becomes UNEXPLAINED, because the old
    reason was written for a harmless failure.
    """
    is_new_harm = level == "safe" and entry.level != "safe"
    return replace(entry, level=level, reason=UNEXPLAINED if is_new_harm else entry.reason)


def with_first_difference(verdict: Verdict) -> Verdict:
    """Return a verdict with only the first difference at its lowest failing level, shortened, to save memory."""
    level = lowest_failure(verdict)
    first = next((difference for difference in verdict.differences if difference.level == level), None)
    if first is None:
        return replace(verdict, differences=(), answers={})
    expected, got = first.expected[:_LONGEST_COMMENT], first.got[:_LONGEST_COMMENT]
    return replace(verdict, differences=(replace(first, expected=expected, got=got),), answers={})


def _first_symptom(verdict: Verdict) -> str:
    """Return a description of the first difference at the lowest failing level. Without a difference: of the first harm
    (if `safe` fails), otherwise of the reason why the replay ended early.
    """
    found = with_first_difference(verdict).differences
    differences = (
        each.what if each.level == "safe" else f"{each.what}: expected {each.expected}, got {each.got}"
        for each in found
    )
    harms = (harm.line for harm in verdict.harms if lowest_failure(verdict) == "safe")
    text = next(chain(differences, harms, (verdict.reason,)))
    return _quote(text[:_LONGEST_COMMENT])[1:-1]


def _lines(entries: Iterable[Acceptance]) -> Iterator[str]:
    """Yield the lines of the entries, each with its comment."""
    ordered = sorted(entries, key=lambda entry: (not entry.of_rule, entry.subject, order(entry.contract)))
    yield "accepted:" if ordered else "accepted: []"
    for entry in ordered:
        subject = "rule" if entry.of_rule else "scenario"
        values: dict[str, object] = {subject: entry.subject, "contract": entry.contract, "level": entry.level}
        values |= {"varies": True} if entry.varies else {}
        values |= {"harms": list(entry.harms)} if entry.harms else {}
        values |= {"reason": entry.reason} | ({"link": entry.link} if entry.link else {})
        shown = (f"{key}: {_scalar(key, value)}" for key, value in values.items())
        comment = f"  # {entry.comment}" if entry.comment else ""
        yield f"  - {{{', '.join(shown)}}}{comment}"


def _scalar(key: str, value: object) -> str:
    return str(value) if key in ("rule", "scenario", "level") else _quote(value)


def _quote(value: object) -> str:
    """Return a value as JSON. Unprintable characters are escaped, because some of them end a line in YAML."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)
