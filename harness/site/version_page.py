"""Version pages: what each recorded version harms, and what changed in it for users, in words."""

from collections.abc import Iterator
from typing import Any

from readfirst.harness.compare.common import CommonHarm
from readfirst.harness.report.compatibility import counted
from readfirst.harness.report.markup import bullets, cell, code, document, link, prose, scenario_link, table
from readfirst.harness.report.rule_change import rule_changes
from readfirst.harness.report.visible import visible
from readfirst.harness.site.facts import Facts
from readfirst.harness.site.home_page import harm_map_html
from readfirst.harness.site.sections import changed_rules, harm_changes, harm_sections
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.rules import CLASSES
from readfirst.harness.versions.behaviours import differences
from readfirst.reference_impl.contract import history_of

_NAMED = 20
"""Behaviours of a version that are named."""


def version_index(facts: Facts) -> str:
    """Return the page that lists all versions, the newest first."""
    return document(_index(facts))


def version_pages(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield the name of each page in the folder of versions, and its Markdown."""
    for name in facts.recorded:
        yield f"{name}.md", document(_page(facts, facts.suite.contracts[name]))


def _index(facts: Facts) -> Iterator[str]:
    yield "# Versions of Claude Code"
    yield "What each version does to files in the recorded sessions, the most harmful first; a name leads to its page."
    yield harm_map_html(facts, "../", facts.recorded)
    yield f"{link('Each cause in a sentence', '../docs/harm.md')}, {link('all changes', '../docs/history.md')}."
    yield "## What is new in each"
    yield bullets(
        f"{link(prose(name), f'{name}.md')}: {prose(facts.table['versions'][name]['summary'])}"
        for name in reversed(facts.recorded)
    )
    yield f"## Likeness to {facts.against}"
    yield (
        f"The rules of safety that changed, and the rules that hold in each version, of those that were judged: where"
        f" it does what {facts.against} does in every scenario."
    )
    yield (
        '<picture><source media="(max-width: 700px)" srcset="../docs/versions-narrow.svg">\n'
        '<img alt="Each rule of the class safety as a bar over the versions" src="../docs/versions.svg"></picture>'
    )
    yield table(
        ["version", *CLASSES],
        [
            [prose(name), *(counted(each["classes"][class_]) for class_ in CLASSES)]
            for name, each in facts.table["versions"].items()
        ],
    )


def _page(facts: Facts, contract: Contract) -> Iterator[str]:
    name = contract.name
    yield f"# Claude Code {prose(name)}"
    yield prose(contract.summary)
    if name in facts.rows:
        yield harm_map_html(facts, "../", [name])
    before = facts.suite.contracts.before(contract)
    if before is not None and before.name in facts.recorded:
        yield f"## What changed for users since {prose(before.name)}"
        yield bullets(_changes(facts, before, contract))
    harm = facts.recorded_harm["contracts"].get(name)
    if harm is not None:
        yield "## What it harms"
        yield from harm_sections(facts, harm["sessions"], harm["harmed"], harm["shortest"])
        yield "## Why"
        yield bullets(
            f"{_cause(facts, cause)} ({count:,})"
            for cause in facts.recorded_harm["causes"]
            if (count := cause["contracts"].get(name, 0))
        )


def _changes(facts: Facts, before: Contract, after: Contract) -> Iterator[str]:
    harm = facts.recorded_harm["contracts"].get(after.name, {}).get("since")
    if harm is not None:
        yield from harm_changes(CommonHarm.read(harm))
        for cause in facts.recorded_harm["causes"]:
            if cause["id"] in harm["gone"] and before.read_gate == after.read_gate:
                yield f"It no longer harms so: {_cause(facts, cause)}"
            elif cause["id"] in harm["new"]:
                yield f"It harms in a new way: {_cause(facts, cause)}"
    rules = facts.table["versions"][after.name].get("since")
    if rules is not None:
        changed = rule_changes(facts.table, before.name, after.name, rules["rules"], "versions")
        yield from changed_rules(changed)
    found = list(_behaviours(before, after))
    yield from found[:_NAMED]
    if len(found) > _NAMED:
        yield f"And {len(found) - _NAMED} smaller changes."
    yield f"{link('All changes', '../docs/history.md')}, with the words before and after them."


def _cause(facts: Facts, cause: Any) -> str:
    example = cause["example"]
    shown = scenario_link(example, code(example)) if example in facts.rule_of else code(example)
    return f"{prose(cause['reason'])} For example {shown}."


def _behaviours(before: Contract, after: Contract) -> Iterator[str]:
    """Yield what the reference does otherwise, in the sentences that it is declared with."""
    for name, sides in differences(before.name, after.name).items():
        was, now = (each.value for each in sides)
        meaning = cell(history_of(name).meaning)
        if isinstance(now, bool):
            yield f"{'Now' if now else 'No longer'}: {meaning}"
        else:
            yield f"Otherwise than before: {meaning} ({_shown(was)} → {_shown(now)})"


def _shown(value: object) -> str:
    text = visible(str(value))
    return code(text if len(text) <= 60 else f"{text[:60]}…", escaped=True) if value else "nothing"
