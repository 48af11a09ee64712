"""Values for the templates of the pages of rules, implementations and versions."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from readfirst.harness.report.html import macro
from readfirst.harness.report.markdown_escape import (
    cell,
    code,
    link,
    markdown,
    page_link,
    prose,
    scenario_code,
)
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.harm_kinds import BESIDE, MEANING
from readfirst.harness.suite.product_versions import version_spans
from readfirst.harness.suite.rule_classes import CLASSES
from readfirst.harness.suite.rules import Rule
from readfirst.observatory.claims.claims import Claim
from readfirst.observatory.claims.rule_index import changed_in, claims_by_rule
from readfirst.observatory.claims.table_cells import excerpt
from readfirst.observatory.report.compatibility import likeness, rules_with_changes, short_cell, stored_row
from readfirst.observatory.report.harm_heatmap import BRIEFLY, MapRow, star_meaning, untested_implementations
from readfirst.observatory.report.rule_diff import rule_changes
from readfirst.observatory.site.sections import changed_rules, harm_changes, harm_sections
from readfirst.observatory.site.site_data import Facts
from readfirst.observatory.template import template
from readfirst.observatory.versions.behaviours import compare_behaviours, value_text
from readfirst.reference_impl.behaviours_by_version import history_of

_SCHEMA_LINE = "# yaml-language-server: $schema=../../schema/scenario.schema.json\n"
_STANDINGS = {
    "yes": "holds",
    "partly": "partly",
    "no": "does not hold",
    "not claimed": "not claimed",
    "unknown": "not run",
}
_TITLES = {
    "safety": "What guards your work, version by version",
    "design": "What another design may do differently, version by version",
}
"""The classes of rules on the first page, with the titles of their maps."""
_NAMED = 10
"""Maximum number of listed behaviours of a diagnosis."""
_CHANGES = 20
"""Maximum number of listed behaviours of a version."""


def home_page(facts: Facts) -> str:
    """Return the Markdown of the first page: a map of harm by implementation, and maps of the rules by version."""
    versions = facts.recorded
    maps = {
        class_: [
            stored_row(name, each, "versions", versions)
            for name, each in rules_with_changes(facts.table, [class_])
        ]
        for class_ in _TITLES
    }
    return markdown(
        template("site/home"),
        map=harm_map_html(facts),
        starred=star_meaning(facts.rows.values()),
        untried=untested_implementations(facts.table),
        against=facts.against,
        classes=[
            (title, macro("maps.html.j2", "rule_map", maps[class_], versions, "rules/{}.html".format))
            for class_, title in _TITLES.items()
        ],
    )


def harm_map_html(
    facts: Facts, above: str = "", names: Collection[str] | None = None, *, products: bool = True
) -> str:
    """Return the HTML of the harm map. Its cells link to the scenarios that show the harm.

    `names` are the shown implementations and versions; None: all implementations and, with `products`, all versions of
    the product. `above` is the relative path from the page to the root of the site.
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


def rule_pages(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield the name and the Markdown of each page in the directory `rules`: first the list of all rules, then a page
    for each rule.
    """
    yield "index.md", markdown(template("site/rules"), rules=facts.rules)
    claims = claims_by_rule(facts.suite)
    for rule in facts.rules:
        yield f"{rule.id}.md", _rule(facts, rule, claims.get(rule.id, ()))


def _rule(facts: Facts, rule: Rule, claims: Sequence[tuple[Claim, str]]) -> str:
    shortest, fields = facts.shortest(rule.id), facts.table["rules"][rule.id]
    cells: Mapping[str, Mapping[str, Any]] = fields["versions"]

    def kind(name: str) -> tuple[str, int, int, str]:
        each = cells[name]
        return each["holds"], each["holding"], each["judged"], each.get("shortest", "")

    return markdown(
        template("site/rule"),
        rule=rule,
        guards=[f"**{kind}**, {prose(MEANING[kind])}" for kind in rule.guards],
        shortest=shortest,
        text=facts.suite.text(shortest.id).removeprefix(_SCHEMA_LINE).rstrip("\n"),
        keepers=[
            [
                page_link(name, "../implementations/"),
                _STANDINGS[each["holds"]],
                short_cell(each),
                scenario_code(each["shortest"]) if "shortest" in each else "",
            ]
            for name, each in fields["implementations"].items()
        ],
        against=facts.against,
        versions=[
            [
                between,
                _STANDINGS[holds],
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
        scenarios=facts.scenarios[rule.id],
    )


def implementation_pages(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield the name and the Markdown of each page in the directory `implementations`: first the list, then a page for
    each implementation.
    """
    yield (
        "index.md",
        markdown(
            template("site/implementations"),
            map=harm_map_html(facts, "../", products=False),
            starred=star_meaning(facts.rows.values()),
            untried=untested_implementations(facts.table),
            against=facts.against,
            likeness=likeness(facts.table["implementations"], page_link),
        ),
    )
    for name, result in facts.results.items():
        yield f"{name}.md", _implementation(facts, name, result)


def _implementation(facts: Facts, name: str, result: Mapping[str, Any]) -> str:
    tried, harm = name in facts.rows, result["harm"]
    lost = harm_sections(facts, harm["sessions"], harm["counts"], harm["shortest"])
    cells = {rule.id: facts.table["rules"][rule.id]["implementations"][name] for rule in facts.rules}
    failing = {
        class_: [rule for rule in facts.rules.of(class_) if cells[rule.id]["holds"] in ("partly", "no")]
        for class_ in CLASSES
    }
    worst = failing[CLASSES[0]][0].id if failing[CLASSES[0]] else ""
    classes = facts.table["implementations"][name]["classes"]
    lacking = [f"{prose(what)} ({count})" for what, count in result["lacks"].items()]
    return markdown(
        template("site/implementation"),
        name=name,
        result=result,
        about=f"{link(prose(result['title']), result['home'])}. {prose(result['about'])}".rstrip(),
        map=harm_map_html(facts, "../", [name, facts.suite.contracts.latest.name]) if tried else "",
        starred=star_meaning([facts.rows[name]]) if tried else "",
        commands=f"$ readfirst run target:{name} --level safe"
        + (f"\n$ readfirst targets implementations --issue {name} {worst}" if worst else ""),
        worst=worst,
        lacks=", ".join(lacking[:_NAMED])
        + (f" and {len(lacking) - _NAMED} more" if lacking[_NAMED:] else ""),
        harm="\n\n".join(lost) if tried else "",
        found=facts.diagnoses.get(name),
        telling=_telling(facts.diagnoses.get(name, {})),
        against=facts.against,
        likeness=[[class_, *(str(classes[class_][each]) for each in _STANDINGS)] for class_ in CLASSES],
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


def _telling(found: Mapping[str, Any]) -> list[str]:
    """Return list items about the changed behaviours of a diagnosis, those that explain the most failures first."""
    differing = sorted(found.get("differences", ()), key=lambda each: -len(each["explains"]))
    named = [
        f"{code(each['behaviour'])}, which explains {len(each['explains'])}: {cell(each['meaning'])}"
        for each in differing[:_NAMED]
    ]
    if len(differing) > _NAMED:
        named.append(f"and {len(differing) - _NAMED} more")
    return named or ["none: it does what that version does"]


def version_pages(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield name and Markdown of each page in the directory `versions`: the list, then a page for each version."""
    yield (
        "index.md",
        markdown(
            template("site/versions"),
            map=harm_map_html(facts, "../", facts.recorded),
            recorded=facts.recorded[::-1],
            versions=facts.table["versions"],
            against=facts.against,
            likeness=likeness(facts.table["versions"]),
        ),
    )
    for name in facts.recorded:
        yield f"{name}.md", _version(facts, facts.suite.contracts[name])


def _version(facts: Facts, contract: Contract) -> str:
    name, before = contract.name, facts.suite.contracts.before(contract)
    harm = facts.recorded_harm["contracts"].get(name)
    causes = facts.recorded_harm["causes"]
    return markdown(
        template("site/version"),
        contract=contract,
        map=harm_map_html(facts, "../", [name]) if name in facts.rows else "",
        before=before,
        changes=[*_changes(facts, before, contract)] if before and before.name in facts.recorded else [],
        harm="\n\n".join(harm_sections(facts, harm["sessions"], harm["harmed"], harm["shortest"]))
        if harm
        else "",
        causes=[(_cause(facts, each), count) for each in causes if (count := each["contracts"].get(name, 0))],
    )


def _changes(facts: Facts, before: Contract, after: Contract) -> Iterator[str]:
    harm = facts.recorded_harm["contracts"].get(after.name, {}).get("since")
    if harm is not None:
        yield from harm_changes(harm)
        for cause in facts.recorded_harm["causes"]:
            if cause["id"] in harm["gone"] and before.read_gate == after.read_gate:
                yield f"It no longer harms so: {_cause(facts, cause)}"
            elif cause["id"] in harm["new"]:
                yield f"It harms in a new way: {_cause(facts, cause)}"
    rules = facts.table["versions"][after.name].get("since")
    if rules is not None:
        yield from changed_rules(
            rule_changes(facts.table, before.name, after.name, rules["rules"], "versions")
        )
    differing = list(compare_behaviours(before.name, after.name).items())
    # In the sentences of the reference's declarations.
    for name, sides in differing[:_CHANGES]:
        was, now = (each.value for each in sides)
        meaning = cell(history_of(name).meaning)
        if isinstance(now, bool):
            yield f"{'Now' if now else 'No longer'}: {meaning}"
        else:
            yield f"Otherwise than before: {meaning} ({excerpt(value_text(was), 60)} → {excerpt(value_text(now), 60)})"
    if len(differing) > _CHANGES:
        yield f"And {len(differing) - _CHANGES} smaller changes."
    yield f"{link('All changes', '../docs/history.md')}, with the words before and after them."


def _cause(facts: Facts, cause: Mapping[str, Any]) -> str:
    example = cause["example"]
    shown = scenario_code(example) if example in facts.suite.ids() else code(example)
    return f"{prose(cause['reason'])} For example {shown}."
