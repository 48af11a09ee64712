"""Changes: what is otherwise between two implementations or versions, in sentences for users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from readfirst.harness.report.harm_map import MapRow
from readfirst.harness.report.markup import link, prose
from readfirst.harness.report.rule_change import RuleChange
from readfirst.harness.suite.rules import CLASSES

__all__ = ["changed_rules", "harm_changes"]

_SHOWN = 12
"""Rules of a group that are named."""


def harm_changes(before: MapRow, after: MapRow) -> Iterator[str]:
    """Yield a list of what is harmed more often or less often than before."""
    verb = "more" if after.share > before.share else "less"
    if before.shown != after.shown:
        yield f"- It harms {verb} often: in {after.shown} of the sessions, before in {before.shown}."
    told = [
        f"{was.kind} {was.count:,} → {now.count:,}"
        for was, now in zip(before.cells, after.cells, strict=True)
        if was.count is not None and now.count is not None and was.count != now.count
    ]
    if told:
        yield f"- In numbers of sessions, of {before.sessions:,} before and {after.sessions:,} now: {', '.join(told)}."


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
            was, now = (
                f"{holding} of {judged}" for holding, judged in zip(each.holding, each.judged, strict=True)
            )
            yield f"    - {title}: {was} scenarios before, {now} now"
        if len(group) > _SHOWN:
            yield f"    - {len(group) - _SHOWN} other rules, which weigh less"
    if not any(group for _, group in groups):
        yield "- It keeps every rule as before."
