"""Known failures: a baseline as it is written, scenario by scenario or in groups that fail for the same reason."""

import json
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import wrap

from readfirst.harness.compare.baseline import (
    LEVELS_AND_BROKEN,
    VARIES,
    Acceptance,
    Baseline,
    in_order,
    is_above,
    is_still,
)
from readfirst.harness.compare.failure_signature import LUCK, UNEXPLAINED, described, explains, signature
from readfirst.harness.compare.missing_capabilities import MissingCapabilities
from readfirst.harness.compare.verdict import Difference, Verdict
from readfirst.harness.suite.contracts import order
from readfirst.harness.yaml_io.finding import Position

_WIDTH = 117
_NOWHERE = Position(Path(), 0, 0)


def baseline_text(
    name: str,
    verdicts: Iterable[Verdict],
    old: Baseline | None = None,
    *,
    grouped: bool = False,
    of_all: bool = True,
    suite: str = "",
    added: bool = False,
    lucky: Container[str] = (),
) -> str:
    """Return the text of a baseline that accepts exactly the failures among `verdicts`.

    `of_all`: these are of all scenarios, so that nothing of `old` says what else was not judged. `name` is what the run
    was called, `suite` the suite's version. Reasons are kept from `old`; a new entry gets one that asks for one.
    Entries of `old` for scenarios that are not among `verdicts`, or whose failure varies, are kept as they are.

    `grouped`: reasons and links are kept where scenario or signature stay the same, or now only harm is reported beside
    it. Another failure gets its signature as a sentence, unless it harms somebody. `lucky` are scenarios that may hold
    the next time. `added`: `verdicts` are of scenarios that `old` does not know of.
    """
    accepted = dict(old.accepted) if old else {}
    common = _common(accepted.values())
    entries: list[Acceptance] = []
    unjudged = []
    for verdict in verdicts:
        if verdict.lacks:
            unjudged.append(verdict)
        known = accepted.pop((verdict.scenario_id, verdict.contract), None)
        varies = known is not None and known.because == VARIES
        left = {each for each in known.fails if varies or is_above(each, verdict)} if known else set()
        entry = known or Acceptance(verdict.scenario_id, verdict.contract, frozenset(), UNEXPLAINED, _NOWHERE)
        if verdict.failing and not varies:
            if grouped:
                entry = _explained(entry, verdict, common, lucky)
            elif not is_still(signature(verdict), entry.because):
                entry = replace(entry, because="")
        if fails := left.union(verdict.failing):
            entries.append(replace(entry, fails=frozenset(fails)))
    entries += accepted.values()
    lacking = MissingCapabilities.of(unjudged)
    if old is not None and old.lacking is not None and (added or not of_all):
        lacking = lacking.with_former(old.lacking, of_others=added)
    lines = _grouped_lines(entries) if grouped else _lines(entries)
    return "\n".join([*_heading(name, suite, grouped=grouped), *lacking.lines(), *lines]) + "\n"


def _explained(
    entry: Acceptance, verdict: Verdict, common: Mapping[str, Acceptance], lucky: Container[str]
) -> Acceptance:
    harmful = "safe" in verdict.failing
    if verdict.scenario_id in lucky:
        return replace(entry, because=VARIES, reason=UNEXPLAINED if harmful else LUCK, link="")
    because = signature(verdict)
    effects = because[max(because.find("effects: "), 0) :]
    same = entry if entry.because in (because, effects) else None
    known = same or common.get(because) or common.get(effects)
    reason = known.reason if known else described(because)
    if harmful and (known is None or not explains(reason, because)):
        reason = UNEXPLAINED
    return replace(entry, because=because, reason=reason, link=known.link if known else "")


def _common(accepted: Iterable[Acceptance]) -> dict[str, Acceptance]:
    """Return, for each signature that has one reason only, an entry with it: the reason of new entries too."""
    reasons: dict[str, dict[tuple[str, str], Acceptance]] = {}
    for entry in accepted:
        if entry.because:
            reasons.setdefault(entry.because, {})[entry.reason, entry.link] = entry
    return {
        because: next(iter(entries.values())) for because, entries in reasons.items() if len(entries) == 1
    }


def first_differences(verdict: Verdict) -> tuple[Difference, ...]:
    """Return the first difference of each level, which a signature needs; the rest may be as large as the files."""
    first: dict[str, Difference] = {}
    for difference in verdict.differences:
        first.setdefault(difference.level, difference)
    return tuple(first.values())


def _heading(name: str, suite: str, *, grouped: bool) -> Iterable[str]:
    if grouped:
        yield "# yaml-language-server: $schema=../../../fixtures/schema/baseline.schema.json"
    what = "Known" if grouped else "Accepted"
    yield f"# {what} failures: what is listed here does not fail a run, and must keep failing as listed."
    yield f"name: {json.dumps(name)}"
    if suite:
        yield f"suite: {json.dumps(suite)}"


def _lines(entries: Iterable[Acceptance]) -> Iterable[str]:
    yield "accepted:" if entries else "accepted: []"
    for entry in sorted(entries, key=lambda each: (each.scenario_id, order(each.contract))):
        yield f"  - scenario: {entry.scenario_id}"
        yield from _accepted(entry, "contract", "fails", "because", "reason", "link")


def _grouped_lines(entries: Iterable[Acceptance]) -> Iterable[str]:
    groups: dict[Acceptance, list[str]] = {}
    for entry in entries:
        groups.setdefault(replace(entry, scenario_id="", position=_NOWHERE), []).append(entry.scenario_id)
    yield "groups:" if groups else "groups: []"

    def rank(group: Acceptance) -> tuple[object, ...]:
        lowest = min(map(LEVELS_AND_BROKEN.index, group.fails))
        return lowest, -len(groups[group]), group.because, order(group.contract)

    for group in sorted(groups, key=rank):
        yield f"  - fails: {in_order(group.fails)}"
        yield from _accepted(group, "contract", "because", "reason", "link")
        yield "    scenarios:"
        families: dict[str, list[str]] = {}
        for scenario_id in sorted(groups[group]):
            family, _, slug = scenario_id.partition("/")
            families.setdefault(family, []).append(json.dumps(slug) if slug.isdecimal() else slug)
        for family, slugs in families.items():
            listed = f"      {family}: [{', '.join(slugs)}]"
            yield from wrap(listed, _WIDTH, subsequent_indent="        ", break_on_hyphens=False)


def _accepted(entry: Acceptance, *keys: str) -> Iterable[str]:
    """Yield what is stated of an entry or a group; because and link only where there are any."""
    for key in keys:
        value = in_order(entry.fails) if key == "fails" else json.dumps(getattr(entry, key))
        if value != '""':
            yield f"    {key}: {value}"
