"""The picture of rules over versions: one bar as long as the same holds, light or dark as its reader's system is."""

import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from readfirst.observatory.report.rule_chart import NARROW, WIDE, Layout, rule_chart, rules_with_changes

SVG = "{http://www.w3.org/2000/svg}"
VERSIONS = ("1.0", "1.1", "2.0", "2.0+gated")


def data(*rows: str, title: str = 'A rule <holds> & "more"') -> dict[str, Any]:
    """Return the table of rules whose cells are given as words such as `yes`, `1/4`, `no`, `unknown`."""

    def cell(word: str) -> dict[str, Any]:
        holding, _, judged = word.partition("/")
        match word:
            case "yes":
                return {"holds": "yes", "judged": 4, "holding": 4}
            case "no":
                return {"holds": "no", "judged": 4, "holding": 0}
            case "unknown":
                return {"holds": "unknown", "judged": 0, "holding": 0}
            case _:
                return {"holds": "partly", "judged": int(judged), "holding": int(holding)}

    return {
        "contract": "1.1",
        "versions": {name: {"recorded": True} for name in VERSIONS} | {"documented": {"recorded": False}},
        "rules": {
            f"rule-{number}": {
                "title": title,
                "class": "safety",
                "versions": dict(zip(VERSIONS, map(cell, row.split()), strict=True)),
            }
            for number, row in enumerate(rows)
        },
    }


def bars(svg: str) -> list[tuple[str, str]]:
    """Return kind and title of each bar."""
    found = []
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        for element in group:
            title = element.find(f"{SVG}title")
            if title is not None:
                found.append((element.get("class") or "", title.text or ""))
    return found


def test_versions_in_which_the_same_holds_are_one_bar() -> None:
    assert bars(rule_chart(data("unknown 1/4 yes yes"), ["safety"])) == [
        ("none", "1.0: unknown"),
        ("partly", "1.1: partly 1/4"),
        ("yes", "2.0: yes 4/4"),
        ("yes", "2.0+gated: yes 4/4"),  # an older model is not a later version
    ]
    assert bars(rule_chart(data("no no 1/4 1/4"), ["safety"]))[0] == ("no", "1.0 to 1.1: no 0/4")


def test_only_rules_that_changed_are_drawn_and_only_of_these_classes() -> None:
    table = data("yes yes yes yes", "yes 3/4 yes yes")
    assert [name for name, _ in rules_with_changes(table, ["safety"])] == ["rule-1"]
    assert rules_with_changes(table, ["contract"]) == []


@pytest.mark.parametrize("layout", [WIDE, NARROW])
def test_a_picture_is_whole_and_asks_for_nothing(layout: Layout) -> None:
    svg = rule_chart(data("1/4 no yes unknown", "yes yes no yes"), ["safety"], layout)
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert "A rule <holds>" in "".join(root.itertext())
    assert "prefers-color-scheme: dark" in svg
    assert not re.search(r"href|url\(|<script|@import", svg)
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for rect in root.iter(f"{SVG}rect"):
        assert float(rect.get("x", 0)) + float(rect.get("width", 0)) <= width
        assert float(rect.get("y", 0)) + float(rect.get("height", 0)) <= height


def test_a_count_that_has_no_room_is_left_to_the_title() -> None:
    narrow = Layout(width=100, titles=0, letters=40, size=10, label=12)
    assert ">1/4<" not in rule_chart(data("1/4 yes yes yes"), ["safety"], narrow)
    assert ">1/4<" in rule_chart(data("1/4 yes yes yes"), ["safety"], WIDE)
