"""Implementation page: a card of what it loses, how to run it, what changed, and what it is like."""

from collections.abc import Iterator, Mapping
from typing import Any

from readfirst.harness.report.compatibility import counted, short_cell
from readfirst.harness.report.harm_map import starred, untried
from readfirst.harness.report.markup import (
    bullets,
    cell,
    code,
    document,
    fenced,
    link,
    prose,
    scenario_link,
    table,
)
from readfirst.harness.site.facts import Facts
from readfirst.harness.site.home_page import harm_map_html
from readfirst.harness.site.sections import changed_rules, harm_changes, harm_sections
from readfirst.harness.suite.rules import CLASSES, RuleClass

_Data = Mapping[str, Any]
_NAMED = 10
"""Behaviours of a diagnosis that are listed."""


def implementation_pages(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield the name of each page in the folder of implementations, and its Markdown."""
    for name, result in facts.results.items():
        yield f"{name}.md", document(_page(facts, name, result))


def implementation_index(facts: Facts) -> str:
    """Return the page that lists all implementations."""
    return document(_index(facts))


def _index(facts: Facts) -> Iterator[str]:
    yield "# Implementations"
    yield "Programs that people use, run for real, the most harmful first; each name leads to a card."
    yield harm_map_html(facts, "../", products=False)
    if stars := starred(facts.rows.values()):
        yield stars.replace("*", "\\*")
    untried_ = untried(facts.table)
    if untried_:
        yield (
            "Nobody has looked for harm yet in "
            + ", ".join(link(name, f"{name}.md") for name in untried_)
            + "."
        )
    yield f"## Likeness to {facts.against}"
    yield f"Rules that hold, of those that were judged: where it does what {facts.against} does."
    yield table(
        ["implementation", *CLASSES],
        [
            [link(name, f"{name}.md"), *(counted(each["classes"][class_]) for class_ in CLASSES)]
            for name, each in facts.table["implementations"].items()
        ],
    )
    yield f"{link('A table to filter', '../table.html#implementations')} shows all rules and all implementations."


def _page(facts: Facts, name: str, result: _Data) -> Iterator[str]:
    yield f"# {name}"
    yield f"{link(prose(result['title']), result['home'])}. {prose(result['about'])}".rstrip()
    if design := result.get("design"):
        yield f"It declares the design {link(code(design), '../docs/running.md#designs')}."
    if name in facts.rows:
        yield harm_map_html(facts, "../", [name, facts.suite.contracts.latest.name])
        if stars := starred([facts.rows[name]]):
            yield stars.replace("*", "\\*")
    yield from _commands(facts, name, result)
    yield "## What it loses"
    if name in facts.rows:
        harm = result["harm"]
        yield from harm_sections(facts, harm["sessions"], harm["counts"], harm["shortest"])
    else:
        yield "Nobody has looked for harm in it yet."
    yield from _changed(facts, name)
    yield from _diagnosis(facts, name)
    yield f"## Likeness to {facts.against}"
    classes = facts.table["implementations"][name]["classes"]
    yield table(
        ["class", "holds", "partly", "does not hold", "not claimed", "not run"],
        [
            [
                class_,
                *(str(classes[class_][each]) for each in ("yes", "partly", "no", "not claimed", "unknown")),
            ]
            for class_ in CLASSES
        ],
    )
    for class_ in CLASSES:
        yield from _failing(facts, name, class_)


def _changed(facts: Facts, name: str) -> Iterator[str]:
    before = facts.earlier(name)
    yield "## What changed since its last version"
    if before is None:
        yield "No earlier version was run."
        return
    yield f"Compared with {link(before, f'{before}.md')}:"
    harm, rules = facts.since(name, before)
    if harm.sessions:
        yield bullets([*harm_changes(harm), *changed_rules(rules)])
    else:
        yield "- No session was put through both, so nothing can be said."


def _failing(facts: Facts, name: str, class_: RuleClass) -> Iterator[str]:
    rows = []
    for rule in facts.rules.of(class_):
        each = facts.table["rules"][rule.id]["implementations"][name]
        if each["holds"] in ("partly", "no"):
            rows.append(
                [
                    link(prose(rule.title), f"../rules/{rule.id}.md"),
                    short_cell(each),
                    scenario_link(each["shortest"], code(each["shortest"])),
                ]
            )
    yield f"## Rules of {class_} that do not hold"
    if rows:
        yield table(["rule", "scenarios", "the shortest that fails"], rows)
    else:
        yield "None of those that were judged."


def _diagnosis(facts: Facts, name: str) -> Iterator[str]:
    found = facts.diagnoses.get(name)
    yield "## What it is like"
    if found is None:
        yield "It was not diagnosed."
        return
    failures, explained = len(found["failures"]), len(found["explained"])
    yield (
        f"Nearest to {prose(found['nearest'])}: {failures} of {found['compared']} scenarios differ, of which"
        f" {explained} are explained by these behaviours of the reference."
        f" {link('How to read this', '../docs/diagnosis.md')}."
    )
    changed = sorted(found["differences"], key=lambda each: -len(each["explains"]))
    named = [
        f"{code(each['behaviour'])}, which explains {len(each['explains'])}: {cell(each['meaning'])}"
        for each in changed[:_NAMED]
    ]
    if len(changed) > _NAMED:
        named.append(f"and {len(changed) - _NAMED} more")
    yield bullets(named or ["none: it does what that version does"])


def _commands(facts: Facts, name: str, result: _Data) -> Iterator[str]:
    packages = ", ".join(map(code, result["packages"]))
    released = f", released {prose(result['released'])}" if result["released"] else ""
    yield f"Packages: {packages}{released}. Run on {prose(result['date'])}; to run it yourself:"
    commands = [f"$ readfirst run target:{name} --level safe"]
    worst = next(
        (
            rule.id
            for rule in facts.rules.of(CLASSES[0])
            if facts.table["rules"][rule.id]["implementations"][name]["holds"] in ("partly", "no")
        ),
        None,
    )
    if worst is not None:
        commands.append(f"$ readfirst field implementations --issue {name} {worst}")
    yield fenced("console", "\n".join(commands))
    if worst is not None:
        yield "The second command writes an issue for its maintainers, with steps and evidence; any rule will do."
    lacks = list(result["lacks"].items())
    if lacks:
        shown = ", ".join(f"{prose(what)} ({count})" for what, count in lacks[:_NAMED])
        more = f" and {len(lacks) - _NAMED} more" if len(lacks) > _NAMED else ""
        yield f"It does not claim, by number of scenarios: {shown}{more}."
    if name in facts.rows:
        yield f"{link('An image of this for sharing', f'{name}.svg')}."
