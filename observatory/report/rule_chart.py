"""A picture with a bar over the versions for each rule that changed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from textwrap import wrap
from typing import Any

from readfirst.harness.report.escape import visible
from readfirst.harness.report.html import macro
from readfirst.observatory.template import template

_DATA = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions in pixels. `titles` is the width of titles next to the bars. 0: titles are above the bars."""

    width: int
    titles: int
    letters: int
    """Characters of a line of a title."""
    size: float
    """Size of the letters of a title, in pixels."""
    label: float
    """Size of the letters of versions and counts, in pixels."""
    head: int = 88
    bar: int = 22
    line: int = 17
    gap: int = 11
    margin: int = 14
    right: int = 30
    """Room for the last slanted version."""


WIDE = Layout(width=1120, titles=490, letters=66, size=13.5, label=11.5)
NARROW = Layout(width=520, titles=0, letters=56, size=15.5, label=11.5, head=114, bar=24, line=20, gap=15)


def rules_with_changes(data: _DATA, classes: Sequence[str]) -> list[tuple[str, _DATA]]:
    """Return the rules of these classes with different results in different versions, in order."""
    return [
        (name, rule)
        for class_ in classes
        for name, rule in data["rules"].items()
        if rule["class"] == class_
        and any(each["holding"] < each["judged"] for each in rule["versions"].values())
    ]


def rule_chart(data: _DATA, classes: Sequence[str], layout: Layout = WIDE, kind: str = "chart") -> str:
    """Return the SVG of the rules of these classes, a file or an element of the CSS classes `kind`.

    The same data give the same text.
    """
    names = [name for name, each in data["versions"].items() if each["recorded"]]
    names.sort(key=lambda name: "+" in name)  # older models come last
    apart = sum("+" not in name for name in names)
    step = (layout.width - layout.margin - layout.right - layout.titles) / (len(names) + 0.5)
    left = layout.margin + layout.titles
    places = [left + step * (number + (0.5 if number >= apart else 0)) for number in range(len(names))]
    rows, top = [], float(layout.margin + layout.head)
    for _, rule in rules_with_changes(data, classes):
        row = _row(visible(rule["title"]), top, layout)
        rows.append({**row, "bars": list(_bars(rule["versions"], names, places, step, apart))})
        top = row["end"]
    columns = [
        {"name": visible(name.replace("+", " ")), "x": x, "default": name == data["contract"]}
        for name, x in zip(names, places, strict=True)
    ]
    label = visible(f"In which versions {len(rows)} rules hold: " + ", ".join(classes))
    return macro(
        template("chart.svg.j2"),
        "chart",
        kind,
        label,
        round(top + layout.margin),
        columns,
        step,
        rows,
        layout,
    )


def _row(title: str, top: float, layout: Layout) -> dict[str, Any]:
    """Return the lines of a title and where they begin, the top of the bars, and where the next row begins."""
    lines = wrap(title, layout.letters)
    text = len(lines) * layout.line
    height = max(text, layout.bar) if layout.titles else text + 4 + layout.bar
    return {
        "lines": lines,
        "first": top + (height - text) / 2 * bool(layout.titles) + layout.line * 0.75,
        "top": top + (height - layout.bar) / 2 if layout.titles else top + text + 4,
        "end": top + height + layout.gap,
    }


def _bars(
    cells: _DATA, names: Sequence[str], places: Sequence[float], step: float, apart: int
) -> Iterator[dict[str, Any]]:
    """Yield the bars of a rule. A bar covers consecutive versions with the same result; versions with older models
    have separate bars.
    """

    def key(number: int) -> tuple[bool, str, int, int]:
        each = cells[names[number]]
        same = (0, 0) if each["holds"] == "yes" else (each["holding"], each["judged"])
        return number >= apart, each["holds"], *same

    for (_, holds, holding, judged), group in groupby(range(len(names)), key=key):
        numbers = list(group)
        if holds == "yes":
            holding = judged = max(cells[names[number]]["judged"] for number in numbers)
        first, last = names[numbers[0]], names[numbers[-1]]
        count = f"{holding}/{judged}" if judged else ""
        x = places[numbers[0]] + 1
        yield {
            "holds": holds,
            "shown": count if holds != "yes" else str(judged),
            "share": holding / judged if judged else 0.0,
            "title": visible(f"{first if first == last else f'{first} to {last}'}: {holds} {count}".rstrip()),
            "x": x,
            "width": places[numbers[-1]] + step - 1 - x,
        }
