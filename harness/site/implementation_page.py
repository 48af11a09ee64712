"""Implementation page: what was harmed first, what else does not hold, what it is like, and how to run it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from readfirst.harness.harm.harm import KINDS, MEANING
from readfirst.harness.report.compatibility_page import class_line, harm_table, short_cell
from readfirst.harness.report.markup import code, link, prose, scenario_link, table
from readfirst.harness.site.facts import Facts
from readfirst.harness.suite.rules import CLASSES, RuleClass

__all__ = ["implementation_index", "implementation_pages"]

_Data = Mapping[str, Any]
_NAMED = 10
"""Behaviours of a diagnosis that are listed."""


def implementation_pages(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield the name of each page in the folder of implementations, and its Markdown."""
    for name, result in facts.results.items():
        yield f"{name}.md", "\n".join(_page(facts, name, result)) + "\n"


def implementation_index(facts: Facts) -> str:
    """Return the page that lists all implementations."""
    return "\n".join(_index(facts)) + "\n"


def _index(facts: Facts) -> Iterator[str]:
    yield "# Implementations"
    yield ""
    yield (
        "Programs that people use, run for real. First in how many of the sessions that were tried somebody's work was"
        f" lost, spoiled or touched, whatever the design; {link('what the kinds mean', '../docs/harm.md')}, and what"
        " Claude Code itself does."
    )
    yield ""
    harm = {name: each["harm"] for name, each in facts.table["implementations"].items()}
    yield from harm_table("implementation", harm, lambda name: link(name, f"{name}.md"))
    yield ""
    yield f"Then the rules that hold, of those that were judged: where it does what {facts.against} does."
    yield ""
    for name, each in facts.table["implementations"].items():
        yield f"- {link(name, f'{name}.md')}, {prose(each['title'])}: {class_line(each['classes'])}"
    yield ""
    yield f"{link('A table to filter', '../table.html')} shows all rules and all implementations."


def _page(facts: Facts, name: str, result: _Data) -> Iterator[str]:
    yield f"# {name}"
    yield ""
    yield f"{link(prose(result['title']), result['home'])}. {prose(result['about'])}".rstrip()
    yield ""
    packages = ", ".join(map(code, result["packages"]))
    released = f", released {prose(result['released'])}" if result["released"] else ""
    yield f"Packages: {packages}{released}. Run on {prose(result['date'])}, compared with {facts.against}."
    yield ""
    yield from _harm(result)
    yield f"## Likeness to {facts.against}"
    yield ""
    classes = facts.table["implementations"][name]["classes"]
    yield from table(
        ["class", "holds", "partly", "does not hold", "not claimed", "not run"],
        [
            [
                class_,
                *(str(classes[class_][each]) for each in ("yes", "partly", "no", "not claimed", "unknown")),
            ]
            for class_ in CLASSES
        ],
    )
    yield ""
    for class_ in CLASSES:
        yield from _failing(facts, name, class_)
    yield from _diagnosis(facts, name)
    yield from _commands(facts, name, result)


def _harm(result: _Data) -> Iterator[str]:
    harm = result["harm"]
    yield "## What was harmed"
    yield ""
    yield f"Of {harm['sessions']} sessions that were tried, those in which it happened:"
    yield ""
    rows = [
        [
            f"{code(kind)}: {MEANING[kind]}",
            str(harm["counts"][kind]),
            scenario_link(each["scenario"], code(each["scenario"])),
            prose(each["line"].removeprefix(f"{kind}: ")),
        ]
        for kind in KINDS
        if (each := harm["shortest"].get(kind)) is not None
    ]
    if rows:
        yield from table(["what", "sessions", "the shortest", "what it shows"], rows)
    else:
        yield "Nothing was harmed."
    yield ""


def _failing(facts: Facts, name: str, class_: RuleClass) -> Iterator[str]:
    rows = []
    for rule in facts.rules.of(class_):
        each = facts.table["rules"][rule.id]["implementations"][name]
        if each["holds"] in ("partly", "no"):
            rows.append(
                [
                    link(prose(rule.title), f"../rules/{rule.id}.md"),
                    short_cell({key: value for key, value in each.items() if key != "shortest"}),
                    scenario_link(each["shortest"], code(each["shortest"])),
                ]
            )
    yield f"## Rules of {class_} that do not hold"
    yield ""
    if rows:
        yield from table(["rule", "scenarios", "the shortest that fails"], rows)
    else:
        yield "None of those that were judged."
    yield ""


def _diagnosis(facts: Facts, name: str) -> Iterator[str]:
    found = facts.diagnoses.get(name)
    yield "## What it is like"
    yield ""
    if found is None:
        yield "It was not diagnosed."
        yield ""
        return
    failures, explained = len(found["failures"]), len(found["explained"])
    yield (
        f"Nearest to {prose(found['nearest'])}: {failures} of {found['compared']} scenarios differ, of which"
        f" {explained} are explained by these behaviours of the reference."
        f" {link('How to read this', '../docs/diagnosis.md')}."
    )
    yield ""
    changed = sorted(found["differences"], key=lambda each: -len(each["explains"]))
    for each in changed[:_NAMED]:
        yield f"- {code(each['behaviour'])}, which explains {len(each['explains'])}: {prose(each['meaning'])}"
    if len(changed) > _NAMED:
        yield f"- and {len(changed) - _NAMED} more"
    if not changed:
        yield "- none: it does what that version does"
    yield ""


def _commands(facts: Facts, name: str, result: _Data) -> Iterator[str]:
    yield "## Run it"
    yield ""
    lacks = ", ".join(f"{prose(what)} ({count})" for what, count in result["lacks"].items())
    if lacks:
        yield f"It does not claim, by number of scenarios: {lacks}."
        yield ""
    yield "```console"
    yield f"$ readfirst run target:{name}"
    yield "```"
    yield ""
    worst = next(
        (
            rule.id
            for rule in facts.rules.of(CLASSES[0])
            if facts.table["rules"][rule.id]["implementations"][name]["holds"] in ("partly", "no")
        ),
        None,
    )
    if worst is not None:
        yield "An issue for its maintainers, with the steps and the evidence, for each rule that does not hold:"
        yield ""
        yield "```console"
        yield f"$ readfirst field implementations --issue {name} {worst}"
        yield "```"
