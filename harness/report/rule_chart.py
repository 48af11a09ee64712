"""Rule chart: a bar over the versions for each rule that ever changed, light or dark as its reader's system is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from textwrap import wrap
from typing import Any

from readfirst.harness.report.visible import visible

_DATA = Mapping[str, Any]

_STYLE = """
.chart { --paper: #fff; --ink: #1f2328; --quiet: #57606a; --line: #d8d4cc; --yes: #2f66ad; --yes-ink: #fff;
  --part: #f6e3b4; --part-ink: #4a3500; --strip: #b57f00; --no: #fff; --no-line: #8a6d2f; --now: #eef3fa; }
@media (prefers-color-scheme: dark) { .chart { --paper: #15181c; --ink: #e6e6e3; --quiet: #a3abb5; --line: #3a4048;
  --yes: #6ea3e6; --yes-ink: #0c1829; --part: #4b3c14; --part-ink: #f7e3b0; --strip: #dca93a; --no: #15181c;
  --no-line: #c9a95a; --now: #1e2733; } }
.chart text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; fill: var(--ink); }
.chart .paper { fill: var(--paper); } .chart .now { fill: var(--now); }
.chart .quiet { fill: var(--quiet); } .chart .bold { font-weight: 650; }
.chart .rule { stroke: var(--line); stroke-width: 1; }
.chart .yes { fill: var(--yes); } .chart text.yes-ink { fill: var(--yes-ink); }
.chart .partly { fill: var(--part); } .chart text.partly-ink { fill: var(--part-ink); }
.chart .strip { fill: var(--strip); }
.chart .no { fill: var(--no); stroke: var(--no-line); stroke-width: 1.5; } .chart text.no-ink { fill: var(--ink); }
.chart .none { stroke: var(--quiet); stroke-width: 1.5; stroke-dasharray: 2 4; }
"""


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions, in pixels. `titles` is the room for titles beside the bars, 0: they are above these."""

    width: int
    titles: int
    letters: int
    """Characters of a line of a title."""
    size: float
    """Of the letters of a title."""
    label: float
    """Of the letters of versions and counts."""
    head: int = 88
    bar: int = 22
    line: int = 17
    gap: int = 11
    margin: int = 14
    right: int = 30
    """Room for the last slanted version."""


WIDE = Layout(width=1120, titles=490, letters=66, size=13.5, label=11.5)
NARROW = Layout(width=520, titles=0, letters=56, size=15.5, label=11.5, head=114, bar=24, line=20, gap=15)


@dataclass(frozen=True, slots=True)
class _Bar:
    """Versions side by side, from the first to the last, of which the same holds."""

    first: int
    last: int
    holds: str
    count: str
    share: float
    title: str


def changed(data: _DATA, classes: Sequence[str]) -> list[tuple[str, _DATA]]:
    """Return the rules of these classes that did not hold alike in all versions, in their order."""
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
    columns = [name for name, each in data["versions"].items() if each["recorded"]]
    columns.sort(key=lambda name: "+" in name)  # older models come last
    rules = changed(data, classes)
    apart = sum("+" not in name for name in columns)
    step = (layout.width - layout.margin - layout.right - layout.titles) / (len(columns) + 0.5)
    places = [
        layout.margin + layout.titles + step * (number + (0.5 if number >= apart else 0))
        for number in range(len(columns))
    ]
    body: list[str] = []
    top = float(layout.margin + layout.head)
    for _, rule in rules:
        drawn, top = _row(rule, columns, places, step, top, layout, apart)
        body += drawn
    height = round(top + layout.margin)
    label = f"In which versions {len(rules)} rules hold: " + ", ".join(classes)
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" role="img" aria-label="{_text(label)}"'
        f' viewBox="0 0 {layout.width} {height}" width="{layout.width}" height="{height}">',
        f"<style>{_STYLE}</style>",
        f'<rect class="paper" width="{layout.width}" height="{height}" rx="8"/>',
        *_head(columns, places, step, height, data["contract"], layout),
    ]
    return "\n".join([*head, *body, "</svg>"]) + "\n"


def _head(
    columns: Sequence[str], places: Sequence[float], step: float, height: int, default: str, layout: Layout
) -> Iterator[str]:
    bottom = layout.margin + layout.head - 8
    for name, place in zip(columns, places, strict=True):
        if name == default:
            yield (
                f'<rect class="now" x="{place:.1f}" y="{layout.margin}" width="{step:.1f}"'
                f' height="{height - 2 * layout.margin}" rx="4"/>'
            )
    for name, place in zip(columns, places, strict=True):
        x = place + step / 2 + layout.label / 3
        kind = "bold" if name == default else "quiet"
        yield (
            f'<text class="{kind}" font-size="{layout.label}" transform="translate({x:.1f} {bottom}) rotate(-62)">'
            f"{_text(name.replace('+', ' '))}</text>"
        )
    yield from _legend(layout)


def _legend(layout: Layout) -> Iterator[str]:
    """Yield the key to the bars, in the corner above the titles."""
    x, y = float(layout.margin), layout.margin + 16
    for kind, title in (
        ("yes", "holds"),
        ("partly", "in some scenarios"),
        ("no", "in none"),
        ("none", "not known"),
    ):
        if kind == "none":
            yield f'<line class="none" x1="{x}" x2="{x + 26}" y1="{y - 5}" y2="{y - 5}"/>'
        else:
            yield f'<rect class="{kind}" x="{x}" y="{y - 12}" width="26" height="14" rx="3"/>'
        if kind == "partly":
            yield f'<rect class="strip" x="{x}" y="{y - 2}" width="15" height="4"/>'
        yield f'<text class="quiet" font-size="{layout.label}" x="{x + 32}" y="{y - 1}">{title}</text>'
        x += 52 + len(title) * layout.label * 0.52


def _row(
    rule: _DATA,
    columns: Sequence[str],
    places: Sequence[float],
    step: float,
    top: float,
    layout: Layout,
    apart: int,
) -> tuple[list[str], float]:
    """Return what shows one rule, and where the next one begins."""
    lines = wrap(visible(rule["title"]), layout.letters)
    text = len(lines) * layout.line
    height = max(text, layout.bar) if layout.titles else text + 4 + layout.bar
    bar_top = top + (height - layout.bar) / 2 if layout.titles else top + text + 4
    first = top + (height - text) / 2 + layout.line * 0.75 if layout.titles else top + layout.line * 0.75
    drawn = ["<g>"]
    for number, line in enumerate(lines):
        drawn.append(
            f'<text font-size="{layout.size}" x="{layout.margin}" y="{first + number * layout.line:.1f}">'
            f"{escape(line, quote=False)}</text>"
        )
    for bar in _bars(rule, columns, apart):
        x = places[bar.first] + 1
        width = places[bar.last] + step - 1 - x
        drawn += _drawn(bar, x, bar_top, width, layout)
    drawn.append("</g>")
    end = top + height + layout.gap
    drawn.append(
        f'<line class="rule" x1="{layout.margin}" x2="{layout.width - layout.right}" y1="{end - layout.gap / 2:.1f}"'
        f' y2="{end - layout.gap / 2:.1f}"/>'
    )
    return drawn, end


def _bars(rule: _DATA, columns: Sequence[str], apart: int) -> Iterator[_Bar]:
    """Yield the bars of a rule; those of older models are bars of their own."""

    def key(number: int) -> tuple[bool, str, int, int]:
        each = rule["versions"][columns[number]]
        same = (0, 0) if each["holds"] == "yes" else (each["holding"], each["judged"])
        return number >= apart, each["holds"], *same

    for (_, holds, holding, judged), group in groupby(range(len(columns)), key=key):
        numbers = list(group)
        if holds == "yes":
            holding = judged = max(rule["versions"][columns[number]]["judged"] for number in numbers)
        first, last = columns[numbers[0]], columns[numbers[-1]]
        between = first if first == last else f"{first} to {last}"
        count = f"{holding}/{judged}" if judged else ""
        share = holding / judged if judged else 0.0
        yield _Bar(numbers[0], numbers[-1], holds, count, share, f"{between}: {holds} {count}".rstrip())


def _drawn(bar: _Bar, x: float, top: float, width: float, layout: Layout) -> Iterator[str]:
    tall = layout.bar
    if bar.holds not in ("yes", "partly", "no"):
        middle = top + tall / 2
        yield (
            f'<line class="none" x1="{x:.1f}" x2="{x + width:.1f}" y1="{middle:.1f}" y2="{middle:.1f}">'
            f"<title>{_text(bar.title)}</title></line>"
        )
        return
    inset = 0.75 if bar.holds == "no" else 0.0
    yield (
        f'<rect class="{bar.holds}" x="{x + inset:.1f}" y="{top + inset:.1f}" width="{width - 2 * inset:.1f}"'
        f' height="{tall - 2 * inset:.1f}" rx="3"><title>{_text(bar.title)}</title></rect>'
    )
    if bar.holds == "partly":
        yield (
            f'<rect class="strip" x="{x:.1f}" y="{top + tall - 4:.1f}" width="{width * bar.share:.1f}" height="4"/>'
        )
    shown = bar.count if bar.holds != "yes" else bar.count.partition("/")[0]
    if len(shown) * layout.label * 0.56 > width:
        return  # a narrow bar has no room for its count, which its title tells
    up = 1.5 if bar.holds == "partly" else 0
    yield (
        f'<text class="{bar.holds}-ink" font-size="{layout.label}" text-anchor="middle" x="{x + width / 2:.1f}"'
        f' y="{top + tall / 2 + layout.label * 0.36 - up:.1f}">{shown}</text>'
    )


def _text(text: str) -> str:
    return escape(visible(text))
