"""Rule page: why a rule matters, its shortest scenario, who keeps it, and the versions that did."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from readfirst.harness.claims.claims import Claim
from readfirst.harness.claims.rule_links import claims_by_rule
from readfirst.harness.report.compatibility import short_cell
from readfirst.harness.report.markup import bullets, code, document, fenced, link, prose, scenario_link, table
from readfirst.harness.site.facts import Facts
from readfirst.harness.suite.harm_kinds import MEANING
from readfirst.harness.suite.releases import version_spans
from readfirst.harness.suite.rules import CLASSES, Rule
from readfirst.reference_impl.contract import history_of

_SCHEMA_LINE = "# yaml-language-server: $schema=../../schema/scenario.schema.json\n"
_STANDINGS = {
    "yes": "holds",
    "partly": "partly",
    "no": "does not hold",
    "not claimed": "not claimed",
    "unknown": "not run",
}


def rule_pages(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield the name of each page in the folder of rules, and its Markdown."""
    claims = claims_by_rule(facts.suite)
    for rule in facts.rules:
        yield f"{rule.id}.md", document(_page(facts, rule, claims.get(rule.id, ())))


def rule_index(facts: Facts) -> str:
    """Return the page that lists all rules, the worst class first."""
    return document(_index(facts))


def _index(facts: Facts) -> Iterator[str]:
    yield "# Rules"
    yield "What an implementation gets right or wrong, class by class, in order of the harm."
    for class_ in CLASSES:
        yield f"## {class_}"
        yield prose(facts.rules.classes[class_])
        yield bullets(link(prose(rule.title), f"{rule.id}.md") for rule in facts.rules.of(class_))


def _page(facts: Facts, rule: Rule, claims: Sequence[tuple[Claim, str]]) -> Iterator[str]:
    yield f"# {prose(rule.title)}"
    yield (
        f"{code(rule.id)}, class **{rule.class_}**, requirement {rule.requirement}."
        f" Tools: {', '.join(rule.tools)}."
    )
    yield "## Why it matters"
    yield prose(rule.why)
    harms = (
        "; ".join(f"**{kind}**, {prose(MEANING[kind])}" for kind in rule.guards)
        or "doing otherwise harms no file"
    )
    yield f"What it guards against, as {link('harm', '../docs/harm.md')} goes: {harms}."
    yield from _shortest(facts, rule)
    yield from _implementations(facts, rule)
    yield from _versions(facts, rule)
    yield from _sources(rule, claims)
    yield "## All scenarios"
    yield bullets(
        f"{scenario_link(heading.id, code(heading.id))}: {prose(heading.title)}"
        for heading in facts.scenarios[rule.id]
    )


def _shortest(facts: Facts, rule: Rule) -> Iterator[str]:
    heading = facts.shortest(rule.id)
    text = facts.suite.text(heading.id)
    yield "## The shortest scenario"
    yield f"{scenario_link(heading.id, code(heading.id))}: {prose(heading.title)}."
    yield fenced("yaml", text.removeprefix(_SCHEMA_LINE).rstrip("\n"))
    yield "To try all scenarios of the rule on an implementation:"
    yield fenced("console", f"$ readfirst run TARGET --rule {rule.id}")


def _implementations(facts: Facts, rule: Rule) -> Iterator[str]:
    cells: Mapping[str, Mapping[str, Any]] = facts.table["rules"][rule.id]["implementations"]
    yield "## Who keeps it"
    yield table(
        ["implementation", "", "scenarios", "the shortest that fails"],
        [
            [
                link(name, f"../implementations/{name}.md"),
                _STANDINGS[each["holds"]],
                short_cell(each),
                scenario_link(each["shortest"], code(each["shortest"])) if "shortest" in each else "",
            ]
            for name, each in cells.items()
        ],
    )


def _versions(facts: Facts, rule: Rule) -> Iterator[str]:
    cells: Mapping[str, Mapping[str, Any]] = facts.table["rules"][rule.id]["versions"]
    yield "## Versions of Claude Code"
    yield (
        f"A version holds the rule if it does in every scenario what {facts.against} does; the others behave"
        " differently, which need not be worse."
    )

    def kind(name: str) -> tuple[str, int, int, str]:
        each = cells[name]
        return each["holds"], each["holding"], each["judged"], each.get("shortest", "")

    rows = [
        [
            between,
            _STANDINGS[holds],
            f"{holding}/{judged}" if judged else "–",
            scenario_link(shortest, code(shortest)) if shortest else "",
        ]
        for between, (holds, holding, judged, shortest) in version_spans(cells, kind)
    ]
    yield table(["version", "", "scenarios", "the shortest that differs"], rows)
    names = facts.table["rules"][rule.id]["behaviours"]
    if names:
        reference = link("reference", "../docs/reference.md")
        yield f"Behaviours of the {reference} that it depends on, and when they changed:"
        yield bullets(f"{code(name)}: {_changed_in(name)}" for name in names)


def _sources(rule: Rule, claims: Sequence[tuple[Claim, str]]) -> Iterator[str]:
    yield "## Where it comes from"
    items = [link(prose(each), each) if each.startswith("https://") else prose(each) for each in rule.sources]
    for claim, holds_on in claims:
        where = link(code(claim.id), f"../docs/behaviour.md#{claim.id}")
        items.append(
            f"{where} {prose(claim.says)} {f'Holds on: {holds_on}.' if holds_on else 'It cannot be observed.'}"
        )
    yield bullets(items)


def _changed_in(behaviour: str) -> str:
    versions = [".".join(map(str, version)) for version in history_of(behaviour).changes]
    return ", ".join(versions) or "never"
