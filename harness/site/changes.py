"""Changes: what is otherwise between two implementations or versions, in sentences for users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from readfirst.harness.compare.common import CommonHarm
from readfirst.harness.counted import counted
from readfirst.harness.report.harm_map import percent
from readfirst.harness.report.markup import link, prose
from readfirst.harness.report.rule_change import RuleChange
from readfirst.harness.suite.rules import CLASSES

_SHOWN = 12
"""Rules of a group that are named."""


def harm_changes(common: CommonHarm) -> Iterator[str]:
    """Yield a list of what is harmed more often or less often than before."""
    was, now = (percent(part, common.sessions) for part in common.harmed) if common.sessions else ("", "")
    if was != now:
        verb = "more" if common.harmed[1] > common.harmed[0] else "less"
        both = f"{common.sessions:,} sessions that both were put through"
        yield f"- It harms {verb} often: in {now} of the {both}, before in {was}."
    told = [f"{kind} {was:,} → {now:,}" for kind, (was, now) in common.counts.items() if was != now]
    if told:
        yield f"- By kind, in numbers of these sessions: {', '.join(told)}."


def changed_rules(changes: Sequence[RuleChange]) -> Iterator[str]:
    """Yield a list of the rules that are kept otherwise, those that guard work first."""
    ordered = sorted(changes, key=lambda each: (CLASSES.index(each.class_), each.rule))
    groups = (
        (
            "Rules that it keeps in fewer cases than before, or not at all",
            [each for each in ordered if each.worse],
        ),
        ("Rules that it keeps in more cases than before", [each for each in ordered if each.better]),
    )
    for words, group in groups:
        if group:
            yield f"- {words}:"
        for each in group[:_SHOWN]:
            title = link(prose(each.title), f"../rules/{each.rule}.md")
            was, now = each.holding
            yield f"    - {title}: {was} of {counted(each.judged, 'scenario')} before, {now} now"
        if len(group) > _SHOWN:
            yield f"    - {len(group) - _SHOWN} other rules, which weigh less"
    if not any(group for _, group in groups):
        yield "- It keeps every rule as before."
