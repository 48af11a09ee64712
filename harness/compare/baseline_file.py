"""Write baseline files, with one entry per line."""

import json
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
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
from readfirst.harness.suite.contracts import contract_sort_key
from readfirst.harness.yaml_io.finding import Position

_NOWHERE = Position(Path(), 0, 0)
_BY_CHANCE = "passed when this was written; left to chance, like others of its rule"
_MAX_COMMENT_CHARS = 160
"""Maximum length of the comment that describes the failure in an entry without a reason, in characters."""


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
    """Return the text of a baseline file that accepts exactly the failures among `verdicts`.

    `name` is the name of the run, `suite` the version of the suite, `level` the level of the run. Entries of the
    previous baseline `old` keep reason, comment and link. A new entry, and an entry whose failure has become a harm,
    gets the reason UNEXPLAINED. An entry of `old` stays unchanged if it has no verdict, has `varies: true`, or has a
    level above the level of the run. If not `of_all`, the missing capabilities in `old` stay listed. `lucky` contains
    scenarios that pass or fail by chance. With `added`, `old` is about other scenarios than `verdicts`.
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
        lacking = lacking.merge(old.lacking, are_disjoint=added)
    heading = [
        "# Accepted failures: what is listed here does not fail a run, and must keep failing as listed.",
        f"name: {json.dumps(name)}",
        *([f"suite: {json.dumps(suite)}"] if suite else []),
        *([f"level: {level}"] if level is not None else []),
    ]
    lines = [*heading, *lacking.lines(), *_entry_lines(dict.fromkeys((*entries, *kept)))]
    return "\n".join(lines) + "\n"


def _at_level(entry: Acceptance, level: FailedLevel) -> Acceptance:
    """Return an entry with a different level. If the entry now accepts a harm, its reason becomes UNEXPLAINED."""
    is_new_harm = level == "safe" and entry.level != "safe"
    return replace(entry, level=level, reason=UNEXPLAINED if is_new_harm else entry.reason)


def with_first_difference(verdict: Verdict) -> Verdict:
    """Return a verdict with only the first difference at its lowest failed level. Long values are shortened."""
    level = lowest_failure(verdict)
    first = next((difference for difference in verdict.differences if difference.level == level), None)
    if first is None:
        return replace(verdict, differences=(), answers={})
    expected, got = first.expected[:_MAX_COMMENT_CHARS], first.got[:_MAX_COMMENT_CHARS]
    return replace(verdict, differences=(replace(first, expected=expected, got=got),), answers={})


def _first_symptom(verdict: Verdict) -> str:
    """Return the first difference at the lowest failing level, otherwise the first harm or the reason of the error."""
    text = verdict.reason
    if lowest_failure(verdict) == "safe" and verdict.harms:
        harm = verdict.harms[0]
        text = f"step {harm.step + 1}: {harm.line}"
    for difference in with_first_difference(verdict).differences:
        text = f"step {difference.step + 1}: {difference.what}"
        if difference.level != "safe":
            text += f": expected {difference.expected}, got {difference.got}"
    return _quote(text[:_MAX_COMMENT_CHARS])[1:-1]


def _entry_lines(entries: Iterable[Acceptance]) -> Iterator[str]:
    ordered = sorted(
        entries, key=lambda entry: (not entry.of_rule, entry.subject, contract_sort_key(entry.contract))
    )
    yield "accepted:" if ordered else "accepted: []"
    for entry in ordered:
        subject = "rule" if entry.of_rule else "scenario"
        values: dict[str, object] = {subject: entry.subject, "contract": entry.contract, "level": entry.level}
        values |= {"varies": True} if entry.varies else {}
        values |= {"harms": list(entry.harms)} if entry.harms else {}
        values |= {"reason": entry.reason} | ({"link": entry.link} if entry.link else {})
        plain = ("rule", "scenario", "level")
        pairs = (f"{key}: {value if key in plain else _quote(value)}" for key, value in values.items())
        comment = f"  # {entry.comment}" if entry.comment else ""
        yield f"  - {{{', '.join(pairs)}}}{comment}"


def _quote(value: object) -> str:
    """Return a value as JSON. Unprintable characters are escaped, because some of them end a line in YAML."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)
