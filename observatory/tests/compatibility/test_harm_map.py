"""The map of harm: the most harmful implementation first, a colour and a number per cell, nothing from other sites."""

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from readfirst.harness.suite.harm_kinds import KINDS, MEANING, NON_HARM_KINDS
from readfirst.observatory.report.compatibility import failing_rules, rule_row_from_data
from readfirst.observatory.report.harm_heatmap import (
    COLUMN_TITLES,
    NARROW_MAP,
    WIDE_MAP,
    MapLayout,
    MapRow,
    harm_picture,
    map_rows,
    percent,
    untested_implementations,
)
from readfirst.observatory.template import macro

HOSTILE = '<script>alert(1)</script>"&'


def harm(sessions: int, any_: int, **counts: int) -> dict[str, Any]:
    return {
        "harm": {
            "sessions": sessions,
            "any": any_,
            "counts": counts,
            "shortest": dict.fromkeys(counts, "gate/x"),
        }
    }


@pytest.fixture
def data() -> dict[str, Any]:
    return {
        "implementations": {
            "mild@1": harm(1000, 10, lost=1, blind=300),
            "none@1": harm(0, 0),
            f"{HOSTILE}@2": harm(100, 90, lost=90, spoiled=0),
        },
        "versions": {"2.1.7": harm(100, 5, lost=5)},
    }


def test_the_most_harmful_come_first_and_who_was_not_tried_is_named(data: dict[str, Any]) -> None:
    assert [row.name for row in map_rows(data)] == [f"{HOSTILE}@2", "2.1.7", "mild@1"]
    assert untested_implementations(data) == ["none@1"]


def test_a_sample_says_within_which_bounds_the_share_of_all_lies(data: dict[str, Any]) -> None:
    data["implementations"][f"{HOSTILE}@2"]["harm"]["sampled"] = True
    assert [(row.name, row.share_text) for row in map_rows(data)] == [
        (f"{HOSTILE}@2", "90.0%* (83–94)"),
        ("2.1.7", "5.0%"),
        ("mild@1", "1.0%"),
    ]


def test_a_colour_follows_the_share_and_what_is_beside_harm_has_its_own(data: dict[str, Any]) -> None:
    tones = {
        row.name: {cell.kind: cell.tone for cell in row.cells if cell.count is not None}
        for row in map_rows(data)
    }
    assert tones == {
        f"{HOSTILE}@2": {"lost": "harm-5", "spoiled": "none"},
        "2.1.7": {"lost": "harm-3"},
        "mild@1": {"lost": "harm-1", "blind": "wording-5"},
    }


def test_what_is_there_never_shows_as_nothing() -> None:
    assert [percent(0, 2000), percent(1, 5000), percent(57, 1000)] == ["0.0%", "0.1%", "5.7%"]


def test_every_kind_has_a_column_and_a_few_words(data: dict[str, Any]) -> None:
    assert list(COLUMN_TITLES) == list(KINDS)
    assert all([cell.kind for cell in row.cells] == list(KINDS) for row in map_rows(data))


@pytest.mark.parametrize("layout", [WIDE_MAP, NARROW_MAP])
def test_a_picture_has_every_row_within_its_bounds_and_asks_for_nothing(
    data: dict[str, Any], layout: MapLayout
) -> None:
    text = harm_picture(map_rows(data), layout)
    root = ElementTree.fromstring(text)
    words = ["".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"lost", "overcautious", "90.0%", "Claude Code 2.1.7", "mild@1"} <= set(words)
    for each in root.iter("{http://www.w3.org/2000/svg}rect"):
        assert float(each.get("x", 0)) + float(each.get("width", 0)) <= layout.width
    assert not re.search(r"<script|href|url\(|@import|https?://(?!www\.w3\.org/2000/svg)", text)


def test_a_cell_leads_on_and_no_name_is_markup(data: dict[str, Any]) -> None:
    def address(row: MapRow, kind: str) -> str:
        return f"{row.name}#{kind}"

    html = macro("maps.html.j2", "harm_map", map_rows(data), COLUMN_TITLES, MEANING, NON_HARM_KINDS, address)
    assert "<script" not in html
    assert (
        '<td role="cell" class="harm-3"><a href="2.1.7#lost" title="lost, for example gate/x">5</a>' in html
    )
    assert '<td role="cell" class="none"><span title="spoiled, for example gate/x">0</span></td>' in html
    bare = macro(
        "maps.html.j2", "harm_map", map_rows(data), COLUMN_TITLES, MEANING, NON_HARM_KINDS, lambda *_: ""
    )
    assert "<a" not in bare


def test_no_line_of_a_picture_of_steps_is_empty() -> None:
    steps = [{"head": "Read", "blocks": [{"label": "a", "lines": ["x", "", "![y](z)"]}], "harm": HOSTILE}]
    html = macro("maps.html.j2", "step_picture", steps)
    assert "" not in html.split("\n")
    assert "<script" not in html


def test_a_rule_has_a_figure_for_each_version() -> None:
    cells = {
        name: {"holds": holds, "scenarios": 200, "holding": holding, "judged": judged}
        for name, holds, holding, judged in (
            ("1", "partly", 199, 200),
            ("2", "yes", 4, 4),
            ("3", "unknown", 0, 0),
        )
    }
    rule = {"title": "It holds", "class": "safety", "requirement": "must", "why": "", "versions": cells}
    row = rule_row_from_data("first", rule, "versions", cells)
    html = macro("maps.html.j2", "rule_map", [row], [*cells], lambda rule: f"{rule}.html")
    assert '<a href="first.html">It holds</a>' in html
    figures = re.findall(r'class="([^"]*)"><span title="([^"]*)">([^<]*)<', html)
    assert figures == [
        (
            "wording-1",
            "1: partly, 199/200 scenarios",
            "99",
        ),  # 100 percent is only shown if all scenarios hold
        ("none", "2: holds, 4 scenarios", "✓"),
        ("none", "3: unknown", "–"),
    ]


def test_only_rules_that_changed_are_shown_and_only_of_these_classes() -> None:
    kept, lost = ({"1.0": {"holding": holding, "judged": 4}} for holding in (4, 3))
    table = {
        "rules": {
            "kept": {"class": "safety", "versions": kept},
            "lost": {"class": "safety", "versions": lost},
        }
    }
    assert [name for name, _ in failing_rules(table, ["safety"])] == ["lost"]
    assert failing_rules(table, ["contract"]) == []
