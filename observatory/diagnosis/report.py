"""Write a diagnosis as text or JSON, and several diagnoses as a Markdown table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

from readfirst.harness.pluralize import pluralize
from readfirst.harness.report.escape import visible
from readfirst.harness.report.markdown_escape import code, table
from readfirst.harness.suite.rule_classes import CLASSES
from readfirst.harness.suite.rules import Rule
from readfirst.harness.terminal import harmless_json
from readfirst.observatory.diagnosis.behaviour_variants import versions
from readfirst.observatory.diagnosis.best_match import Diagnosis
from readfirst.observatory.versions.behaviours import value_text
from readfirst.reference_impl.behaviours_by_version import history_of

_FORMAT = 1
_MAX_LISTED_RULES = 10
"""Maximum number of rules with unexplained failures that a report lists, unless all rules are requested."""
_MAX_LISTED_DIFFERENCES = 3
"""Maximum number of changed behaviours that the table lists for one implementation."""


@dataclass(frozen=True, slots=True)
class DiagnosisCase:
    """A diagnosis (`found`), the target's or results file's name (`target`), and each scenario's rule (`rules`)."""

    target: str
    found: Diagnosis
    rules: Mapping[str, Rule]

    @property
    def unexplained(self) -> list[tuple[Rule | None, list[str]]]:
        """The unexplained scenarios by rule (None if unknown), the worst class of rules first."""
        by_rule: dict[str, list[str]] = {}
        for each in self.found.unexplained:
            by_rule.setdefault(self.rules[each].id if each in self.rules else "", []).append(each)
        pairs = [(self.rules.get(ids[0]), ids) for ids in by_rule.values()]

        def place(pair: tuple[Rule | None, list[str]]) -> tuple[int, int, str]:
            rule, ids = pair
            return CLASSES.index(rule.class_) if rule else len(CLASSES), -len(ids), rule.id if rule else ""

        return sorted(pairs, key=place)


def as_text(case: DiagnosisCase, *, everything: bool = False) -> Iterator[str]:
    """Yield the lines of the report about one diagnosis. `everything`: list all rules with unexplained failures."""
    found = case.found
    yield f"{visible(case.target)}, level {found.level}: nearest to {found.version}{_equivalent_versions(found)}"
    yield ""
    if found.differences:
        changed = pluralize(len(found.differences), "behaviour")
        yield f"{changed} of the reference changed; scenarios that each explains:"
        explaining = [each for each in found.differences if each.explains]
        for each in explaining:
            change = each.change
            values = map(value_text, (change.value, each.instead_of))
            sides = " instead of ".join(shorten(value, 70, placeholder="…") for value in values)
            yield f"  {len(each.explains):>4}  {change.behaviour}: {sides}"
            yield f"        {history_of(each.change.behaviour).meaning}"
        if silent := len(found.differences) - len(explaining):
            yield f"  and {silent} more, which {'explains' if silent == 1 else 'explain'} no failure alone"
    else:
        yield "No behaviour of the reference needs to be changed."
    yield ""
    yield _summary(found)
    left = case.unexplained
    if left:
        shown = left if everything else left[:_MAX_LISTED_RULES]
        unexplained = pluralize(len(found.unexplained), "scenario")
        yield f"unexplained: {unexplained} in {pluralize(len(left), 'rule')}, worst first"
        for rule, ids in shown:
            title = rule.title if rule is not None else "without a known rule"
            yield f"  {len(ids):>4}  {rule.class_ if rule else '-':<8}  {title}  ({ids[0]})"
        if len(shown) < len(left):
            yield f"  and {pluralize(len(left) - len(shown), 'more rule')}; --all lists them"


def _equivalent_versions(found: Diagnosis) -> str:
    """Return a text with the further versions that explain the results as well, in parentheses, or an empty text."""
    others = [name for name in found.alike if name != found.version and name in versions()]
    if not others:
        return ""
    if len(others) > _MAX_LISTED_DIFFERENCES:
        return f" (and {others[0]} to {others[-1]}, {len(others)} in all, cannot be distinguished here)"
    return f" ({', '.join(others)} cannot be distinguished here)"


def _summary(found: Diagnosis) -> str:
    failures, explained = len(found.failures), len(found.explained)
    text = f"{len(found.compared)} scenarios compared: {failures} fail"
    if failures:
        text += f", {explained} of these are explained ({_explained_share(found)})"
    beyond = len(found.unexplained) - (failures - explained)
    if beyond:
        text += f"; {beyond} that hold would fail with these changes"
    return text


def _explained_share(found: Diagnosis) -> str:
    return f"{100 * len(found.explained) // len(found.failures)} %" if found.failures else "-"


def as_json(cases: Sequence[DiagnosisCase]) -> str:
    """Return all diagnoses as JSON, as `readfirst diagnose --format json` prints them."""
    return f"{harmless_json({'format': _FORMAT, 'diagnoses': [*map(_case_data, cases)]}, indent=1)}\n"


def _case_data(case: DiagnosisCase) -> dict[str, Any]:
    found = case.found
    return {
        "target": case.target,
        "level": found.level,
        "nearest": found.version,
        "alike": found.alike,
        "differences": [
            {
                "behaviour": each.change.behaviour,
                "value": each.change.value,
                "instead_of": each.instead_of,
                "meaning": history_of(each.change.behaviour).meaning,
                "explains": each.explains,
            }
            for each in found.differences
        ],
        "compared": len(found.compared),
        "failures": found.failures,
        "explained": found.explained,
        "unexplained": [
            {
                "rule": rule and rule.id,
                "class": rule and rule.class_,
                "title": rule and rule.title,
                "scenarios": ids,
            }
            for rule, ids in case.unexplained
        ],
    }


def as_markdown(cases: Sequence[DiagnosisCase]) -> str:
    """Return a table with a row per implementation: most similar version, numbers of failures, changed behaviours."""
    numbers, changed = ("failures", "explained"), "changed behaviours, the most telling first"
    heads = ("implementation", "nearest to", *numbers, changed, "left")
    return table(heads, [_table_row(case) for case in cases], numbers=numbers)


def _table_row(case: DiagnosisCase) -> Sequence[str]:
    found = case.found
    names = [f"`{each.change.behaviour}` ({len(each.explains)})" for each in found.differences]
    more = f", {len(names) - _MAX_LISTED_DIFFERENCES} more" if len(names) > _MAX_LISTED_DIFFERENCES else ""
    rules = pluralize(len(case.unexplained), "rule")
    left = f"{len(found.unexplained)} in {rules}" if found.unexplained else "nothing"
    return (
        code(case.target.removeprefix("target:")),
        found.version,
        str(len(found.failures)),
        f"{len(found.explained)} ({_explained_share(found)})",
        ", ".join(names[:_MAX_LISTED_DIFFERENCES]) + more or "none",
        left,
    )
