"""Known failures: a baseline, written in groups that fail for the same reason."""

import json
from collections.abc import Container, Iterable
from dataclasses import dataclass, replace

from readfirst.harness.compare.baseline import BROKEN, VARIES, Acceptance, Baseline, lacking_now
from readfirst.harness.compare.lacking import Lacking
from readfirst.harness.compare.signature import LUCK, UNEXPLAINED, described, explains, signature
from readfirst.harness.compare.verdict import LEVELS, Difference, Verdict
from readfirst.harness.suite.contracts import order

_WIDTH = 118
_ORDER = (*LEVELS, BROKEN)


@dataclass(frozen=True, slots=True)
class _Key:
    contract: str
    fails: tuple[str, ...]
    because: str
    reason: str
    link: str


def grouped_text(
    name: str,
    verdicts: Iterable[Verdict],
    old: Baseline | None = None,
    *,
    whole: bool = True,
    suite: str = "",
    added: bool = False,
    lucky: Container[str] = (),
) -> str:
    """Return the text of a baseline that accepts exactly the failures among `verdicts`, for these reasons.

    `whole` and `suite` are as for `baseline_text`. `lucky` are scenarios that may hold the next time. `added`:
    `verdicts` are of scenarios that `old` does not know of.

    Reasons and links that somebody wrote are kept where scenario or signature stay the same, or only harm is told
    beside it now. Another failure gets its signature as a sentence, and a harm a reason that asks for one. Entries
    of `old` for scenarios that are not among `verdicts`, or whose failure varies, are kept as they are.
    """
    accepted = dict(old.accepted) if old else {}
    common = _common(accepted.values())
    groups: dict[_Key, list[str]] = {}
    unjudged = []
    for verdict in verdicts:
        if verdict.lacks:
            unjudged.append(verdict)
        entry = accepted.pop((verdict.scenario_id, verdict.contract), None)
        fails = verdict.failing
        if entry is not None and entry.because == VARIES:
            every = entry.fails.union(fails)
            key = replace(_key_of(entry), fails=tuple(sorted(every, key=_ORDER.index)))
            groups.setdefault(key, []).append(verdict.scenario_id)
        elif fails and verdict.scenario_id in lucky:
            reason = UNEXPLAINED if "safe" in fails else LUCK
            key = _Key(verdict.contract, fails, VARIES, reason, "")
            groups.setdefault(key, []).append(verdict.scenario_id)
        elif fails:
            because = signature(verdict)
            effects = because[max(because.find("effects: "), 0) :]
            known = entry if entry is not None and entry.because in (because, effects) else None
            known = known or common.get(because) or common.get(effects)
            reason = known.reason if known else described(because)
            if "safe" in fails and (known is None or not explains(reason, because)):
                reason = UNEXPLAINED
            key = _Key(verdict.contract, fails, because, reason, known.link if known else "")
            groups.setdefault(key, []).append(verdict.scenario_id)
    for entry in accepted.values():
        groups.setdefault(_key_of(entry), []).append(entry.scenario_id)
    lacking = lacking_now(unjudged, old, whole=whole)
    if added and old is not None and old.lacking is not None:
        lacking = lacking.and_of_others(old.lacking)
    return "\n".join(_lines(name, suite, lacking, groups)) + "\n"


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


def _key_of(entry: Acceptance) -> _Key:
    fails = tuple(sorted(entry.fails, key=_ORDER.index))
    return _Key(entry.contract, fails, entry.because, entry.reason, entry.link)


def _lines(name: str, suite: str, lacking: Lacking, groups: dict[_Key, list[str]]) -> Iterable[str]:
    yield "# yaml-language-server: $schema=../../../fixtures/schema/baseline.schema.json"
    yield "# Known failures: what is listed here does not fail a run, and must keep failing as listed."
    yield f"name: {json.dumps(name)}"
    if suite:
        yield f"suite: {json.dumps(suite)}"
    yield from lacking.lines()
    yield "groups:" if groups else "groups: []"
    for key in sorted(
        groups,
        key=lambda each: (
            _ORDER.index(each.fails[0]),
            -len(groups[each]),
            each.because,
            order(each.contract),
        ),
    ):
        yield f"  - fails: [{', '.join(key.fails)}]"
        yield f"    contract: {json.dumps(key.contract)}"
        yield f"    because: {json.dumps(key.because)}"
        yield f"    reason: {json.dumps(key.reason)}"
        if key.link:
            yield f"    link: {json.dumps(key.link)}"
        yield "    scenarios:"
        families: dict[str, list[str]] = {}
        for scenario_id in sorted(groups[key]):
            family, _, slug = scenario_id.partition("/")
            families.setdefault(family, []).append(json.dumps(slug) if slug.isdecimal() else slug)
        for family, slugs in families.items():
            yield from _wrapped(f"      {family}: [", slugs)


def _wrapped(start: str, words: list[str]) -> Iterable[str]:
    line = start
    for number, word in enumerate(words):
        piece = word + ("," if number < len(words) - 1 else "]")
        if len(line) + len(piece) + 1 > _WIDTH and line.strip() != start.strip():
            yield line.rstrip()
            line = "        "
        line += piece + " "
    yield line.rstrip()
