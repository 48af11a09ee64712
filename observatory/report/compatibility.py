"""Write docs/compatibility.md, and the HTML page with filters that shows the same tables: harm by implementation and
version, then rules by implementation and version.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from readfirst.harness.compare.level_reached import Cell
from readfirst.harness.report.html import column_letters, render_page, safe
from readfirst.harness.report.markdown_escape import prose
from readfirst.harness.report.rule_table import Column, RuleTable, rule_row
from readfirst.harness.suite.harm_kinds import KINDS, MEANING, NON_HARM_KINDS
from readfirst.harness.suite.rule_classes import CLASSES
from readfirst.harness.suite.rules import Rule
from readfirst.harness.yaml_io.finding import Position
from readfirst.observatory.report.harm_heatmap import (
    COLUMN_TITLES,
    MapRow,
    map_rows,
    star_meaning,
    untested_implementations,
)
from readfirst.observatory.template import macro, markdown, template

_DATA = Mapping[str, Any]


def for_contract(data: _DATA, contract: str) -> dict[str, Any]:
    """Return the data with results for only one contract. Raises ValueError if it was not compared."""
    if contract not in data["likeness"]:
        raise ValueError(f"implementations were only compared with {' and '.join(data['likeness'])}")
    return {
        **data,
        "likeness": contract,
        "implementations": {
            name: {**each, "classes": each["classes"][contract]}
            for name, each in data["implementations"].items()
        },
        "rules": {
            name: {**rule, "implementations": rule["implementations"][contract]}
            for name, rule in data["rules"].items()
        },
    }


def compatibility_page(data: _DATA) -> str:
    """Return the text of docs/compatibility.md from `compatibility_data`. Raises the error of `for_contract`."""
    return markdown(
        template("docs/compatibility"), data=for_contract(data, data["contract"]), likeness=rule_count_rows
    )


def rule_count_rows(entries: Mapping[str, _DATA], named: Callable[[str], str] = prose) -> list[list[str]]:
    """Return a row for each implementation or version: its name, and the number of rules that hold in each class."""
    return [
        [named(name), *(count_text(each["classes"][class_]) for class_ in CLASSES)]
        for name, each in entries.items()
    ]


def short_cell(each: _DATA) -> str:
    """Return `✓ 12` if a rule holds in all 12 scenarios, or `3/4`, `✗ 0/4`, `–` (not supported), `?` (unknown)."""
    count = f"{each['holding']}/{each['judged']}"
    texts = {"yes": f"✓ {each['judged']}", "partly": count, "no": f"✗ {count}", "not claimed": "–"}
    return texts.get(each["holds"], "?")


def count_text(counts: Mapping[str, int]) -> str:
    """Return a text such as `31/34 (1 not claimed)`: 31 of 34 judged rules hold, 1 needs a missing capability."""
    judged = counts["yes"] + counts["partly"] + counts["no"]
    rest = [f"{counts[name]} {name}" for name in ("not claimed", "unknown") if counts[name]]
    return (f"{counts['yes']}/{judged}" if judged else "-") + (f" ({', '.join(rest)})" if rest else "")


def filtered_page(
    data: _DATA, version: str, address: Callable[[MapRow, str], str] = lambda _row, _kind: ""
) -> str:
    """Return the compatibility table as an HTML page with filters and a harm map. `version` is that of readfirst.
    `address` returns the link for one implementation (a row of the harm map) and one kind of harm, or an empty text.
    """
    contract = data["contract"]
    versions = _table_columns(data["versions"], "+")
    rows = map_rows(data)
    return render_page(
        template("compatibility.html.j2"),
        ["rules.js"],
        version=version,
        contract=contract,
        count=len(data["rules"]),
        classes=CLASSES,
        kinds=[(kind, data["kinds"][kind]) for kind in KINDS],
        map=safe(macro("maps.html.j2", "harm_map", rows, COLUMN_TITLES, MEANING, NON_HARM_KINDS, address)),
        starred=star_meaning(rows),
        untried=untested_implementations(data),
        likeness=[_contract_section(data, each, number) for number, each in enumerate(data["likeness"])],
        versions=_rule_table(
            "versions", "versions", versions, data, f"readfirst diff {contract} VERSION --rule RULE"
        ),
    )


def _contract_section(data: _DATA, contract: str, number: int) -> dict[str, Any]:
    """Return the template's values for the comparison with one contract. `number` is the section's number, from 0."""
    chosen = for_contract(data, contract)
    name = "implementations" if number == 0 else f"implementations-{number}"
    repeat = f"readfirst run target:NAME@VERSION --contract {contract} --level effects SCENARIO"
    return {
        "contract": contract,
        "totals": [
            (each, [count_text(found["classes"][class_]) for class_ in CLASSES])
            for each, found in chosen["implementations"].items()
        ],
        "table": _rule_table(
            name, "implementations", _table_columns(data["implementations"], "@"), chosen, repeat
        ),
    }


def _table_columns(names: Iterable[str], separator: str) -> list[Column]:
    """Return a column per name, such as `agno@3.1.10`. The `separator` (here `@`) divides names into two parts."""
    found = []
    for letter, name in zip(column_letters(), names, strict=False):
        short, mark, facts = name.partition(separator)
        found.append(Column(letter, short, name, facts if mark else ""))
    return found


def _rule_table(name: str, of: str, columns: list[Column], data: _DATA, repeat: str) -> RuleTable:
    classes = []
    for class_ in CLASSES:
        rows = [
            rule_row_from_data(rule_id, rule, of, [column.label for column in columns])
            for rule_id, rule in data["rules"].items()
            if rule["class"] == class_
        ]
        classes.append((class_, data["classes"][class_]["means"], rows))
    return RuleTable(name, columns, classes, repeat, column_width_rem=3.9 if of == "versions" else 4.5)


def rule_row_from_data(
    rule_id: str, rule: Mapping[str, Any], of: str, names: Iterable[str]
) -> dict[str, Any]:
    """Return a rule's row with a cell for each name in `names`. These are "implementations" or "versions" (`of`)."""
    position = Position(Path("rules.yaml"), 1, 1)
    rule_value = Rule(
        rule_id, rule["title"], rule["class"], rule["requirement"], (), (), rule["why"], position
    )
    cells = [
        Cell(**{"standing" if field == "holds" else field: value for field, value in rule[of][name].items()})
        for name in names
    ]
    return rule_row(rule_value, cells, neutral=of == "versions")


def failing_rules(data: _DATA, classes: Iterable[str]) -> list[tuple[str, _DATA]]:
    """Return the id and the entry of each rule of these classes that a product version breaks in some scenario."""
    return [
        (name, rule)
        for class_ in classes
        for name, rule in data["rules"].items()
        if rule["class"] == class_
        and any(each["holding"] < each["judged"] for each in rule["versions"].values())
    ]
