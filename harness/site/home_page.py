"""Home page: who loses your work, as a map of implementations and versions by kinds of harm; then rules by versions."""

from collections.abc import Collection, Iterator

from readfirst.harness.report.harm_map import BRIEFLY, MapRow, starred, untried
from readfirst.harness.report.html import macro
from readfirst.harness.report.markup import document, link
from readfirst.harness.report.rule_chart import changed
from readfirst.harness.report.rule_table import stored_row
from readfirst.harness.site.facts import Facts
from readfirst.harness.suite.harm_kinds import BESIDE, MEANING


def home_page(facts: Facts) -> str:
    """Return the page as Markdown."""
    return document(_page(facts))


def harm_map_html(
    facts: Facts, above: str = "", names: Collection[str] | None = None, *, products: bool = True
) -> str:
    """Return the map of harm of these `names`, whose cells lead to the scenarios that show it.

    `above` leads to the root of the site. Of None all are shown, those of the product if `products`.
    """
    rows = [
        row
        for row in facts.rows.values()
        if (row.name in names if names is not None else products or not row.product)
    ]

    def address(row: MapRow, kind: str) -> str:
        place = facts.harm_address(row, kind)
        return above + place if place else ""

    return macro("maps.html.j2", "harm_map", rows, BRIEFLY, MEANING, BESIDE, address)


def _page(facts: Facts) -> Iterator[str]:
    yield "# Who loses your work?"
    yield (
        "A cell counts the sessions in which a tool did this, and its colour is their share; a click shows the"
        " shortest. The most harmful come first."
    )
    yield harm_map_html(facts)
    if stars := starred(facts.rows.values()):
        yield stars.replace("*", "\\*")
    waiting = untried(facts.table)
    if waiting:
        names = ", ".join(link(each, f"implementations/{each}.md") for each in waiting)
        yield f"Nobody has looked for harm yet in {names}."
    yield (
        "The sessions are made to provoke harm, so the shares compare tools and say nothing about an ordinary day."
        " The last two columns lose nothing, and are counted beside harm."
        f" {link('What the kinds mean and how they are judged', 'docs/harm.md')},"
        f" {link('what this project is', 'README.md')}, {link('a table to filter', 'table.html#implementations')}."
    )
    for class_, title in (
        ("safety", "What guards your work, version by version"),
        ("contract", "The contract of Read, Edit and Write, version by version"),
    ):
        versions = facts.recorded
        rows = [
            stored_row(rule, fields, "versions", versions) for rule, fields in changed(facts.table, [class_])
        ]
        yield f"## {title}"
        yield (
            f"In percent of a rule's scenarios: where a version of Claude Code does what {facts.against} does. Less"
            " need not be worse; the page of a rule tells. Rules that hold alike in every version are left out."
        )
        yield macro("maps.html.j2", "rule_map", rows, versions, lambda rule: f"rules/{rule}.html")
