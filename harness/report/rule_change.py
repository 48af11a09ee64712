"""Rule change: what differs, rule by rule, between two implementations of the table, as two versions of one are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from readfirst.harness.counted import counted
from readfirst.harness.report.markup import code
from readfirst.harness.suite.rules import CLASSES

__all__ = ["RuleChange", "change_data", "change_page", "rule_changes"]

_JUDGED = ("yes", "partly", "no")


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A rule of which `before` and `after` differ: whether it holds (`yes`, `partly`, `no`, `not claimed`).

    `holding` of the `judged` scenarios hold, before and after. `scenario` is the shortest one that fails afterwards,
    empty if none does.
    """

    rule: str
    title: str
    class_: str
    before: str
    after: str
    holding: tuple[int, int]
    judged: tuple[int, int]
    scenario: str

    @property
    def worse(self) -> bool:
        """Whether it is kept in a smaller share of what is judged. Not to claim it any more is not worse."""
        return self.before in _JUDGED and self.after in _JUDGED and self._shares[1] < self._shares[0]

    @property
    def better(self) -> bool:
        """Whether it is kept in a larger share of what is judged."""
        return self.before in _JUDGED and self.after in _JUDGED and self._shares[1] > self._shares[0]

    @property
    def _shares(self) -> tuple[float, float]:
        return self.holding[0] / max(1, self.judged[0]), self.holding[1] / max(1, self.judged[1])


def rule_changes(
    table: Mapping[str, Any], before: str, after: str, of: str = "implementations"
) -> list[RuleChange]:
    """Return the rules that differ between two implementations, or `of` the versions, in the order of the rules.

    `table` is what `implementations_data` or `compatibility_data` returns. Raises KeyError for a name that it does not
    have.
    """
    for name in (before, after):
        table[of][name]
    found = []
    for rule, fields in table["rules"].items():
        one, other = (fields[of][name] for name in (before, after))
        each = RuleChange(
            rule,
            fields["title"],
            fields["class"],
            one["holds"],
            other["holds"],
            (one["holding"], other["holding"]),
            (one["judged"], other["judged"]),
            other.get("shortest", ""),
        )
        if each.before != each.after or each.worse or each.better:
            found.append(each)
    return found


def change_data(changes: Sequence[RuleChange], before: str, after: str) -> dict[str, Any]:
    """Return the changes in JSON types."""
    rows = []
    for each in changes:
        fields = asdict(each)
        fields["class"] = fields.pop("class_")
        rows.append({**fields, "worse": each.worse, "better": each.better})
    return {"before": before, "after": after, "rules": rows}


def change_page(changes: Sequence[RuleChange], before: str, after: str) -> str:
    """Return the changes in Markdown: what is worse first, then what is better, then the rest, class by class."""
    return "\n".join(_lines(changes, before, after)) + "\n"


def _lines(changes: Sequence[RuleChange], before: str, after: str) -> Iterator[str]:
    rules = f"{counted(len(changes), 'rule')}"
    yield f"# {before} → {after}: {rules if changes else 'no rule'} changed"
    groups = (
        ("Worse", [each for each in changes if each.worse]),
        ("Better", [each for each in changes if each.better]),
        ("Otherwise", [each for each in changes if not (each.worse or each.better)]),
    )
    for heading, group in groups:
        if not group:
            continue
        yield ""
        yield f"## {heading}"
        yield ""
        for each in sorted(group, key=lambda each: CLASSES.index(each.class_)):
            counts = [
                f"{holding}/{judged}" for holding, judged in zip(each.holding, each.judged, strict=True)
            ]
            shown = f", for example {code(each.scenario)}" if each.scenario and not each.better else ""
            yield (
                f"- {each.class_}, {code(each.rule)}: {each.before} ({counts[0]}) → {each.after} ({counts[1]})"
                f"{shown}. {each.title}."
            )
