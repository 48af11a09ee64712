"""Write the pages about rules, implementations and versions as Markdown, using templates."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from readfirst.harness.report.markdown_escape import cell, code, link, prose
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.harm_kinds import MEANING, NON_HARM_KINDS
from readfirst.harness.suite.product_versions import version_spans
from readfirst.harness.suite.rule_classes import CLASSES
from readfirst.harness.suite.rules import Rule
from readfirst.observatory.claims.claims import Claim
from readfirst.observatory.claims.rule_index import changed_in, claims_by_rule
from readfirst.observatory.claims.table_cells import excerpt
from readfirst.observatory.report.compatibility import (
    failing_rules,
    rule_count_rows,
    rule_row_from_data,
    short_cell,
)
from readfirst.observatory.report.harm_heatmap import (
    COLUMN_TITLES,
    MapRow,
    star_meaning,
    untested_implementations,
)
from readfirst.observatory.report.rule_diff import rule_changes
from readfirst.observatory.site.sections import changed_rules, harm_changes, harm_sections
from readfirst.observatory.site.site_data import SiteData
from readfirst.observatory.template import macro, markdown, page_link, scenario_code, template
from readfirst.observatory.versions.behaviours import compare_behaviours, value_text
from readfirst.reference_impl.behaviours_by_version import history_of

_SCHEMA_COMMENT = "# yaml-language-server: $schema=../../schema/scenario.schema.json\n"
_STATUS_TEXTS = {
    "yes": "holds",
    "partly": "partly",
    "no": "does not hold",
    "not claimed": "not claimed",
    "unknown": "not run",
}
_MAP_TITLES = {
    "safety": "What guards your work, version by version",
    "design": "What another design may do differently, version by version",
}
"""The first page shows a map of the rules of each of these classes. The values are the titles of the maps."""
_MAX_BEHAVIOURS = 10
"""Maximum number of changed behaviours, and of missing capabilities, that the page of an implementation lists."""
_MAX_CHANGES = 20
"""Maximum number of changed behaviours that the page of a version lists."""


def home_page(data: SiteData) -> str:
    """Return the site's first page: a map of harm by implementation, and maps of the rules by version."""
    versions = data.recorded
    maps = {
        class_: [
            rule_row_from_data(name, each, "versions", versions)
            for name, each in failing_rules(data.table, [class_])
        ]
        for class_ in _MAP_TITLES
    }
    return markdown(
        template("site/home"),
        map=harm_map_html(data),
        starred=star_meaning(data.rows.values()),
        untried=untested_implementations(data.table),
        against=data.against,
        classes=[
            (title, macro("maps.html.j2", "rule_map", maps[class_], versions, "rules/{}.html".format))
            for class_, title in _MAP_TITLES.items()
        ],
    )


def harm_map_html(
    data: SiteData, above: str = "", names: Collection[str] | None = None, *, products: bool = True
) -> str:
    """Return the HTML of the harm map, with links to sections. `names` are the rows to show; None: all implementations,
    and all versions unless `products` is False. `above` is the path from the page to the site's root.
    """
    rows = [
        row
        for row in data.rows.values()
        if (row.name in names if names is not None else products or not row.product)
    ]

    def address(row: MapRow, kind: str) -> str:
        place = data.harm_address(row, kind)
        return above + place if place else ""

    return macro("maps.html.j2", "harm_map", rows, COLUMN_TITLES, MEANING, NON_HARM_KINDS, address)


def rule_pages(data: SiteData) -> Iterator[tuple[str, str]]:
    """Yield the name and the Markdown of each page about rules: first the list of rules, then a page for each rule."""
    yield "index.md", markdown(template("site/rules"), rules=data.rules)
    claims = claims_by_rule(data.suite)
    for rule in data.rules:
        yield f"{rule.id}.md", _rule_page(data, rule, claims.get(rule.id, ()))


def _rule_page(data: SiteData, rule: Rule, claims: Sequence[tuple[Claim, str]]) -> str:
    shortest, fields = data.shortest(rule.id), data.table["rules"][rule.id]
    cells: Mapping[str, Mapping[str, Any]] = fields["versions"]

    def kind(name: str) -> tuple[str, int, int, str]:
        each = cells[name]
        return each["holds"], each["holding"], each["judged"], each.get("shortest", "")

    return markdown(
        template("site/rule"),
        rule=rule,
        guards=[f"**{kind}**, {prose(MEANING[kind])}" for kind in rule.guards],
        shortest=shortest,
        text=data.suite.text(shortest.id).removeprefix(_SCHEMA_COMMENT).rstrip("\n"),
        keepers=[
            [
                page_link(name, "../implementations/"),
                _STATUS_TEXTS[each["holds"]],
                short_cell(each),
                scenario_code(each["shortest"]) if "shortest" in each else "",
            ]
            for name, each in fields["implementations"].items()
        ],
        against=data.against,
        versions=[
            [
                between,
                _STATUS_TEXTS[holds],
                f"{holding}/{judged}" if judged else "–",
                scenario_code(failing) if failing else "",
            ]
            for between, (holds, holding, judged, failing) in version_spans(cells, kind)
        ],
        behaviours=[f"{code(name)}: {changed_in(name)}" for name in fields["behaviours"]],
        sources=[
            *(
                link(prose(each), each) if each.startswith("https://") else prose(each)
                for each in rule.sources
            ),
            *(
                f"{link(code(claim.id), f'../docs/behaviour.md#{claim.id}')} {prose(claim.says)}"
                f" {f'Holds on: {holds_on}.' if holds_on else 'It cannot be observed.'}"
                for claim, holds_on in claims
            ),
        ],
        scenarios=data.scenarios[rule.id],
    )


def implementation_pages(data: SiteData) -> Iterator[tuple[str, str]]:
    """Yield the name and the Markdown of the list of implementations, then of a page for each implementation."""
    yield (
        "index.md",
        markdown(
            template("site/implementations"),
            map=harm_map_html(data, "../", products=False),
            starred=star_meaning(data.rows.values()),
            untried=untested_implementations(data.table),
            against=data.against,
            likeness=rule_count_rows(data.table["implementations"], page_link),
        ),
    )
    for name, result in data.results.items():
        yield f"{name}.md", _implementation_page(data, name, result)


def _implementation_page(data: SiteData, name: str, result: Mapping[str, Any]) -> str:
    tried, harm = name in data.rows, result["harm"]
    lost = harm_sections(data, harm["sessions"], harm["counts"], harm["shortest"])
    cells = {rule.id: data.table["rules"][rule.id]["implementations"][name] for rule in data.rules}
    failing = {
        class_: [rule for rule in data.rules.of(class_) if cells[rule.id]["holds"] in ("partly", "no")]
        for class_ in CLASSES
    }
    worst = failing[CLASSES[0]][0].id if failing[CLASSES[0]] else ""
    classes = data.table["implementations"][name]["classes"]
    lacking = [f"{prose(what)} ({count})" for what, count in result["lacks"].items()]
    return markdown(
        template("site/implementation"),
        name=name,
        result=result,
        about=f"{link(prose(result['title']), result['home'])}. {prose(result['about'])}".rstrip(),
        map=harm_map_html(data, "../", [name, data.suite.contracts.latest.name]) if tried else "",
        starred=star_meaning([data.rows[name]]) if tried else "",
        commands=f"$ readfirst run target:{name} --level safe"
        + (f"\n$ readfirst targets implementations --issue {name} {worst}" if worst else ""),
        worst=worst,
        lacks=", ".join(lacking[:_MAX_BEHAVIOURS])
        + (f" and {len(lacking) - _MAX_BEHAVIOURS} more" if lacking[_MAX_BEHAVIOURS:] else ""),
        harm="\n\n".join(lost) if tried else "",
        found=data.diagnoses.get(name),
        telling=_difference_items(data.diagnoses.get(name, {})),
        against=data.against,
        likeness=[[class_, *(str(classes[class_][each]) for each in _STATUS_TEXTS)] for class_ in CLASSES],
        failing=[
            (
                class_,
                [
                    [
                        page_link(rule.id, "../rules/", prose(rule.title)),
                        short_cell(cells[rule.id]),
                        scenario_code(cells[rule.id]["shortest"]),
                    ]
                    for rule in rules
                ],
            )
            for class_, rules in failing.items()
        ],
    )


def _difference_items(found: Mapping[str, Any]) -> list[str]:
    """Return a list item for each changed behaviour in a diagnosis, those that explain the most failures first."""
    differing = sorted(found.get("differences", ()), key=lambda each: -len(each["explains"]))
    named = [
        f"{code(each['behaviour'])}, which explains {len(each['explains'])}: {cell(each['meaning'])}"
        for each in differing[:_MAX_BEHAVIOURS]
    ]
    if len(differing) > _MAX_BEHAVIOURS:
        named.append(f"and {len(differing) - _MAX_BEHAVIOURS} more")
    return named or ["none: it does what that version does"]


def version_pages(data: SiteData) -> Iterator[tuple[str, str]]:
    """Yield the name and the Markdown of the list of product versions, then of a page for each version."""
    yield (
        "index.md",
        markdown(
            template("site/versions"),
            map=harm_map_html(data, "../", data.recorded),
            recorded=data.recorded[::-1],
            versions=data.table["versions"],
            against=data.against,
            likeness=rule_count_rows(data.table["versions"]),
        ),
    )
    for name in data.recorded:
        yield f"{name}.md", _version_page(data, data.suite.contracts[name])


def _version_page(data: SiteData, contract: Contract) -> str:
    name, before = contract.name, data.suite.contracts.before(contract)
    harm = data.recorded_harm["contracts"].get(name)
    causes = data.recorded_harm["causes"]
    return markdown(
        template("site/version"),
        contract=contract,
        map=harm_map_html(data, "../", [name]) if name in data.rows else "",
        before=before,
        changes=[*_change_items(data, before, contract)] if before and before.name in data.recorded else [],
        harm="\n\n".join(harm_sections(data, harm["sessions"], harm["harmed"], harm["shortest"]))
        if harm
        else "",
        causes=[
            (_cause_text(data, each), count) for each in causes if (count := each["contracts"].get(name, 0))
        ],
    )


def _change_items(data: SiteData, before: Contract, after: Contract) -> Iterator[str]:
    """Yield list items that describe the changes between two versions: changed harm, rules and behaviours."""
    harm = data.recorded_harm["contracts"].get(after.name, {}).get("since")
    if harm is not None:
        yield from harm_changes(harm)
        for cause in data.recorded_harm["causes"]:
            if cause["id"] in harm["gone"] and before.read_gate == after.read_gate:
                yield f"It no longer harms so: {_cause_text(data, cause)}"
            elif cause["id"] in harm["new"]:
                yield f"It harms in a new way: {_cause_text(data, cause)}"
    rules = data.table["versions"][after.name].get("since")
    if rules is not None:
        yield from changed_rules(
            rule_changes(data.table, before.name, after.name, rules["rules"], "versions")
        )
    differing = list(compare_behaviours(before.name, after.name).items())
    # In the sentences of the reference's declarations.
    for name, sides in differing[:_MAX_CHANGES]:
        was, now = (each.value for each in sides)
        meaning = cell(history_of(name).meaning)
        if isinstance(now, bool):
            yield f"{'Now' if now else 'No longer'}: {meaning}"
        else:
            yield f"Otherwise than before: {meaning} ({excerpt(value_text(was), 60)} → {excerpt(value_text(now), 60)})"
    if len(differing) > _MAX_CHANGES:
        yield f"And {len(differing) - _MAX_CHANGES} smaller changes."
    yield f"{link('All changes', '../docs/history.md')}, with the words before and after them."


def _cause_text(data: SiteData, cause: Mapping[str, Any]) -> str:
    example = cause["example"]
    shown = scenario_code(example) if example in data.suite.ids() else code(example)
    return f"{prose(cause['reason'])} For example {shown}."
